//! What can be wrong with a sandbox.

use std::path::PathBuf;

use deskhand_model::Explain;

/// Why something does not run in a sandbox.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The folder cannot be a scope.
    #[error("{} cannot be the scope of a sandbox: {why}", folder.display())]
    Scope {
        /// The folder.
        folder: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The kernel cannot enforce it.
    #[error("the kernel cannot enforce the sandbox: {why}")]
    Unenforced {
        /// What it lacks.
        why: String,
        /// What would give it that.
        remedy: String,
    },
    /// The server runs in a sandbox itself, which does not let it make another.
    #[error("this runs in a sandbox already, which allows no other: {why}")]
    Nested {
        /// What it does not allow.
        why: String,
    },
    /// The sandbox was tried, and did not hold.
    #[error("the sandbox does not hold: {why}")]
    Leaks {
        /// What was possible, or was not.
        why: String,
    },
    /// The program cannot be started.
    #[error("{program} cannot be started: {why}")]
    Start {
        /// The program.
        program: String,
        /// Why.
        why: String,
    },
    /// Whoever starts programs in the sandbox is gone.
    #[error("the sandbox has ended: {why}")]
    Gone {
        /// How that was noticed.
        why: String,
    },
}

impl Explain for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Scope { .. } => "invalid_scope",
            Self::Unenforced { .. } => "sandbox_unavailable",
            Self::Nested { .. } => "sandbox_nested",
            Self::Leaks { .. } => "sandbox_leaks",
            Self::Start { .. } => "not_startable",
            Self::Gone { .. } => "sandbox_gone",
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Scope { .. } => Some("name a folder of your own, such as a project's".to_owned()),
            Self::Unenforced { remedy, .. } => Some(format!(
                "{remedy}; or run commands without a sandbox, knowingly: --no-sandbox"
            )),
            Self::Nested { .. } => Some(
                "rely on the sandbox that is there already, knowingly: --no-sandbox".to_owned(),
            ),
            Self::Leaks { .. } => {
                Some("do not use it; report this with `uname -a`, please".to_owned())
            }
            Self::Start { .. } => Some("check that it is installed and may be run".to_owned()),
            Self::Gone { .. } => Some("start the server anew".to_owned()),
        }
    }
}
