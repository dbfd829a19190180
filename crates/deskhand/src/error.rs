//! The error of all methods.

use std::{fmt, time::Duration};

use deskhand_engine::{CallError, CallFailure};
use deskhand_model::{Delivery, Explain};

/// A failed operation.
///
/// [`code`](Self::code) is stable and meant for programs, the message is meant for people:
///
/// ```no_run
/// # fn main() -> Result<(), deskhand::Error> {
/// # let session = deskhand::Session::open()?;
/// match session.app("mousepad")?.click("Save") {
///     Ok(outcome) => println!("{}", outcome.effect),
///     Err(error) if error.code() == "ambiguous" => println!("be more specific: {error}"),
///     Err(error) => return Err(error),
/// }
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    code: String,
    message: String,
    advice: Option<String>,
    delivery: Option<Delivery>,
    retry_after: Option<Duration>,
}

impl Error {
    /// Returns the stable code of the situation, such as `no_match`, `ambiguous` or `timeout`.
    pub fn code(&self) -> &str {
        &self.code
    }

    /// Returns the description of the problem.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the suggested next step, if there is one.
    pub fn advice(&self) -> Option<&str> {
        self.advice.as_deref()
    }

    /// Tells if an action was sent to the app before it failed. `None` for operations that only
    /// read. After [`Delivery::NotSent`] the operation is safe to retry.
    pub fn delivery(&self) -> Option<Delivery> {
        self.delivery
    }

    /// Returns the time to wait before a retry, if it is known. Rate limits set it.
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    pub(crate) fn new(code: &str, message: impl Into<String>, advice: impl Into<String>) -> Self {
        CallFailure::new(code, message, advice).into()
    }

    pub(crate) fn from_explained(error: impl Explain) -> Self {
        CallFailure::from(error).into()
    }

    /// Creates the error for a result that does not have the expected form.
    pub(crate) fn unexpected_result(tool: &str, why: impl fmt::Display) -> Self {
        let message = format!("the result of `{tool}` has an unexpected form: {why}");
        Self::new("internal", message, "report this as a bug of Deskhand")
    }

    pub(crate) fn with_delivery(self, delivery: Delivery) -> Self {
        Self { delivery: Some(delivery), ..self }
    }
}

impl fmt::Display for Error {
    /// Writes the message and the advice.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.advice {
            Some(advice) => write!(f, "; {advice}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

impl From<CallFailure> for Error {
    fn from(failure: CallFailure) -> Self {
        Self {
            code: failure.code,
            message: failure.message,
            advice: failure.hint,
            delivery: failure.delivery,
            retry_after: failure.retry_after_ms.map(Duration::from_millis),
        }
    }
}

impl From<CallError> for Error {
    fn from(error: CallError) -> Self {
        CallFailure::from(error).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_a_failure_is_kept() {
        let failure = CallFailure {
            delivery: Some(Delivery::NotSent),
            retry_after_ms: Some(1500),
            ..CallFailure::new("rate_limited", "too many calls", "wait")
        };
        let error = Error::from(failure);
        assert_eq!((error.code(), error.message()), ("rate_limited", "too many calls"));
        assert_eq!(error.advice(), Some("wait"));
        assert_eq!(error.delivery(), Some(Delivery::NotSent));
        assert_eq!(error.retry_after(), Some(Duration::from_millis(1500)));
        assert_eq!(error.to_string(), "too many calls; wait");
    }
}
