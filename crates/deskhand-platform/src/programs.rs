//! Programs: find, start and end them.

use std::path::PathBuf;

use crate::{Deadline, Result};

/// Starts and ends programs.
pub trait Programs: Send + Sync {
    /// What a person's word for a program means here: a desktop-file id, a name as menus show it, a
    /// program on the search path, or a path.
    fn find(&self, wanted: &str) -> Result<Sought>;

    /// Starts a program so that it outlives this one.
    fn start(&self, program: &Program, arguments: &[String], by: Deadline) -> Result<Process>;

    /// The process that runs under a number now.
    fn process(&self, pid: u32) -> Option<Process>;

    /// Whether a process still runs, and how it ended when it was started here.
    fn fate(&self, process: &Process) -> Fate;

    /// Whether a process is this one, or was started by it.
    fn stems_from(&self, pid: u32, process: &Process) -> bool;

    /// A process and those it started that belong to it alone.
    fn family(&self, process: &Process) -> Vec<Process>;

    /// Ends this very process, never one that came to have its number.
    ///
    /// # Errors
    ///
    /// `Gone` when it ended before, `Unsupported` when it belongs to somebody else.
    fn end(&self, process: &Process, how: End) -> Result<()>;
}

/// One process for all time: numbers are used again, number and start together are not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// When it started, in the kernel's own units.
    pub started: u64,
}

/// What a word for a program came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sought {
    /// This program.
    One(Program),
    /// Several go by that name.
    Several(Vec<Program>),
    /// None does.
    None {
        /// What comes close, as it may be asked for.
        near: Vec<String>,
    },
}

/// A program that can be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Its name as menus show it.
    pub name: String,
    /// Its desktop-file id, when it has one.
    pub id: Option<String>,
    /// The file that describes it, when there is one.
    pub file: Option<PathBuf>,
    /// The command that starts it, with what the platform adds so that it shows its tree.
    pub command: Vec<String>,
    /// Where in the command a caller's arguments go.
    pub arguments_at: usize,
    /// The arguments the platform added.
    pub added: Vec<String>,
    /// The folder it wants to be started in.
    pub folder: Option<PathBuf>,
    /// Whether it runs in a terminal and has no window of its own.
    pub terminal: bool,
}

/// What became of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// It runs.
    Runs,
    /// It ended.
    Ended {
        /// Its exit code, when it is known and no signal ended it.
        code: Option<i32>,
        /// The signal that ended it.
        signal: Option<i32>,
        /// What it wrote to its standard error last, when it was started here.
        last_words: Vec<String>,
    },
}

/// How to end a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It may clean up, and may refuse.
    Ask,
    /// It is gone at once.
    Kill,
}
