//! What can go wrong before a program runs, or when somebody asks for it later. How a program itself
//! ended is no error here but a [`crate::operation::Summary`].

use std::path::PathBuf;

use deskhand_model::Explain;

/// Why something was not done.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The sandbox does not do it.
    #[error(transparent)]
    Sandbox(#[from] deskhand_sandbox::Error),
    /// There is no such operation in this session.
    #[error("there is no operation {id} in this session")]
    UnknownOperation {
        /// What was asked for.
        id: String,
        /// The latest ones there are.
        known: Vec<String>,
    },
    /// There is no such terminal in this session.
    #[error("there is no terminal {id} in this session")]
    UnknownTerminal {
        /// What was asked for.
        id: String,
        /// Those there are.
        known: Vec<String>,
    },
    /// The folder is outside the scope.
    #[error("{} is not in the scope {}", folder.display(), scope.display())]
    OutsideScope {
        /// The folder.
        folder: PathBuf,
        /// The scope.
        scope: PathBuf,
    },
    /// The folder is not there.
    #[error("there is no folder {}", folder.display())]
    NoFolder {
        /// The folder.
        folder: PathBuf,
    },
    /// A client may not have this folder as its scope.
    #[error("{} cannot be the scope of a client: {why}", folder.display())]
    NotForClients {
        /// The folder.
        folder: PathBuf,
        /// What speaks against it.
        why: &'static str,
    },
    /// There is nothing to run.
    #[error("there is nothing to run")]
    Nothing,
    /// Too many wait already.
    #[error("{waiting} operations wait for their turn already")]
    Full {
        /// How many.
        waiting: usize,
    },
    /// Too many terminals are open.
    #[error("{open} terminals are open already")]
    TooManyTerminals {
        /// How many.
        open: usize,
    },
    /// The session has ended.
    #[error("the session has ended; nothing is started in it any more")]
    Closed,
    /// The program of a terminal has ended, so nothing can be typed.
    #[error("the program of terminal {id} has ended")]
    TerminalEnded {
        /// The terminal.
        id: String,
    },
    /// The text is no key.
    #[error("there is no key `{key}`")]
    UnknownKey {
        /// What was asked for.
        key: String,
    },
    /// The pattern is no regular expression.
    #[error("the pattern cannot be used: {why}")]
    Pattern {
        /// What is wrong with it.
        why: String,
    },
    /// The system gives nothing for it.
    #[error("{what}: {why}")]
    System {
        /// What was tried.
        what: &'static str,
        /// Why it failed.
        why: std::io::Error,
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
            Self::NotForClients { .. } => "scope_refused",
            Self::Nothing => "nothing_to_run",
            Self::Full { .. } => "too_many_operations",
            Self::TooManyTerminals { .. } => "too_many_terminals",
            Self::Closed => "session_ended",
            Self::TerminalEnded { .. } => "terminal_ended",
            Self::UnknownKey { .. } => "unknown_key",
            Self::Pattern { .. } => "invalid_pattern",
            Self::System { .. } => "system",
        }
    }

    fn hint(&self) -> Option<String> {
        let text = match self {
            Self::Sandbox(error) => return error.hint(),
            Self::UnknownOperation { known, .. } if known.is_empty() => {
                "nothing was started in this session yet, or it is forgotten: only the latest are kept"
                    .to_owned()
            }
            Self::UnknownOperation { known, .. } => {
                format!("the latest are {}; older ones are forgotten", known.join(", "))
            }
            Self::UnknownTerminal { known, .. } if known.is_empty() => {
                "start one first; one nobody uses is closed after a while".to_owned()
            }
            Self::UnknownTerminal { known, .. } => format!("open are {}", known.join(", ")),
            Self::OutsideScope { scope, .. } => {
                format!("name a folder in {}", scope.display())
            }
            Self::NoFolder { .. } => "make it first, or name another one".to_owned(),
            Self::NotForClients { .. } => {
                "name a project's folder as the first root; a server that shall work there is started \
                 with --sandbox-scope"
                    .to_owned()
            }
            Self::Nothing => "name a command".to_owned(),
            Self::Full { .. } => "await or cancel some of them first".to_owned(),
            Self::TooManyTerminals { .. } => "close one of them first".to_owned(),
            Self::Closed => "begin a new session".to_owned(),
            Self::TerminalEnded { .. } => {
                "read what it showed last, then close it and start another".to_owned()
            }
            Self::UnknownKey { .. } => {
                "keys are Enter, Tab, Escape, Backspace, Delete, Space, Up, Down, Left, Right, Home, End, \
                 PageUp, PageDown, Insert, F1 to F12, and Ctrl+, Alt+ or Shift+ one of them or a character"
                    .to_owned()
            }
            Self::Pattern { .. } => "use the syntax of the Rust crate regex".to_owned(),
            Self::System { .. } => "try again; the system may be short of processes or files".to_owned(),
        };
        Some(text)
    }
}
