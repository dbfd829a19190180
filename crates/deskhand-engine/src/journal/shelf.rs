//! The log as it lies on the disk, opened for reading while others may go on writing.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, ErrorKind, Read as _},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use super::{
    Error,
    files::Files,
    head::{self, Head},
};

/// How long a writer may hold the log.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often it is looked whether it is free.
const STEP: Duration = Duration::from_millis(1);

/// A log at one moment: the oldest file first.
pub(super) struct Shelf {
    pub(super) head: Option<Head>,
    pub(super) files: Vec<Volume>,
}

/// One file of it.
pub(super) struct Volume {
    pub(super) path: PathBuf,
    file: File,
    size: u64,
}

impl Shelf {
    /// Opens every file of a log between two lines.
    pub(super) fn open(files: &Files) -> Result<Self, Error> {
        let current = current(files).map_err(unreadable(&files.current))?;
        let head = head::read(&files.head());
        let mut all = Vec::new();
        let full = match files.all_full() {
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            other => other.map_err(unreadable(files.folder()))?,
        };
        let kept = |first: u64| head.is_none_or(|head| first > head.start.seq);
        for (_, path) in full.into_iter().filter(|(first, _)| kept(*first)) {
            let file = File::open(&path).map_err(unreadable(&path))?;
            all.push((path, file));
        }
        if let Some(file) = current {
            // A rotation that was cut short has put it among the full ones already.
            let number = number(&file);
            all.retain(|(_, full)| self::number(full) != number);
            all.push((files.current.clone(), file));
        }
        let mut volumes = Vec::new();
        for (path, file) in all {
            let size = file.metadata().map_err(unreadable(&path))?.len();
            volumes.push(Volume { path, file, size });
        }
        if let Some(current) = volumes.last() {
            // What cannot be let go of is let go of when it is closed.
            let _ = current.file.unlock();
        }
        Ok(Self { head, files: volumes })
    }
}

fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_owned();
    move |why| Error::Unreadable { path, why }
}

/// What tells a file from others, whatever it is called.
fn number(file: &File) -> Option<(u64, u64)> {
    file.metadata().ok().map(|meta| (meta.dev(), meta.ino()))
}

/// Opens and locks the current file; none when nothing was written yet. A log somebody holds for long
/// is read as it is: its last line may be in the making.
fn current(files: &Files) -> io::Result<Option<File>> {
    let begun = Instant::now();
    loop {
        let file = match File::open(&files.current) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            other => other?,
        };
        let held = file.try_lock_shared().is_err();
        let late = begun.elapsed() > PATIENCE;
        // It may have become a full one meanwhile.
        let same = File::open(&files.current).is_ok_and(|now| number(&now) == number(&file));
        if late || (same && !held) {
            return Ok(Some(file));
        }
        std::thread::sleep(STEP);
    }
}

impl Volume {
    /// Hands on line by line, with the line end where there is one.
    pub(super) fn lines(&self, mut each: impl FnMut(&[u8])) -> Result<(), Error> {
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
