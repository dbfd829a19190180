//! What can go wrong with other servers.

use std::time::Duration;

use deskhand_model::{Delivery, Explain, TextPosition};
use rmcp::transport::streamable_http_client::StreamableHttpError;

/// The result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Something about another server went wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The list of servers is no JSON.
    #[error("{file}:{spot}: {why}")]
    Syntax {
        /// The file.
        file: String,
        /// Where in it.
        spot: TextPosition,
        /// What is wrong there.
        why: String,
    },
    /// The list of servers has a field there is not.
    #[error("{file}:{spot}: there is no field `{field}`")]
    Unknown {
        /// The file.
        file: String,
        /// Where in it.
        spot: TextPosition,
        /// The field.
        field: String,
        /// The field that may be meant.
        near: Option<&'static str>,
    },
    /// The list of servers has a value that means nothing.
    #[error("{file}:{spot}: `{field}` is not {takes}")]
    Wrong {
        /// The file.
        file: String,
        /// Where in it.
        spot: TextPosition,
        /// The field.
        field: String,
        /// What it takes.
        takes: String,
    },
    /// The list of servers names a variable that is not set.
    #[error("{file}:{spot}: the variable {variable} is not set")]
    Unset {
        /// The file.
        file: String,
        /// Where in it.
        spot: TextPosition,
        /// The variable.
        variable: String,
    },
    /// No server has this name.
    #[error("there is no server `{name}`")]
    NoServer {
        /// The name.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// The server offers no such tool, now.
    #[error("`{server}` offers no tool `{tool}` now")]
    NoTool {
        /// The server.
        server: String,
        /// The tool as the server calls it.
        tool: String,
    },
    /// The server cannot be reached, or does not speak MCP.
    #[error("`{server}` does not answer: {why}")]
    Down {
        /// The server.
        server: String,
        /// What happened.
        why: String,
        /// Whether a call may have reached it.
        delivery: Delivery,
    },
    /// The server wants a person to log in.
    #[error("`{server}` wants you to log in")]
    LoginNeeded {
        /// The server.
        server: String,
    },
    /// The person, or the authorization server, said no.
    #[error("the login to `{server}` was refused: {why}")]
    LoginRefused {
        /// The server.
        server: String,
        /// What was said.
        why: String,
    },
    /// The login did not come to an end.
    #[error("the login to `{server}` failed: {why}")]
    LoginFailed {
        /// The server.
        server: String,
        /// What happened.
        why: String,
    },
    /// Nobody came back from the browser.
    #[error("nobody finished the login to `{server}` within {after:?}")]
    LoginLate {
        /// The server.
        server: String,
        /// How long it was waited for.
        after: Duration,
    },
    /// The server took too long.
    #[error("`{server}` did not answer in time")]
    Late {
        /// The server.
        server: String,
        /// Whether a call may have reached it.
        delivery: Delivery,
    },
    /// The caller stopped waiting.
    #[error("the call to `{server}` was stopped")]
    Stopped {
        /// The server.
        server: String,
    },
    /// The server refused the call itself.
    #[error("`{server}` refused the call: {why}")]
    Refused {
        /// The server.
        server: String,
        /// What it said.
        why: String,
    },
    /// Tokens cannot be kept.
    #[error("{file} cannot be used: {why}")]
    Storage {
        /// The file.
        file: String,
        /// What the system said.
        why: String,
    },
    /// A program cannot be started.
    #[error("`{program}` cannot be started: {why}")]
    Program {
        /// The program.
        program: String,
        /// What the system said.
        why: String,
    },
    /// This process can do no work in the background.
    #[error("this process cannot speak to other servers: {why}")]
    Start {
        /// What the system said.
        why: String,
    },
}

impl Explain for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Syntax { .. }
            | Self::Unknown { .. }
            | Self::Wrong { .. }
            | Self::Unset { .. } => "config_invalid",
            Self::NoServer { .. } => "no_server",
            Self::NoTool { .. } => "no_tool",
            Self::Down { .. } => "server_down",
            Self::LoginNeeded { .. } => "login_needed",
            Self::LoginRefused { .. } => "login_refused",
            Self::LoginFailed { .. } => "login_failed",
            Self::LoginLate { .. } | Self::Late { .. } => "timeout",
            Self::Stopped { .. } => "cancelled",
            Self::Refused { .. } => "server_refused",
            Self::Storage { .. } => "storage_failed",
            Self::Program { .. } => "program_failed",
            Self::Start { .. } => "start_failed",
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Syntax { .. } => {
                Some(r#"write { "servers": { "name": { "url": "https://…" } } }"#.to_owned())
            }
            Self::Unknown { near, .. } => near.map(|near| format!("`{near}` may be meant")),
            Self::Wrong { takes, .. } => Some(format!("give {takes}")),
            Self::Unset { variable, .. } => Some(format!("set {variable}")),
            Self::NoServer { known, .. } if known.is_empty() => {
                Some("no server is set up; see `deskhand servers list`".to_owned())
            }
            Self::NoServer { known, .. } => Some(format!("there are: {}", known.join(", "))),
            Self::NoTool { .. } => Some("list the tools again".to_owned()),
            Self::Down { .. } | Self::Late { .. } => {
                Some("it is tried again in the background; try later".to_owned())
            }
            Self::LoginNeeded { server }
            | Self::LoginRefused { server, .. }
            | Self::LoginFailed { server, .. }
            | Self::LoginLate { server, .. } => {
                Some(format!("a person can run `deskhand servers login {server}`"))
            }
            Self::Stopped { .. } | Self::Refused { .. } => None,
            Self::Storage { file, .. } => Some(format!("make it yours alone: chmod 600 {file}")),
            Self::Program { .. } => Some("check the command and its path".to_owned()),
            Self::Start { .. } => None,
        }
    }

    fn delivery(&self) -> Delivery {
        match self {
            Self::Down { delivery, .. } | Self::Late { delivery, .. } => *delivery,
            Self::Stopped { .. } => Delivery::Unknown,
            Self::Refused { .. } => Delivery::Sent,
            Self::Syntax { .. }
            | Self::Unknown { .. }
            | Self::Wrong { .. }
            | Self::Unset { .. }
            | Self::NoServer { .. }
            | Self::NoTool { .. }
            | Self::LoginNeeded { .. }
            | Self::LoginRefused { .. }
            | Self::LoginFailed { .. }
            | Self::LoginLate { .. }
            | Self::Storage { .. }
            | Self::Program { .. }
            | Self::Start { .. } => Delivery::NotSent,
        }
    }
}

/// What is at the bottom of an error: the layers above say only that there is something below.
pub(crate) fn words(error: &(dyn std::error::Error + 'static)) -> String {
    let mut last = error;
    loop {
        // rmcp wraps this one without saying that it is the cause.
        let sent = last.downcast_ref::<StreamableHttpError<reqwest::Error>>();
        last = match (sent, last.source()) {
            (Some(StreamableHttpError::Client(cause)), _) => cause,
            (_, Some(cause)) => cause,
            (_, None) => return plain(&last.to_string()),
        };
    }
}

/// What another program says, in one short line.
pub(crate) fn plain(text: &str) -> String {
    const LONGEST: usize = 400;
    let line = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter });
    line.take(LONGEST).collect::<String>().trim().to_owned()
}
