//! The file behind the journal: one line after the other, also when several programs write, when one
//! of them is killed in the middle of a line, and when the disk is full.
//!
//! Whoever writes holds a lock on the current file. Nothing is read while nobody else has written: the
//! size tells. A line that was begun and not finished stays where it is, and the next line says so.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt},
    path::PathBuf,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use super::{
    Bounds, Error,
    files::Files,
    head::{Head, HeadFile},
    record::{Draft, Hash, Link, Notice, Phase, Read},
};

/// How long another program may hold the log; it takes microseconds.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often it is looked whether the log is free again.
const STEP: Duration = Duration::from_micros(100);

/// How often the current file may be found replaced before it is taken for a fault.
const AGAIN: u32 = 100;

/// A log that is opened by the first line.
#[derive(Debug)]
pub(super) struct Store {
    pub(super) files: Files,
    bounds: Bounds,
    open: Mutex<Option<Opened>>,
}

#[derive(Debug)]
struct Opened {
    log: File,
    inode: (u64, u64),
    head_file: HeadFile,
    /// How far the log had come when this process saw it last; none before it has looked.
    head: Option<Head>,
    /// Whether the last thing in it has no line end.
    is_open_ended: bool,
}

/// The log as it is found: how far it goes, and what is wrong with it.
struct Found {
    head: Head,
    notices: Vec<Notice>,
    /// Whether the last thing in it has no line end.
    is_open_ended: bool,
}

impl Store {
    pub(super) fn at(current: PathBuf, bounds: Bounds) -> Self {
        Self { files: Files { current }, bounds, open: Mutex::new(None) }
    }

    /// Adds a line; the draft is told its number, which is returned.
    pub(super) fn append<'d>(&self, draft: impl FnOnce(u64) -> Draft<'d>) -> Result<u64, Error> {
        let mut slot = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let path = || self.files.current.clone();
        let outcome = self.turn(&mut slot, draft).map_err(|why| {
            if why.kind() == io::ErrorKind::TimedOut {
                Error::Held { path: path() }
            } else {
                Error::Unwritable { path: path(), why }
            }
        });
        if outcome.is_err() {
            // What was wrong may be put right by the next time; then everything is looked at anew.
            *slot = None;
        }
        outcome
    }

    fn turn<'d>(
        &self,
        slot: &mut Option<Opened>,
        draft: impl FnOnce(u64) -> Draft<'d>,
    ) -> io::Result<u64> {
        for _ in 0..AGAIN {
            let opened = match slot {
                Some(opened) => opened,
                None => slot.insert(self.open()?),
            };
            lock(&opened.log)?;
            let there = fs::metadata(&self.files.current);
            let Some(size) = there.ok().filter(|it| opened.is(it)).map(|it| it.len()) else {
                // It was moved away while we waited: by a rotation, or by somebody.
                *slot = None;
                continue;
            };
            let head = match opened.head {
                Some(head) if head.size == size => head,
                Some(_) | None => self.catch_up(opened, size)?,
            };
            let head = if head.size < self.bounds.rotate_at {
                head
            } else {
                let next = self.rotate(opened.head_file.again()?, head)?;
                let head = next.head.unwrap_or(head);
                *opened = next;
                head
            };
            let seq = head.last.seq + 1;
            let written = opened.write(head, draft(seq), seq);
            opened.log.unlock()?;
            return written.map(|()| seq);
        }
        Err(io::Error::other("it is replaced all the time"))
    }

    fn open(&self) -> io::Result<Opened> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(self.files.folder())?;
        let mut how = OpenOptions::new();
        let log = how.read(true).append(true).create(true).mode(0o600).open(&self.files.current)?;
        let meta = log.metadata()?;
        let head_file = HeadFile::open(&self.files.head())?;
        let inode = (meta.dev(), meta.ino());
        Ok(Opened { log, inode, head_file, head: None, is_open_ended: false })
    }

    /// Takes in what others have written, and puts on record what is wrong with it.
    fn catch_up(&self, opened: &mut Opened, size: u64) -> io::Result<Head> {
        let known = opened.head.or_else(|| opened.head_file.read());
        let found = self.find(opened, known, size)?;
        let mut head = found.head;
        opened.is_open_ended = found.is_open_ended;
        // From here on there is always room to say how far the log has come.
        opened.head_file.write(&head)?;
        for notice in found.notices {
            let draft =
                Draft { phase: Some(Phase::Noticed), notice: Some(notice), ..Draft::default() };
            opened.write(head, draft, head.last.seq + 1)?;
            head = opened.head.unwrap_or(head);
        }
        opened.head = Some(head);
        Ok(head)
    }

    fn find(&self, opened: &Opened, known: Option<Head>, size: u64) -> io::Result<Found> {
        let Some(head) = known else {
            let full = self.files.all_full()?;
            if size == 0 && full.is_empty() {
                return Ok(Found { head: Head::NEW, notices: Vec::new(), is_open_ended: false });
            }
            return self.find_headless(opened, &full, size);
        };
        if size >= head.size {
            let scan = Scan::of(&read(&opened.log, head.size, size)?, Some(head.last));
            let last = scan.last.unwrap_or(head.last);
            return Ok(scan.found(Head { last, size, ..head }, Vec::new()));
        }
        let full = self.files.full(head.first);
        if size == 0
            && let Ok(full) = File::open(&full)
        {
            // A rotation that was cut short.
            let scan = Scan::of(&read(&full, head.size, full.metadata()?.len())?, Some(head.last));
            let last = scan.last.unwrap_or(head.last);
            let head = Head { last, size, first: last.seq + 1, ..head };
            return Ok(Found { head, notices: Vec::new(), is_open_ended: false });
        }
        let scan = Scan::of(&read(&opened.log, 0, size)?, None);
        let last = scan.last.unwrap_or(Link { seq: head.first - 1, hash: head.last.hash });
        if last.seq >= head.last.seq {
            return Ok(scan.found(Head { last, size, ..head }, Vec::new()));
        }
        let missing =
            Notice::Missing { after: last.seq, until: head.last.seq, hash: head.last.hash.hex() };
        let last = Link { seq: head.last.seq, ..last };
        Ok(scan.found(Head { last, size, ..head }, vec![missing]))
    }

    fn find_headless(
        &self,
        opened: &Opened,
        full: &[(u64, PathBuf)],
        size: u64,
    ) -> io::Result<Found> {
        let mut start = None;
        let mut before = None;
        for (_, path) in full {
            let scan = Scan::of(&fs::read(path)?, None);
            start = start.or(scan.start);
            before = scan.last.or(before);
        }
        let scan = Scan::of(&read(&opened.log, 0, size)?, None);
        let last = scan.last.or(before).unwrap_or(Link::NOTHING);
        let first = scan.start.map_or(last.seq + 1, |start| start.seq + 1);
        let start = start.or(scan.start).unwrap_or(Link::NOTHING);
        Ok(scan.found(Head { last, size, first, start }, vec![Notice::Headless]))
    }

    /// Puts the current file among the full ones, goes on with an empty one, and removes those that
    /// are too many. There is always a current file, so nobody makes another one meanwhile; and it is
    /// held from its first moment, so nobody reads of it what is not yet true.
    fn rotate(&self, head_file: HeadFile, mut head: Head) -> io::Result<Opened> {
        let next = self.files.next();
        let log =
            OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(&next)?;
        log.set_len(0)?;
        lock(&log)?;
        let full = self.files.full(head.first);
        match fs::hard_link(&self.files.current, &full) {
            // A rotation that was cut short came so far.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            other => other?,
        }
        fs::rename(&next, &self.files.current)?;
        let full = self.files.all_full()?;
        let (old, kept) = full.split_at(full.len().saturating_sub(self.bounds.keep));
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
        Ok(Opened { log, inode, head_file, head: Some(head), is_open_ended: false })
    }
}

impl Opened {
    fn is(&self, other: &fs::Metadata) -> bool {
        (other.dev(), other.ino()) == self.inode
    }

    /// Writes a line and how far the log has come with it, or nothing at all.
    fn write(&mut self, head: Head, draft: Draft<'_>, seq: u64) -> io::Result<()> {
        let (line, last) = draft.seal(head.last, seq);
        let line = if self.is_open_ended { [b"\n", &line[..]].concat() } else { line };
        let size = head.size + line.len() as u64;
        let now = Head { last, size, ..head };
        let written = self.log.write_all(&line).and_then(|()| self.head_file.write(&now));
        if let Err(error) = written {
            // A line of which a part was written is taken back; where even that fails, the next one
            // to write finds it.
            let _ = self.log.set_len(head.size);
            return Err(error);
        }
        self.head = Some(now);
        self.is_open_ended = false;
        Ok(())
    }
}

/// Waits until the log is free.
fn lock(log: &File) -> io::Result<()> {
    let begun = Instant::now();
    loop {
        match log.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if begun.elapsed() > PATIENCE => {
                return Err(io::ErrorKind::TimedOut.into());
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(STEP),
        }
    }
}

fn read(file: &File, from: u64, to: u64) -> io::Result<Vec<u8>> {
    let length = usize::try_from(to.saturating_sub(from)).map_err(io::Error::other)?;
    let mut bytes = vec![0; length];
    file.read_exact_at(&mut bytes, from)?;
    Ok(bytes)
}

/// What a stretch of the log comes to.
struct Scan {
    /// What the first good line follows.
    start: Option<Link>,
    /// The last good line, or where the stretch began.
    last: Option<Link>,
    /// What stands at its end and is no good line.
    stray: Option<Notice>,
    is_open_ended: bool,
}

impl Scan {
    /// Follows the chain from a line, or from the first good one.
    fn of(bytes: &[u8], mut last: Option<Link>) -> Self {
        let (mut start, mut stray, mut at) = (None, None, 0);
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            // A line that lacks nothing but its end is whole: its hash says so.
            let read = Read::of(piece.strip_suffix(b"\n").unwrap_or(piece));
            let linked = read.filter(|read| {
                let follows = |last: Link| read.follows == last.hash && read.line.seq > last.seq;
                read.intact && last.is_none_or(follows)
            });
            match linked {
                Some(read) => {
                    let before = Link { seq: read.line.seq - 1, hash: read.follows };
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

    fn found(self, head: Head, mut notices: Vec<Notice>) -> Found {
        notices.splice(0..0, self.stray);
        Found { head, notices, is_open_ended: self.is_open_ended }
    }
}
