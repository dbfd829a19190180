use std::{fs, io, sync::Arc, time::Duration};

use deskhand_platform::{FolderWait, LaunchableProgram, ProgramMatch};
use parking_lot::Mutex;

use super::*;

const LONG: Duration = Duration::from_secs(20);

/// A fake system with pressed keys and buttons.
#[derive(Default, Clone)]
struct FakeMachine {
    headless: bool,
    down: Arc<Mutex<Vec<HeldInput>>>,
}

/// Reports no changes, so that the watcher polls.
struct SilentNotifier;

impl FolderNotifier for SilentNotifier {
    fn wait(&mut self, timeout: Duration) -> io::Result<()> {
        std::thread::sleep(timeout.min(KILL_POLL_INTERVAL));
        Ok(())
    }
}

impl MachineApi for FakeMachine {
    type Notifier = SilentNotifier;

    fn has_display(&self) -> bool {
        !self.headless
    }

    fn folder_notifier(&self, folder: &Path) -> io::Result<SilentNotifier> {
        fs::metadata(folder).map(|_| SilentNotifier)
    }

    fn is_down(&self, input: HeldInput) -> bool {
        self.down.lock().contains(&input)
    }

    fn release(&self, input: HeldInput) {
        self.down.lock().retain(|one| *one != input);
    }
}

/// One process that runs until it is killed.
#[derive(Default, Clone)]
struct OneProcess {
    ended: Arc<Mutex<bool>>,
}

const PROCESS: ProcessId = ProcessId { pid: 7, started: 1 };

impl Programs for OneProcess {
    fn find(&self, _wanted: &str) -> Result<ProgramMatch> {
        Ok(ProgramMatch::None { suggestions: Vec::new() })
    }

    fn start(&self, _: &LaunchableProgram, _: &[String], _: Deadline) -> Result<ProcessId> {
        Ok(PROCESS)
    }

    fn process(&self, pid: u32) -> Option<ProcessId> {
        (pid == std::process::id()).then_some(ProcessId { pid, started: 3 })
    }

    fn status(&self, process: &ProcessId) -> ProcessStatus {
        if *process == PROCESS && !*self.ended.lock() {
            return ProcessStatus::Running;
        }
        ProcessStatus::Exited { code: None, signal: Some(9), last_stderr: Vec::new() }
    }

    fn is_descendant(&self, _: u32, _: &ProcessId) -> bool {
        false
    }

    fn process_tree(&self, process: &ProcessId) -> Vec<ProcessId> {
        vec![*process]
    }

    fn terminate(&self, process: &ProcessId, _: Termination) -> Result<()> {
        if *process != PROCESS {
            return Err(Error::Gone { what: "it".to_owned() });
        }
        *self.ended.lock() = true;
        Ok(())
    }
}

#[test]
fn changes_of_a_folder_and_its_removal_are_reported() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("watched");
    fs::create_dir(&folder).unwrap();
    let machine = MacMachine::new(OneProcess::default(), FakeMachine::default());
    let mut changes = machine.watch_folder(&folder).unwrap();
    assert_eq!(changes.wait(Deadline::after(Duration::ZERO)), Ok(FolderWait::TimedOut));
    fs::write(folder.join("flag"), "x").unwrap();
    assert_eq!(changes.wait(Deadline::after(LONG)), Ok(FolderWait::Changed));
    fs::write(folder.join("flag"), "longer").unwrap();
    assert_eq!(changes.wait(Deadline::after(LONG)), Ok(FolderWait::Changed));
    fs::remove_file(folder.join("flag")).unwrap();
    assert_eq!(changes.wait(Deadline::after(LONG)), Ok(FolderWait::Changed));
    assert_eq!(changes.wait(Deadline::after(KILL_POLL_INTERVAL)), Ok(FolderWait::TimedOut));
    fs::remove_dir(&folder).unwrap();
    assert!(matches!(changes.wait(Deadline::after(LONG)), Err(Error::Gone { .. })));
    assert!(matches!(machine.watch_folder(&folder), Err(Error::Disconnected { .. })));
}

#[test]
fn a_folder_that_was_replaced_is_gone() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("watched");
    fs::create_dir(&folder).unwrap();
    let machine = MacMachine::new(OneProcess::default(), FakeMachine::default());
    let mut changes = machine.watch_folder(&folder).unwrap();
    fs::rename(&folder, parent.path().join("moved")).unwrap();
    fs::create_dir(&folder).unwrap();
    assert!(matches!(changes.wait(Deadline::after(LONG)), Err(Error::Gone { .. })));
}

#[test]
fn a_process_is_identified_by_pid_and_start_time() {
    let machine = MacMachine::new(OneProcess::default(), FakeMachine::default());
    assert_eq!(machine.current_process().unwrap().pid, std::process::id());
    assert!(machine.is_running(&PROCESS));
    assert!(!machine.is_running(&ProcessId { started: 2, ..PROCESS }));
}

#[test]
fn killing_a_process_releases_its_keys_on_the_desktop() {
    let system = FakeMachine::default();
    let shift = HeldInput::Key(56);
    *system.down.lock() = vec![shift, HeldInput::Button(Button::Left)];
    let machine = MacMachine::new(OneProcess::default(), system.clone());
    let desktop = machine.desktop_id();
    assert!(desktop.is_some());
    machine.kill(&PROCESS, desktop.as_deref()).unwrap();
    assert!(!machine.is_running(&PROCESS) && system.down.lock().is_empty());
    assert!(matches!(
        machine.kill(&ProcessId { pid: 8, started: 1 }, None),
        Err(Error::Gone { .. })
    ));
    let headless = FakeMachine { headless: true, ..FakeMachine::default() };
    *headless.down.lock() = vec![shift];
    let machine = MacMachine::new(OneProcess::default(), headless.clone());
    assert_eq!(machine.desktop_id(), None);
    machine.kill(&PROCESS, None).unwrap();
    assert!(headless.is_down(shift));
}
