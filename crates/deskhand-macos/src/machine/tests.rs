use std::{
    fs, io,
    sync::{Arc, Mutex},
};

use deskhand_platform::{Changed, Program, Sought};

use super::*;

const SOON: Duration = Duration::from_secs(20);

/// A system that remembers what it was asked.
#[derive(Default, Clone)]
struct Recorded {
    headless: bool,
    down: Arc<Mutex<Vec<Part>>>,
}

struct Quiet;

impl Stir for Quiet {
    fn wait(&mut self, at_most: Duration) -> io::Result<()> {
        std::thread::sleep(at_most.min(STEP));
        Ok(())
    }
}

impl Ground for Recorded {
    type Stir = Quiet;

    fn has_display(&self) -> bool {
        !self.headless
    }

    fn stir(&self, folder: &Path) -> io::Result<Quiet> {
        fs::metadata(folder).map(|_| Quiet)
    }

    fn is_down(&self, part: Part) -> bool {
        self.down.lock().unwrap().contains(&part)
    }

    fn lift(&self, part: Part) {
        self.down.lock().unwrap().retain(|one| *one != part);
    }
}

/// One process that runs until it is ended.
#[derive(Default, Clone)]
struct One {
    ended: Arc<Mutex<bool>>,
}

const IT: Process = Process { pid: 7, started: 1 };

impl Programs for One {
    fn find(&self, _wanted: &str) -> Result<Sought> {
        Ok(Sought::None { near: Vec::new() })
    }

    fn start(&self, _: &Program, _: &[String], _: Deadline) -> Result<Process> {
        Ok(IT)
    }

    fn process(&self, pid: u32) -> Option<Process> {
        (pid == std::process::id()).then_some(Process { pid, started: 3 })
    }

    fn fate(&self, process: &Process) -> Fate {
        if *process == IT && !*self.ended.lock().unwrap() {
            return Fate::Runs;
        }
        Fate::Ended { code: None, signal: Some(9), last_words: Vec::new() }
    }

    fn stems_from(&self, _: u32, _: &Process) -> bool {
        false
    }

    fn family(&self, process: &Process) -> Vec<Process> {
        vec![*process]
    }

    fn end(&self, process: &Process, _: End) -> Result<()> {
        if *process != IT {
            return Err(Error::Gone { what: "it".to_owned() });
        }
        *self.ended.lock().unwrap() = true;
        Ok(())
    }
}

#[test]
fn what_changes_in_a_folder_is_told_and_so_is_its_end() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("watched");
    fs::create_dir(&folder).unwrap();
    let machine = MacMachine::new(One::default(), Recorded::default());
    let mut changes = machine.watch(&folder).unwrap();
    assert_eq!(changes.wait(Deadline::after(Duration::ZERO)), Ok(Changed::No));
    fs::write(folder.join("flag"), "x").unwrap();
    assert_eq!(changes.wait(Deadline::after(SOON)), Ok(Changed::Yes));
    fs::write(folder.join("flag"), "longer").unwrap();
    assert_eq!(changes.wait(Deadline::after(SOON)), Ok(Changed::Yes));
    fs::remove_file(folder.join("flag")).unwrap();
    assert_eq!(changes.wait(Deadline::after(SOON)), Ok(Changed::Yes));
    assert_eq!(changes.wait(Deadline::after(STEP)), Ok(Changed::No));
    fs::remove_dir(&folder).unwrap();
    assert!(matches!(changes.wait(Deadline::after(SOON)), Err(Error::Gone { .. })));
    assert!(matches!(machine.watch(&folder), Err(Error::Broken { .. })));
}

#[test]
fn another_folder_in_its_place_is_not_the_one_that_is_watched() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("watched");
    fs::create_dir(&folder).unwrap();
    let mut changes = MacMachine::new(One::default(), Recorded::default()).watch(&folder).unwrap();
    fs::rename(&folder, place.path().join("moved")).unwrap();
    fs::create_dir(&folder).unwrap();
    assert!(matches!(changes.wait(Deadline::after(SOON)), Err(Error::Gone { .. })));
}

#[test]
fn a_process_is_told_by_its_number_and_its_start() {
    let machine = MacMachine::new(One::default(), Recorded::default());
    assert_eq!(machine.this().unwrap().pid, std::process::id());
    assert!(machine.runs(&IT));
    assert!(!machine.runs(&Process { started: 2, ..IT }));
}

#[test]
fn what_is_killed_holds_no_key_down_on_its_desktop() {
    let ground = Recorded::default();
    let shift = Part::Key(56);
    *ground.down.lock().unwrap() = vec![shift, Part::Button(Button::Left)];
    let machine = MacMachine::new(One::default(), ground.clone());
    let desktop = machine.desktop();
    assert!(desktop.is_some());
    machine.kill(&IT, desktop.as_deref()).unwrap();
    assert!(!machine.runs(&IT) && ground.down.lock().unwrap().is_empty());
    assert!(matches!(machine.kill(&Process { pid: 8, started: 1 }, None), Err(Error::Gone { .. })));
    let elsewhere = Recorded { headless: true, ..Recorded::default() };
    *elsewhere.down.lock().unwrap() = vec![shift];
    let machine = MacMachine::new(One::default(), elsewhere.clone());
    assert_eq!(machine.desktop(), None);
    machine.kill(&IT, None).unwrap();
    assert!(elsewhere.is_down(shift));
}
