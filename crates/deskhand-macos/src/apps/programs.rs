//! Programs behind the seam.

use std::{collections::HashSet, io, sync::Arc};

use deskhand_platform::{Deadline, End, Error, Fate, Process, Program, Programs, Result, Sought};

use super::{
    Facts, Kernel, Workspace,
    launch::{self, Launched, NotOpened},
    process,
    search::Places,
};

/// Starts and ends programs of this machine.
pub(crate) struct MacPrograms<G> {
    system: Arc<G>,
    launched: Launched,
}

impl<G: Kernel + Workspace> MacPrograms<G> {
    /// Those that start programs without some variables.
    pub(crate) fn without(system: Arc<G>, secrets: Vec<String>) -> Self {
        Self { system, launched: Launched::without(secrets) }
    }

    fn is(&self, meant: &Process) -> bool {
        process(&*self.system, meant.pid) == Some(*meant)
    }
}

impl<G: Kernel + Workspace> Programs for MacPrograms<G> {
    fn find(&self, wanted: &str) -> Result<Sought> {
        Ok(Places::own(&*self.system).find(wanted, |id| self.system.with_id(id)))
    }

    fn start(&self, program: &Program, arguments: &[String], by: Deadline) -> Result<Process> {
        let started = |pid| self.system.facts(pid).map_or(0, |facts| facts.started);
        let Some(launch) = launch::plan(program, arguments) else {
            return self.launched.start(program, arguments, started);
        };
        let refused =
            |why: String| Error::Unsupported { what: format!("starting {}", program.name), why };
        match self.system.open(&launch, by) {
            Ok(pid) => self.process(pid).ok_or_else(|| Error::Gone {
                what: format!("{}, which ended as soon as it had started,", program.name),
            }),
            Err(NotOpened::Refused(why)) => Err(refused(why)),
            Err(NotOpened::Late) => Err(Error::Timeout { what: program.name.clone() }),
        }
    }

    fn process(&self, pid: u32) -> Option<Process> {
        process(&*self.system, pid)
    }

    fn fate(&self, process: &Process) -> Fate {
        if let Some(fate) = self.launched.fate(process) {
            return fate;
        }
        match self.is(process) {
            true => Fate::Runs,
            false => Fate::Ended { code: None, signal: None, last_words: Vec::new() },
        }
    }

    fn stems_from(&self, pid: u32, process: &Process) -> bool {
        let mut at = pid;
        let mut seen = HashSet::new();
        while at > 1 && seen.insert(at) {
            if at == process.pid {
                return true;
            }
            let Some(facts) = self.system.facts(at) else { return false };
            // A program whose parent ended is adopted, but stays in the session it began in.
            if facts.session == process.pid && facts.started >= process.started {
                return true;
            }
            at = facts.parent;
        }
        false
    }

    fn family(&self, process: &Process) -> Vec<Process> {
        let first = self.system.facts(process.pid).filter(|one| one.started == process.started);
        let Some(first) = first else { return Vec::new() };
        let pids = self.system.pids().into_iter();
        let mut table: Vec<(u32, Facts)> =
            pids.filter_map(|pid| Some((pid, self.system.facts(pid)?))).collect();
        table.retain(|(_, facts)| facts.runs && facts.session == first.session);
        let mut members = vec![*process];
        let mut next = 0;
        while let Some(parent) = members.get(next).map(|member| member.pid) {
            let children = table.iter().filter(|(_, facts)| facts.parent == parent);
            let children: Vec<Process> =
                children.map(|(pid, one)| Process { pid: *pid, started: one.started }).collect();
            members.extend(children.into_iter().filter(|one| one.pid != process.pid));
            next += 1;
        }
        members
    }

    fn end(&self, process: &Process, how: End) -> Result<()> {
        let pid = process.pid;
        let gone = || Error::Gone { what: format!("process {pid}") };
        let refused =
            |why: String| Error::Unsupported { what: format!("ending process {pid}"), why };
        if pid <= 1 || pid == std::process::id() {
            return Err(refused("it is no app".to_owned()));
        }
        let still = || self.is(process);
        if !still() {
            return Err(gone());
        }
        // An app that is asked to quit can ask back what to do with unsaved work; a signal just ends it.
        if how == End::Ask
            && let Some(asked) = self.system.quit(pid, &still)
        {
            return match (asked, still()) {
                (true, _) => Ok(()),
                (false, true) => Err(refused("macOS did not ask it to quit".to_owned())),
                (false, false) => Err(gone()),
            };
        }
        // A Mac has no handle on a process: between this look and the signal lie microseconds.
        if !still() {
            return Err(gone());
        }
        self.system.signal(pid, how).map_err(|error| {
            let ended = error.kind() == io::ErrorKind::NotFound || !still();
            if ended { gone() } else { refused(error.to_string()) }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;
    use crate::apps::{launch::Launch, recorded::Recorded};

    fn scene() -> (Arc<Recorded>, MacPrograms<Recorded>) {
        let system = Arc::new(Recorded::default());
        for (pid, parent, session, started) in
            [(50, 1, 50, 10), (51, 50, 50, 11), (52, 51, 50, 12), (53, 50, 53, 13), (60, 1, 60, 9)]
        {
            system.add(pid, parent, session, started);
        }
        (Arc::clone(&system), MacPrograms::without(system, Vec::new()))
    }

    fn one(pid: u32, started: u64) -> Process {
        Process { pid, started }
    }

    fn soon() -> Deadline {
        Deadline::after(std::time::Duration::from_secs(20))
    }

    fn app() -> Program {
        Program {
            name: "App".to_owned(),
            id: None,
            file: Some("/Applications/App.app".into()),
            command: vec!["/Applications/App.app/Contents/MacOS/App".to_owned()],
            arguments_at: 1,
            added: Vec::new(),
            folder: None,
            terminal: false,
        }
    }

    #[test]
    fn a_family_is_of_one_session_and_stems_from_its_first() {
        let (system, programs) = scene();
        assert_eq!(programs.family(&one(50, 10)), [one(50, 10), one(51, 11), one(52, 12)]);
        assert_eq!(programs.family(&one(50, 11)), [], "another with its number");
        assert!(programs.stems_from(52, &one(50, 10)) && programs.stems_from(50, &one(50, 10)));
        assert!(programs.stems_from(53, &one(50, 10)) && !programs.stems_from(60, &one(50, 10)));
        assert!(!programs.stems_from(99, &one(50, 10)));
        system.add(54, 1, 50, 20);
        assert!(programs.stems_from(54, &one(50, 10)), "adopted");
        system.change(51, |entry| entry.facts.runs = false);
        assert_eq!(programs.process(51), None);
        assert_eq!(programs.process(52), Some(one(52, 12)));
    }

    #[test]
    fn only_the_very_process_is_ended() {
        let (system, programs) = scene();
        let gone = |outcome| assert!(matches!(outcome, Err(Error::Gone { .. })), "{outcome:?}");
        gone(programs.end(&one(50, 11), End::Kill));
        gone(programs.end(&one(99, 1), End::Ask));
        for pid in [0, 1, std::process::id()] {
            let refused = programs.end(&one(pid, 1), End::Kill);
            assert!(matches!(refused, Err(Error::Unsupported { .. })));
        }
        assert!(system.signals.lock().unwrap().is_empty());
        programs.end(&one(50, 10), End::Ask).unwrap();
        programs.end(&one(50, 10), End::Kill).unwrap();
        assert_eq!(*system.signals.lock().unwrap(), [(50, End::Ask), (50, End::Kill)]);
        system.refuses.store(true, Ordering::Relaxed);
        let refused = programs.end(&one(50, 10), End::Kill);
        assert!(matches!(refused, Err(Error::Unsupported { .. })));
    }

    #[test]
    fn an_app_is_asked_to_quit_and_a_signal_is_for_others() {
        let (system, programs) = scene();
        system.apps.lock().unwrap().push(50);
        programs.end(&one(50, 10), End::Ask).unwrap();
        assert_eq!(*system.quits.lock().unwrap(), [50]);
        assert!(system.signals.lock().unwrap().is_empty());
        system.refuses.store(true, Ordering::Relaxed);
        let refused = programs.end(&one(50, 10), End::Ask);
        assert!(matches!(refused, Err(Error::Unsupported { .. })));
    }

    #[test]
    fn an_app_is_opened_by_the_workspace() {
        let (system, programs) = scene();
        *system.opens.lock().unwrap() = Some(Ok(60));
        let given = ["https://example.org".to_owned(), "word".to_owned()];
        assert_eq!(programs.start(&app(), &given, soon()), Ok(one(60, 9)));
        let [Launch { app: path, arguments, documents }] = &system.launches.lock().unwrap()[..]
        else {
            panic!()
        };
        assert_eq!(path.to_str(), Some("/Applications/App.app"));
        assert_eq!((&arguments[..], documents.len()), (&["word".to_owned()][..], 1));
    }

    #[test]
    fn an_app_that_does_not_open_is_told_as_it_is() {
        let (system, programs) = scene();
        let start = |answer| {
            *system.opens.lock().unwrap() = Some(answer);
            programs.start(&app(), &[], soon()).unwrap_err()
        };
        let refused = start(Err(NotOpened::Refused("it is damaged".to_owned())));
        assert!(matches!(refused, Error::Unsupported { why, .. } if why == "it is damaged"));
        assert!(matches!(start(Err(NotOpened::Late)), Error::Timeout { .. }));
        assert!(matches!(start(Ok(99)), Error::Gone { .. }));
    }

    #[test]
    fn a_plain_program_is_started_here_and_its_end_is_known() {
        let (_, programs) = scene();
        let Sought::One(found) = programs.find("/usr/bin/false").unwrap() else { panic!() };
        let process = programs.start(&found, &[], soon()).unwrap();
        let begun = std::time::Instant::now();
        loop {
            match programs.fate(&process) {
                Fate::Runs => assert!(begun.elapsed().as_secs() < 10),
                Fate::Ended { code, .. } => {
                    assert_eq!(code, Some(1));
                    break;
                }
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        assert_eq!(programs.fate(&one(50, 10)), Fate::Runs);
        assert!(matches!(programs.fate(&one(50, 1)), Fate::Ended { code: None, .. }));
        let nowhere = programs.find("no-such-program-anywhere").unwrap();
        assert_eq!(nowhere, Sought::None { near: Vec::new() });
    }
}
