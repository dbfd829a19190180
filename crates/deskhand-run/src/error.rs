//! Errors before a program runs, and errors of later requests about it. The way a program itself ended is not an
//! error but a [`crate::operation::Summary`].

use std::path::PathBuf;

use deskhand_model::{Advice, Explain, Step};

/// An error of a command session.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The sandbox failed.
    #[error(transparent)]
    Sandbox(#[from] deskhand_sandbox::Error),
    /// The session has no operation with this id.
    #[error("there is no operation {id} in this session")]
    UnknownOperation {
        /// The requested id.
        id: String,
        /// The ids of the latest operations.
        known: Vec<String>,
    },
    /// The session has no terminal with this id.
    #[error("there is no terminal {id} in this session")]
    UnknownTerminal {
        /// The requested id.
        id: String,
        /// The ids of the open terminals.
        known: Vec<String>,
    },
    /// The folder is outside the scope.
    #[error("{} is outside the scope {}", folder.display(), scope.display())]
    OutsideScope {
        /// The folder.
        folder: PathBuf,
        /// The scope.
        scope: PathBuf,
    },
    /// The folder does not exist.
    #[error("there is no folder {}", folder.display())]
    NoFolder {
        /// The folder.
        folder: PathBuf,
    },
    /// Clients may not use this folder as their scope.
    #[error("clients cannot use {} as their scope: {reason}", folder.display())]
    ScopeRefused {
        /// The folder.
        folder: PathBuf,
        /// The reason.
        reason: &'static str,
    },
    /// The request contains nothing to run.
    #[error("there is nothing to run")]
    NothingToRun,
    /// The queue of the session is full.
    #[error("too many operations: {waiting} are already waiting")]
    QueueFull {
        /// The number of waiting operations.
        waiting: usize,
    },
    /// The session has the maximum number of terminals.
    #[error("too many terminals: {open} are already open")]
    TooManyTerminals {
        /// The number of open terminals.
        open: usize,
    },
    /// The session has ended.
    #[error("the session has ended and starts nothing any more")]
    SessionEnded,
    /// The program of the terminal has ended and reads no input.
    #[error("the program of terminal {id} has ended")]
    TerminalEnded {
        /// The terminal.
        id: String,
    },
    /// The key name is unknown.
    #[error("there is no key `{key}`")]
    UnknownKey {
        /// The requested key.
        key: String,
    },
    /// The pattern is not a valid regular expression.
    #[error("invalid pattern: {reason}")]
    InvalidPattern {
        /// The message of the parser.
        reason: String,
    },
    /// A system call failed.
    #[error("{action} failed: {reason}")]
    System {
        /// The failed action.
        action: &'static str,
        /// The error of the system.
        reason: std::io::Error,
    },
}

impl Explain for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Sandbox(error) => error.code(),
            Self::UnknownOperation { .. } => "unknown_operation",
            Self::UnknownTerminal { .. } => "unknown_terminal",
            Self::OutsideScope { .. } => "outside_scope",
            Self::NoFolder { .. } => "no_folder",
            Self::ScopeRefused { .. } => "scope_refused",
            Self::NothingToRun => "nothing_to_run",
            Self::QueueFull { .. } => "too_many_operations",
            Self::TooManyTerminals { .. } => "too_many_terminals",
            Self::SessionEnded => "session_ended",
            Self::TerminalEnded { .. } => "terminal_ended",
            Self::UnknownKey { .. } => "unknown_key",
            Self::InvalidPattern { .. } => "invalid_pattern",
            Self::System { .. } => "system",
        }
    }

    fn advice(&self) -> Option<Advice> {
        let text = match self {
            Self::Sandbox(error) => return error.advice(),
            Self::UnknownOperation { known, .. } if known.is_empty() => {
                "no operation was started in this session, or it was forgotten: only the latest are kept"
                    .to_owned()
            }
            Self::UnknownOperation { known, .. } => {
                format!("the latest are {}; older ones were forgotten", known.join(", "))
            }
            Self::UnknownTerminal { known, .. } if known.is_empty() => {
                "start one first; unused terminals are closed after a while".to_owned()
            }
            Self::UnknownTerminal { known, .. } => format!("open terminals: {}", known.join(", ")),
            Self::OutsideScope { scope, .. } => {
                format!("choose a folder inside {}", scope.display())
            }
            Self::NoFolder { .. } => "create it first, or choose another folder".to_owned(),
            Self::ScopeRefused { .. } => {
                let advice = Advice::from("make a project folder the first root, or ");
                return Some(advice.step(Step::SetSandboxScope));
            }
            Self::NothingToRun => "name a command".to_owned(),
            Self::QueueFull { .. } => "await or cancel some of them first".to_owned(),
            Self::TooManyTerminals { .. } => "close one of them first".to_owned(),
            Self::SessionEnded => "start a new session".to_owned(),
            Self::TerminalEnded { .. } => {
                "read its last output, then close it and start another".to_owned()
            }
            Self::UnknownKey { .. } => {
                "keys are Enter, Tab, Escape, Backspace, Delete, Space, Up, Down, Left, Right, Home, End, \
                 PageUp, PageDown, Insert, F1 to F12, and any of them or a character with Ctrl+, Alt+ or Shift+"
                    .to_owned()
            }
            Self::InvalidPattern { .. } => "use the syntax of the Rust crate regex".to_owned(),
            Self::System { .. } => "try again; the system may be short of processes or files".to_owned(),
        };
        Some(text.into())
    }
}
