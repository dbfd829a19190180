//! The compact result of an action, shared by all `ax_…` tools that act.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    Render, StyledText,
    verbs::effect::{ActionEffect, ActionOutcome},
};

/// The result of an action.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ActionResult {
    effect: ActionEffect,
    way: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    element_ref: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    evidence: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

impl From<ActionOutcome> for ActionResult {
    fn from(done: ActionOutcome) -> Self {
        let mut evidence: Vec<String> = done.evidence.iter().map(ToString::to_string).collect();
        evidence.extend(
            done.failed_attempts.iter().map(|one| format!("{}: {}", one.strategy, one.why)),
        );
        Self {
            effect: done.effect,
            way: done.strategy,
            target: done.target,
            element_ref: done.element_ref,
            evidence,
            changes: done.changes,
            next: done.next_step.as_ref().map(super::spell),
        }
    }
}

impl ActionResult {
    /// Returns the same result with other advice.
    #[must_use]
    pub(crate) fn or_else(self, next: impl Into<String>) -> Self {
        Self { next: Some(next.into()), ..self }
    }

    /// Converts the result of the verb.
    pub(crate) fn effect(&self) -> ActionEffect {
        self.effect
    }
}

impl Render for ActionResult {
    fn render(&self) -> StyledText {
        super::as_data(self)
    }

    fn succeeded(&self) -> bool {
        self.effect.succeeded()
    }
}

#[cfg(test)]
mod tests {
    use deskhand_model::{Advice, Step};

    use super::*;
    use crate::verbs::effect::{Evidence, EvidenceKind, FailedAttempt};

    #[test]
    fn evidence_is_one_line_each_and_advice_speaks_of_tools() {
        let seen = Evidence::change(EvidenceKind::Value, "slider \"Volume\"", "3", "7");
        let mut done = ActionOutcome::confirmed("value", seen)
            .with_next_step(Advice::from("use ").step(Step::FocusMode).text(": it helps"));
        done.failed_attempts
            .push(FailedAttempt { strategy: "text".to_owned(), why: "declined".to_owned() });
        let acted = ActionResult::from(done);
        assert_eq!(
            serde_json::to_value(&acted).unwrap(),
            serde_json::json!({
                "effect": "confirmed",
                "way": "value",
                "evidence": ["slider \"Volume\" \"3\" -> \"7\"", "text: declined"],
                "next": "use mode \"focus\": it helps",
            })
        );
        assert!(acted.succeeded());
    }
}
