//! The local machine: processes through `/proc` and pidfds, folder changes through inotify.

use std::{
    io,
    mem::MaybeUninit,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
};

use deskhand_platform::{
    Deadline, Error, FolderChanges, FolderWait, Machine, ProcessId, ProcessStatus, Programs as _,
    Result, Termination,
};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags},
    io::Errno,
};

use crate::{
    apps::LocalPrograms,
    input,
    session_env::SessionEnv,
    timing::{KILL_POLL_INTERVAL, KILL_TIMEOUT},
};

/// The machine this process runs on.
#[derive(Default)]
pub struct LocalMachine {
    programs: LocalPrograms,
    env: SessionEnv,
}

impl LocalMachine {
    /// Creates the machine for a process that works in a session.
    pub fn new(env: SessionEnv) -> Self {
        Self { programs: LocalPrograms::default(), env }
    }
}

impl Machine for LocalMachine {
    fn current_process(&self) -> Result<ProcessId> {
        let found = self.programs.process(std::process::id());
        found.ok_or_else(|| Error::Unexpected {
            what: "the kernel".to_owned(),
            why: "it does not list this process".to_owned(),
        })
    }

    fn is_running(&self, process: &ProcessId) -> bool {
        match self.programs.status(process) {
            ProcessStatus::Running => true,
            ProcessStatus::Exited { .. } => false,
        }
    }

    fn desktop_id(&self) -> Option<String> {
        self.env.text("DISPLAY").filter(|display| !display.is_empty())
    }

    // The kernel does not show the environment of a process that disabled core dumps, so the caller
    // passes the process's display.
    fn kill(&self, process: &ProcessId, desktop: Option<&str>) -> Result<()> {
        self.programs.terminate(process, Termination::Kill)?;
        let Some(display) = desktop else { return Ok(()) };
        // The X server may still carry out the process's last requests until the process is gone.
        let deadline = Deadline::after(KILL_TIMEOUT);
        while self.is_running(process) && !deadline.has_passed() {
            std::thread::sleep(KILL_POLL_INTERVAL);
        }
        // If the display no longer accepts connections, it is gone along with its held keys.
        let _ = input::release_stuck_input(display);
        Ok(())
    }

    fn release_input(&self, desktop: &str) -> Result<()> {
        Ok(input::release_stuck_input(desktop)?)
    }

    fn watch_folder(&self, folder: &Path) -> Result<Box<dyn FolderChanges>> {
        Ok(Box::new(FolderWatch::new(folder).map_err(|errno| broken(folder, errno))?))
    }
}

/// An inotify watch on one folder.
struct FolderWatch {
    queue: OwnedFd,
    folder: PathBuf,
}

/// The inotify events that can add, change or remove a file in the folder, or the folder itself.
const WATCHED_EVENTS: WatchFlags = WatchFlags::CREATE
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::MOVED_TO)
    .union(WatchFlags::CLOSE_WRITE)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MOVE_SELF)
    .union(WatchFlags::ONLYDIR);

impl FolderWatch {
    fn new(folder: &Path) -> rustix::io::Result<Self> {
        let queue = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
        inotify::add_watch(&queue, folder, WATCHED_EVENTS)?;
        Ok(Self { queue, folder: folder.to_owned() })
    }

    /// Reads all pending events. Returns `Changed::Yes` if there were any.
    fn drain(&self) -> Result<FolderWait> {
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut events = Reader::new(&self.queue, &mut buffer);
        let mut changed = FolderWait::TimedOut;
        let ended = ReadFlags::IGNORED | ReadFlags::MOVE_SELF | ReadFlags::UNMOUNT;
        loop {
            match events.next() {
                Ok(event) if event.events().intersects(ended) => {
                    return Err(Error::Gone { what: self.folder.display().to_string() });
                }
                Ok(_) => changed = FolderWait::Changed,
                Err(Errno::WOULDBLOCK) => return Ok(changed),
                Err(Errno::INTR) => {}
                Err(errno) => return Err(broken(&self.folder, errno)),
            }
        }
    }
}

impl FolderChanges for FolderWatch {
    fn wait(&mut self, deadline: Deadline) -> Result<FolderWait> {
        loop {
            if self.drain()? == FolderWait::Changed {
                return Ok(FolderWait::Changed);
            }
            if deadline.has_passed() {
                return Ok(FolderWait::TimedOut);
            }
            let mut ready = [PollFd::new(&self.queue, PollFlags::IN)];
            let left = deadline.remaining();
            // A duration that `Timespec` cannot hold counts as no timeout.
            let left = Timespec::try_from(left).ok();
            match poll(&mut ready, left.as_ref()) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(errno) => return Err(broken(&self.folder, errno)),
            }
        }
    }
}

fn broken(folder: &Path, errno: Errno) -> Error {
    Error::Disconnected {
        what: format!("the folder {}", folder.display()),
        why: io::Error::from(errno).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, time::Duration};

    use super::*;

    const TEST_TIMEOUT: Duration = Duration::from_secs(20);

    #[test]
    fn changes_and_removal_of_a_watched_folder_are_reported() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("watched");
        fs::create_dir(&folder).unwrap();
        let mut changes = LocalMachine::default().watch_folder(&folder).unwrap();
        assert_eq!(changes.wait(Deadline::after(Duration::ZERO)), Ok(FolderWait::TimedOut));
        fs::write(folder.join("flag"), "x").unwrap();
        assert_eq!(changes.wait(Deadline::after(TEST_TIMEOUT)), Ok(FolderWait::Changed));
        fs::remove_file(folder.join("flag")).unwrap();
        assert_eq!(changes.wait(Deadline::after(TEST_TIMEOUT)), Ok(FolderWait::Changed));
        fs::remove_dir(&folder).unwrap();
        assert!(matches!(changes.wait(Deadline::after(TEST_TIMEOUT)), Err(Error::Gone { .. })));
    }

    #[test]
    fn this_process_runs() {
        let machine = LocalMachine::default();
        let me = machine.current_process().unwrap();
        assert!(machine.is_running(&me));
        assert!(!machine.is_running(&ProcessId { started: me.started + 1, ..me }));
    }
}
