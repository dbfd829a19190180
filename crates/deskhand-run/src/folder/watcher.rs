//! Watches a folder for changes, also when it is created, removed or replaced.

use std::{
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, RecvTimeoutError, Sender},
    time::{Duration, Instant},
};

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::{Error, WatchEvent};

/// The watches on a folder and on its nearest existing parent.
pub(super) struct FolderWatcher {
    folder: PathBuf,
    watcher: RecommendedWatcher,
    watched: Vec<PathBuf>,
}

/// The reason why waiting for quiet ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QuietOutcome {
    Quiet,
    Closed,
}

impl FolderWatcher {
    pub(super) fn new(folder: &Path, events: Sender<WatchEvent>) -> Result<Self, Error> {
        let failed = |source| Error::Watch { folder: folder.to_owned(), source };
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let watched_folder = folder.clone();
        let received = move |event: notify::Result<notify::Event>| {
            let relevant = event.is_ok_and(|event| is_relevant(&event, &watched_folder));
            if relevant {
                // The send fails once the watch has ended.
                let _ = events.send(WatchEvent::Changed);
            }
        };
        let watcher = notify::recommended_watcher(received).map_err(failed)?;
        let mut watch = Self { folder, watcher, watched: Vec::new() };
        watch.watch_paths().map_err(failed)?;
        Ok(watch)
    }

    /// Renews the watches on the folder and its parent, which may have been replaced.
    pub(super) fn rewatch(&mut self) {
        for path in std::mem::take(&mut self.watched) {
            // A removed folder has no watch any more.
            let _ = self.watcher.unwatch(&path);
        }
        // If this fails, the next change in a parent folder tries again.
        let _ = self.watch_paths();
    }

    fn watch_paths(&mut self) -> notify::Result<()> {
        let above = self.folder.ancestors().skip(1).find(|above| above.is_dir());
        for path in above.into_iter().chain([self.folder.as_path()]) {
            match self.watcher.watch(path, RecursiveMode::NonRecursive) {
                Ok(()) => self.watched.push(path.to_owned()),
                Err(error) if is_missing(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

fn is_missing(error: &notify::Error) -> bool {
    match &error.kind {
        notify::ErrorKind::PathNotFound => true,
        notify::ErrorKind::Io(error) => error.kind() == std::io::ErrorKind::NotFound,
        notify::ErrorKind::Generic(_)
        | notify::ErrorKind::WatchNotFound
        | notify::ErrorKind::InvalidConfig(_)
        | notify::ErrorKind::MaxFilesWatch => false,
    }
}

/// Returns `true` if an event changes the folder. Reads and events elsewhere are ignored.
fn is_relevant(event: &notify::Event, folder: &Path) -> bool {
    let changes = match event.kind {
        EventKind::Access(notify::event::AccessKind::Close(notify::event::AccessMode::Write)) => {
            true
        }
        EventKind::Access(_) => false,
        EventKind::Any
        | EventKind::Create(_)
        | EventKind::Modify(_)
        | EventKind::Remove(_)
        | EventKind::Other => true,
    };
    // An event without paths means that events were lost.
    let here = event.paths.is_empty()
        || event.paths.iter().any(|path| path.starts_with(folder) || folder.starts_with(path));
    changes && here
}

/// Waits until there were no changes for `quiet`, but at most for `max_burst`.
pub(super) fn wait_for_quiet(
    received: &Receiver<WatchEvent>,
    quiet: Duration,
    max_burst: Duration,
) -> QuietOutcome {
    let end = Instant::now() + max_burst;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return QuietOutcome::Quiet;
        }
        match received.recv_timeout(quiet.min(left)) {
            Ok(WatchEvent::Changed) => {}
            Ok(WatchEvent::Close) | Err(RecvTimeoutError::Disconnected) => {
                return QuietOutcome::Closed;
            }
            Err(RecvTimeoutError::Timeout) => return QuietOutcome::Quiet,
        }
    }
}
