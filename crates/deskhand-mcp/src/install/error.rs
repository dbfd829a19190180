//! What keeps a settings file from being edited.

use std::{io, path::PathBuf};

use deskhand_model::Explain;

use super::document::Problem;

/// What keeps a settings file from being edited; it is untouched then.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It cannot be read.
    #[error("{} cannot be read: {source}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is a link to nothing.
    #[error("{} is a link to a file that is not there", file.display())]
    BrokenLink {
        /// The link.
        file: PathBuf,
    },
    /// It is not what its client reads.
    #[error("{}: {problem}", file.display())]
    Invalid {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        problem: Problem,
    },
    /// Somebody else wrote it at the same time.
    #[error("{} was changed by another program at this very moment", file.display())]
    Changed {
        /// The file.
        file: PathBuf,
    },
    /// It, or its backup, cannot be written.
    #[error("{} cannot be written: {source}", file.display())]
    Unwritable {
        /// The file.
        file: PathBuf,
        /// Why.
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

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Unreadable { .. } => "see to it that it is a text file this user may read",
            Self::BrokenLink { .. } => "make the file it points to, or take the link away",
            Self::Invalid { problem: Problem::Unsure, .. } => {
                "put the entry in by hand: `--dry-run` with another client shows what it looks like"
            }
            Self::Invalid { .. } => "put it right by hand and try again; nothing was changed",
            Self::Changed { .. } => "try again, with the client closed",
            Self::Unwritable { .. } => {
                "see to it that this user may write the file and its folder; nothing was changed"
            }
        };
        Some(hint.to_owned())
    }
}
