//! Errors of the audit log.

use std::{io, path::PathBuf};

use deskhand_model::{Advice, Explain, Step};

/// The audit log could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A record could not be written.
    #[error("the audit log {} cannot be written: {why}", path.display())]
    Unwritable {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        why: io::Error,
    },
    /// Another program keeps the log locked.
    #[error("another program keeps the audit log {} locked", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// The log could not be read.
    #[error("the audit log {} cannot be read: {why}", path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        why: io::Error,
    },
}

impl Explain for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Unwritable { .. } | Self::Locked { .. } => "audit_log_unwritable",
            Self::Unreadable { .. } => "audit_log_unreadable",
        }
    }

    fn advice(&self) -> Option<Advice> {
        Some(match self {
            Self::Unwritable { why, .. } if why.kind() == io::ErrorKind::StorageFull => {
                "free some disk space; actions that cannot be recorded are refused".into()
            }
            Self::Unwritable { .. } => {
                "make the file and its folder writable; actions that cannot be recorded are refused"
                    .into()
            }
            Self::Locked { .. } => Advice::new().step(Step::EndHangingProgram),
            Self::Unreadable { .. } => "check the owner and permissions of the file".into(),
        })
    }
}
