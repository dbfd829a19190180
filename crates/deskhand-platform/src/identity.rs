//! What programs are, as the system knows it, and what they call themselves.

use std::{path::Path, sync::Arc};

use crate::Process;

/// Tells what programs are.
pub trait Identities: Send + Sync {
    /// What a process runs now; `None` when there is no such process.
    fn of(&self, pid: u32) -> Option<Arc<Identity>>;

    /// What a command would run if it were started; the program stands first.
    fn of_command(&self, words: &[String]) -> Identity;

    /// The processes this program was started by, the nearest first.
    fn ancestors(&self) -> Vec<Process>;

    /// The file a path, or the name of a program on the search path, leads to; links are followed.
    fn file(&self, word: &Path) -> Option<FileOf>;
}

/// What a program is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Identity {
    /// Its process, when it runs.
    pub process: Option<Process>,
    /// What tells it from every other program: the path of its script, or else of its program; none
    /// where that is not sure, as for an interpreter that does not show what it runs.
    pub key: Option<String>,
    /// The files it is made of: the program, and the script it runs if it is an interpreter.
    pub files: Vec<FileOf>,
    /// Names and ids of what is installed on this machine that surely lead to it.
    pub names: Vec<String>,
    /// What it calls itself, and whatever else may lead to it.
    pub claims: Vec<String>,
    /// Whether the system does not tell which file it runs; none of its files is sure then.
    pub hidden: bool,
}

impl Identity {
    /// What a person would call it.
    pub fn called(&self) -> Option<&str> {
        let base = |file: &'_ FileOf| file.path.rfind('/').map(|at| at + 1).unwrap_or(0);
        self.files.last().map(|file| &file.path[base(file)..])
    }
}

/// A file that is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileOf {
    /// Its path without links.
    pub path: String,
    /// The numbers of device and file, which hard links share.
    pub number: Option<(u64, u64)>,
    /// Whether it is surely this file that runs; else somebody only says so.
    pub sure: bool,
    /// Whether only who administers this machine can have put it there.
    pub installed: bool,
}

/// Whom a window, a place on the screen or the keyboard belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Owner {
    /// The process, as the window system knows it; 0 when it does not.
    pub pid: u32,
    /// Another process it says it belongs to.
    pub says: Option<u32>,
    /// The names it gave the window.
    pub classes: Vec<String>,
}

/// Decides, right before something is sent, whether who would get it may have it.
pub trait Guard: Send + Sync {
    /// Asks for leave; all these would get it, nobody when it is the desktop itself.
    ///
    /// # Errors
    ///
    /// Why not: nothing is sent then.
    fn admit(&self, owners: &[Owner]) -> crate::Result<()>;
}
