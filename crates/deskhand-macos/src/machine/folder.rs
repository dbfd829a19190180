//! What changes in a folder. The system tells of files that come and go, not of those that are written to;
//! so it only says when to look, and looking tells.

use std::{
    fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    time::Duration,
};

use deskhand_platform::{Changed, Deadline, Error, FolderChanges, Result};

/// How long nothing is looked at when nothing is heard: a file that is written to makes no sound.
const LOOK: Duration = Duration::from_millis(500);

/// Tells that something may have happened in a folder.
pub(crate) trait Stir: Send {
    /// Waits until something did, at the longest for so long.
    fn wait(&mut self, at_most: Duration) -> io::Result<()>;
}

/// A folder that is watched.
pub(crate) struct Watch<S> {
    folder: PathBuf,
    stir: S,
    identity: (u64, u64),
    seen: Vec<Entry>,
}

/// A file as it was when it was looked at.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    name: std::ffi::OsString,
    number: u64,
    size: u64,
    written: (i64, i64),
}

impl<S: Stir> Watch<S> {
    pub(crate) fn new(folder: &Path, stir: S) -> Result<Self> {
        let (identity, seen) = look(folder)?;
        Ok(Self { folder: folder.to_owned(), stir, identity, seen })
    }

    /// Whether it looks otherwise than before.
    fn changed(&mut self) -> Result<Changed> {
        let (identity, now) = look(&self.folder)?;
        // Another folder of the same name is not the one that is watched.
        if identity != self.identity {
            return Err(gone(&self.folder));
        }
        if now == self.seen {
            return Ok(Changed::No);
        }
        self.seen = now;
        Ok(Changed::Yes)
    }
}

impl<S: Stir> FolderChanges for Watch<S> {
    fn wait(&mut self, by: Deadline) -> Result<Changed> {
        loop {
            if self.changed()? == Changed::Yes {
                return Ok(Changed::Yes);
            }
            if by.passed() {
                return Ok(Changed::No);
            }
            let time = by.left().min(LOOK);
            self.stir.wait(time).map_err(|error| broken(&self.folder, &error))?;
        }
    }
}

type Look = ((u64, u64), Vec<Entry>);

fn look(folder: &Path) -> Result<Look> {
    let told = |error: io::Error| {
        let missing = error.kind() == io::ErrorKind::NotFound;
        if missing { gone(folder) } else { broken(folder, &error) }
    };
    let meta = fs::metadata(folder).map_err(told)?;
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).map_err(told)? {
        let entry = entry.map_err(told)?;
        // One that is gone by now is seen to be missing by the next look.
        let Ok(meta) = entry.metadata() else { continue };
        entries.push(Entry {
            name: entry.file_name(),
            number: meta.ino(),
            size: meta.size(),
            written: (meta.mtime(), meta.mtime_nsec()),
        });
    }
    entries.sort_unstable_by(|one, other| one.name.cmp(&other.name));
    Ok(((meta.dev(), meta.ino()), entries))
}

fn gone(folder: &Path) -> Error {
    Error::Gone { what: folder.display().to_string() }
}

pub(super) fn broken(folder: &Path, error: &io::Error) -> Error {
    Error::Broken { what: format!("the folder {}", folder.display()), why: error.to_string() }
}
