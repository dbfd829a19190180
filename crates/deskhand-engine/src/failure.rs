//! What a door says when a call failed.

use deskhand_model::{Delivery, Explain};
use deskhand_tools::Effect;
use serde::Serialize;

/// A failed call, ready to be shown: the same words on every door.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// A stable word for the situation.
    pub code: String,
    /// What went wrong.
    pub message: String,
    /// What to do next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Whether anything had been sent to an app by then; absent where a call only looks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivery: Option<Delivery>,
    /// How long to wait before it is worth trying again, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
}

impl Failure {
    /// A failure of a code, before anything was sent.
    pub fn new(code: &str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            message: message.into(),
            hint: Some(hint.into()),
            delivery: None,
            retry_after_ms: None,
        }
    }

    /// The same, of a call that did not come to run: a tool that acts has sent nothing then.
    #[must_use]
    pub fn before(self, effect: Effect) -> Self {
        Self { delivery: (!effect.is_look()).then_some(Delivery::NotSent), ..self }
    }

    /// The same for a caller that knows tools and arguments, and no commands and flags.
    #[must_use]
    pub(crate) fn for_tools(self) -> Self {
        Self { hint: self.hint.as_deref().map(deskhand_tools::for_tools), ..self }
    }
}

impl<E: Explain> From<E> for Failure {
    fn from(error: E) -> Self {
        Self {
            code: error.code().to_owned(),
            message: error.to_string(),
            hint: error.hint(),
            delivery: None,
            retry_after_ms: error.retry_after_ms(),
        }
    }
}
