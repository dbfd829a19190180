//! What is said of a halt.

use std::{io, path::PathBuf};

use deskhand_model::Explain;

/// A person has stopped everything.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("everything is halted{}", reason.as_ref().map_or(String::new(), |why| format!(": {why}")))]
pub struct Halted {
    /// Why, where a reason was given.
    pub reason: Option<String>,
}

impl Explain for Halted {
    fn code(&self) -> &'static str {
        "halted"
    }

    fn hint(&self) -> Option<String> {
        Some("wait: only the person at the desk lets it go on, by deskhand resume".to_owned())
    }
}

/// Why the halt could not be raised, taken back or looked for.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The place the flag lies in cannot be used.
    #[error("the halt flag in {} cannot be used: {why}", folder.display())]
    Place {
        /// The folder.
        folder: PathBuf,
        /// What the system said.
        why: io::Error,
    },
    /// The machine does not do its part.
    #[error(transparent)]
    Machine(#[from] deskhand_platform::Error),
}

impl Explain for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Place { .. } => "halt_unusable",
            Self::Machine(error) => error.code(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Place { .. } => Some(
                "the folder must be yours and closed to others: set DESKHAND_RUNTIME_DIR to one"
                    .to_owned(),
            ),
            Self::Machine(error) => error.hint(),
        }
    }
}
