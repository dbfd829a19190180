//! Programs behind the seam.

use std::collections::HashSet;

use deskhand_platform::{Deadline, End, Error, Fate, Process, Program, Programs, Result, Sought};
use rustix::{
    io::Errno,
    process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal},
};

use super::{
    launch::Launched,
    process::{self, Stat},
    search::Places,
};

/// Starts and ends programs of this machine.
#[derive(Default)]
pub(crate) struct LocalPrograms {
    launched: Launched,
}

impl LocalPrograms {
    /// Those that start programs without some variables.
    pub(crate) fn without(secrets: Vec<String>) -> Self {
        Self { launched: Launched::without(secrets) }
    }
}

impl Programs for LocalPrograms {
    fn find(&self, wanted: &str) -> Result<Sought> {
        Ok(Places::own().find(wanted))
    }

    fn start(&self, program: &Program, arguments: &[String], _: Deadline) -> Result<Process> {
        self.launched.start(program, arguments)
    }

    fn process(&self, pid: u32) -> Option<Process> {
        let stat = Stat::read(pid).filter(|stat| stat.runs)?;
        Some(Process { pid, started: stat.started })
    }

    fn fate(&self, process: &Process) -> Fate {
        if let Some(fate) = self.launched.fate(process) {
            return fate;
        }
        match self.process(process.pid) {
            Some(running) if running == *process => Fate::Runs,
            Some(_) | None => Fate::Ended { code: None, signal: None, last_words: Vec::new() },
        }
    }

    fn stems_from(&self, pid: u32, process: &Process) -> bool {
        let mut at = pid;
        let mut seen = HashSet::new();
        while at > 1 && seen.insert(at) {
            if at == process.pid {
                return true;
            }
            let Some(stat) = Stat::read(at) else { return false };
            // A program whose parent ended is adopted, but stays in the session it began in.
            if stat.session == process.pid && stat.started >= process.started {
                return true;
            }
            at = stat.parent;
        }
        false
    }

    fn family(&self, process: &Process) -> Vec<Process> {
        let Some(first) = Stat::read(process.pid).filter(|s| s.started == process.started) else {
            return Vec::new();
        };
        let mut stats: Vec<(u32, Stat)> =
            process::all().into_iter().filter_map(|pid| Some((pid, Stat::read(pid)?))).collect();
        stats.retain(|(_, stat)| stat.runs && stat.session == first.session);
        let mut members = vec![*process];
        let mut next = 0;
        while let Some(parent) = members.get(next).map(|member| member.pid) {
            let children = stats.iter().filter(|(_, stat)| stat.parent == parent);
            members.extend(children.map(|(pid, s)| Process { pid: *pid, started: s.started }));
            next += 1;
        }
        members
    }

    fn end(&self, process: &Process, how: End) -> Result<()> {
        let gone = || Error::Gone { what: format!("process {}", process.pid) };
        let refused = |why: String| Error::Unsupported {
            what: format!("ending process {}", process.pid),
            why,
        };
        let raw = i32::try_from(process.pid).ok().and_then(Pid::from_raw).ok_or_else(gone)?;
        if process.pid <= 1 || process.pid == std::process::id() {
            return Err(refused("it is no app".to_owned()));
        }
        let handle = pidfd_open(raw, PidfdFlags::empty()).map_err(|_| gone())?;
        // The handle is of whoever has the number now, which this tells.
        if self.process(process.pid) != Some(*process) {
            return Err(gone());
        }
        let signal = match how {
            End::Ask => Signal::TERM,
            End::Kill => Signal::KILL,
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

    fn sleeper() -> (Child, Process) {
        let child = Command::new("sleep").arg("1000").spawn().unwrap();
        let process = LocalPrograms::default().process(child.id()).unwrap();
        (child, process)
    }

    #[test]
    fn only_the_very_process_is_ended() {
        let programs = LocalPrograms::default();
        let (mut child, process) = sleeper();
        let other = Process { started: process.started + 1, ..process };
        assert!(matches!(programs.end(&other, End::Kill), Err(Error::Gone { .. })));
        assert_eq!(programs.fate(&process), Fate::Runs);
        programs.end(&process, End::Ask).unwrap();
        child.wait().unwrap();
        assert_ne!(programs.fate(&process), Fate::Runs);
        assert!(matches!(programs.end(&process, End::Kill), Err(Error::Gone { .. })));
    }

    #[test]
    fn a_process_stems_from_its_parents_and_nobody_else() {
        let programs = LocalPrograms::default();
        let (mut child, process) = sleeper();
        let me = programs.process(std::process::id()).unwrap();
        assert!(programs.stems_from(process.pid, &me) && programs.stems_from(me.pid, &me));
        assert!(programs.family(&me).contains(&process));
        assert!(!programs.family(&process).contains(&me));
        programs.end(&process, End::Kill).unwrap();
        child.wait().unwrap();
    }
}
