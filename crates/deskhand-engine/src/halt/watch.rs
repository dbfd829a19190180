//! The thread that watches the halt flag.

use std::{
    io,
    sync::{Arc, Weak},
    time::Instant,
};

use deskhand_platform::{
    Deadline, Error as Platform, FolderChanges, FolderWait, Machine, ProcessId,
};

use super::{
    Error, HaltState,
    folder::{EngineEntry, Flag, HaltFolder},
};
use crate::timing::{
    CALL_END_POLL_INTERVAL, CALL_END_TIMEOUT, HALT_FALLBACK_INTERVAL, HALT_POLL_INTERVAL,
    HALT_POLL_PERIOD, HALT_RESUBSCRIBE_DELAY,
};

/// The registration of this engine. Dropping it removes the status file.
#[derive(Debug)]
pub(super) struct Registration {
    folder: HaltFolder,
    process: ProcessId,
}

impl Drop for Registration {
    fn drop(&mut self) {
        // If this fails, the controller notices that the process has ended.
        let _ = std::fs::remove_file(self.folder.status_file(&self.process));
    }
}

/// Registers this engine and starts the thread.
pub(super) fn start(
    state: &Arc<HaltState>,
    folder: &HaltFolder,
    machine: &Arc<dyn Machine>,
    release: Box<dyn Fn() + Send + Sync>,
) -> Result<Registration, Error> {
    let unusable = |why: io::Error| Error::Folder { folder: folder.path.clone(), why };
    let engine =
        EngineEntry { process: machine.current_process()?, desktop_id: machine.desktop_id() };
    let process = engine.process;
    folder.create().map_err(unusable)?;
    let flag = folder.read_flag();
    state.set(flag.as_ref());
    folder.acknowledge(&engine, flag.as_ref()).map_err(unusable)?;
    let watcher = Watcher {
        state: Arc::downgrade(state),
        folder: folder.clone(),
        machine: Arc::clone(machine),
        engine,
        release,
    };
    std::thread::Builder::new()
        .name("halt".to_owned())
        .spawn(move || watcher.run(flag))
        .map_err(unusable)?;
    Ok(Registration { folder: folder.clone(), process })
}

struct Watcher {
    state: Weak<HaltState>,
    folder: HaltFolder,
    machine: Arc<dyn Machine>,
    engine: EngineEntry,
    release: Box<dyn Fn() + Send + Sync>,
}

impl Watcher {
    fn run(self, mut last: Option<Flag>) {
        let mut changes: Option<Box<dyn FolderChanges>> = None;
        let start = Instant::now();
        loop {
            if start.elapsed() < HALT_POLL_PERIOD {
                std::thread::sleep(HALT_POLL_INTERVAL);
            } else {
                self.wait(&mut changes);
            }
            let Some(state) = self.state.upgrade() else { return };
            let flag = self.folder.read_flag();
            if flag != last {
                self.apply(&state, flag.as_ref());
                last = flag;
            }
        }
    }

    /// Waits for a change of the folder, and subscribes to changes first if necessary.
    fn wait(&self, changes: &mut Option<Box<dyn FolderChanges>>) {
        match changes.as_mut().map(|changes| changes.wait(Deadline::after(HALT_FALLBACK_INTERVAL)))
        {
            Some(Ok(FolderWait::Changed | FolderWait::TimedOut)) => {}
            // There is no subscription yet, or the folder was removed or replaced.
            Some(Err(_)) | None => {
                // Without a subscription, the flag is polled.
                *changes = self.subscribe().ok();
                if changes.is_none() {
                    std::thread::sleep(HALT_RESUBSCRIBE_DELAY);
                }
            }
        }
    }

    fn subscribe(&self) -> Result<Box<dyn FolderChanges>, Platform> {
        let unusable = |why: io::Error| Platform::Unexpected {
            what: self.folder.path.display().to_string(),
            why: why.to_string(),
        };
        self.folder.create().map_err(unusable)?;
        let changes = self.machine.watch_folder(&self.folder.path)?;
        let flag = self.folder.read_flag();
        self.folder.acknowledge(&self.engine, flag.as_ref()).map_err(unusable)?;
        Ok(changes)
    }

    fn apply(&self, state: &HaltState, flag: Option<&Flag>) {
        state.set(flag);
        if flag.is_some() {
            (self.release)();
            let start = Instant::now();
            while state.is_busy() && start.elapsed() < CALL_END_TIMEOUT {
                std::thread::sleep(CALL_END_POLL_INTERVAL);
            }
            // A call may have pressed a key or button after the first release.
            (self.release)();
        }
        // If this fails, the controller treats this engine as hanging.
        let _ = self.folder.acknowledge(&self.engine, flag);
    }
}
