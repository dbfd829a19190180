//! The outcome of a call.

use deskhand_tools::ToolOutput;
use deskhand_verbs::Question;

use crate::CallFailure;

/// The outcome of a call.
pub type CallResult = Result<ToolOutput, CallError>;

/// The reason why a call returned no answer.
#[derive(Debug, Clone, PartialEq)]
pub enum CallError {
    /// The call failed.
    Failure(CallFailure),
    /// The call needs input. The caller can make it again with that input.
    Pause(Pause),
}

/// The input that a paused call needs.
#[derive(Debug, Clone, PartialEq)]
pub enum Pause {
    /// Answers to these questions.
    Questions(Vec<Question>),
}

impl From<CallFailure> for CallError {
    fn from(failure: CallFailure) -> Self {
        Self::Failure(failure)
    }
}

impl From<CallError> for CallFailure {
    /// Converts a pause to a failure, for callers that cannot ask the user.
    fn from(error: CallError) -> Self {
        match error {
            CallError::Failure(failure) => failure,
            CallError::Pause(Pause::Questions(questions)) => {
                let all: Vec<String> = questions.into_iter().map(|one| one.message).collect();
                Self {
                    code: "input_required".to_owned(),
                    message: format!("a question must be answered first: {}", all.join(" ")),
                    hint: Some("call again with the requested input".to_owned()),
                    delivery: Some(deskhand_model::Delivery::NotSent),
                    retry_after_ms: None,
                }
            }
        }
    }
}
