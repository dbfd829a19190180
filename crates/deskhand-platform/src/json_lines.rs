//! Private files with one JSON value per line, which several processes read and write.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use serde::{Serialize, de::DeserializeOwned};

/// The maximum wait for the lock. Its holders only compute and write, so a longer wait means that
/// something is wrong.
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);

/// The pause between two attempts to take the lock: short, because callers wait for it.
const LOCK_POLL_INTERVAL: Duration = Duration::from_millis(2);

/// Locks a file for writing until the returned value is dropped.
///
/// The lock is a separate file with the extension `lock`, because [`replace`] replaces the file.
///
/// # Errors
///
/// If the lock file cannot be created, or another process has held the lock for two seconds.
pub fn lock(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true).mode(0o600);
    let lock = options.open(path.with_extension("lock"))?;
    let start = Instant::now();
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(lock),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if start.elapsed() > LOCK_TIMEOUT => {
                let why = "another process has held the lock for two seconds";
                return Err(io::Error::new(io::ErrorKind::TimedOut, why));
            }
            Err(TryLockError::WouldBlock) => thread::sleep(LOCK_POLL_INTERVAL),
        }
    }
}

/// Reads a file; it is empty if it does not exist.
///
/// # Errors
///
/// If the file exists but cannot be read.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        other => other,
    }
}

/// Parses lines. Lines that are not such a value are skipped, for example the unfinished last line of
/// a process that was killed.
pub fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Vec<T> {
    let lines = bytes.split(|byte| *byte == b'\n');
    lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

/// Returns the lines of values.
///
/// # Errors
///
/// If a value cannot be represented in JSON.
pub fn to_lines<T: Serialize>(values: impl IntoIterator<Item = T>) -> io::Result<Vec<u8>> {
    let mut lines = Vec::new();
    for value in values {
        serde_json::to_writer(&mut lines, &value)?;
        lines.push(b'\n');
    }
    Ok(lines)
}

/// Replaces a file atomically. Only this user can read the new one.
///
/// # Errors
///
/// If the file cannot be written.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let new = path.with_extension("new");
    let mut options = OpenOptions::new();
    options.create(true).truncate(true).write(true).mode(0o600).open(&new)?.write_all(bytes)?;
    fs::rename(new, path)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn values_are_read_as_they_were_written_and_unfinished_lines_are_skipped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("numbers.jsonl");
        assert_eq!(read(&path).unwrap(), b"");
        let mut lines = to_lines([1, 22, 333]).unwrap();
        lines.extend(b"\"4");
        replace(&path, &lines).unwrap();
        assert_eq!(parse::<u32>(&read(&path).unwrap()), [1, 22, 333]);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_lock_that_is_held_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("numbers.jsonl");
        let held = lock(&path).unwrap();
        thread::scope(|scope| {
            let waiting = scope.spawn(|| lock(&path).map(drop));
            thread::sleep(Duration::from_millis(20));
            assert!(!waiting.is_finished());
            drop(held);
            assert!(waiting.join().unwrap().is_ok());
        });
    }
}
