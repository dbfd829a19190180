//! The machine itself: its processes, and what happens in its folders.

use std::path::Path;

use crate::{Deadline, Process, Result};

/// What the machine does for those who must be able to stop each other.
pub trait Machine: Send + Sync {
    /// This very process.
    fn this(&self) -> Result<Process>;

    /// Whether a process still runs.
    fn runs(&self, process: &Process) -> bool;

    /// What the desktop this process acts on is called, where it acts on one.
    fn desktop(&self) -> Option<String>;

    /// Ends this very process at once, never one that came to have its number, and lets go of what it
    /// held down on its desktop.
    ///
    /// # Errors
    ///
    /// `Gone` when it ended before, `Unsupported` when it belongs to somebody else.
    fn kill(&self, process: &Process, desktop: Option<&str>) -> Result<()>;

    /// Begins to report that something changed in a folder.
    fn watch(&self, folder: &Path) -> Result<Box<dyn FolderChanges>>;
}

/// Reports that something changed in a folder.
pub trait FolderChanges: Send {
    /// Waits for the next change, however many there were; whether there was one by the deadline.
    ///
    /// # Errors
    ///
    /// `Gone` when the folder is no longer there.
    fn wait(&mut self, by: Deadline) -> Result<Changed>;
}

/// Whether something changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changed {
    /// Something did.
    Yes,
    /// Nothing did by the deadline.
    No,
}
