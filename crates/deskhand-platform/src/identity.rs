//! What programs are, as the system knows it, and what they call themselves.

use std::{
    collections::HashMap,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

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

/// How many processes are remembered; then all are forgotten.
const REMEMBERED: usize = 512;

/// What processes were found to be, as long as their marks stay as they are: what changes when a process comes
/// to run something else, or to call itself something else.
#[derive(Debug)]
pub struct Remembered<M>(Mutex<HashMap<u32, (M, Arc<Identity>)>>);

impl<M> Default for Remembered<M> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<M: PartialEq> Remembered<M> {
    /// What a process with this mark is, found out where it is not remembered.
    pub fn or_find(&self, pid: u32, mark: M, find: impl FnOnce(&M) -> Identity) -> Arc<Identity> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, identity)) = known.get(&pid).filter(|(seen, _)| *seen == mark) {
            return Arc::clone(identity);
        }
        drop(known);
        let identity = Arc::new(find(&mark));
        // What changed while it was looked at is looked at again the next time.
        known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= REMEMBERED {
            known.clear();
        }
        known.insert(pid, (mark, Arc::clone(&identity)));
        identity
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

#[cfg(test)]
mod tests {
    use super::*;

    fn called(name: &str) -> Identity {
        Identity { claims: vec![name.to_owned()], ..Identity::default() }
    }

    #[test]
    fn a_process_is_found_out_again_when_its_mark_changes() {
        let known = Remembered::default();
        assert_eq!(known.or_find(7, "a", |_| called("one")).claims, ["one"]);
        assert_eq!(known.or_find(7, "a", |_| called("two")).claims, ["one"]);
        assert_eq!(known.or_find(7, "b", |_| called("three")).claims, ["three"]);
        assert_eq!(known.or_find(8, "b", |_| called("four")).claims, ["four"]);
    }

    #[test]
    fn not_everybody_is_remembered() {
        let known = Remembered::default();
        for pid in 0..=u32::try_from(REMEMBERED).unwrap() {
            known.or_find(pid, (), |()| called("somebody"));
        }
        assert_eq!(known.0.lock().unwrap().len(), 1);
    }
}
