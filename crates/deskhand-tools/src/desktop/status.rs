//! Errors with a gRPC status, as clients of MacosUseSDK expect them.

use std::fmt;

use deskhand_model::{Delivery, Explain};

use crate::Error;

/// A gRPC status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GrpcStatus {
    /// An argument is invalid.
    InvalidArgument,
    /// The resource does not exist.
    NotFound,
}

impl GrpcStatus {
    /// The name of the status.
    fn word(self) -> &'static str {
        match self {
            Self::InvalidArgument => "INVALID_ARGUMENT",
            Self::NotFound => "NOT_FOUND",
        }
    }

    /// Puts the status in front of the message of an error. Code and hint stay the same.
    pub(super) fn wrap(self, error: Error) -> Error {
        Error::Dynamic(Box::new(StatusError { status: self, error }))
    }
}

/// An error with its status.
#[derive(Debug)]
struct StatusError {
    status: GrpcStatus,
    error: Error,
}

impl fmt::Display for StatusError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.status.word(), self.error)
    }
}

impl std::error::Error for StatusError {}

impl Explain for StatusError {
    fn code(&self) -> &'static str {
        self.error.code()
    }

    fn advice(&self) -> Option<deskhand_model::Advice> {
        self.error.advice()
    }

    fn delivery(&self) -> Delivery {
        self.error.delivery()
    }

    fn retry_after_ms(&self) -> Option<u64> {
        self.error.retry_after_ms()
    }
}
