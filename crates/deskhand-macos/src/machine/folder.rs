//! Watches a folder. macOS reports files that are added or removed, but not writes to a file. So a
//! notification only triggers a comparison of the folder with its last state.

use std::{
    fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    time::Duration,
};

use deskhand_platform::{Deadline, Error, FolderChanges, FolderWait, Result};

use crate::timing::FOLDER_POLL_INTERVAL;

/// Reports that a folder may have changed.
pub(crate) trait FolderNotifier: Send {
    /// Waits for a possible change, at most for `timeout`.
    fn wait(&mut self, timeout: Duration) -> io::Result<()>;
}

/// Watches one folder.
pub(crate) struct FolderWatcher<N> {
    folder: PathBuf,
    notifier: N,
    /// Device and inode of the folder.
    identity: (u64, u64),
    files: Vec<FileState>,
}

/// A file of the folder.
#[derive(Debug, PartialEq, Eq)]
struct FileState {
    name: std::ffi::OsString,
    inode: u64,
    size: u64,
    modified: (i64, i64),
}

impl<N: FolderNotifier> FolderWatcher<N> {
    pub(crate) fn new(folder: &Path, notifier: N) -> Result<Self> {
        let (identity, files) = read_folder(folder)?;
        Ok(Self { folder: folder.to_owned(), notifier, identity, files })
    }

    /// Compares the folder with its last state.
    fn check(&mut self) -> Result<FolderWait> {
        let (identity, files) = read_folder(&self.folder)?;
        // The folder was replaced by another one with the same name.
        if identity != self.identity {
            return Err(gone(&self.folder));
        }
        if files == self.files {
            return Ok(FolderWait::TimedOut);
        }
        self.files = files;
        Ok(FolderWait::Changed)
    }
}

impl<N: FolderNotifier> FolderChanges for FolderWatcher<N> {
    fn wait(&mut self, deadline: Deadline) -> Result<FolderWait> {
        loop {
            if self.check()? == FolderWait::Changed {
                return Ok(FolderWait::Changed);
            }
            if deadline.has_passed() {
                return Ok(FolderWait::TimedOut);
            }
            let timeout = deadline.remaining().min(FOLDER_POLL_INTERVAL);
            self.notifier.wait(timeout).map_err(|error| broken(&self.folder, &error))?;
        }
    }
}

/// The identity and the files of a folder.
type FolderState = ((u64, u64), Vec<FileState>);

fn read_folder(folder: &Path) -> Result<FolderState> {
    let failed = |error: io::Error| {
        let missing = error.kind() == io::ErrorKind::NotFound;
        if missing { gone(folder) } else { broken(folder, &error) }
    };
    let meta = fs::metadata(folder).map_err(failed)?;
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        // A file that was just deleted counts as missing.
        let Ok(meta) = entry.metadata() else { continue };
        files.push(FileState {
            name: entry.file_name(),
            inode: meta.ino(),
            size: meta.size(),
            modified: (meta.mtime(), meta.mtime_nsec()),
        });
    }
    files.sort_unstable_by(|one, other| one.name.cmp(&other.name));
    Ok(((meta.dev(), meta.ino()), files))
}

fn gone(folder: &Path) -> Error {
    Error::Gone { what: folder.display().to_string() }
}

pub(super) fn broken(folder: &Path, error: &io::Error) -> Error {
    Error::Disconnected { what: format!("the folder {}", folder.display()), why: error.to_string() }
}
