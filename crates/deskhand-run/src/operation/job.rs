//! What is asked for: programs to run one after the other, or a script for a shell.

use std::{path::PathBuf, time::Duration};

use crate::mtdf::Attachment;

/// One thing to do in the background: what `status` shows and `cancel` ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// The tool that was called; `await` and `status` find it by the beginning of this name.
    pub tool: String,
    /// What it does, in the words of whoever asked.
    pub title: String,
    /// What runs.
    pub work: Work,
    /// How long it may run, without the time it waits for its turn; the shop's own when absent.
    pub timeout: Option<Duration>,
}

/// What runs in a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Work {
    /// Programs, one after the other, until one fails.
    Steps(Vec<Step>),
    /// A script for `sh`.
    Shell {
        /// Its text.
        script: String,
        /// The folder it begins in; it must be in the scope.
        folder: PathBuf,
    },
}

/// One program of a job; no shell reads its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What it does, in a few words: `cargo build`.
    pub title: String,
    /// The program, by name or path.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The folder it begins in; it must be in the scope.
    pub folder: PathBuf,
    /// When it is left out.
    pub skip: Option<Skip>,
    /// How long to wait before it begins.
    pub delay_before: Duration,
    /// Files made for it; they are removed when the last copy of the step goes.
    pub files: Vec<Attachment>,
}

/// When a step is left out. It is looked at right before the step would begin, and only inside the
/// scope: what lies outside is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Skip {
    /// There is such a file or folder; a relative path begins at the step's folder.
    IfExists(PathBuf),
    /// There is none.
    IfMissing(PathBuf),
}
