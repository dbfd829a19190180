//! The thread that sees the flag go up and down.

use std::{
    io,
    sync::{Arc, Weak},
    time::{Duration, Instant},
};

use deskhand_platform::{Changed, Deadline, Error as Platform, FolderChanges, Machine, Process};

use super::{
    Error, Shared,
    place::{Engine, Flag, Place},
};

/// How often the flag is looked for even when nobody tells of a change.
const ANYWAY: Duration = Duration::from_secs(1);

/// How long an engine looks for the flag by itself before it asks to be told of changes. To stop being
/// told takes the kernel 8 to 16 ms (inotify), which every short command would wait for at its end.
const ALONE: Duration = Duration::from_secs(2);

/// How often it looks until then.
const STEP: Duration = Duration::from_millis(5);

/// How long running calls may take to end by themselves before everything is let go of again.
const TO_END: Duration = Duration::from_millis(150);

/// Takes this engine off the list of those that are waited for.
#[derive(Debug)]
pub(super) struct Listed {
    place: Place,
    process: Process,
}

impl Drop for Listed {
    fn drop(&mut self) {
        // Whoever looks at the list sees that the process is gone, too.
        let _ = std::fs::remove_file(self.place.engine(&self.process));
    }
}

/// Puts this engine on the list and starts the thread.
pub(super) fn start(
    shared: &Arc<Shared>,
    place: &Place,
    machine: &Arc<dyn Machine>,
    let_go: Box<dyn Fn() + Send + Sync>,
) -> Result<Listed, Error> {
    let unusable = |why: io::Error| Error::Place { folder: place.folder.clone(), why };
    let engine = Engine { process: machine.this()?, desktop: machine.desktop() };
    let process = engine.process;
    place.make().map_err(unusable)?;
    let seen = place.read();
    shared.set(seen.as_ref());
    place.acknowledge(&engine, seen.as_ref()).map_err(unusable)?;
    let watcher = Watcher {
        shared: Arc::downgrade(shared),
        place: place.clone(),
        machine: Arc::clone(machine),
        engine,
        let_go,
    };
    std::thread::Builder::new()
        .name("halt".to_owned())
        .spawn(move || watcher.run(seen))
        .map_err(unusable)?;
    Ok(Listed { place: place.clone(), process })
}

struct Watcher {
    shared: Weak<Shared>,
    place: Place,
    machine: Arc<dyn Machine>,
    engine: Engine,
    let_go: Box<dyn Fn() + Send + Sync>,
}

impl Watcher {
    fn run(self, mut seen: Option<Flag>) {
        let mut changes: Option<Box<dyn FolderChanges>> = None;
        let begun = Instant::now();
        loop {
            if begun.elapsed() < ALONE {
                std::thread::sleep(STEP);
            } else {
                self.wait(&mut changes);
            }
            let Some(shared) = self.shared.upgrade() else { return };
            let now = self.place.read();
            if now != seen {
                self.see(&shared, now.as_ref());
                seen = now;
            }
        }
    }

    /// Waits for a change of the folder, which is watched from the first time on.
    fn wait(&self, changes: &mut Option<Box<dyn FolderChanges>>) {
        match changes.as_mut().map(|changes| changes.wait(Deadline::after(ANYWAY))) {
            Some(Ok(Changed::Yes | Changed::No)) => {}
            // It is not watched yet; or it was removed or replaced, and is needed again.
            Some(Err(_)) | None => {
                *changes = self.again().ok();
                if changes.is_none() {
                    std::thread::sleep(ANYWAY / 10);
                }
            }
        }
    }

    fn again(&self) -> Result<Box<dyn FolderChanges>, Platform> {
        let unusable = |why: io::Error| Platform::Unexpected {
            what: self.place.folder.display().to_string(),
            why: why.to_string(),
        };
        self.place.make().map_err(unusable)?;
        let changes = self.machine.watch(&self.place.folder)?;
        let seen = self.place.read();
        self.place.acknowledge(&self.engine, seen.as_ref()).map_err(unusable)?;
        Ok(changes)
    }

    fn see(&self, shared: &Shared, flag: Option<&Flag>) {
        shared.set(flag);
        if flag.is_some() {
            (self.let_go)();
            let begun = Instant::now();
            while shared.is_busy() && begun.elapsed() < TO_END {
                std::thread::sleep(Duration::from_millis(2));
            }
            // A call that was about to press something when the flag went up has done so by now.
            (self.let_go)();
        }
        // Whoever raised the flag takes an engine that says nothing for one that hangs.
        let _ = self.place.acknowledge(&self.engine, flag);
    }
}
