//! What a halt promises, on a machine of pretence; the real one is put to the test from outside.

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

use super::{folder::Engine, *};

/// A machine whose processes all run until they are killed.
#[derive(Default)]
struct Pretend {
    pid: u32,
    killed: Mutex<Vec<ProcessId>>,
    /// Where something was let go of.
    freed: Mutex<Vec<String>>,
}

impl Machine for Pretend {
    fn this(&self) -> Result<ProcessId> {
        Ok(ProcessId { pid: self.pid, started: 1 })
    }

    fn runs(&self, process: &ProcessId) -> bool {
        !self.killed.lock().unwrap().contains(process)
    }

    fn desktop(&self) -> Option<String> {
        Some(":7".to_owned())
    }

    fn kill(&self, process: &ProcessId, desktop: Option<&str>) -> Result<()> {
        self.killed.lock().unwrap().push(*process);
        self.freed.lock().unwrap().extend(desktop.map(str::to_owned));
        Ok(())
    }

    fn watch(&self, _: &Path) -> Result<Box<dyn FolderChanges>> {
        Ok(Box::new(Restless))
    }
}

struct Restless;

impl FolderChanges for Restless {
    fn wait(&mut self, _: Deadline) -> Result<FolderWait> {
        std::thread::sleep(Duration::from_millis(1));
        Ok(FolderWait::Changed)
    }
}

struct Scene {
    folder: TempDir,
    machine: Arc<Pretend>,
    let_go: Arc<AtomicUsize>,
}

impl Scene {
    fn new() -> Self {
        let machine = Arc::new(Pretend { pid: 7, ..Pretend::default() });
        Self { folder: tempfile::tempdir().unwrap(), machine, let_go: Arc::default() }
    }

    fn halt(&self) -> Halt {
        Halt::at(self.folder.path().join("halt"), Arc::clone(&self.machine) as _)
    }

    fn watched(&self) -> Halt {
        let (halt, let_go) = (self.halt(), Arc::clone(&self.let_go));
        let count = move || {
            let_go.fetch_add(1, Ordering::SeqCst);
        };
        halt.watch(count).unwrap();
        halt
    }

    fn everyone(&self) -> HaltController {
        HaltController::at(self.folder.path().join("halt"), Arc::clone(&self.machine) as _)
    }
}

#[test]
fn a_halt_stops_what_runs_lets_go_and_ends_with_resume() {
    let scene = Scene::new();
    let halt = scene.watched();
    assert!(halt.check().is_ok());
    let stop = Arc::new(Stop::new());
    let running = halt.running(&stop);
    let stopping = Arc::clone(&stop);
    let outcome = std::thread::scope(|threads| {
        threads.spawn(move || {
            let begun = Instant::now();
            while !stopping.asked() && begun.elapsed() < Duration::from_secs(30) {
                std::thread::sleep(Duration::from_millis(1));
            }
            drop(running);
        });
        scene.everyone().halt(Some("enough")).unwrap()
    });
    assert_eq!((outcome.answered.len(), outcome.killed.len()), (1, 0));
    assert!(halt.is_up() && stop.asked());
    assert_eq!(halt.check(), Err(Halted { reason: Some("enough".to_owned()) }));
    assert!(scene.let_go.load(Ordering::SeqCst) >= 2, "before and after the running calls ended");
    let late = Arc::new(Stop::new());
    let _running = halt.running(&late);
    assert!(late.asked(), "a call that comes late is stopped as well");
    assert!(scene.halt().is_up(), "an engine that starts later sees it");
    let outcome = scene.everyone().resume().unwrap().unwrap();
    assert_eq!((outcome.answered.len(), outcome.stuck.len()), (1, 0));
    assert!(halt.check().is_ok() && !scene.halt().is_up());
    assert_eq!(scene.everyone().resume().unwrap(), None);
}

#[test]
fn calls_that_begin_at_the_same_moment_put_the_engine_on_the_list_once() {
    for _ in 0..20 {
        let scene = Scene::new();
        let halt = scene.halt();
        std::thread::scope(|threads| {
            for _ in 0..16 {
                threads.spawn(|| halt.watch(|| {}).unwrap());
            }
        });
        let place = HaltFolder { folder: scene.folder.path().join("halt") };
        assert!(place.engine(&ProcessId { pid: 7, started: 1 }).exists());
    }
}

#[test]
fn an_engine_that_says_nothing_is_killed_and_one_that_is_gone_is_forgotten() {
    let scene = Scene::new();
    let halt = scene.watched();
    let place = HaltFolder { folder: scene.folder.path().join("halt") };
    let (silent, gone) = (ProcessId { pid: 8, started: 1 }, ProcessId { pid: 9, started: 1 });
    let on = |process, desktop: &str| EngineEntry { process, desktop: Some(desktop.to_owned()) };
    place.acknowledge(&on(silent, ":8"), None).unwrap();
    place.acknowledge(&on(gone, ":9"), None).unwrap();
    scene.machine.kill(&gone, None).unwrap();
    let outcome = scene.everyone().halt(None).unwrap();
    assert_eq!(outcome.answered, [ProcessId { pid: 7, started: 1 }]);
    assert_eq!((outcome.killed, outcome.stuck), (vec![silent], Vec::new()));
    assert!(!place.engine(&gone).exists());
    assert_eq!(*scene.machine.freed.lock().unwrap(), [":8"], "on the desktop it has told");
    assert_eq!(halt.check(), Err(Halted { reason: None }));
}

#[test]
fn a_flag_nobody_can_read_is_up_all_the_same() {
    let scene = Scene::new();
    let halt = scene.watched();
    std::fs::write(scene.folder.path().join("halt/flag"), "no flag").unwrap();
    let begun = Instant::now();
    while !halt.is_up() && begun.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(halt.is_up() && scene.halt().is_up());
}

#[test]
fn a_folder_others_can_change_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let scene = Scene::new();
    let folder = scene.folder.path().join("halt");
    std::fs::create_dir(&folder).unwrap();
    std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o777)).unwrap();
    assert!(matches!(scene.halt().watch(|| {}), Err(Error::Place { .. })));
    assert!(matches!(scene.everyone().halt(None), Err(Error::Place { .. })));
}

#[test]
fn an_engine_that_ends_is_waited_for_no_longer() {
    let scene = Scene::new();
    drop(scene.watched());
    let outcome = scene.everyone().halt(None).unwrap();
    assert_eq!((outcome.killed, outcome.stuck), (Vec::new(), Vec::new()));
    assert!(Halt::none().check().is_ok());
}
