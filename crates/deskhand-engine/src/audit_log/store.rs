//! Appends records to the log file. Works with several writing processes, with writers that are killed
//! while they write, and with a full disk.
//!
//! A writer locks the current file. It reads the file only if the size shows that another process has
//! written. An incomplete line remains in the file, and the next record reports it.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Write},
    os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt},
    path::PathBuf,
    time::Instant,
};

use deskhand_platform::create_private_dirs;
use parking_lot::Mutex;

use super::{
    Error, RotationPolicy,
    files::LogPaths,
    head::{Head, HeadFile},
    record::{ChainLink, Hash, Notice, ParsedRecord, Phase, RecordDraft},
};
use crate::timing::{LOG_LOCK_TIMEOUT, LOG_WRITER_POLL_INTERVAL};

/// The number of attempts if the current file is replaced between opening and locking it.
const MAX_ATTEMPTS: u32 = 100;

/// A log. The first record opens its files.
#[derive(Debug)]
pub(super) struct LogStore {
    pub(super) files: LogPaths,
    rotation: RotationPolicy,
    open: Mutex<Option<OpenLog>>,
}

#[derive(Debug)]
struct OpenLog {
    log: File,
    inode: (u64, u64),
    head_file: HeadFile,
    /// The head after the last write of this process; `None` before the first.
    head: Option<Head>,
    /// The file does not end with a line break.
    is_open_ended: bool,
}

/// The state of a log: its head and its problems.
struct LogState {
    head: Head,
    notices: Vec<Notice>,
    /// The file does not end with a line break.
    is_open_ended: bool,
}

impl LogStore {
    pub(super) fn at(current: PathBuf, rotation: RotationPolicy) -> Self {
        Self { files: LogPaths { current }, rotation, open: Mutex::new(None) }
    }

    /// Appends a record and returns its number. `draft` receives the number.
    pub(super) fn append<'d>(
        &self,
        draft: impl FnOnce(u64) -> RecordDraft<'d>,
    ) -> Result<u64, Error> {
        let mut slot = self.open.lock();
        let path = || self.files.current.clone();
        let outcome = self.try_append(&mut slot, draft).map_err(|why| {
            if why.kind() == io::ErrorKind::TimedOut {
                Error::Locked { path: path() }
            } else {
                Error::Unwritable { path: path(), why }
            }
        });
        if outcome.is_err() {
            // The problem may be gone at the next attempt, which opens and checks everything again.
            *slot = None;
        }
        outcome
    }

    fn try_append<'d>(
        &self,
        slot: &mut Option<OpenLog>,
        draft: impl FnOnce(u64) -> RecordDraft<'d>,
    ) -> io::Result<u64> {
        for _ in 0..MAX_ATTEMPTS {
            let opened = match slot {
                Some(opened) => opened,
                None => slot.insert(self.open()?),
            };
            lock(&opened.log)?;
            let meta = fs::metadata(&self.files.current);
            let Some(size) = meta.ok().filter(|it| opened.is(it)).map(|it| it.len()) else {
                // The file was replaced before the lock was acquired, for example by a rotation.
                *slot = None;
                continue;
            };
            let head = match opened.head {
                Some(head) if head.size == size => head,
                Some(_) | None => self.catch_up(opened, size)?,
            };
            let head = if head.size < self.rotation.rotate_at {
                head
            } else {
                let next = self.rotate(opened.head_file.try_clone()?, head)?;
                let head = next.head.unwrap_or(head);
                *opened = next;
                head
            };
            let seq = head.last.seq + 1;
            let written = opened.write(head, draft(seq), seq);
            opened.log.unlock()?;
            return written.map(|()| seq);
        }
        Err(io::Error::other("the file is replaced too often"))
    }

    fn open(&self) -> io::Result<OpenLog> {
        create_private_dirs(self.files.folder())?;
        let mut options = OpenOptions::new();
        let log =
            options.read(true).append(true).create(true).mode(0o600).open(&self.files.current)?;
        let meta = log.metadata()?;
        let head_file = HeadFile::open(&self.files.head())?;
        let inode = (meta.dev(), meta.ino());
        Ok(OpenLog { log, inode, head_file, head: None, is_open_ended: false })
    }

    /// Reads the records of other processes, and records any problems.
    fn catch_up(&self, opened: &mut OpenLog, size: u64) -> io::Result<Head> {
        let head = opened.head.or_else(|| opened.head_file.read());
        let state = self.inspect(opened, head, size)?;
        let mut head = state.head;
        opened.is_open_ended = state.is_open_ended;
        // Writing the head now reserves its disk space.
        opened.head_file.write(&head)?;
        for notice in state.notices {
            let draft = RecordDraft {
                phase: Some(Phase::Noticed),
                notice: Some(notice),
                ..RecordDraft::default()
            };
            opened.write(head, draft, head.last.seq + 1)?;
            head = opened.head.unwrap_or(head);
        }
        opened.head = Some(head);
        Ok(head)
    }

    fn inspect(&self, opened: &OpenLog, head: Option<Head>, size: u64) -> io::Result<LogState> {
        let Some(head) = head else {
            let full = self.files.all_full()?;
            if size == 0 && full.is_empty() {
                return Ok(LogState { head: Head::NEW, notices: Vec::new(), is_open_ended: false });
            }
            return self.inspect_without_head(opened, &full, size);
        };
        if size >= head.size {
            let scan = Scan::of(&read(&opened.log, head.size, size)?, Some(head.last));
            let last = scan.last.unwrap_or(head.last);
            return Ok(scan.into_state(Head { last, size, ..head }, Vec::new()));
        }
        let full = self.files.full(head.first);
        if size == 0
            && let Ok(full) = File::open(&full)
        {
            // A rotation was interrupted.
            let scan = Scan::of(&read(&full, head.size, full.metadata()?.len())?, Some(head.last));
            let last = scan.last.unwrap_or(head.last);
            let head = Head { last, size, first: last.seq + 1, ..head };
            return Ok(LogState { head, notices: Vec::new(), is_open_ended: false });
        }
        let scan = Scan::of(&read(&opened.log, 0, size)?, None);
        let last = scan.last.unwrap_or(ChainLink { seq: head.first - 1, hash: head.last.hash });
        if last.seq >= head.last.seq {
            return Ok(scan.into_state(Head { last, size, ..head }, Vec::new()));
        }
        let missing =
            Notice::Missing { after: last.seq, until: head.last.seq, hash: head.last.hash.hex() };
        let last = ChainLink { seq: head.last.seq, ..last };
        Ok(scan.into_state(Head { last, size, ..head }, vec![missing]))
    }

    fn inspect_without_head(
        &self,
        opened: &OpenLog,
        full: &[(u64, PathBuf)],
        size: u64,
    ) -> io::Result<LogState> {
        let mut start = None;
        let mut before = None;
        for (_, path) in full {
            let scan = Scan::of(&fs::read(path)?, None);
            start = start.or(scan.start);
            before = scan.last.or(before);
        }
        let scan = Scan::of(&read(&opened.log, 0, size)?, None);
        let last = scan.last.or(before).unwrap_or(ChainLink::START);
        let first = scan.start.map_or(last.seq + 1, |start| start.seq + 1);
        let start = start.or(scan.start).unwrap_or(ChainLink::START);
        Ok(scan.into_state(Head { last, size, first, start }, vec![Notice::Headless]))
    }

    /// Moves the current file to the full ones, creates an empty current file, and removes the oldest
    /// full files.
    ///
    /// A current file exists at all times, so no other process creates one. The new file is locked
    /// before it becomes visible, so no other process reads an incomplete state.
    fn rotate(&self, head_file: HeadFile, mut head: Head) -> io::Result<OpenLog> {
        let next = self.files.next();
        let log =
            OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(&next)?;
        log.set_len(0)?;
        lock(&log)?;
        let full = self.files.full(head.first);
        match fs::hard_link(&self.files.current, &full) {
            // An interrupted rotation has already done this.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            other => other?,
        }
        fs::rename(&next, &self.files.current)?;
        let full = self.files.all_full()?;
        let (old, kept) = full.split_at(full.len().saturating_sub(self.rotation.keep));
        if !old.is_empty() {
            head.start = match kept.first() {
                Some((_, oldest)) => Scan::of(&fs::read(oldest)?, None).start.unwrap_or(head.start),
                None => head.last,
            };
        }
        let head = Head { size: 0, first: head.last.seq + 1, ..head };
        head_file.write(&head)?;
        for (_, path) in old {
            fs::remove_file(path)?;
        }
        let meta = log.metadata()?;
        let inode = (meta.dev(), meta.ino());
        Ok(OpenLog { log, inode, head_file, head: Some(head), is_open_ended: false })
    }
}

impl OpenLog {
    fn is(&self, other: &fs::Metadata) -> bool {
        (other.dev(), other.ino()) == self.inode
    }

    /// Writes a record and the new head, or nothing.
    fn write(&mut self, head: Head, draft: RecordDraft<'_>, seq: u64) -> io::Result<()> {
        let (line, last) = draft.finish(head.last, seq);
        let line = if self.is_open_ended { [b"\n", &line[..]].concat() } else { line };
        let size = head.size + line.len() as u64;
        let now = Head { last, size, ..head };
        let written = self.log.write_all(&line).and_then(|()| self.head_file.write(&now));
        if let Err(error) = written {
            // Remove a partially written line. If that fails as well, the next writer reports it.
            let _ = self.log.set_len(head.size);
            return Err(error);
        }
        self.head = Some(now);
        self.is_open_ended = false;
        Ok(())
    }
}

/// Locks the log, and waits if another process holds the lock.
fn lock(log: &File) -> io::Result<()> {
    let start = Instant::now();
    loop {
        match log.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if start.elapsed() > LOG_LOCK_TIMEOUT => {
                return Err(io::ErrorKind::TimedOut.into());
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOG_WRITER_POLL_INTERVAL),
        }
    }
}

fn read(file: &File, from: u64, to: u64) -> io::Result<Vec<u8>> {
    let length = usize::try_from(to.saturating_sub(from)).map_err(io::Error::other)?;
    let mut bytes = vec![0; length];
    file.read_exact_at(&mut bytes, from)?;
    Ok(bytes)
}

/// The result of scanning a part of the log.
struct Scan {
    /// The link before the first valid record.
    start: Option<ChainLink>,
    /// The last valid record, or the link before the scanned part.
    last: Option<ChainLink>,
    /// Invalid bytes at the end.
    stray: Option<Notice>,
    is_open_ended: bool,
}

impl Scan {
    /// Follows the chain from `last`, or from the first valid record.
    fn of(bytes: &[u8], mut last: Option<ChainLink>) -> Self {
        let (mut start, mut stray, mut at) = (None, None, 0);
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            // A record without a line break is complete if its hash is correct.
            let read = ParsedRecord::parse(piece.strip_suffix(b"\n").unwrap_or(piece));
            let linked = read.filter(|read| {
                let is_next =
                    |last: ChainLink| read.prev == last.hash && read.record.seq > last.seq;
                read.intact && last.is_none_or(is_next)
            });
            match linked {
                Some(read) => {
                    let before = ChainLink { seq: read.record.seq - 1, hash: read.prev };
                    start.get_or_insert(before);
                    last = Some(read.link());
                    stray = None;
                }
                None => {
                    stray.get_or_insert(at);
                }
            }
            at += piece.len();
        }
        let stray = stray.map(|from| Notice::Stray {
            bytes: (bytes.len() - from) as u64,
            sha256: Hash::of(&bytes[from..]).hex(),
        });
        let is_open_ended = bytes.last().is_some_and(|byte| *byte != b'\n');
        Self { start, last, stray, is_open_ended }
    }

    fn into_state(self, head: Head, mut notices: Vec<Notice>) -> LogState {
        notices.splice(0..0, self.stray);
        LogState { head, notices, is_open_ended: self.is_open_ended }
    }
}
