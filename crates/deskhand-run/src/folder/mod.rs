//! A tools folder that is reloaded when its files change. Running calls are not affected: a call keeps the tool
//! version it was planned with.

mod cache;
mod watcher;

use std::{
    path::{Path, PathBuf},
    sync::mpsc::{RecvTimeoutError, Sender, channel},
    thread::JoinHandle,
    time::Instant,
};

use cache::DefinitionCache;
use watcher::FolderWatcher;

use crate::{
    mtdf::LoadedTools,
    timing::{BROKEN_FILE_GRACE, MAX_BURST, QUIET_PERIOD},
};

/// A watched tools folder. Dropping it ends the watch.
#[derive(Debug)]
pub struct WatchedFolder {
    events: Sender<WatchEvent>,
    thread: Option<JoinHandle<()>>,
}

/// An event for the watching thread.
#[derive(Debug)]
enum WatchEvent {
    /// A file in the folder or a parent folder has changed.
    Changed,
    /// The watch ends.
    Close,
}

/// An error of watching a folder.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The system has no more watches.
    #[error("{} cannot be watched for changes", folder.display())]
    Watch {
        /// The folder.
        folder: PathBuf,
        /// The error of the watcher.
        source: notify::Error,
    },
    /// The system has no more threads.
    #[error("{} cannot be watched for changes", folder.display())]
    Thread {
        /// The folder.
        folder: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
}

impl deskhand_model::Explain for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Watch { .. } | Self::Thread { .. } => "cannot_watch",
        }
    }

    fn advice(&self) -> Option<deskhand_model::Advice> {
        Some(deskhand_model::Advice::from(match self {
            Self::Watch { source, .. } => format!(
                "{source}; raise fs.inotify.max_user_watches or fs.inotify.max_user_instances, or restart \
                 the server after changes to tools"
            ),
            Self::Thread { source, .. } => source.to_string(),
        }))
    }
}

impl WatchedFolder {
    /// Reads a folder and watches it. The folder may be created later. Tools cannot have a name in `reserved`.
    /// `on_change` is called with the tools whenever they differ from the last call.
    pub fn watch(
        folder: &Path,
        reserved: &[&str],
        mut on_change: impl FnMut(LoadedTools) + Send + 'static,
    ) -> Result<(Self, LoadedTools), Error> {
        let (events, received) = channel();
        let mut watcher = FolderWatcher::new(folder, events.clone())?;
        let mut cache = DefinitionCache::new(folder, reserved);
        let first = cache.read(Instant::now(), BROKEN_FILE_GRACE).loaded;
        let mut last = first.clone();
        let body = move || {
            let mut retry_at: Option<Instant> = None;
            loop {
                let waited = match retry_at {
                    None => received.recv().map_err(|_| RecvTimeoutError::Disconnected),
                    Some(at) => received.recv_timeout(at.saturating_duration_since(Instant::now())),
                };
                let outcome = match waited {
                    Ok(WatchEvent::Changed) => {
                        watcher::wait_for_quiet(&received, QUIET_PERIOD, MAX_BURST)
                    }
                    Ok(WatchEvent::Close) | Err(RecvTimeoutError::Disconnected) => return,
                    Err(RecvTimeoutError::Timeout) => watcher::QuietOutcome::Quiet,
                };
                if outcome == watcher::QuietOutcome::Closed {
                    return;
                }
                // The folder may have been created or replaced. The watch is renewed before the folder is read, so
                // that no change is missed in between.
                watcher.rewatch();
                let reload = cache.read(Instant::now(), BROKEN_FILE_GRACE);
                retry_at = reload.retry_at;
                if reload.loaded != last {
                    last = reload.loaded.clone();
                    on_change(reload.loaded);
                }
            }
        };
        let thread = std::thread::Builder::new().name("tools-folder".to_owned()).spawn(body);
        let thread =
            thread.map_err(|source| Error::Thread { folder: folder.to_owned(), source })?;
        Ok((Self { events, thread: Some(thread) }, first))
    }
}

impl Drop for WatchedFolder {
    fn drop(&mut self) {
        // The send fails if the thread has already ended.
        let _ = self.events.send(WatchEvent::Close);
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was already reported.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests;
