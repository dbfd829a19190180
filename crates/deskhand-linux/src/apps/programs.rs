//! Implements the platform's `Programs`.

use std::{collections::HashSet, time::Duration};

use deskhand_platform::{
    Deadline, Error, LaunchableProgram, ProcessId, ProcessStatus, ProgramActivity, ProgramMatch,
    Programs, Result, Termination,
};
use rustix::{
    io::Errno,
    process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal},
};

use super::{
    activity,
    launch::LaunchedPrograms,
    process::{self, Stat},
    search::ProgramSearch,
};
use crate::session_env::SessionEnv;

/// Finds, starts and ends programs of this machine.
#[derive(Default)]
pub(crate) struct LocalPrograms {
    launched: LaunchedPrograms,
}

impl LocalPrograms {
    /// Creates the programs. Programs started through it run in a session and do not inherit
    /// `hidden_variables`.
    pub(crate) fn new(env: SessionEnv, hidden_variables: Vec<String>) -> Self {
        Self { launched: LaunchedPrograms::new(env, hidden_variables) }
    }
}

impl Programs for LocalPrograms {
    fn find(&self, wanted: &str) -> Result<ProgramMatch> {
        Ok(ProgramSearch::of_user().find(wanted))
    }

    fn start(
        &self,
        program: &LaunchableProgram,
        arguments: &[String],
        _: Deadline,
    ) -> Result<ProcessId> {
        self.launched.start(program, arguments)
    }

    fn process(&self, pid: u32) -> Option<ProcessId> {
        let stat = Stat::read(pid).filter(|stat| stat.is_running)?;
        Some(ProcessId { pid, started: stat.started })
    }

    fn status(&self, process: &ProcessId) -> ProcessStatus {
        if let Some(fate) = self.launched.fate(process) {
            return fate;
        }
        match self.process(process.pid) {
            Some(running) if running == *process => ProcessStatus::Running,
            Some(_) | None => {
                ProcessStatus::Exited { code: None, signal: None, last_stderr: Vec::new() }
            }
        }
    }

    fn is_descendant(&self, pid: u32, process: &ProcessId) -> bool {
        let mut ancestor = pid;
        let mut visited = HashSet::new();
        while ancestor > 1 && visited.insert(ancestor) {
            if ancestor == process.pid {
                return true;
            }
            let Some(stat) = Stat::read(ancestor) else { return false };
            // A program whose parent has ended is adopted by another process, but stays in its
            // session.
            if stat.session == process.pid && stat.started >= process.started {
                return true;
            }
            ancestor = stat.parent;
        }
        false
    }

    fn age(&self, pid: u32) -> Option<Duration> {
        process::age(pid)
    }

    fn cpu_time(&self, pid: u32) -> Option<Duration> {
        process::cpu_time(pid)
    }

    fn activity(&self, pid: u32, recent: Duration) -> Option<ProgramActivity> {
        activity::of_program(pid, recent)
    }

    fn process_tree(&self, process: &ProcessId) -> Vec<ProcessId> {
        let Some(first) = Stat::read(process.pid).filter(|s| s.started == process.started) else {
            return Vec::new();
        };
        let mut stats: Vec<(u32, Stat)> = process::list_pids()
            .into_iter()
            .filter_map(|pid| Some((pid, Stat::read(pid)?)))
            .collect();
        stats.retain(|(_, stat)| stat.is_running && stat.session == first.session);
        let mut members = vec![*process];
        let mut next = 0;
        while let Some(parent) = members.get(next).map(|member| member.pid) {
            let children = stats.iter().filter(|(_, stat)| stat.parent == parent);
            members.extend(children.map(|(pid, s)| ProcessId { pid: *pid, started: s.started }));
            next += 1;
        }
        members
    }

    fn terminate(&self, process: &ProcessId, how: Termination) -> Result<()> {
        let gone = || Error::Gone { what: format!("process {}", process.pid) };
        let refused = |why: String| Error::Unsupported {
            what: format!("ending process {}", process.pid),
            why,
        };
        let raw = i32::try_from(process.pid).ok().and_then(Pid::from_raw).ok_or_else(gone)?;
        if process.pid <= 1 || process.pid == std::process::id() {
            return Err(refused("it is not an app".to_owned()));
        }
        let handle = pidfd_open(raw, PidfdFlags::empty()).map_err(|_| gone())?;
        // The pidfd refers to whichever process has this id now, so the start time is compared.
        if self.process(process.pid) != Some(*process) {
            return Err(gone());
        }
        let signal = match how {
            Termination::Request => Signal::TERM,
            Termination::Kill => Signal::KILL,
        };
        match pidfd_send_signal(&handle, signal) {
            Ok(()) => Ok(()),
            Err(Errno::SRCH) => Err(gone()),
            Err(error) => Err(refused(error.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command};

    use super::*;

    fn sleeper() -> (Child, ProcessId) {
        let child = Command::new("sleep").arg("1000").spawn().unwrap();
        let process = LocalPrograms::default().process(child.id()).unwrap();
        (child, process)
    }

    #[test]
    fn only_the_process_with_the_same_start_time_is_ended() {
        let programs = LocalPrograms::default();
        let (mut child, process) = sleeper();
        let other = ProcessId { started: process.started + 1, ..process };
        assert!(matches!(programs.terminate(&other, Termination::Kill), Err(Error::Gone { .. })));
        assert_eq!(programs.status(&process), ProcessStatus::Running);
        programs.terminate(&process, Termination::Request).unwrap();
        child.wait().unwrap();
        assert_ne!(programs.status(&process), ProcessStatus::Running);
        assert!(matches!(programs.terminate(&process, Termination::Kill), Err(Error::Gone { .. })));
    }

    #[test]
    fn a_process_descends_only_from_its_ancestors() {
        let programs = LocalPrograms::default();
        let (mut child, process) = sleeper();
        let me = programs.process(std::process::id()).unwrap();
        assert!(programs.is_descendant(process.pid, &me) && programs.is_descendant(me.pid, &me));
        assert!(programs.process_tree(&me).contains(&process));
        assert!(!programs.process_tree(&process).contains(&me));
        programs.terminate(&process, Termination::Kill).unwrap();
        child.wait().unwrap();
    }
}
