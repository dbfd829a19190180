//! Errors of the halt.

use std::{io, path::PathBuf};

use deskhand_model::{Advice, Explain, Step};

/// The user halted everything.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("everything is halted{}", reason.as_ref().map_or(String::new(), |why| format!(": {why}")))]
pub struct Halted {
    /// The reason, if the user gave one.
    pub reason: Option<String>,
}

impl Explain for Halted {
    fn code(&self) -> &'static str {
        "halted"
    }

    fn advice(&self) -> Option<Advice> {
        Some(Advice::from("wait: ").step(Step::Resume))
    }
}

/// The halt could not be set, cleared or watched.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The folder of the halt flag cannot be used.
    #[error("the halt flag in {} cannot be used: {why}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The error of the system.
        why: io::Error,
    },
    /// The platform failed.
    #[error(transparent)]
    Machine(#[from] deskhand_platform::Error),
}

impl Explain for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Folder { .. } => "halt_unusable",
            Self::Machine(error) => error.code(),
        }
    }

    fn advice(&self) -> Option<Advice> {
        match self {
            Self::Folder { .. } => Some(
                "set DESKHAND_RUNTIME_DIR to a folder that you own and other users cannot write to"
                    .into(),
            ),
            Self::Machine(error) => error.advice(),
        }
    }
}
