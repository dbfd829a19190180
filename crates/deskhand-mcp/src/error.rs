//! Errors that keep a server from starting.

use deskhand_model::{Advice, Explain, Step};

/// An error that keeps a server from starting.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The selection names a tool that does not exist.
    #[error("unknown tool `{name}`")]
    UnknownTool {
        /// The name.
        name: String,
        /// Similar names of tools that exist.
        suggestions: Vec<String>,
    },
    /// The address can be reached from other machines, and no authentication is configured.
    #[error("{at} can be reached from other machines")]
    PublicAddress {
        /// The address.
        at: std::net::SocketAddr,
    },
    /// Every origin is allowed, and no authentication is configured.
    #[error("any web page could control this desktop")]
    AllOriginsAllowed,
    /// The value of an option is invalid.
    #[error("{option}: {reason}")]
    InvalidOption {
        /// The option.
        option: String,
        /// The reason.
        reason: String,
    },
    /// The server could not be started.
    #[error("the server cannot start: {reason}")]
    Startup {
        /// The reason.
        reason: String,
    },
}

impl Explain for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::UnknownTool { .. } => "unknown_tool",
            Self::PublicAddress { .. } | Self::AllOriginsAllowed | Self::InvalidOption { .. } => {
                "invalid_parameter"
            }
            Self::Startup { .. } => "internal",
        }
    }

    fn advice(&self) -> Option<Advice> {
        match self {
            Self::UnknownTool { suggestions, .. } if suggestions.is_empty() => {
                Some(Advice::from("list the tools with ").step(Step::ListTools))
            }
            Self::UnknownTool { suggestions, .. } => {
                Some(format!("did you mean: {}", suggestions.join(", ")).into())
            }
            Self::PublicAddress { .. } => Some(
                "set DESKHAND_HTTP_TOKEN or an OAuth issuer to require authentication, \
                     or use a loopback address such as 127.0.0.1:8741"
                    .into(),
            ),
            Self::AllOriginsAllowed => {
                Some("list the allowed origins instead of `*`, or set DESKHAND_HTTP_TOKEN".into())
            }
            Self::InvalidOption { .. } => None,
            Self::Startup { .. } => None,
        }
    }
}
