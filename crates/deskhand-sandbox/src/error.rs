//! Errors of the sandbox.

use std::path::PathBuf;

use deskhand_model::{Advice, Explain, Step};

/// An error that prevents a program from running in a sandbox.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The folder cannot be a scope.
    #[error("{} cannot be used as sandbox scope: {reason}", folder.display())]
    InvalidScope {
        /// The folder.
        folder: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The kernel cannot enforce the plan.
    #[error("the kernel cannot enforce the sandbox: {reason}")]
    Unavailable {
        /// The missing kernel feature, or the call that failed.
        reason: String,
        /// The change to the system that would help.
        remedy: String,
    },
    /// The server itself runs in a sandbox that does not permit nested sandboxes.
    #[error("this process already runs in a sandbox that permits no nested sandbox: {reason}")]
    Nested {
        /// The call that was denied.
        reason: String,
    },
    /// The self-test found that the sandbox does not confine programs.
    #[error("the sandbox self-test failed: {reason}")]
    Leaks {
        /// The check that failed.
        reason: String,
    },
    /// The program cannot be started.
    #[error("{program} cannot be started: {reason}")]
    StartFailed {
        /// The program.
        program: String,
        /// The reason.
        reason: String,
    },
    /// The broker process or the connection to it is gone.
    #[error("the sandbox has ended: {reason}")]
    Gone {
        /// The I/O error, or the event that showed it.
        reason: String,
    },
}

impl Explain for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::InvalidScope { .. } => "invalid_scope",
            Self::Unavailable { .. } => "sandbox_unavailable",
            Self::Nested { .. } => "sandbox_nested",
            Self::Leaks { .. } => "sandbox_leaks",
            Self::StartFailed { .. } => "not_startable",
            Self::Gone { .. } => "sandbox_gone",
        }
    }

    fn advice(&self) -> Option<Advice> {
        match self {
            Self::InvalidScope { .. } => Some("choose a project folder".into()),
            Self::Unavailable { remedy, .. } => {
                Some(Advice::from(format!("{remedy}; or ")).step(Step::DisableSandbox))
            }
            Self::Nested { .. } => {
                Some(Advice::from("rely on the outer sandbox and ").step(Step::DisableSandbox))
            }
            Self::Leaks { .. } => {
                Some("do not use this sandbox; report a bug with the output of `uname -a`".into())
            }
            Self::StartFailed { .. } => {
                Some("check that the program is installed and executable".into())
            }
            Self::Gone { .. } => Some("restart the server".into()),
        }
    }
}
