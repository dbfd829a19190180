//! Tests of the halt with a fake machine. End-to-end tests cover the real one.

use std::{
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use deskhand_platform::{Deadline, FolderChanges, FolderWait, Machine, ProcessId, Result};
use tempfile::TempDir;

use super::{folder::EngineEntry, *};

/// A machine on which all processes run until they are killed.
#[derive(Default)]
struct FakeMachine {
    pid: u32,
    killed: Mutex<Vec<ProcessId>>,
    /// The desktops on which keys and buttons were released.
    released_on: Mutex<Vec<String>>,
}

impl Machine for FakeMachine {
    fn current_process(&self) -> Result<ProcessId> {
        Ok(ProcessId { pid: self.pid, started: 1 })
    }

    fn is_running(&self, process: &ProcessId) -> bool {
        !self.killed.lock().unwrap().contains(process)
    }

    fn desktop_id(&self) -> Option<String> {
        Some(":7".to_owned())
    }

    fn kill(&self, process: &ProcessId, desktop_id: Option<&str>) -> Result<()> {
        self.killed.lock().unwrap().push(*process);
        self.released_on.lock().unwrap().extend(desktop_id.map(str::to_owned));
        Ok(())
    }

    fn release_input(&self, desktop_id: &str) -> Result<()> {
        self.released_on.lock().unwrap().push(desktop_id.to_owned());
        Ok(())
    }

    fn watch_folder(&self, _: &Path) -> Result<Box<dyn FolderChanges>> {
        Ok(Box::new(ConstantChanges))
    }
}

struct ConstantChanges;

impl FolderChanges for ConstantChanges {
    fn wait(&mut self, _: Deadline) -> Result<FolderWait> {
        std::thread::sleep(Duration::from_millis(1));
        Ok(FolderWait::Changed)
    }
}

struct HaltFixture {
    folder: TempDir,
    machine: Arc<FakeMachine>,
    releases: Arc<AtomicUsize>,
}

impl HaltFixture {
    fn new() -> Self {
        let machine = Arc::new(FakeMachine { pid: 7, ..FakeMachine::default() });
        Self { folder: tempfile::tempdir().unwrap(), machine, releases: Arc::default() }
    }

    fn halt(&self) -> Halt {
        Halt::in_folder(self.folder.path().join("halt"), Arc::clone(&self.machine) as _)
    }

    fn watching_halt(&self) -> Halt {
        let (halt, releases) = (self.halt(), Arc::clone(&self.releases));
        let count = move || {
            releases.fetch_add(1, Ordering::SeqCst);
        };
        halt.watch(count).unwrap();
        halt
    }

    fn controller(&self) -> HaltController {
        HaltController::new(self.folder.path().join("halt"), Arc::clone(&self.machine) as _)
    }
}

#[test]
fn a_halt_cancels_calls_releases_keys_and_ends_with_resume() {
    let fixture = HaltFixture::new();
    let halt = fixture.watching_halt();
    assert!(halt.check().is_ok());
    let stop = Arc::new(CancelToken::new());
    let running = halt.track(&stop);
    let stopping = Arc::clone(&stop);
    let outcome = std::thread::scope(|threads| {
        threads.spawn(move || {
            let start = Instant::now();
            while !stopping.is_cancelled() && start.elapsed() < Duration::from_secs(30) {
                std::thread::sleep(Duration::from_millis(1));
            }
            drop(running);
        });
        fixture.controller().halt(Some("enough")).unwrap()
    });
    assert_eq!((outcome.acknowledged.len(), outcome.killed.len()), (1, 0));
    assert!(halt.is_active() && stop.is_cancelled());
    assert_eq!(halt.check(), Err(Halted { reason: Some("enough".to_owned()) }));
    assert!(
        fixture.releases.load(Ordering::SeqCst) >= 2,
        "released before and after the running calls ended"
    );
    let late = Arc::new(CancelToken::new());
    let _running = halt.track(&late);
    assert!(late.is_cancelled(), "a later call is cancelled as well");
    assert!(fixture.halt().is_active(), "an engine that starts later is halted");
    let outcome = fixture.controller().resume().unwrap().unwrap();
    assert_eq!((outcome.acknowledged.len(), outcome.stuck.len()), (1, 0));
    assert!(halt.check().is_ok() && !fixture.halt().is_active());
    assert_eq!(fixture.controller().resume().unwrap(), None);
}

#[test]
fn an_engine_that_uses_all_its_time_is_not_killed() {
    let fixture = HaltFixture::new();
    let halt = fixture.halt();
    halt.watch(|| std::thread::sleep(crate::timing::RELEASE_TIMEOUT)).unwrap();
    let _running = halt.track(&Arc::new(CancelToken::new()));
    let outcome = fixture.controller().halt(None).unwrap();
    assert_eq!((outcome.acknowledged.len(), outcome.killed.len()), (1, 0));
}

#[test]
fn concurrent_calls_register_the_engine_once() {
    for _ in 0..20 {
        let fixture = HaltFixture::new();
        let halt = fixture.halt();
        std::thread::scope(|threads| {
            for _ in 0..16 {
                threads.spawn(|| halt.watch(|| {}).unwrap());
            }
        });
        let folder = HaltFolder { path: fixture.folder.path().join("halt") };
        assert!(folder.status_file(&ProcessId { pid: 7, started: 1 }).exists());
    }
}

#[test]
fn a_silent_engine_is_killed_and_an_ended_one_is_removed() {
    let fixture = HaltFixture::new();
    let halt = fixture.watching_halt();
    let folder = HaltFolder { path: fixture.folder.path().join("halt") };
    let (silent, gone) = (ProcessId { pid: 8, started: 1 }, ProcessId { pid: 9, started: 1 });
    let entry =
        |process, desktop: &str| EngineEntry { process, desktop_id: Some(desktop.to_owned()) };
    folder.acknowledge(&entry(silent, ":8"), None).unwrap();
    folder.acknowledge(&entry(gone, ":9"), None).unwrap();
    fixture.machine.kill(&gone, None).unwrap();
    let outcome = fixture.controller().halt(None).unwrap();
    assert_eq!(outcome.acknowledged, [ProcessId { pid: 7, started: 1 }]);
    assert_eq!((outcome.killed, outcome.stuck), (vec![silent], Vec::new()));
    assert!(!folder.status_file(&gone).exists());
    assert_eq!(
        *fixture.machine.released_on.lock().unwrap(),
        [":8", ":9", ":7"],
        "on the desktops of the killed and the ended engine, and on the own one"
    );
    assert_eq!(halt.check(), Err(Halted { reason: None }));
}

#[test]
fn an_unreadable_flag_counts_as_set() {
    let fixture = HaltFixture::new();
    let halt = fixture.watching_halt();
    std::fs::write(fixture.folder.path().join("halt/flag"), "no flag").unwrap();
    let start = Instant::now();
    while !halt.is_active() && start.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(halt.is_active() && fixture.halt().is_active());
}

#[test]
fn a_folder_that_other_users_can_change_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = HaltFixture::new();
    let folder = fixture.folder.path().join("halt");
    std::fs::create_dir(&folder).unwrap();
    std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o777)).unwrap();
    assert!(matches!(fixture.halt().watch(|| {}), Err(Error::Folder { .. })));
    assert!(matches!(fixture.controller().halt(None), Err(Error::Folder { .. })));
}

#[test]
fn an_ended_engine_is_not_waited_for() {
    let fixture = HaltFixture::new();
    drop(fixture.watching_halt());
    let outcome = fixture.controller().halt(None).unwrap();
    assert_eq!((outcome.killed, outcome.stuck), (Vec::new(), Vec::new()));
    assert!(Halt::never().check().is_ok());
}
