//! Stopping every engine of this person, and letting them go on.

use std::{
    io,
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use deskhand_platform::{Machine, Process};

use super::{
    Error,
    place::{Engine, Flag, Place},
};

/// How long an engine may take to say that it has stopped.
const TO_ANSWER: Duration = Duration::from_millis(500);

/// How often it is looked whether all have answered.
const STEP: Duration = Duration::from_millis(5);

/// What became of the engines.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcome {
    /// Those that stopped, or went on.
    pub answered: Vec<Process>,
    /// Those that did not answer and were killed.
    pub killed: Vec<Process>,
    /// Those that did not answer and could not be killed, and why.
    pub stuck: Vec<(Process, String)>,
}

/// All engines that look for the flag in one folder.
pub struct Everyone {
    place: Place,
    machine: Arc<dyn Machine>,
}

impl Everyone {
    /// Those of a folder.
    pub fn at(folder: PathBuf, machine: Arc<dyn Machine>) -> Self {
        Self { place: Place { folder }, machine }
    }

    /// Raises the flag and waits until every engine has stopped; kills those that do not.
    ///
    /// # Errors
    ///
    /// When the flag cannot be raised.
    pub fn halt(&self, reason: Option<&str>) -> Result<Outcome, Error> {
        let since = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        let id = format!("{}.{}", since.as_nanos(), std::process::id());
        let flag = Flag { id, reason: reason.map(str::to_owned) };
        self.place.raise(&flag).map_err(|why| self.unusable(why))?;
        let (mut outcome, silent) = self.wait_for(&flag.id)?;
        for Engine { process, desktop } in silent {
            match self.machine.kill(&process, desktop.as_deref()) {
                Ok(()) | Err(deskhand_platform::Error::Gone { .. }) => outcome.killed.push(process),
                Err(error) => outcome.stuck.push((process, error.to_string())),
            }
        }
        Ok(outcome)
    }

    /// Takes the flag down; whether it was up, and who goes on.
    ///
    /// # Errors
    ///
    /// When the flag cannot be taken down.
    pub fn resume(&self) -> Result<Option<Outcome>, Error> {
        if !self.place.lower().map_err(|why| self.unusable(why))? {
            return Ok(None);
        }
        let (mut outcome, silent) = self.wait_for("")?;
        outcome.stuck =
            silent.into_iter().map(|one| (one.process, "it does not answer".into())).collect();
        Ok(Some(outcome))
    }

    /// Waits until every engine that runs has seen a flag; those that have, and those that have not.
    fn wait_for(&self, id: &str) -> Result<(Outcome, Vec<Engine>), Error> {
        let begun = Instant::now();
        loop {
            let mut outcome = Outcome::default();
            let mut silent = Vec::new();
            for (engine, seen) in self.place.all().map_err(|why| self.unusable(why))? {
                let process = engine.process;
                if !self.machine.runs(&process) {
                    // It was killed before it could take its file along.
                    let _ = std::fs::remove_file(self.place.engine(&process));
                } else if seen == id {
                    outcome.answered.push(process);
                } else {
                    silent.push(engine);
                }
            }
            if silent.is_empty() || begun.elapsed() > TO_ANSWER {
                return Ok((outcome, silent));
            }
            std::thread::sleep(STEP);
        }
    }

    fn unusable(&self, why: io::Error) -> Error {
        Error::Place { folder: self.place.folder.clone(), why }
    }
}
