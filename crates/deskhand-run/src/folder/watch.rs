//! Hears of changes in a folder, also when it is made, removed or replaced.

use std::{
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, RecvTimeoutError, Sender},
    time::{Duration, Instant},
};

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::{Error, News};

/// The watches on a folder and on the nearest folder above it that is there.
pub(super) struct Watch {
    folder: PathBuf,
    watcher: RecommendedWatcher,
    watched: Vec<PathBuf>,
}

/// Why waiting for quiet ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Settled {
    Quiet,
    Closed,
}

impl Watch {
    pub(super) fn new(folder: &Path, news: Sender<News>) -> Result<Self, Error> {
        let failed = |source| Error::Watch { folder: folder.to_owned(), source };
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let of_interest = folder.clone();
        let heard = move |event: notify::Result<notify::Event>| {
            let matters = event.is_ok_and(|event| matters(&event, &of_interest));
            if matters {
                // Nobody listens once the folder is not watched any more.
                let _ = news.send(News::Changed);
            }
        };
        let watcher = notify::recommended_watcher(heard).map_err(failed)?;
        let mut watch = Self { folder, watcher, watched: Vec::new() };
        watch.place().map_err(failed)?;
        Ok(watch)
    }

    /// Watches what has the names of the folder and the one above it now.
    pub(super) fn renew(&mut self) {
        for path in std::mem::take(&mut self.watched) {
            // A folder that was removed took its watch along.
            let _ = self.watcher.unwatch(&path);
        }
        // What cannot be watched now can be again when the next one above it changes.
        let _ = self.place();
    }

    fn place(&mut self) -> notify::Result<()> {
        let above = self.folder.ancestors().skip(1).find(|above| above.is_dir());
        for path in above.into_iter().chain([self.folder.as_path()]) {
            match self.watcher.watch(path, RecursiveMode::NonRecursive) {
                Ok(()) => self.watched.push(path.to_owned()),
                Err(error) if missing(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

fn missing(error: &notify::Error) -> bool {
    match &error.kind {
        notify::ErrorKind::PathNotFound => true,
        notify::ErrorKind::Io(error) => error.kind() == std::io::ErrorKind::NotFound,
        notify::ErrorKind::Generic(_)
        | notify::ErrorKind::WatchNotFound
        | notify::ErrorKind::InvalidConfig(_)
        | notify::ErrorKind::MaxFilesWatch => false,
    }
}

/// Reading changes nothing, and what else happens above the folder does not matter.
fn matters(event: &notify::Event, folder: &Path) -> bool {
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
    // Events were lost where none is named: everything may have changed.
    let here = event.paths.is_empty()
        || event.paths.iter().any(|path| path.starts_with(folder) || folder.starts_with(path));
    changes && here
}

/// Waits until nothing has changed for a while, but not for ever.
pub(super) fn settle(heard: &Receiver<News>, quiet: Duration, longest: Duration) -> Settled {
    let end = Instant::now() + longest;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Settled::Quiet;
        }
        match heard.recv_timeout(quiet.min(left)) {
            Ok(News::Changed) => {}
            Ok(News::Close) | Err(RecvTimeoutError::Disconnected) => return Settled::Closed,
            Err(RecvTimeoutError::Timeout) => return Settled::Quiet,
        }
    }
}
