//! Programs: find, start and end them.

use std::{path::PathBuf, time::Duration};

use crate::{Deadline, ProgramActivity, Result};

/// Starts and ends programs.
pub trait Programs: Send + Sync {
    /// Finds a program by what a user would call it: a desktop-file id, a menu name, a name on the
    /// search path, or a path.
    fn find(&self, name: &str) -> Result<ProgramMatch>;

    /// Starts a program that keeps running after this one exits.
    fn start(
        &self,
        program: &LaunchableProgram,
        arguments: &[String],
        deadline: Deadline,
    ) -> Result<ProcessId>;

    /// Returns the process that has this pid now.
    fn process(&self, pid: u32) -> Option<ProcessId>;

    /// Returns the status of a process. Exit details are known only for processes that
    /// [`start`](Self::start) created.
    fn status(&self, process: &ProcessId) -> ProcessStatus;

    /// Returns `true` if `pid` is `process` or one of its descendants.
    fn is_descendant(&self, pid: u32, process: &ProcessId) -> bool;

    /// Returns a process and those of its descendants that belong to no other program.
    fn process_tree(&self, process: &ProcessId) -> Vec<ProcessId>;

    /// Returns the time since a process started; `None` if it is not known.
    fn age(&self, _pid: u32) -> Option<Duration> {
        None
    }

    /// Returns the processor time that a process has used so far; `None` if it is unknown.
    fn cpu_time(&self, _pid: u32) -> Option<Duration> {
        None
    }

    /// Returns the activity of a process, its descendants, and the processes that began on the same
    /// desktop within the last `recent`; `None` if it is unknown.
    fn activity(&self, _pid: u32, _recent: Duration) -> Option<ProgramActivity> {
        None
    }

    /// Ends exactly this process, never a later one that reuses its pid.
    ///
    /// # Errors
    ///
    /// `Gone` if it has already ended, `Unsupported` if it belongs to another user.
    fn terminate(&self, process: &ProcessId, how: Termination) -> Result<()>;
}

/// Identifies one process. The system reuses pids, but not the pair of pid and start time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ProcessId {
    /// The process id of the operating system.
    pub pid: u32,
    /// The start time, in the kernel's own unit.
    pub started: u64,
}

/// The result of a search for a program by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProgramMatch {
    /// Exactly one program matches.
    One(LaunchableProgram),
    /// Several programs match.
    Several(Vec<LaunchableProgram>),
    /// No program matches.
    None {
        /// Similar names that would match.
        suggestions: Vec<String>,
    },
}

/// A program that can be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchableProgram {
    /// Its name as menus show it.
    pub name: String,
    /// Its desktop-file id or bundle id, if it has one.
    pub id: Option<String>,
    /// The file that describes it, if there is one.
    pub file: Option<PathBuf>,
    /// The command that starts it, including the arguments that make it expose its tree.
    pub command: Vec<String>,
    /// The index in `command` at which the caller's arguments are inserted.
    pub arguments_index: usize,
    /// The arguments that the platform added to `command`.
    pub added_arguments: Vec<String>,
    /// The working directory it requests.
    pub working_dir: Option<PathBuf>,
    /// It runs in a terminal and has no window.
    pub needs_terminal: bool,
}

/// The status of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProcessStatus {
    /// The process is running.
    Running,
    /// The process has ended.
    Exited {
        /// Its exit code, if known; `None` if a signal ended it.
        code: Option<i32>,
        /// The signal that ended it.
        signal: Option<i32>,
        /// The last lines of its standard error, if it was started here.
        last_stderr: Vec<String>,
    },
}

/// The way to end a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Termination {
    /// Request it to exit. It may clean up first, or refuse.
    Request,
    /// End it immediately.
    Kill,
}
