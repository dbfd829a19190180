//! Opens the files of a log for reading while other processes may write.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, ErrorKind, Read as _},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    time::Instant,
};

use super::{
    Error,
    files::LogPaths,
    head::{self, Head},
};
use crate::timing::{LOG_LOCK_TIMEOUT, LOG_READER_POLL_INTERVAL};

/// The files of a log at one point in time, oldest first.
pub(super) struct LogSnapshot {
    pub(super) head: Option<Head>,
    pub(super) files: Vec<LogFile>,
}

/// One file of a log.
pub(super) struct LogFile {
    pub(super) path: PathBuf,
    file: File,
    size: u64,
}

impl LogSnapshot {
    /// Opens every file of a log, while no record is being written.
    pub(super) fn open(files: &LogPaths) -> Result<Self, Error> {
        let current = open_current(files).map_err(unreadable(&files.current))?;
        let head = head::read(&files.head());
        let mut all = Vec::new();
        let full = match files.all_full() {
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            other => other.map_err(unreadable(files.folder()))?,
        };
        let is_kept = |first: u64| head.is_none_or(|head| first > head.start.seq);
        for (_, path) in full.into_iter().filter(|(first, _)| is_kept(*first)) {
            let file = File::open(&path).map_err(unreadable(&path))?;
            all.push((path, file));
        }
        if let Some(file) = current {
            // An interrupted rotation has already added it to the full files.
            let id = file_id(&file);
            all.retain(|(_, full)| file_id(full) != id);
            all.push((files.current.clone(), file));
        }
        let mut log_files = Vec::new();
        for (path, file) in all {
            let size = file.metadata().map_err(unreadable(&path))?.len();
            log_files.push(LogFile { path, file, size });
        }
        if let Some(current) = log_files.last() {
            // If this fails, the lock is released when the file is closed.
            let _ = current.file.unlock();
        }
        Ok(Self { head, files: log_files })
    }
}

fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_owned();
    move |why| Error::Unreadable { path, why }
}

/// Returns the device and inode numbers of a file.
fn file_id(file: &File) -> Option<(u64, u64)> {
    file.metadata().ok().map(|meta| (meta.dev(), meta.ino()))
}

/// Opens and locks the current file; `None` if there is no log yet. After a timeout, returns the file
/// without a lock; its last record may be incomplete.
fn open_current(files: &LogPaths) -> io::Result<Option<File>> {
    let start = Instant::now();
    loop {
        let file = match File::open(&files.current) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            other => other?,
        };
        let is_locked = file.try_lock_shared().is_err();
        let timed_out = start.elapsed() > LOG_LOCK_TIMEOUT;
        // A rotation may have replaced it.
        let is_current =
            File::open(&files.current).is_ok_and(|now| file_id(&now) == file_id(&file));
        if timed_out || (is_current && !is_locked) {
            return Ok(Some(file));
        }
        std::thread::sleep(LOG_READER_POLL_INTERVAL);
    }
}

impl LogFile {
    /// Calls a function for each line, including its line break.
    pub(super) fn for_each_line(&self, mut each: impl FnMut(&[u8])) -> Result<(), Error> {
        let mut text = BufReader::new((&self.file).take(self.size));
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = text.read_until(b'\n', &mut line);
            match read.map_err(unreadable(&self.path))? {
                0 => return Ok(()),
                _ => each(&line),
            }
        }
    }
}
