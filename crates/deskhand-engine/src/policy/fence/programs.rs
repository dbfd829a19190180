//! Programs behind the fence.

use std::sync::Arc;

use deskhand_platform::{Deadline, End, Fate, Process, Program, Programs, Result, Sought};

use super::judge::{self, Judge};

pub(super) struct FencedPrograms {
    pub(super) inner: Arc<dyn Programs>,
    pub(super) judge: Arc<Judge>,
}

impl Programs for FencedPrograms {
    fn find(&self, wanted: &str) -> Result<Sought> {
        self.inner.find(wanted)
    }

    fn start(&self, program: &Program, arguments: &[String], by: Deadline) -> Result<Process> {
        self.judge.moving()?;
        judge::written(self.judge.program(program, arguments), &program.name)?;
        self.inner.start(program, arguments, by)
    }

    fn process(&self, pid: u32) -> Option<Process> {
        self.inner.process(pid)
    }

    fn fate(&self, process: &Process) -> Fate {
        self.inner.fate(process)
    }

    fn stems_from(&self, pid: u32, process: &Process) -> bool {
        self.inner.stems_from(pid, process)
    }

    fn family(&self, process: &Process) -> Vec<Process> {
        self.inner.family(process)
    }

    fn end(&self, process: &Process, how: End) -> Result<()> {
        self.judge.moving()?;
        // One that ended meanwhile is nobody's any more.
        if self.inner.process(process.pid) == Some(*process) {
            let access = self.judge.process(process.pid);
            judge::written(access, self.judge.called(process.pid))?;
        }
        self.inner.end(process, how)
    }
}
