//! Programs: finding, starting, identifying and ending them.

mod arguments;
mod bundle;
pub(crate) mod identity;
mod installed;
pub(crate) mod launch;
pub(crate) mod programs;
mod script;
mod search;
mod web_engine;

#[cfg(test)]
mod fake_system;

use std::{io, path::PathBuf};

use deskhand_platform::{Deadline, ProcessId, Termination};

use launch::{AppLaunch, OpenError};

/// The kernel's information about a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProcessInfo {
    /// `false` for a zombie, which ended but was not reaped by its parent.
    pub(crate) is_running: bool,
    pub(crate) parent: u32,
    pub(crate) session: u32,
    /// The start time in microseconds since 1970.
    pub(crate) started: u64,
    /// The name, which the kernel truncates.
    pub(crate) name: String,
}

/// The system calls about processes.
pub(crate) trait KernelApi: Send + Sync {
    /// The pids of all processes.
    fn list_pids(&self) -> Vec<u32>;

    /// The information about a process, or `None` if there is no such process.
    fn process_info(&self, pid: u32) -> Option<ProcessInfo>;

    /// The path of a process's executable.
    fn executable(&self, pid: u32) -> Option<PathBuf>;

    /// The arguments and environment of a process in the format of `KERN_PROCARGS2`.
    fn raw_arguments(&self, pid: u32) -> Option<Vec<u8>>;

    /// The working directory of a process.
    fn working_dir(&self, pid: u32) -> Option<PathBuf>;

    /// Sends SIGTERM or SIGKILL.
    fn signal(&self, pid: u32, how: Termination) -> io::Result<()>;
}

/// The calls to `NSWorkspace`, which manages apps.
pub(crate) trait WorkspaceApi: Send + Sync {
    /// The app with a bundle identifier.
    fn app_with_bundle_id(&self, id: &str) -> Option<PathBuf>;

    /// The user's preferred languages, the first one first.
    fn preferred_languages(&self) -> Vec<String>;

    /// Opens an app in the background and returns its pid.
    fn open_app(&self, launch: &AppLaunch, deadline: Deadline) -> Result<u32, OpenError>;

    /// Asks an app to quit if `is_same` confirms that the pid was not reused. Returns whether it was asked, or
    /// `None` if the process is not an app.
    fn quit(&self, pid: u32, is_same: &dyn Fn() -> bool) -> Option<bool>;
}

/// The running process with a pid.
fn process(system: &impl KernelApi, pid: u32) -> Option<ProcessId> {
    let info = system.process_info(pid).filter(|info| info.is_running)?;
    Some(ProcessId { pid, started: info.started })
}
