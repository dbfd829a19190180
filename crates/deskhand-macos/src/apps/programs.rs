//! Finds, starts and ends programs.

use std::{collections::HashSet, io, sync::Arc};

use deskhand_platform::{
    Deadline, Error, LaunchableProgram, ProcessId, ProcessStatus, ProgramMatch, Programs, Result,
    Termination,
};

use super::{
    KernelApi, ProcessInfo, WorkspaceApi,
    launch::{self, OpenError, StartedPrograms},
    process,
    search::ProgramSearch,
};

/// The programs of this machine.
pub(crate) struct MacPrograms<S> {
    system: Arc<S>,
    started: StartedPrograms,
}

impl<S: KernelApi + WorkspaceApi> MacPrograms<S> {
    /// Hides these environment variables from programs that are started.
    pub(crate) fn hiding_env(system: Arc<S>, hidden: Vec<String>) -> Self {
        Self { system, started: StartedPrograms::hiding_env(hidden) }
    }

    fn is_running(&self, expected: &ProcessId) -> bool {
        process(&*self.system, expected.pid) == Some(*expected)
    }
}

impl<S: KernelApi + WorkspaceApi> Programs for MacPrograms<S> {
    fn find(&self, wanted: &str) -> Result<ProgramMatch> {
        let search = ProgramSearch::for_user(&*self.system);
        Ok(search.find(wanted, |id| self.system.app_with_bundle_id(id)))
    }

    fn start(
        &self,
        program: &LaunchableProgram,
        arguments: &[String],
        deadline: Deadline,
    ) -> Result<ProcessId> {
        let start_time = |pid| self.system.process_info(pid).map_or(0, |info| info.started);
        let Some(launch) = launch::plan_app_launch(program, arguments) else {
            return self.started.start(program, arguments, start_time);
        };
        let refused =
            |why: String| Error::Unsupported { what: format!("starting {}", program.name), why };
        match self.system.open_app(&launch, deadline) {
            Ok(pid) => self.process(pid).ok_or_else(|| Error::Gone {
                what: format!("{}, which ended immediately,", program.name),
            }),
            Err(OpenError::Refused(why)) => Err(refused(why)),
            Err(OpenError::Timeout) => Err(Error::Timeout { what: program.name.clone() }),
        }
    }

    fn process(&self, pid: u32) -> Option<ProcessId> {
        process(&*self.system, pid)
    }

    fn status(&self, process: &ProcessId) -> ProcessStatus {
        if let Some(fate) = self.started.fate(process) {
            return fate;
        }
        match self.is_running(process) {
            true => ProcessStatus::Running,
            false => ProcessStatus::Exited { code: None, signal: None, last_stderr: Vec::new() },
        }
    }

    fn is_descendant(&self, pid: u32, process: &ProcessId) -> bool {
        let mut current = pid;
        let mut seen = HashSet::new();
        while current > 1 && seen.insert(current) {
            if current == process.pid {
                return true;
            }
            let Some(info) = self.system.process_info(current) else { return false };
            // If the parent has ended, launchd adopts the process, but its session stays.
            if info.session == process.pid && info.started >= process.started {
                return true;
            }
            current = info.parent;
        }
        false
    }

    fn process_tree(&self, process: &ProcessId) -> Vec<ProcessId> {
        let root =
            self.system.process_info(process.pid).filter(|info| info.started == process.started);
        let Some(root) = root else { return Vec::new() };
        let pids = self.system.list_pids().into_iter();
        let mut table: Vec<(u32, ProcessInfo)> =
            pids.filter_map(|pid| Some((pid, self.system.process_info(pid)?))).collect();
        table.retain(|(_, info)| info.is_running && info.session == root.session);
        let mut members = vec![*process];
        let mut next = 0;
        while let Some(parent) = members.get(next).map(|member| member.pid) {
            let children = table.iter().filter(|(_, info)| info.parent == parent);
            let children: Vec<ProcessId> =
                children.map(|(pid, one)| ProcessId { pid: *pid, started: one.started }).collect();
            members.extend(children.into_iter().filter(|one| one.pid != process.pid));
            next += 1;
        }
        members
    }

    fn terminate(&self, process: &ProcessId, how: Termination) -> Result<()> {
        let pid = process.pid;
        let gone = || Error::Gone { what: format!("process {pid}") };
        let refused =
            |why: String| Error::Unsupported { what: format!("ending process {pid}"), why };
        if pid <= 1 || pid == std::process::id() {
            return Err(refused("it is not an app".to_owned()));
        }
        let is_same = || self.is_running(process);
        if !is_same() {
            return Err(gone());
        }
        // An app that is asked to quit can ask the user about unsaved changes. A signal ends it at once.
        if how == Termination::Request
            && let Some(asked) = self.system.quit(pid, &is_same)
        {
            return match (asked, is_same()) {
                (true, _) => Ok(()),
                (false, true) => Err(refused("macOS did not ask it to quit".to_owned())),
                (false, false) => Err(gone()),
            };
        }
        // macOS has no process handles, so the pid could be reused in the microseconds before the signal.
        if !is_same() {
            return Err(gone());
        }
        self.system.signal(pid, how).map_err(|error| {
            let ended = error.kind() == io::ErrorKind::NotFound || !is_same();
            if ended { gone() } else { refused(error.to_string()) }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;
    use crate::apps::{fake_system::FakeSystem, launch::AppLaunch};

    fn fixture() -> (Arc<FakeSystem>, MacPrograms<FakeSystem>) {
        let system = Arc::new(FakeSystem::default());
        for (pid, parent, session, started) in
            [(50, 1, 50, 10), (51, 50, 50, 11), (52, 51, 50, 12), (53, 50, 53, 13), (60, 1, 60, 9)]
        {
            system.add(pid, parent, session, started);
        }
        (Arc::clone(&system), MacPrograms::hiding_env(system, Vec::new()))
    }

    fn one(pid: u32, started: u64) -> ProcessId {
        ProcessId { pid, started }
    }

    fn test_deadline() -> Deadline {
        Deadline::after(std::time::Duration::from_secs(20))
    }

    fn app() -> LaunchableProgram {
        LaunchableProgram {
            name: "App".to_owned(),
            id: None,
            file: Some("/Applications/App.app".into()),
            command: vec!["/Applications/App.app/Contents/MacOS/App".to_owned()],
            arguments_index: 1,
            added_arguments: Vec::new(),
            working_dir: None,
            needs_terminal: false,
        }
    }

    #[test]
    fn a_process_tree_has_one_session_and_descendants_are_found() {
        let (system, programs) = fixture();
        assert_eq!(programs.process_tree(&one(50, 10)), [one(50, 10), one(51, 11), one(52, 12)]);
        assert_eq!(programs.process_tree(&one(50, 11)), [], "the pid was reused");
        assert!(
            programs.is_descendant(52, &one(50, 10)) && programs.is_descendant(50, &one(50, 10))
        );
        assert!(
            programs.is_descendant(53, &one(50, 10)) && !programs.is_descendant(60, &one(50, 10))
        );
        assert!(!programs.is_descendant(99, &one(50, 10)));
        system.add(54, 1, 50, 20);
        assert!(programs.is_descendant(54, &one(50, 10)), "adopted by launchd");
        system.change(51, |process| process.info.is_running = false);
        assert_eq!(programs.process(51), None);
        assert_eq!(programs.process(52), Some(one(52, 12)));
    }

    #[test]
    fn a_reused_pid_is_not_ended() {
        let (system, programs) = fixture();
        let gone = |outcome| assert!(matches!(outcome, Err(Error::Gone { .. })), "{outcome:?}");
        gone(programs.terminate(&one(50, 11), Termination::Kill));
        gone(programs.terminate(&one(99, 1), Termination::Request));
        for pid in [0, 1, std::process::id()] {
            let refused = programs.terminate(&one(pid, 1), Termination::Kill);
            assert!(matches!(refused, Err(Error::Unsupported { .. })));
        }
        assert!(system.signals.lock().is_empty());
        programs.terminate(&one(50, 10), Termination::Request).unwrap();
        programs.terminate(&one(50, 10), Termination::Kill).unwrap();
        assert_eq!(*system.signals.lock(), [(50, Termination::Request), (50, Termination::Kill)]);
        system.refuses.store(true, Ordering::Relaxed);
        let refused = programs.terminate(&one(50, 10), Termination::Kill);
        assert!(matches!(refused, Err(Error::Unsupported { .. })));
    }

    #[test]
    fn an_app_is_asked_to_quit_and_other_programs_get_a_signal() {
        let (system, programs) = fixture();
        system.apps.lock().push(50);
        programs.terminate(&one(50, 10), Termination::Request).unwrap();
        assert_eq!(*system.quits.lock(), [50]);
        assert!(system.signals.lock().is_empty());
        system.refuses.store(true, Ordering::Relaxed);
        let refused = programs.terminate(&one(50, 10), Termination::Request);
        assert!(matches!(refused, Err(Error::Unsupported { .. })));
    }

    #[test]
    fn an_app_is_opened_by_the_workspace() {
        let (system, programs) = fixture();
        *system.open_result.lock() = Some(Ok(60));
        let arguments = ["https://example.org".to_owned(), "word".to_owned()];
        assert_eq!(programs.start(&app(), &arguments, test_deadline()), Ok(one(60, 9)));
        let [AppLaunch { app: path, arguments, documents }] = &system.launches.lock()[..] else {
            panic!("not launched once")
        };
        assert_eq!(path.to_str(), Some("/Applications/App.app"));
        assert_eq!((&arguments[..], documents.len()), (&["word".to_owned()][..], 1));
    }

    #[test]
    fn an_app_that_cannot_be_opened_is_an_error() {
        let (system, programs) = fixture();
        let start = |result| {
            *system.open_result.lock() = Some(result);
            programs.start(&app(), &[], test_deadline()).unwrap_err()
        };
        let refused = start(Err(OpenError::Refused("it is damaged".to_owned())));
        assert!(matches!(refused, Error::Unsupported { why, .. } if why == "it is damaged"));
        assert!(matches!(start(Err(OpenError::Timeout)), Error::Timeout { .. }));
        assert!(matches!(start(Ok(99)), Error::Gone { .. }));
    }

    #[test]
    fn the_exit_status_of_a_started_program_is_known() {
        let (_, programs) = fixture();
        let ProgramMatch::One(found) = programs.find("/usr/bin/false").unwrap() else { panic!() };
        let process = programs.start(&found, &[], test_deadline()).unwrap();
        let start = std::time::Instant::now();
        loop {
            match programs.status(&process) {
                ProcessStatus::Running => assert!(start.elapsed().as_secs() < 10),
                ProcessStatus::Exited { code, .. } => {
                    assert_eq!(code, Some(1));
                    break;
                }
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        assert_eq!(programs.status(&one(50, 10)), ProcessStatus::Running);
        assert!(matches!(programs.status(&one(50, 1)), ProcessStatus::Exited { code: None, .. }));
        let nowhere = programs.find("no-such-program-anywhere").unwrap();
        assert_eq!(nowhere, ProgramMatch::None { suggestions: Vec::new() });
    }
}
