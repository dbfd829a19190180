//! A file a day, for the person alone; the oldest go when there are too many.
//!
//! The appender of tracing-appender makes files everybody may read, and throws today's away when one
//! file is to be kept; so only its thread is used, not its files.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    time::SystemTime,
};

/// What the files' names begin with, before the day.
const BEFORE: &str = "deskhand.";

/// What they end with.
const AFTER: &str = ".log";

/// How many bytes one server writes in a day: callers decide how much there is to tell.
const MOST: usize = 64 << 20;

/// Writes to the file of the day.
#[derive(Debug)]
pub(super) struct Daily {
    folder: PathBuf,
    keep: usize,
    day: String,
    file: File,
    written: usize,
    clock: fn() -> SystemTime,
}

impl Daily {
    /// Begins the file of today, or goes on with it; so many files are kept.
    pub(super) fn begin(folder: &Path, keep: usize, clock: fn() -> SystemTime) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let day = day(clock());
        let file = open(folder, &day)?;
        let daily = Self { folder: folder.to_owned(), keep, day, file, written: 0, clock };
        daily.prune();
        Ok(daily)
    }

    fn turn(&mut self) -> io::Result<()> {
        let day = day((self.clock)());
        if day != self.day {
            self.file = open(&self.folder, &day)?;
            self.day = day;
            self.written = 0;
            self.prune();
        }
        Ok(())
    }

    /// Takes away the oldest. What cannot be taken away stays, and is tried again the next day.
    fn prune(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let mut ours: Vec<String> = names.filter(|name| is_ours(name)).collect();
        ours.sort_unstable();
        let old = ours.len().saturating_sub(self.keep);
        for name in ours.iter().take(old) {
            let _ = fs::remove_file(self.folder.join(name));
        }
    }
}

impl Write for Daily {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.turn()?;
        if self.written > MOST {
            return Ok(bytes.len());
        }
        self.written += bytes.len();
        if self.written > MOST {
            self.file.write_all(b"no more is written of this server today\n")?;
            return Ok(bytes.len());
        }
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn open(folder: &Path, day: &str) -> io::Result<File> {
    let path = folder.join(format!("{BEFORE}{day}{AFTER}"));
    OpenOptions::new().append(true).create(true).mode(0o600).open(path)
}

/// The day of a moment, as `2026-11-16`; of Greenwich, like the times in the lines.
fn day(now: SystemTime) -> String {
    let mut day = humantime::format_rfc3339_seconds(now).to_string();
    day.truncate("2026-11-16".len());
    day
}

fn is_ours(name: &str) -> bool {
    let day = name.strip_prefix(BEFORE).and_then(|rest| rest.strip_suffix(AFTER));
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
    fn each_day_has_a_file_for_the_person_alone_and_the_oldest_go() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("cache/logs");
        fs::create_dir_all(&folder).unwrap();
        for name in ["deskhand.2020-01-01.log", "deskhand.notes.log", "other.2020-01-01.log"] {
            fs::write(folder.join(name), "").unwrap();
        }
        let mut daily = Daily::begin(&folder, 2, clock).unwrap();
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
        let mut again = Daily::begin(&folder, 1, clock).unwrap();
        again.write_all(b"four\n").unwrap();
        let kept = fs::read_to_string(folder.join("deskhand.2026-11-18.log")).unwrap();
        assert_eq!(kept, "three\nfour\n");
        assert!(!folder.join("deskhand.2026-11-17.log").exists());
    }
}
