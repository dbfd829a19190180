//! Halts and resumes all engines of the user.

use std::{
    collections::BTreeSet,
    io,
    path::PathBuf,
    sync::Arc,
    time::{Instant, SystemTime},
};

use deskhand_platform::{Machine, ProcessId};

use super::{
    Error,
    folder::{EngineEntry, Flag, HaltFolder},
};
use crate::timing::{HALT_ACK_TIMEOUT, HALT_POLL_INTERVAL};

/// The result of a halt or resume for each engine.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HaltOutcome {
    /// Engines that acknowledged.
    pub acknowledged: Vec<ProcessId>,
    /// Engines that did not acknowledge and were killed.
    pub killed: Vec<ProcessId>,
    /// Engines that neither acknowledged nor could be killed, with the reason.
    pub stuck: Vec<(ProcessId, String)>,
    /// The error of releasing held keys and buttons on the desktop of this process.
    pub not_released: Option<String>,
}

/// Controls all engines that watch the flag in one folder.
pub struct HaltController {
    folder: HaltFolder,
    machine: Arc<dyn Machine>,
}

impl HaltController {
    /// Creates a controller for the engines of a folder.
    pub fn new(folder: PathBuf, machine: Arc<dyn Machine>) -> Self {
        Self { folder: HaltFolder { path: folder }, machine }
    }

    /// Sets the flag and waits until every engine has stopped. Kills engines that do not, and
    /// releases keys and buttons that ended engines have left pressed.
    ///
    /// # Errors
    ///
    /// If the flag cannot be set.
    pub fn halt(&self, reason: Option<&str>) -> Result<HaltOutcome, Error> {
        let since = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        let id = format!("{}.{}", since.as_nanos(), std::process::id());
        let flag = Flag { id, reason: reason.map(str::to_owned) };
        self.folder.set_flag(&flag).map_err(|why| self.unusable(why))?;
        let abandoned = self.abandoned_desktops()?;
        let (mut outcome, silent) = self.wait_for(&flag.id)?;
        for EngineEntry { process, desktop_id } in silent {
            match self.machine.kill(&process, desktop_id.as_deref()) {
                Ok(()) | Err(deskhand_platform::Error::Gone { .. }) => outcome.killed.push(process),
                Err(error) => outcome.stuck.push((process, error.to_string())),
            }
        }
        let own = self.machine.desktop_id();
        for desktop_id in abandoned.iter().filter(|one| own.as_ref() != Some(*one)) {
            // A desktop that cannot be reached is gone, with the keys that were held on it.
            let _ = self.machine.release_input(desktop_id);
        }
        // The user's own desktop, also if no engine is known that acted on it: its status file may
        // be gone.
        outcome.not_released =
            own.and_then(|own| self.machine.release_input(&own).err()).map(|why| why.to_string());
        Ok(outcome)
    }

    /// Returns the desktops of engines that ended without removing their status file, and so without
    /// releasing anything.
    fn abandoned_desktops(&self) -> Result<BTreeSet<String>, Error> {
        let engines = self.folder.list_engines().map_err(|why| self.unusable(why))?;
        let ended = engines.into_iter().filter(|(one, _)| !self.machine.is_running(&one.process));
        Ok(ended.filter_map(|(one, _)| one.desktop_id).collect())
    }

    /// Clears the flag; `None` if it was not set.
    ///
    /// # Errors
    ///
    /// If the flag cannot be cleared.
    pub fn resume(&self) -> Result<Option<HaltOutcome>, Error> {
        if !self.folder.clear_flag().map_err(|why| self.unusable(why))? {
            return Ok(None);
        }
        let (mut outcome, silent) = self.wait_for("")?;
        outcome.stuck =
            silent.into_iter().map(|one| (one.process, "it does not respond".into())).collect();
        Ok(Some(outcome))
    }

    /// Waits until every running engine has acknowledged a flag. Also returns those that have not.
    fn wait_for(&self, id: &str) -> Result<(HaltOutcome, Vec<EngineEntry>), Error> {
        let start = Instant::now();
        loop {
            let mut outcome = HaltOutcome::default();
            let mut silent = Vec::new();
            for (engine, acknowledged) in
                self.folder.list_engines().map_err(|why| self.unusable(why))?
            {
                let process = engine.process;
                if !self.machine.is_running(&process) {
                    // It was killed before it could remove its file.
                    let _ = std::fs::remove_file(self.folder.status_file(&process));
                } else if acknowledged == id {
                    outcome.acknowledged.push(process);
                } else {
                    silent.push(engine);
                }
            }
            if silent.is_empty() || start.elapsed() > HALT_ACK_TIMEOUT {
                return Ok((outcome, silent));
            }
            std::thread::sleep(HALT_POLL_INTERVAL);
        }
    }

    fn unusable(&self, why: io::Error) -> Error {
        Error::Folder { folder: self.folder.path.clone(), why }
    }
}
