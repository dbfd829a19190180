//! What can go wrong with the journal.

use std::{io, path::PathBuf};

use deskhand_model::Explain;

/// Why something could not be recorded, or what was recorded not be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A line could not be written.
    #[error("the audit log {} cannot be written: {why}", path.display())]
    Unwritable {
        /// Which file or folder.
        path: PathBuf,
        /// What the system said.
        why: io::Error,
    },
    /// Another program holds the log and does not let go.
    #[error("another program holds the audit log {} and does not let go", path.display())]
    Held {
        /// Which file.
        path: PathBuf,
    },
    /// The log could not be read.
    #[error("the audit log {} cannot be read: {why}", path.display())]
    Unreadable {
        /// Which file or folder.
        path: PathBuf,
        /// What the system said.
        why: io::Error,
    },
}

impl Explain for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Unwritable { .. } | Self::Held { .. } => "audit_log_unwritable",
            Self::Unreadable { .. } => "audit_log_unreadable",
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Unwritable { why, .. } if why.kind() == io::ErrorKind::StorageFull => {
                "make room on the disk; nothing is done that cannot be recorded".to_owned()
            }
            Self::Unwritable { .. } => {
                "make the file and its folder writable; nothing is done that cannot be recorded"
                    .to_owned()
            }
            Self::Held { .. } => {
                "the person at the desk can end the program that hangs, by deskhand halt".to_owned()
            }
            Self::Unreadable { .. } => "look at its owner and its permissions".to_owned(),
        })
    }
}
