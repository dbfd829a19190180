//! One log file per day, readable only by its owner. The oldest files are deleted.
//!
//! The file appender of tracing-appender creates world-readable files, and deletes today's file if only one
//! is kept; only its writer thread is used here.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    time::SystemTime,
};

use deskhand_platform::create_private_dirs;

/// The start of the files' names, before the date.
const PREFIX: &str = "deskhand.";

/// The end of the files' names.
const SUFFIX: &str = ".log";

/// The maximum number of bytes one server writes per day: callers cause most of the lines.
const MAX_BYTES_PER_DAY: usize = 64 << 20;

/// Writes to the file of the current day.
#[derive(Debug)]
pub(super) struct DailyFile {
    folder: PathBuf,
    keep: usize,
    day: String,
    file: File,
    written: usize,
    clock: fn() -> SystemTime,
}

impl DailyFile {
    /// Opens the file of today, and deletes all but the newest `keep` files.
    pub(super) fn open(folder: &Path, keep: usize, clock: fn() -> SystemTime) -> io::Result<Self> {
        create_private_dirs(folder)?;
        let day = day(clock());
        let file = open_day(folder, &day)?;
        let daily = Self { folder: folder.to_owned(), keep, day, file, written: 0, clock };
        daily.prune();
        Ok(daily)
    }

    /// Switches to a new file if the day has changed.
    fn rotate(&mut self) -> io::Result<()> {
        let day = day((self.clock)());
        if day != self.day {
            self.file = open_day(&self.folder, &day)?;
            self.day = day;
            self.written = 0;
            self.prune();
        }
        Ok(())
    }

    /// Deletes the oldest files. A file that cannot be deleted is tried again the next day.
    fn prune(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let mut logs: Vec<String> = names.filter(|name| is_log(name)).collect();
        logs.sort_unstable();
        let old = logs.len().saturating_sub(self.keep);
        for name in logs.iter().take(old) {
            let _ = fs::remove_file(self.folder.join(name));
        }
    }
}

impl Write for DailyFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.rotate()?;
        if self.written > MAX_BYTES_PER_DAY {
            return Ok(bytes.len());
        }
        self.written += bytes.len();
        if self.written > MAX_BYTES_PER_DAY {
            self.file.write_all(b"log limit reached: this server writes no more lines today\n")?;
            return Ok(bytes.len());
        }
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn open_day(folder: &Path, day: &str) -> io::Result<File> {
    let path = folder.join(format!("{PREFIX}{day}{SUFFIX}"));
    OpenOptions::new().append(true).create(true).mode(0o600).open(path)
}

/// Returns the date of a time as `2026-11-16`, in UTC like the times in the log.
fn day(now: SystemTime) -> String {
    let mut day = humantime::format_rfc3339_seconds(now).to_string();
    day.truncate("2026-11-16".len());
    day
}

fn is_log(name: &str) -> bool {
    let day = name.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(SUFFIX));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    day.is_some_and(|day| {
        let lengths: Vec<usize> = day.split('-').map(str::len).collect();
        lengths == [4, 2, 2] && day.split('-').all(digits)
    })
}

#[cfg(test)]
mod tests {
    use std::{
        os::unix::fs::PermissionsExt,
        sync::atomic::{AtomicU64, Ordering},
        time::Duration,
    };

    use super::*;

    const DAY: u64 = 24 * 3600;
    static NOW: AtomicU64 = AtomicU64::new(1_794_787_200);

    fn clock() -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(NOW.load(Ordering::Relaxed))
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn each_day_has_a_private_file_and_the_oldest_are_deleted() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("cache/logs");
        fs::create_dir_all(&folder).unwrap();
        for name in ["deskhand.2020-01-01.log", "deskhand.notes.log", "other.2020-01-01.log"] {
            fs::write(folder.join(name), "").unwrap();
        }
        let mut daily = DailyFile::open(&folder, 2, clock).unwrap();
        for line in ["one\n", "two\n", "three\n"] {
            daily.write_all(line.as_bytes()).unwrap();
            NOW.fetch_add(DAY, Ordering::Relaxed);
        }
        drop(daily);
        let today = fs::metadata(folder.join("deskhand.2026-11-18.log")).unwrap();
        assert_eq!(today.permissions().mode() & 0o777, 0o600);
        assert_eq!(
            names(&folder),
            [
                "deskhand.2026-11-17.log",
                "deskhand.2026-11-18.log",
                "deskhand.notes.log",
                "other.2020-01-01.log"
            ]
        );
        NOW.fetch_sub(DAY, Ordering::Relaxed);
        let mut again = DailyFile::open(&folder, 1, clock).unwrap();
        again.write_all(b"four\n").unwrap();
        let kept = fs::read_to_string(folder.join("deskhand.2026-11-18.log")).unwrap();
        assert_eq!(kept, "three\nfour\n");
        assert!(!folder.join("deskhand.2026-11-17.log").exists());
    }
}
