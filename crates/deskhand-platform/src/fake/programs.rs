//! The only program of the fake desktop: its app.

use std::time::Duration;

use super::FakeDesktop;
use crate::{
    Deadline, Error, LaunchableProgram, ProcessId, ProcessStatus, ProgramActivity, ProgramMatch,
    Programs, Result, Termination,
};

fn unsupported(what: &str) -> Error {
    Error::Unsupported {
        what: what.to_owned(),
        why: "the program of the fake desktop always runs".to_owned(),
    }
}

impl Programs for FakeDesktop {
    fn find(&self, _: &str) -> Result<ProgramMatch> {
        Ok(ProgramMatch::None { suggestions: Vec::new() })
    }

    fn start(&self, _: &LaunchableProgram, _: &[String], _: Deadline) -> Result<ProcessId> {
        Err(unsupported("starting a program"))
    }

    fn process(&self, pid: u32) -> Option<ProcessId> {
        (pid == self.app().pid).then_some(ProcessId { pid, started: 0 })
    }

    fn status(&self, process: &ProcessId) -> ProcessStatus {
        match self.process(process.pid) {
            Some(_) => ProcessStatus::Running,
            None => ProcessStatus::Exited { code: None, signal: None, last_stderr: Vec::new() },
        }
    }

    fn is_descendant(&self, pid: u32, process: &ProcessId) -> bool {
        pid == process.pid
    }

    fn process_tree(&self, process: &ProcessId) -> Vec<ProcessId> {
        self.process(process.pid).into_iter().collect()
    }

    fn activity(&self, _: u32, _: Duration) -> Option<ProgramActivity> {
        let state = self.0.lock();
        let activity = state.activity.as_ref()?;
        activity(state.app.next_change())
    }

    fn terminate(&self, _: &ProcessId, _: Termination) -> Result<()> {
        Err(unsupported("ending a program"))
    }
}
