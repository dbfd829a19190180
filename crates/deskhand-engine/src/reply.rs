//! What a call came to.

use deskhand_tools::{Answer, Question};

use crate::Failure;

/// What a call came to.
pub type Reply = Result<Answer, Stopped>;

/// Why a call has no answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Stopped {
    /// It failed.
    Failure(Failure),
    /// It can go on when it is made again.
    Pause(Pause),
}

/// What a call waits for.
#[derive(Debug, Clone, PartialEq)]
pub enum Pause {
    /// Answers to these.
    Asks(Vec<Question>),
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<Stopped> for Failure {
    /// For doors that ask nobody: there a question is as good as a failure.
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Failure(failure) => failure,
            Stopped::Pause(Pause::Asks(questions)) => {
                let all: Vec<String> = questions.into_iter().map(|one| one.message).collect();
                Self {
                    code: "input_required".to_owned(),
                    message: format!("a question must be answered first: {}", all.join(" ")),
                    hint: Some("call again with what it asks for".to_owned()),
                    delivery: Some(deskhand_model::Delivery::NotSent),
                    retry_after_ms: None,
                }
            }
        }
    }
}
