//! Programs as the system knows them: processes and bundles; how they are found, started and ended.

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
mod recorded;

use std::{io, path::PathBuf};

use deskhand_platform::{Deadline, End, Process};

use launch::{Launch, NotOpened};

/// What the kernel tells about a process in one go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Facts {
    /// Whether it runs; one that ended stays until its parent has asked how.
    pub(crate) runs: bool,
    pub(crate) parent: u32,
    pub(crate) session: u32,
    /// When it started, in microseconds.
    pub(crate) started: u64,
    /// What it is called, cut short.
    pub(crate) name: String,
}

/// What the room needs of the kernel.
pub(crate) trait Kernel: Send + Sync {
    /// The numbers of all processes.
    fn pids(&self) -> Vec<u32>;

    /// What one process is; `None` when there is none.
    fn facts(&self, pid: u32) -> Option<Facts>;

    /// The program file a process runs.
    fn program(&self, pid: u32) -> Option<PathBuf>;

    /// What a process was started with, as the kernel hands it out.
    fn arguments(&self, pid: u32) -> Option<Vec<u8>>;

    /// The folder a process is in.
    fn folder(&self, pid: u32) -> Option<PathBuf>;

    /// Sends a process the signal to end.
    fn signal(&self, pid: u32, how: End) -> io::Result<()>;
}

/// What the room needs of the part of the system that knows apps.
pub(crate) trait Workspace: Send + Sync {
    /// The app that has a bundle id, wherever it lies.
    fn with_id(&self, id: &str) -> Option<PathBuf>;

    /// The languages of the person, the dearest first.
    fn languages(&self) -> Vec<String>;

    /// Opens an app in the background; the number of its process.
    fn open(&self, launch: &Launch, by: Deadline) -> Result<u32, NotOpened>;

    /// Asks an app to quit, provided `still` says that it is the one that is meant; whether it was asked,
    /// and `None` when the process is no app.
    fn quit(&self, pid: u32, still: &dyn Fn() -> bool) -> Option<bool>;
}

/// The process that runs under a number now.
fn process(kernel: &impl Kernel, pid: u32) -> Option<Process> {
    let facts = kernel.facts(pid).filter(|facts| facts.runs)?;
    Some(Process { pid, started: facts.started })
}
