//! Programs with app rules applied.

use std::{sync::Arc, time::Duration};

use deskhand_platform::{
    Deadline, LaunchableProgram, ProcessId, ProcessStatus, ProgramActivity, ProgramMatch, Programs,
    Result, Termination,
};

use super::checker::{AccessChecker, check_write};

pub(super) struct GuardedPrograms {
    pub(super) inner: Arc<dyn Programs>,
    pub(super) checker: Arc<AccessChecker>,
}

impl Programs for GuardedPrograms {
    fn find(&self, name: &str) -> Result<ProgramMatch> {
        self.inner.find(name)
    }

    fn start(
        &self,
        program: &LaunchableProgram,
        arguments: &[String],
        deadline: Deadline,
    ) -> Result<ProcessId> {
        self.checker.check_not_halted()?;
        check_write(self.checker.program_access(program, arguments), &program.name)?;
        self.inner.start(program, arguments, deadline)
    }

    fn process(&self, pid: u32) -> Option<ProcessId> {
        self.inner.process(pid)
    }

    fn status(&self, process: &ProcessId) -> ProcessStatus {
        self.inner.status(process)
    }

    fn is_descendant(&self, pid: u32, process: &ProcessId) -> bool {
        self.inner.is_descendant(pid, process)
    }

    fn process_tree(&self, process: &ProcessId) -> Vec<ProcessId> {
        self.inner.process_tree(process)
    }

    fn age(&self, pid: u32) -> Option<Duration> {
        self.inner.age(pid)
    }

    fn cpu_time(&self, pid: u32) -> Option<Duration> {
        self.inner.cpu_time(pid)
    }

    fn activity(&self, pid: u32, recent: Duration) -> Option<ProgramActivity> {
        self.inner.activity(pid, recent)
    }

    fn terminate(&self, process: &ProcessId, how: Termination) -> Result<()> {
        self.checker.check_not_halted()?;
        // A process that has already ended needs no check.
        if self.inner.process(process.pid) == Some(*process) {
            let access = self.checker.process_access(process.pid);
            check_write(access, self.checker.display_name(process.pid))?;
        }
        self.inner.terminate(process, how)
    }
}
