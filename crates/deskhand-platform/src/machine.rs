//! Processes and folders of the host, without a desktop.

use std::path::Path;

use crate::{Deadline, ProcessId, Result};

/// The services of the host that the halt needs: instances of this program watch and stop each
/// other through it.
pub trait Machine: Send + Sync {
    /// Returns the id of the current process.
    fn current_process(&self) -> Result<ProcessId>;

    /// Returns `true` if a process is still running.
    fn is_running(&self, process: &ProcessId) -> bool;

    /// Returns the id of the desktop that the current process acts on, if any.
    fn desktop_id(&self) -> Option<String>;

    /// Ends exactly this process, never a later one that reuses its pid, and releases the keys and
    /// buttons it holds down on its desktop.
    ///
    /// # Errors
    ///
    /// `Gone` if it has already ended, `Unsupported` if it belongs to another user.
    fn kill(&self, process: &ProcessId, desktop_id: Option<&str>) -> Result<()>;

    /// Releases the keys and buttons that ended programs left pressed on a desktop.
    ///
    /// # Errors
    ///
    /// An error if the desktop cannot be reached.
    fn release_input(&self, desktop_id: &str) -> Result<()>;

    /// Subscribes to changes in a folder.
    fn watch_folder(&self, folder: &Path) -> Result<Box<dyn FolderChanges>>;
}

/// A subscription to the changes in a folder. Dropping it unsubscribes.
pub trait FolderChanges: Send {
    /// Waits for the next change. Several changes in a row are reported once.
    ///
    /// # Errors
    ///
    /// `Gone` if the folder no longer exists.
    fn wait(&mut self, deadline: Deadline) -> Result<FolderWait>;
}

/// The result of waiting for a change in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FolderWait {
    /// The folder changed.
    Changed,
    /// The deadline passed without a change.
    TimedOut,
}
