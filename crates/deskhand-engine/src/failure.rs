//! The error that callers receive.

use deskhand_model::{Delivery, Explain};
use deskhand_tools::{Effect, ToolEntry, spell_advice};
use deskhand_verbs::Origin;
use serde::Serialize;

use crate::PolicyViolation;

/// A failed call, in the form that the CLI and MCP clients receive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CallFailure {
    /// A stable code for the situation.
    pub code: String,
    /// The problem.
    pub message: String,
    /// The suggested next step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Tells if anything was sent to an app; absent for calls that only read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivery: Option<Delivery>,
    /// The time to wait before a retry, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
}

impl CallFailure {
    /// Creates a failure with a code, a message and a hint.
    pub fn new(code: &str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            message: message.into(),
            hint: Some(hint.into()),
            delivery: None,
            retry_after_ms: None,
        }
    }

    /// Marks a failure that happened before the tool ran: a tool that acts has sent nothing.
    #[must_use]
    pub fn before_run(self, effect: Effect) -> Self {
        Self { delivery: (!effect.is_read_only()).then_some(Delivery::NotSent), ..self }
    }

    /// Creates the failure of a call. Its hint is spelled for the origin of the call: as commands and
    /// flags for the CLI, as tools and arguments for MCP clients.
    pub(crate) fn of_error(error: &impl Explain, origin: Origin) -> Self {
        Self {
            code: error.code().to_owned(),
            message: error.to_string(),
            hint: error.advice().map(|advice| spell_advice(&advice, origin)),
            delivery: None,
            retry_after_ms: error.retry_after_ms(),
        }
    }

    /// Creates the failure of a call that the policy does not allow.
    pub(crate) fn of_violation(
        entry: &ToolEntry,
        violation: PolicyViolation,
        origin: Origin,
    ) -> Self {
        let name = match origin {
            Origin::Cli if !entry.command().is_empty() => entry.command(),
            Origin::Cli | Origin::Mcp | Origin::Library | Origin::Internal => entry.name(),
        };
        let (code, message, hint) = match violation {
            PolicyViolation::Mode(mode) => (
                "forbidden",
                format!("`{name}` is not allowed in {mode} mode"),
                "use a tool that only reads, or ask the user to choose another security mode",
            ),
            PolicyViolation::ReadOnly => (
                "read_only_mode",
                format!("`{name}` is not allowed in read-only mode"),
                "use a tool that only reads, or ask the user to start without read-only mode",
            ),
        };
        Self::new(code, message, hint)
    }
}
impl<E: Explain> From<E> for CallFailure {
    /// Converts an error outside of calls, such as an invalid setting. Only the CLI shows it, so its
    /// hint is spelled for the CLI.
    fn from(error: E) -> Self {
        Self::of_error(&error, Origin::Cli)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Halted;

    #[test]
    fn the_hint_is_spelled_for_the_origin_of_the_call() {
        let halted = Halted { reason: None };
        let hint = |origin| CallFailure::of_error(&halted, origin).hint.unwrap_or_default();
        assert_eq!(hint(Origin::Cli), "wait: only the user can resume, with `deskhand resume`");
        assert_eq!(hint(Origin::Mcp), "wait: only the user can resume");
        assert_eq!(CallFailure::from(halted.clone()).hint, Some(hint(Origin::Cli)));
    }
}
