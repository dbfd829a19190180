//! The trait every error in the workspace implements: an error code and advice for the reader.

use serde::{Deserialize, Serialize};

use crate::Advice;

/// An error that can be shown to a user or a model.
pub trait Explain: std::error::Error {
    /// Returns a stable error code, such as `no_match`. Programs branch on it.
    fn code(&self) -> &'static str;

    /// Returns advice on what to do next, if there is any.
    fn advice(&self) -> Option<Advice>;

    /// Returns whether anything reached the app before the error. Only a call with `not_sent` is
    /// safe to retry automatically.
    fn delivery(&self) -> Delivery {
        Delivery::NotSent
    }

    /// Returns how many milliseconds to wait before retrying, if known.
    fn retry_after_ms(&self) -> Option<u64> {
        None
    }
}

/// Tells whether an action was sent to the app before it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// Nothing was sent.
    NotSent,
    /// The action was sent.
    Sent,
    /// The action may have been sent.
    Unknown,
}

impl Delivery {
    /// Returns the name used in JSON and messages.
    pub fn word(self) -> &'static str {
        match self {
            Self::NotSent => "not_sent",
            Self::Sent => "sent",
            Self::Unknown => "unknown",
        }
    }
}
