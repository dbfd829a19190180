//! A fake process table and workspace for tests.

use std::{
    collections::HashMap,
    io,
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
};

use deskhand_platform::{Deadline, Termination};
use parking_lot::Mutex;

use super::{
    KernelApi, ProcessInfo, WorkspaceApi,
    launch::{AppLaunch, OpenError},
};

/// A fake process.
#[derive(Debug, Clone)]
pub(super) struct FakeProcess {
    pub(super) info: ProcessInfo,
    pub(super) executable: Option<PathBuf>,
    pub(super) arguments: Vec<u8>,
    pub(super) working_dir: Option<PathBuf>,
}

/// The fake system, with a log of all calls that change something.
#[derive(Default)]
pub(super) struct FakeSystem {
    pub(super) table: Mutex<HashMap<u32, FakeProcess>>,
    /// The pids of apps.
    pub(super) apps: Mutex<Vec<u32>>,
    pub(super) signals: Mutex<Vec<(u32, Termination)>>,
    pub(super) launches: Mutex<Vec<AppLaunch>>,
    /// The result of the next `open_app`.
    pub(super) open_result: Mutex<Option<Result<u32, OpenError>>>,
    /// Signals and quit requests fail.
    pub(super) refuses: AtomicBool,
    pub(super) quits: Mutex<Vec<u32>>,
}

impl FakeSystem {
    /// Adds a running process.
    pub(super) fn add(&self, pid: u32, parent: u32, session: u32, started: u64) {
        let name = format!("p{pid}");
        let info = ProcessInfo { is_running: true, parent, session, started, name };
        let process =
            FakeProcess { info, executable: None, arguments: Vec::new(), working_dir: None };
        self.table.lock().insert(pid, process);
    }

    /// Changes a process.
    pub(super) fn change(&self, pid: u32, change: impl FnOnce(&mut FakeProcess)) {
        change(self.table.lock().get_mut(&pid).unwrap());
    }

    fn get<T>(&self, pid: u32, read: impl FnOnce(&FakeProcess) -> Option<T>) -> Option<T> {
        self.table.lock().get(&pid).and_then(read)
    }
}

impl KernelApi for FakeSystem {
    fn list_pids(&self) -> Vec<u32> {
        let mut pids: Vec<u32> = self.table.lock().keys().copied().collect();
        pids.sort_unstable();
        pids
    }

    fn process_info(&self, pid: u32) -> Option<ProcessInfo> {
        self.get(pid, |process| Some(process.info.clone()))
    }

    fn executable(&self, pid: u32) -> Option<PathBuf> {
        self.get(pid, |process| process.executable.clone())
    }

    fn raw_arguments(&self, pid: u32) -> Option<Vec<u8>> {
        self.get(pid, |process| Some(process.arguments.clone()))
    }

    fn working_dir(&self, pid: u32) -> Option<PathBuf> {
        self.get(pid, |process| process.working_dir.clone())
    }

    fn signal(&self, pid: u32, how: Termination) -> io::Result<()> {
        if self.refuses.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        self.signals.lock().push((pid, how));
        Ok(())
    }
}

impl WorkspaceApi for FakeSystem {
    fn app_with_bundle_id(&self, _: &str) -> Option<PathBuf> {
        None
    }

    fn preferred_languages(&self) -> Vec<String> {
        vec!["de-DE".to_owned()]
    }

    fn open_app(&self, launch: &AppLaunch, _: Deadline) -> Result<u32, OpenError> {
        self.launches.lock().push(launch.clone());
        self.open_result.lock().take().unwrap_or(Err(OpenError::Timeout))
    }

    fn quit(&self, pid: u32, is_same: &dyn Fn() -> bool) -> Option<bool> {
        if !self.apps.lock().contains(&pid) {
            return None;
        }
        let asked = is_same() && !self.refuses.load(Ordering::Relaxed);
        if asked {
            self.quits.lock().push(pid);
        }
        Some(asked)
    }
}
