//! The tools folder as it changes: looks again when something in it did, and tells what it came to.
//! Nothing that runs is disturbed: a call keeps the tool it was planned by.

mod kept;
mod watch;

use std::{
    path::{Path, PathBuf},
    sync::mpsc::{RecvTimeoutError, Sender, channel},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use kept::Kept;
use watch::Watch;

use crate::mtdf::Loaded;

/// How long it must be quiet before the files are read: editors write, rename and remove in bursts.
const QUIET: Duration = Duration::from_millis(80);

/// How long a burst may last before the files are read all the same.
const LONGEST_BURST: Duration = Duration::from_secs(1);

/// How long a file may be broken before that is told; programs that write slowly are done by then.
const GRACE: Duration = Duration::from_secs(1);

/// A folder that is watched until this goes.
#[derive(Debug)]
pub struct Folder {
    news: Sender<News>,
    thread: Option<JoinHandle<()>>,
}

/// What the watching thread hears.
#[derive(Debug)]
enum News {
    /// Something changed in the folder, or on the way to it.
    Changed,
    /// Nobody is interested any more.
    Close,
}

/// Why a folder cannot be watched.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The system gives no more watches.
    #[error("{} cannot be watched for changes", folder.display())]
    Watch {
        /// The folder.
        folder: PathBuf,
        /// Why.
        source: notify::Error,
    },
    /// The system gives no more threads.
    #[error("{} cannot be watched for changes", folder.display())]
    Thread {
        /// The folder.
        folder: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

impl deskhand_model::Explain for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Watch { .. } | Self::Thread { .. } => "cannot_watch",
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Watch { source, .. } => format!(
                "it says: {source}; raise fs.inotify.max_user_watches or \
                 fs.inotify.max_user_instances, or restart after each change of a tool"
            ),
            Self::Thread { source, .. } => format!("it says: {source}"),
        })
    }
}

impl Folder {
    /// Reads a folder and watches it from then on; it may be made later. `taken` are names its tools
    /// cannot have. What it came to is told whenever that is not what was told last.
    pub fn watch(
        folder: &Path,
        taken: &[&str],
        mut told: impl FnMut(Loaded) + Send + 'static,
    ) -> Result<(Self, Loaded), Error> {
        let (news, heard) = channel();
        let mut watch = Watch::new(folder, news.clone())?;
        let mut kept = Kept::new(folder, taken);
        let first = kept.read(Instant::now(), GRACE).loaded;
        let mut last = first.clone();
        let body = move || {
            let mut again: Option<Instant> = None;
            loop {
                let waited = match again {
                    None => heard.recv().map_err(|_| RecvTimeoutError::Disconnected),
                    Some(at) => heard.recv_timeout(at.saturating_duration_since(Instant::now())),
                };
                let settled = match waited {
                    Ok(News::Changed) => watch::settle(&heard, QUIET, LONGEST_BURST),
                    Ok(News::Close) | Err(RecvTimeoutError::Disconnected) => return,
                    Err(RecvTimeoutError::Timeout) => watch::Settled::Quiet,
                };
                if settled == watch::Settled::Closed {
                    return;
                }
                // The folder may be another one by now, or be there at last; it is watched before
                // it is read, so that nothing is missed in between.
                watch.renew();
                let seen = kept.read(Instant::now(), GRACE);
                again = seen.again;
                if seen.loaded != last {
                    last = seen.loaded.clone();
                    told(seen.loaded);
                }
            }
        };
        let thread = std::thread::Builder::new().name("tools-folder".to_owned()).spawn(body);
        let thread =
            thread.map_err(|source| Error::Thread { folder: folder.to_owned(), source })?;
        Ok((Self { news, thread: Some(thread) }, first))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // The thread is gone already when nobody listens.
        let _ = self.news.send(News::Close);
        if let Some(thread) = self.thread.take() {
            // It told of its own panic; there is nothing left to do for it.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests;
