//! The compact result of an action, shared by all `ax_…` tools that act.

use schemars::JsonSchema;
use serde::Serialize;

use super::for_tools;
use crate::{
    Page, Shown,
    verbs::effect::{Done, Verdict},
};

/// The result of an action.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ActionResult {
    effect: Verdict,
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

impl From<Done> for ActionResult {
    fn from(done: Done) -> Self {
        let mut evidence: Vec<String> = done.evidence.iter().map(ToString::to_string).collect();
        evidence.extend(done.tried.iter().map(|one| format!("{}: {}", one.way, one.why)));
        Self {
            effect: done.effect,
            way: done.way,
            target: done.target,
            element_ref: done.element_ref,
            evidence,
            changes: done.changes,
            next: done.escalation.as_deref().map(for_tools),
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
    pub(crate) fn effect(&self) -> Verdict {
        self.effect
    }
}

impl Shown for ActionResult {
    fn page(&self) -> Page {
        super::as_data(self)
    }

    fn succeeded(&self) -> bool {
        self.effect.succeeded()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verbs::effect::{Evidence, Sign, Tried};

    #[test]
    fn evidence_is_one_line_each_and_advice_speaks_of_tools() {
        let seen = Evidence::change(Sign::Value, "slider \"Volume\"", "3", "7");
        let mut done = Done::confirmed("value", seen).or_else("use --mode focus: it helps");
        done.tried.push(Tried { way: "text".to_owned(), why: "declined".to_owned() });
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
