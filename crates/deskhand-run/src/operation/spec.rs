//! The description of an operation: programs to run one after the other, or a script for a shell.

use std::{path::PathBuf, time::Duration};

use crate::mtdf::Attachment;

/// The description of a background operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationSpec {
    /// The name of the tool. `await` and `status` select operations by a prefix of it.
    pub tool: String,
    /// A short description of the command.
    pub title: String,
    /// The work to do.
    pub work: Work,
    /// The timeout, not counting the time in the queue. `None` uses the default of the service.
    pub timeout: Option<Duration>,
}

/// The work of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Work {
    /// Programs that run one after the other until one fails.
    Steps(Vec<ProgramStep>),
    /// A script for `sh`.
    Shell {
        /// The text of the script.
        script: String,
        /// The working folder. It must be inside the scope.
        folder: PathBuf,
    },
}

/// One program of an operation. No shell interprets its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramStep {
    /// A short description, such as `cargo build`.
    pub title: String,
    /// The name or path of the program.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The working folder. It must be inside the scope.
    pub folder: PathBuf,
    /// The condition under which the step is skipped.
    pub skip: Option<Skip>,
    /// The time to wait before the program starts.
    pub delay_before: Duration,
    /// Temporary files of the step. They are removed with the last copy of the step.
    pub files: Vec<Attachment>,
}

/// The condition under which a step is skipped. It is checked right before the step would start. Paths outside the
/// scope count as missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Skip {
    /// Skip if this file or folder exists. Relative paths start at the folder of the step.
    IfExists(PathBuf),
    /// Skip if this file or folder does not exist.
    IfMissing(PathBuf),
}
