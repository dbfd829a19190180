//! What keeps a server from serving.

use deskhand_model::Explain;

/// What keeps a server from serving.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A tool was named that does not exist.
    #[error("there is no tool `{name}`")]
    UnknownTool {
        /// The name.
        name: String,
        /// Names much like it.
        near: Vec<String>,
    },
    /// The address is not one of this machine alone.
    #[error("{at} can be reached from other machines")]
    Reachable {
        /// The address.
        at: std::net::SocketAddr,
    },
    /// The process cannot start what serving needs.
    #[error("the server cannot start: {why}")]
    Start {
        /// Why.
        why: String,
    },
}

impl Explain for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::UnknownTool { .. } => "unknown_tool",
            Self::Reachable { .. } => "invalid_parameter",
            Self::Start { .. } => "internal",
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::UnknownTool { near, .. } if near.is_empty() => {
                Some("`deskhand mcp tools` lists them".to_owned())
            }
            Self::UnknownTool { near, .. } => Some(format!("nearest: {}", near.join(", "))),
            Self::Reachable { .. } => {
                Some("give an address of this machine alone, such as 127.0.0.1:8741".to_owned())
            }
            Self::Start { .. } => None,
        }
    }
}
