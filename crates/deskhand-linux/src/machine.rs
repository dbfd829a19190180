//! The machine as the kernel tells it: processes by /proc and pidfd, folders by inotify.

use std::{
    io,
    mem::MaybeUninit,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
    time::Duration,
};

use deskhand_platform::{
    Changed, Deadline, End, Error, Fate, FolderChanges, Machine, Process, Programs as _, Result,
};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags},
    io::Errno,
};

use crate::{apps::LocalPrograms, input};

/// How long a killed process may take to be gone.
const TO_END: Duration = Duration::from_secs(1);

/// How often it is looked whether it is.
const STEP: Duration = Duration::from_millis(2);

/// The machine this process runs on.
#[derive(Default)]
pub struct LocalMachine(LocalPrograms);

impl Machine for LocalMachine {
    fn this(&self) -> Result<Process> {
        let found = self.0.process(std::process::id());
        found.ok_or_else(|| Error::Unexpected {
            what: "the kernel".to_owned(),
            why: "it does not know this process".to_owned(),
        })
    }

    fn runs(&self, process: &Process) -> bool {
        match self.0.fate(process) {
            Fate::Runs => true,
            Fate::Ended { .. } => false,
        }
    }

    fn desktop(&self) -> Option<String> {
        std::env::var("DISPLAY").ok().filter(|display| !display.is_empty())
    }

    // The kernel shows nobody the environment of a process that keeps its memory to itself, so its
    // display has to be told.
    fn kill(&self, process: &Process, desktop: Option<&str>) -> Result<()> {
        self.0.end(process, End::Kill)?;
        let Some(display) = desktop else { return Ok(()) };
        // Until the server has seen the end of it, it may still do what it was told last.
        let by = Deadline::after(TO_END);
        while self.runs(process) && !by.passed() {
            std::thread::sleep(STEP);
        }
        // A display that lets nobody in any more is gone, and what was held down on it.
        let _ = input::release_stuck(display);
        Ok(())
    }

    fn watch(&self, folder: &Path) -> Result<Box<dyn FolderChanges>> {
        Ok(Box::new(Watch::new(folder).map_err(|errno| broken(folder, errno))?))
    }
}

/// A folder that is watched.
struct Watch {
    queue: OwnedFd,
    folder: PathBuf,
}

/// What else can happen to a folder is nothing to those who look for files in it.
const NEWS: WatchFlags = WatchFlags::CREATE
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::MOVED_TO)
    .union(WatchFlags::CLOSE_WRITE)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MOVE_SELF)
    .union(WatchFlags::ONLYDIR);

impl Watch {
    fn new(folder: &Path) -> rustix::io::Result<Self> {
        let queue = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
        inotify::add_watch(&queue, folder, NEWS)?;
        Ok(Self { queue, folder: folder.to_owned() })
    }

    /// Takes everything there is; whether there was anything.
    fn drain(&self) -> Result<Changed> {
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut events = Reader::new(&self.queue, &mut buffer);
        let mut changed = Changed::No;
        let ended = ReadFlags::IGNORED | ReadFlags::MOVE_SELF | ReadFlags::UNMOUNT;
        loop {
            match events.next() {
                Ok(event) if event.events().intersects(ended) => {
                    return Err(Error::Gone { what: self.folder.display().to_string() });
                }
                Ok(_) => changed = Changed::Yes,
                Err(Errno::WOULDBLOCK) => return Ok(changed),
                Err(Errno::INTR) => {}
                Err(errno) => return Err(broken(&self.folder, errno)),
            }
        }
    }
}

impl FolderChanges for Watch {
    fn wait(&mut self, by: Deadline) -> Result<Changed> {
        loop {
            if self.drain()? == Changed::Yes {
                return Ok(Changed::Yes);
            }
            if by.passed() {
                return Ok(Changed::No);
            }
            let mut ready = [PollFd::new(&self.queue, PollFlags::IN)];
            let left: Duration = by.left();
            // A wait longer than the kernel can count is as good as one without an end.
            let left = Timespec::try_from(left).ok();
            match poll(&mut ready, left.as_ref()) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(errno) => return Err(broken(&self.folder, errno)),
            }
        }
    }
}

fn broken(folder: &Path, errno: Errno) -> Error {
    Error::Broken {
        what: format!("the folder {}", folder.display()),
        why: io::Error::from(errno).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const SOON: Duration = Duration::from_secs(20);

    #[test]
    fn what_changes_in_a_folder_is_told_and_so_is_its_end() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("watched");
        fs::create_dir(&folder).unwrap();
        let mut changes = LocalMachine::default().watch(&folder).unwrap();
        assert_eq!(changes.wait(Deadline::after(Duration::ZERO)), Ok(Changed::No));
        fs::write(folder.join("flag"), "x").unwrap();
        assert_eq!(changes.wait(Deadline::after(SOON)), Ok(Changed::Yes));
        fs::remove_file(folder.join("flag")).unwrap();
        assert_eq!(changes.wait(Deadline::after(SOON)), Ok(Changed::Yes));
        fs::remove_dir(&folder).unwrap();
        assert!(matches!(changes.wait(Deadline::after(SOON)), Err(Error::Gone { .. })));
    }

    #[test]
    fn this_process_runs() {
        let machine = LocalMachine::default();
        let me = machine.this().unwrap();
        assert!(machine.runs(&me));
        assert!(!machine.runs(&Process { started: me.started + 1, ..me }));
    }
}
