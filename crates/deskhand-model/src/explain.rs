//! The contract every error of the workspace keeps: what went wrong, and what to do next.

use serde::{Deserialize, Serialize};

/// An error that can be shown to a person or a model.
pub trait Explain: std::error::Error {
    /// A stable word for the situation, such as `no_match`; programs branch on it.
    fn code(&self) -> &'static str;

    /// What the reader can do next, when there is something to do.
    fn hint(&self) -> Option<String>;

    /// Whether anything had been sent to the app when it went wrong; a machine may try again only
    /// after `not_sent`.
    fn delivery(&self) -> Delivery {
        Delivery::NotSent
    }

    /// How long to wait before it is worth trying again, where that is known.
    fn retry_after_ms(&self) -> Option<u64> {
        None
    }
}

/// Whether an action left this program before it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// Nothing was sent.
    NotSent,
    /// It was sent.
    Sent,
    /// It may have been sent.
    Unknown,
}

impl Delivery {
    /// The word JSON and messages use.
    pub fn word(self) -> &'static str {
        match self {
            Self::NotSent => "not_sent",
            Self::Sent => "sent",
            Self::Unknown => "unknown",
        }
    }
}
