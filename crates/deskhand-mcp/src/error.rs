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
    /// Every web page could call, and nobody is asked who they are.
    #[error("every web page could use this desktop")]
    OpenToPages,
    /// Something it was given is no good.
    #[error("{what}: {why}")]
    Unfit {
        /// What.
        what: String,
        /// Why.
        why: String,
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
            Self::Reachable { .. } | Self::OpenToPages | Self::Unfit { .. } => "invalid_parameter",
            Self::Start { .. } => "internal",
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::UnknownTool { near, .. } if near.is_empty() => {
                Some("`deskhand mcp tools` lists them".to_owned())
            }
            Self::UnknownTool { near, .. } => Some(format!("nearest: {}", near.join(", "))),
            Self::Reachable { .. } => Some(
                "set DESKHAND_HTTP_TOKEN or name an OAuth issuer so that only those you know get in, \
                 or give an address of this machine alone, such as 127.0.0.1:8741"
                    .to_owned(),
            ),
            Self::OpenToPages => Some(
                "name the origins that may call instead of `*`, or set DESKHAND_HTTP_TOKEN".to_owned(),
            ),
            Self::Unfit { .. } => None,
            Self::Start { .. } => None,
        }
    }
}
