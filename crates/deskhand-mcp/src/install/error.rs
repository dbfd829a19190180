//! Errors of editing a settings file.

use std::{io, path::PathBuf};

use deskhand_model::{Advice, Explain, Step};

use super::document::EditProblem;

/// An error of editing a settings file. The file is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be read.
    #[error("{} cannot be read: {source}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The file is a broken symbolic link.
    #[error("{} is a link to a file that does not exist", file.display())]
    BrokenLink {
        /// The link.
        file: PathBuf,
    },
    /// The file is not valid for its client.
    #[error("{}: {problem}", file.display())]
    Invalid {
        /// The file.
        file: PathBuf,
        /// The problem.
        problem: EditProblem,
    },
    /// Another program wrote the file at the same time.
    #[error("{} was changed by another program at the same time", file.display())]
    Changed {
        /// The file.
        file: PathBuf,
    },
    /// The file or its backup cannot be written.
    #[error("{} cannot be written: {source}", file.display())]
    Unwritable {
        /// The file.
        file: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

impl Explain for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } | Self::BrokenLink { .. } => "settings_unreadable",
            Self::Invalid { .. } => "settings_invalid",
            Self::Changed { .. } => "settings_changed",
            Self::Unwritable { .. } => "settings_unwritable",
        }
    }

    fn advice(&self) -> Option<Advice> {
        let hint = match self {
            Self::Unreadable { .. } => "make sure that it is a text file this user can read",
            Self::BrokenLink { .. } => "create the target of the link, or remove the link",
            Self::Invalid { problem: EditProblem::LossyEdit, .. } => {
                return Some(
                    Advice::from("add the entry by hand: ")
                        .step(Step::Argument("dry_run"))
                        .text(" with another client shows its form"),
                );
            }
            Self::Invalid { .. } => "fix the file and try again; nothing was changed",
            Self::Changed { .. } => "close the client and try again",
            Self::Unwritable { .. } => {
                "make sure that this user can write the file and its folder; nothing was changed"
            }
        };
        Some(hint.into())
    }
}
