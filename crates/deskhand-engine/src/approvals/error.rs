//! What can be wrong with the files of approvals.

use std::path::{Path, PathBuf};

use deskhand_model::Explain;

use crate::Spot;

/// Why approvals cannot be read or kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Somebody else can change the file, or has made it.
    #[error("{} is not trusted: {why}", path.display())]
    Unsafe {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The file was changed by something else than this program.
    #[error("{} was changed from outside, so nothing in it holds", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The file does not say what it should.
    #[error("{}:{spot}: {why}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// Where in it.
        spot: Spot,
        /// What is wrong there.
        why: String,
    },
    /// The system refused.
    #[error("{} cannot be {doing}: {why}", path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
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

    fn hint(&self) -> Option<String> {
        match self {
            Self::Unsafe { path, .. } => {
                Some(format!("make it yours alone: chmod 600 {}", path.display()))
            }
            Self::Changed { .. } => Some(
                "`deskhand approvals revoke --all` empties it; agree again when you are asked"
                    .to_owned(),
            ),
            Self::Invalid { .. } => Some(
                "write one [[approval]] each, with app, tool and, where it ends, expires"
                    .to_owned(),
            ),
            Self::Io { .. } => None,
        }
    }
}
