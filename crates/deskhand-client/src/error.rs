//! Errors of the client.

use std::time::Duration;

use deskhand_model::{Advice, Delivery, Explain, Step, TextPosition};
use rmcp::transport::streamable_http_client::StreamableHttpError;

/// The result type of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// An error in the configuration of other servers, or in using one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The configuration is not valid JSON.
    #[error("{file}:{position}: {reason}")]
    Syntax {
        /// The file.
        file: String,
        /// The position of the error.
        position: TextPosition,
        /// The parser's message.
        reason: String,
    },
    /// The configuration has an unknown field.
    #[error("{file}:{position}: unknown field `{field}`")]
    UnknownField {
        /// The file.
        file: String,
        /// The position of the field.
        position: TextPosition,
        /// The field.
        field: String,
        /// A known field with a similar name.
        similar: Option<&'static str>,
    },
    /// A field of the configuration has an invalid value.
    #[error("{file}:{position}: `{field}` is not {expects}")]
    InvalidField {
        /// The file.
        file: String,
        /// The position of the value.
        position: TextPosition,
        /// The field.
        field: String,
        /// A description of the accepted values.
        expects: String,
    },
    /// The configuration refers to an environment variable that is not set.
    #[error("{file}:{position}: the environment variable {variable} is not set")]
    UnsetVariable {
        /// The file.
        file: String,
        /// The position of the reference.
        position: TextPosition,
        /// The variable.
        variable: String,
    },
    /// No server has this name.
    #[error("there is no server `{name}`")]
    UnknownServer {
        /// The name.
        name: String,
        /// The names of all servers.
        known: Vec<String>,
    },
    /// The server does not offer the tool at this time.
    #[error("`{server}` does not offer the tool `{tool}`")]
    UnknownTool {
        /// The server.
        server: String,
        /// The server's name of the tool.
        tool: String,
    },
    /// The server cannot be reached, or does not speak MCP.
    #[error("cannot reach `{server}`: {reason}")]
    Unreachable {
        /// The server.
        server: String,
        /// The cause.
        reason: String,
        /// The delivery of the call: `NotSent` if it cannot have reached the server.
        delivery: Delivery,
    },
    /// The server requires a login.
    #[error("`{server}` requires a login")]
    LoginRequired {
        /// The server.
        server: String,
    },
    /// The user, or the authorization server, denied the login.
    #[error("the login to `{server}` was denied: {reason}")]
    LoginRefused {
        /// The server.
        server: String,
        /// The message of the authorization server.
        reason: String,
    },
    /// The login failed.
    #[error("the login to `{server}` failed: {reason}")]
    LoginFailed {
        /// The server.
        server: String,
        /// The cause.
        reason: String,
    },
    /// The user did not finish the login in time.
    #[error("the login to `{server}` was not finished within {timeout:?}")]
    LoginTimeout {
        /// The server.
        server: String,
        /// The timeout.
        timeout: Duration,
    },
    /// The server did not respond in time.
    #[error("`{server}` did not respond in time")]
    Timeout {
        /// The server.
        server: String,
        /// The delivery of the call: `NotSent` if it cannot have reached the server.
        delivery: Delivery,
    },
    /// The caller cancelled the call.
    #[error("the call to `{server}` was cancelled")]
    Cancelled {
        /// The server.
        server: String,
    },
    /// The server rejected the call with a protocol error.
    #[error("`{server}` rejected the call: {reason}")]
    Rejected {
        /// The server.
        server: String,
        /// The server's message.
        reason: String,
    },
    /// The file with the tokens cannot be used.
    #[error("cannot use {file}: {reason}")]
    Storage {
        /// The file.
        file: String,
        /// The cause.
        reason: String,
    },
    /// A program cannot be started.
    #[error("cannot start `{program}`: {reason}")]
    ProgramStart {
        /// The program.
        program: String,
        /// The system's message.
        reason: String,
    },
    /// The client's runtime cannot be started.
    #[error("cannot start the MCP client: {reason}")]
    Runtime {
        /// The system's message.
        reason: String,
    },
}

impl Explain for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Syntax { .. }
            | Self::UnknownField { .. }
            | Self::InvalidField { .. }
            | Self::UnsetVariable { .. } => "config_invalid",
            Self::UnknownServer { .. } => "no_server",
            Self::UnknownTool { .. } => "no_tool",
            Self::Unreachable { .. } => "server_down",
            Self::LoginRequired { .. } => "login_needed",
            Self::LoginRefused { .. } => "login_refused",
            Self::LoginFailed { .. } => "login_failed",
            Self::LoginTimeout { .. } | Self::Timeout { .. } => "timeout",
            Self::Cancelled { .. } => "cancelled",
            Self::Rejected { .. } => "server_refused",
            Self::Storage { .. } => "storage_failed",
            Self::ProgramStart { .. } => "program_failed",
            Self::Runtime { .. } => "start_failed",
        }
    }

    fn advice(&self) -> Option<Advice> {
        match self {
            Self::Syntax { .. } => {
                Some(r#"write { "servers": { "name": { "url": "https://…" } } }"#.into())
            }
            Self::UnknownField { similar, .. } => {
                similar.map(|similar| format!("did you mean `{similar}`?").into())
            }
            Self::InvalidField { expects, .. } => Some(format!("expected {expects}").into()),
            Self::UnsetVariable { variable, .. } => Some(format!("set {variable}").into()),
            Self::UnknownServer { known, .. } if known.is_empty() => {
                Some(Advice::from("no servers are configured; ").step(Step::ListServers))
            }
            Self::UnknownServer { known, .. } => {
                Some(format!("configured servers: {}", known.join(", ")).into())
            }
            Self::UnknownTool { .. } => Some("list the tools again".into()),
            Self::Unreachable { .. } | Self::Timeout { .. } => {
                Some("Deskhand keeps trying to connect in the background; try again later".into())
            }
            Self::LoginRequired { server }
            | Self::LoginRefused { server, .. }
            | Self::LoginFailed { server, .. }
            | Self::LoginTimeout { server, .. } => {
                Some(Advice::new().step(Step::LogIn { server: server.clone() }))
            }
            Self::Cancelled { .. } | Self::Rejected { .. } | Self::Runtime { .. } => None,
            Self::Storage { file, .. } => {
                Some(format!("make sure only you can read and write it: chmod 600 {file}").into())
            }
            Self::ProgramStart { .. } => Some("check the command and PATH".into()),
        }
    }

    fn delivery(&self) -> Delivery {
        match self {
            Self::Unreachable { delivery, .. } | Self::Timeout { delivery, .. } => *delivery,
            Self::Cancelled { .. } => Delivery::Unknown,
            Self::Rejected { .. } => Delivery::Sent,
            Self::Syntax { .. }
            | Self::UnknownField { .. }
            | Self::InvalidField { .. }
            | Self::UnsetVariable { .. }
            | Self::UnknownServer { .. }
            | Self::UnknownTool { .. }
            | Self::LoginRequired { .. }
            | Self::LoginRefused { .. }
            | Self::LoginFailed { .. }
            | Self::LoginTimeout { .. }
            | Self::Storage { .. }
            | Self::ProgramStart { .. }
            | Self::Runtime { .. } => Delivery::NotSent,
        }
    }
}

/// Returns the message of an error's root cause; the errors above it only say that there is a cause.
pub(crate) fn root_cause(error: &(dyn std::error::Error + 'static)) -> String {
    let mut current = error;
    loop {
        // rmcp does not return the cause of this error from `source`.
        let sent = current.downcast_ref::<StreamableHttpError<reqwest::Error>>();
        current = match (sent, current.source()) {
            (Some(StreamableHttpError::Client(cause)), _) => cause,
            (_, Some(cause)) => cause,
            (_, None) => return one_line(&current.to_string()),
        };
    }
}

/// Returns an untrusted text on one line of at most 400 characters, without control characters.
pub(crate) fn one_line(text: &str) -> String {
    const MAX_CHARS: usize = 400;
    let line = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    line.take(MAX_CHARS).collect::<String>().trim().to_owned()
}
