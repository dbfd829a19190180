//! Waiting for changes in one folder, which may not exist yet.

use std::{path::PathBuf, sync::Arc, thread, time::Duration};

use deskhand_platform::{Deadline, FolderChanges, Machine};

/// Interval at which a folder that cannot be watched counts as changed.
const UNWATCHED_INTERVAL: Duration = Duration::from_secs(5);

/// Waits for changes in a folder.
pub struct ChangeWaiter {
    machine: Arc<dyn Machine>,
    folder: PathBuf,
    changes: Option<Box<dyn FolderChanges>>,
}

impl ChangeWaiter {
    /// Creates a watcher. The folder need not exist.
    pub fn new(folder: PathBuf) -> Self {
        Self { machine: crate::host::machine(), folder, changes: None }
    }

    /// Waits until something may have changed in the folder, or until the time has passed.
    pub fn wait(&mut self, at_most: Duration) {
        if let Some(changes) = &mut self.changes
            && changes.wait(Deadline::after(at_most)).is_ok()
        {
            return;
        }
        // The folder does not exist yet, or it was replaced. A change before this subscription counts.
        self.changes = self.machine.watch_folder(&self.folder).ok();
        if self.changes.is_none() {
            thread::sleep(at_most.min(UNWATCHED_INTERVAL));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, time::Instant};

    use super::*;

    #[test]
    fn a_change_ends_the_wait() {
        let folder = tempfile::tempdir().unwrap();
        let mut watcher = ChangeWaiter::new(folder.path().to_owned());
        watcher.wait(Duration::ZERO);
        let writing = thread::spawn({
            let file = folder.path().join("file");
            move || {
                thread::sleep(Duration::from_millis(50));
                fs::write(file, "x").unwrap();
            }
        });
        let start = Instant::now();
        watcher.wait(Duration::from_secs(30));
        assert!(start.elapsed() < Duration::from_secs(20));
        writing.join().unwrap();
    }
}
