//! A recorded system for the tests of this room: a process table, and what was asked of it.

use std::{
    collections::HashMap,
    io,
    path::PathBuf,
    sync::{Mutex, atomic::AtomicBool, atomic::Ordering},
};

use deskhand_platform::{Deadline, End};

use super::{
    Facts, Kernel, Workspace,
    launch::{Launch, NotOpened},
};

/// One process.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) facts: Facts,
    pub(super) program: Option<PathBuf>,
    pub(super) arguments: Vec<u8>,
    pub(super) folder: Option<PathBuf>,
}

/// Everything the system knows.
#[derive(Default)]
pub(super) struct Recorded {
    pub(super) table: Mutex<HashMap<u32, Entry>>,
    /// The processes that are apps.
    pub(super) apps: Mutex<Vec<u32>>,
    pub(super) signals: Mutex<Vec<(u32, End)>>,
    pub(super) launches: Mutex<Vec<Launch>>,
    /// What the workspace answers to the next that is opened.
    pub(super) opens: Mutex<Option<Result<u32, NotOpened>>>,
    /// Whether signals are refused.
    pub(super) refuses: AtomicBool,
    pub(super) quits: Mutex<Vec<u32>>,
    pub(super) with_id: Mutex<HashMap<String, PathBuf>>,
}

impl Recorded {
    /// Adds a process that runs.
    pub(super) fn add(&self, pid: u32, parent: u32, session: u32, started: u64) {
        let name = format!("p{pid}");
        let facts = Facts { runs: true, parent, session, started, name };
        let entry = Entry { facts, program: None, arguments: Vec::new(), folder: None };
        self.table.lock().unwrap().insert(pid, entry);
    }

    /// Changes a process.
    pub(super) fn change(&self, pid: u32, change: impl FnOnce(&mut Entry)) {
        change(self.table.lock().unwrap().get_mut(&pid).unwrap());
    }

    fn get<T>(&self, pid: u32, fact: impl FnOnce(&Entry) -> Option<T>) -> Option<T> {
        self.table.lock().unwrap().get(&pid).and_then(fact)
    }
}

impl Kernel for Recorded {
    fn pids(&self) -> Vec<u32> {
        let mut pids: Vec<u32> = self.table.lock().unwrap().keys().copied().collect();
        pids.sort_unstable();
        pids
    }

    fn facts(&self, pid: u32) -> Option<Facts> {
        self.get(pid, |entry| Some(entry.facts.clone()))
    }

    fn program(&self, pid: u32) -> Option<PathBuf> {
        self.get(pid, |entry| entry.program.clone())
    }

    fn arguments(&self, pid: u32) -> Option<Vec<u8>> {
        self.get(pid, |entry| Some(entry.arguments.clone()))
    }

    fn folder(&self, pid: u32) -> Option<PathBuf> {
        self.get(pid, |entry| entry.folder.clone())
    }

    fn signal(&self, pid: u32, how: End) -> io::Result<()> {
        if self.refuses.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        self.signals.lock().unwrap().push((pid, how));
        Ok(())
    }
}

impl Workspace for Recorded {
    fn with_id(&self, id: &str) -> Option<PathBuf> {
        self.with_id.lock().unwrap().get(id).cloned()
    }

    fn languages(&self) -> Vec<String> {
        vec!["de-DE".to_owned()]
    }

    fn open(&self, launch: &Launch, _: Deadline) -> Result<u32, NotOpened> {
        self.launches.lock().unwrap().push(launch.clone());
        self.opens.lock().unwrap().take().unwrap_or(Err(NotOpened::Late))
    }

    fn quit(&self, pid: u32, still: &dyn Fn() -> bool) -> Option<bool> {
        if !self.apps.lock().unwrap().contains(&pid) {
            return None;
        }
        let asked = still() && !self.refuses.load(Ordering::Relaxed);
        if asked {
            self.quits.lock().unwrap().push(pid);
        }
        Some(asked)
    }
}
