//! The result of an action, shared by all commands that act.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    Render, Style, StyledLine, StyledText,
    verbs::effect::{ActionEffect, ActionOutcome, Evidence, FailedAttempt},
};

/// The result of an action, with its advice in the vocabulary of the CLI.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CommandOutcome {
    /// The observed effect: `confirmed`, `partial`, `unverified`, `no_effect` or `refused`.
    effect: ActionEffect,
    /// The strategy that was used, such as `action:click`, `text`, `pointer` or `keyboard`.
    #[serde(rename = "way")]
    strategy: String,
    /// The target of the action, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    /// The ref of the target.
    #[serde(skip_serializing_if = "Option::is_none")]
    element_ref: Option<String>,
    /// The observed changes that prove the effect.
    evidence: Vec<Evidence>,
    /// Other changes in the app, one per line, within a size budget.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changes: Vec<String>,
    /// Strategies that were tried before without effect.
    #[serde(rename = "tried", skip_serializing_if = "Vec::is_empty")]
    failed_attempts: Vec<FailedAttempt>,
    /// The next step to try, if the effect is not certain.
    #[serde(rename = "escalation", skip_serializing_if = "Option::is_none")]
    next_step: Option<String>,
}

impl From<ActionOutcome> for CommandOutcome {
    fn from(outcome: ActionOutcome) -> Self {
        Self {
            effect: outcome.effect,
            strategy: outcome.strategy,
            target: outcome.target,
            element_ref: outcome.element_ref,
            evidence: outcome.evidence,
            changes: outcome.changes,
            failed_attempts: outcome.failed_attempts,
            next_step: outcome.next_step.as_ref().map(super::spell),
        }
    }
}

impl Render for CommandOutcome {
    fn render(&self) -> StyledText {
        let mut head = StyledLine::new().with(self.effect.style(), self.effect.word());
        if let Some(target) = &self.target {
            head = head.with(Style::Strong, target);
        }
        head = head.with(Style::Handle, self.element_ref.as_deref().unwrap_or_default());
        head = head.with(Style::Faint, format!("by {}", self.strategy));
        let mut text = StyledText::default().line(head);
        let inner = || StyledLine { indent: 1, spans: Vec::new() };
        for one in &self.evidence {
            let line = inner().with(Style::Plain, &one.subject);
            text = text.line(line.with(Style::Value, one.difference()));
        }
        for line in &self.changes {
            text = text.line(inner().with(Style::Faint, line));
        }
        for failed in &self.failed_attempts {
            let line = format!("before that {}: {}", failed.strategy, failed.why);
            text = text.line(inner().with(Style::Faint, line));
        }
        if let Some(next) = &self.next_step {
            text = text.line(inner().with(Style::Warning, format!("next: {next}")));
        }
        text
    }

    fn succeeded(&self) -> bool {
        self.effect.succeeded()
    }
}

#[cfg(test)]
mod tests {
    use deskhand_model::{Advice, Step};

    use super::*;
    use crate::verbs::effect::EvidenceKind;

    #[test]
    fn an_outcome_shows_its_evidence_and_the_next_step() {
        let seen = Evidence::change(EvidenceKind::Value, "slider \"Volume\"", "3", "7");
        let outcome = ActionOutcome::confirmed("value", seen).on("slider \"Volume\"");
        let text = CommandOutcome::from(outcome).render().to_string();
        assert!(text.contains("confirmed") && text.contains("\"3\" -> \"7\""), "{text}");
        let outcome = ActionOutcome::new(ActionEffect::NoEffect, "action:click")
            .with_next_step(Advice::from("use ").step(Step::FocusMode));
        let outcome = CommandOutcome::from(outcome);
        assert!(!outcome.succeeded());
        assert!(outcome.render().to_string().contains("next: use --mode focus"));
    }

    #[test]
    fn field_names_on_the_wire_do_not_change() {
        let mut outcome = ActionOutcome::confirmed("text", Evidence::new(EvidenceKind::Text, "x"))
            .on("entry")
            .with_next_step("next");
        let failed = FailedAttempt { strategy: "a".to_owned(), why: "b".to_owned() };
        outcome.failed_attempts.push(failed);
        assert_eq!(
            serde_json::to_value(CommandOutcome::from(outcome)).unwrap(),
            serde_json::json!({
                "effect": "confirmed",
                "way": "text",
                "target": "entry",
                "evidence": [{ "sign": "text", "what": "x" }],
                "tried": [{ "way": "a", "why": "b" }],
                "escalation": "next",
            })
        );
    }
}
