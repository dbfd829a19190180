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
            Self::Start { .. } => "internal",
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::UnknownTool { near, .. } if near.is_empty() => {
                Some("`deskhand mcp tools` lists them".to_owned())
            }
            Self::UnknownTool { near, .. } => Some(format!("nearest: {}", near.join(", "))),
            Self::Start { .. } => None,
        }
    }
}
