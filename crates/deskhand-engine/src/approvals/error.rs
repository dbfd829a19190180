//! Errors of the approval files.

use std::path::{Path, PathBuf};

use deskhand_model::{Advice, Explain, Step};

use crate::TextPosition;

/// Approvals cannot be read or stored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Another user can change the file, or owns it.
    #[error("{} is not trusted: {why}", path.display())]
    Unsafe {
        /// The file.
        path: PathBuf,
        /// The problem with it.
        why: &'static str,
    },
    /// The signature of the file is wrong: another program changed it.
    #[error("{} was changed by another program, so its approvals are ignored", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The content of the file is invalid.
    #[error("{}:{spot}: {why}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The position in the file.
        spot: TextPosition,
        /// The problem there.
        why: String,
    },
    /// The system reported an error.
    #[error("{} cannot be {doing}: {why}", path.display())]
    Io {
        /// The operation, as a past participle.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the system.
        why: String,
    },
}

impl Error {
    pub(super) fn io(
        doing: &'static str,
        path: &Path,
    ) -> impl FnOnce(std::io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |error| Self::Io { doing, path, why: error.to_string() }
    }
}

impl Explain for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Unsafe { .. } => "approvals_unsafe",
            Self::Changed { .. } => "approvals_changed",
            Self::Invalid { .. } => "approvals_invalid",
            Self::Io { .. } => "approvals_unusable",
        }
    }

    fn advice(&self) -> Option<Advice> {
        match self {
            Self::Unsafe { path, .. } => {
                let path = path.display();
                Some(format!("remove write access for other users: chmod 600 {path}").into())
            }
            Self::Changed { .. } => Some(
                Advice::new().step(Step::RevokeApprovals).text(", then approve again when asked"),
            ),
            Self::Invalid { .. } => Some(
                "write each approval as [[approval]] with app, tool and optionally expires".into(),
            ),
            Self::Io { .. } => None,
        }
    }
}
