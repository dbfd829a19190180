//! Whether the log is as it was written: every line, in order, to its end.

use std::{
    collections::BTreeSet,
    fmt,
    path::{Path, PathBuf},
};

use serde::Serialize;

use super::{
    Error, Phase,
    files::Files,
    head::Head,
    record::{Hash, Link, Notice, Read},
    shelf::Shelf,
};

/// How many faults are told one by one.
const MOST_TOLD: usize = 100;

/// What a check of the log came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// How many good lines there are.
    pub lines: u64,
    /// In how many files.
    pub files: usize,
    /// The number of the first line that is kept: those before it went with the oldest files.
    pub first_seq: u64,
    /// When that line was written: nothing older is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// How many refused calls have no line of their own and are told by their number.
    pub left_out: u64,
    /// The number of the last line.
    pub last_seq: u64,
    /// The hash of the last line: kept elsewhere, it proves later that nothing before it changed.
    pub last_hash: String,
    /// What is wrong; empty when the log is as it was written.
    pub faults: Vec<Fault>,
    /// How many more faults there are.
    pub more_faults: u64,
    /// Calls that were begun and have no end: they run at this moment, or died with their process.
    pub unfinished: Vec<u64>,
    /// Lines a killed program left unfinished, which the next one noticed and put on record.
    pub mended: u64,
}

impl Verdict {
    /// Whether the log is as it was written.
    pub fn is_sound(&self) -> bool {
        self.faults.is_empty()
    }

    /// How many lines went with the oldest files, which make room for new ones.
    pub fn rotated_away(&self) -> u64 {
        self.first_seq.saturating_sub(1)
    }
}

/// Something wrong with the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// The file; absent where it is about the log as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// The line in it, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// What is wrong.
    #[serde(flatten)]
    pub kind: Kind,
}

/// What can be wrong with a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "fault", rename_all = "snake_case")]
pub enum Kind {
    /// It is no record: torn, or written by somebody else.
    Unreadable,
    /// It is not as it was written.
    Changed {
        /// Its number.
        seq: u64,
    },
    /// It does not follow from the line before, which may have been replaced.
    Unlinked {
        /// Its number.
        seq: u64,
    },
    /// It stands where it does not belong.
    Misplaced {
        /// Its number.
        seq: u64,
    },
    /// Lines are missing.
    Missing {
        /// The first of them.
        from: u64,
        /// The last of them.
        to: u64,
    },
    /// A call ended that had not begun.
    NeverBegun {
        /// The number of the record it names.
        id: u64,
    },
    /// The file that tells how far the log had come is missing or makes no sense.
    Headless,
    /// A line that was noted elsewhere is not in the log.
    NotThere {
        /// The number that was given.
        seq: u64,
    },
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable => write!(f, "is no record: torn, or written by somebody else"),
            Self::Changed { seq } => write!(f, "record {seq} was changed"),
            Self::Unlinked { seq } => {
                write!(f, "record {seq} does not follow from the one before: one was replaced")
            }
            Self::Misplaced { seq } => write!(f, "record {seq} was moved here or put in"),
            Self::Missing { from, to } if from == to => write!(f, "record {from} is missing"),
            Self::Missing { from, to } => write!(f, "records {from} to {to} are missing"),
            Self::NeverBegun { id } => write!(f, "ends call {id}, which has no beginning"),
            Self::Headless => {
                write!(f, "nothing tells how far the log had come: its end may be missing")
            }
            Self::NotThere { seq } => write!(f, "record {seq} is not the one that was noted"),
        }
    }
}

/// A record somebody noted elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Noted {
    seq: u64,
    hash: String,
}

impl Noted {
    /// Reads `SEQ:HASH`; `None` when it is not of that form.
    pub fn parse(text: &str) -> Option<Self> {
        let (seq, hash) = text.split_once(':')?;
        Hash::parse(hash)?;
        Some(Self { seq: seq.parse().ok()?, hash: hash.to_owned() })
    }
}

/// Checks the log in a file; a record that was noted elsewhere must be in it.
///
/// # Errors
///
/// When it cannot be read.
pub fn verify(file: PathBuf, noted: Option<&Noted>) -> Result<Verdict, Error> {
    let shelf = Shelf::open(&Files { current: file })?;
    let mut check = Check::new(shelf.head, noted);
    for volume in &shelf.files {
        let mut number = 0;
        volume.lines(|line| {
            number += 1;
            check.line(&volume.path, number, line);
        })?;
    }
    Ok(check.verdict(&shelf))
}

struct Check<'a> {
    head: Option<Head>,
    noted: Option<&'a Noted>,
    found: bool,
    last: Option<Link>,
    first_seq: Option<u64>,
    since: Option<String>,
    left_out: u64,
    lines: u64,
    faults: Vec<Fault>,
    more_faults: u64,
    open: BTreeSet<u64>,
    mended: u64,
    /// The numbers of lines that are missing or cannot be trusted.
    lost: Vec<(u64, u64)>,
    /// What is no record, until it is seen whether the next one tells of it.
    stray: Option<Stray>,
}

struct Stray {
    file: PathBuf,
    line: u64,
    bytes: Vec<u8>,
}

impl<'a> Check<'a> {
    fn new(head: Option<Head>, noted: Option<&'a Noted>) -> Self {
        Self {
            head,
            noted,
            found: false,
            last: head.map(|head| head.start),
            first_seq: None,
            since: None,
            left_out: 0,
            lines: 0,
            faults: Vec::new(),
            more_faults: 0,
            open: BTreeSet::new(),
            mended: 0,
            lost: Vec::new(),
            stray: None,
        }
    }

    fn line(&mut self, file: &Path, number: u64, bytes: &[u8]) {
        let Some(read) = Read::of(bytes.strip_suffix(b"\n").unwrap_or(bytes)) else {
            let (file, line) = (file.to_owned(), number);
            let stray = self.stray.get_or_insert(Stray { file, line, bytes: Vec::new() });
            stray.bytes.extend_from_slice(bytes);
            return;
        };
        self.settle_stray(read.line.notice.as_ref());
        let Some(last) = self.last else {
            // Without a head the first line that is there begins the chain.
            self.last = Some(Link { seq: read.line.seq.saturating_sub(1), hash: read.follows });
            return self.line(file, number, bytes);
        };
        let (seq, at) = (read.line.seq, Some((file, number)));
        if !read.intact {
            self.fault(at, Kind::Changed { seq });
            self.last = Some(Link { seq: last.seq + 1, hash: read.says });
            self.lost.push((last.seq + 1, last.seq + 1));
            return;
        }
        if seq <= last.seq {
            return self.fault(at, Kind::Misplaced { seq });
        }
        if seq > last.seq + 1 {
            self.lost.push((last.seq + 1, seq - 1));
            self.fault(at, Kind::Missing { from: last.seq + 1, to: seq - 1 });
        } else if read.follows != last.hash {
            self.fault(at, Kind::Unlinked { seq });
        }
        self.last = Some(read.link());
        self.good(file, number, &read);
    }

    fn good(&mut self, file: &Path, number: u64, read: &Read) {
        let seq = read.line.seq;
        self.first_seq.get_or_insert(seq);
        self.since.get_or_insert_with(|| read.line.timestamp.clone());
        self.left_out = self.left_out.saturating_add(read.line.left_out.unwrap_or(0));
        self.lines += 1;
        let hash = read.says.hex();
        self.found |= self.noted.is_some_and(|one| one.seq == seq && one.hash == hash);
        match (read.line.phase, read.line.id) {
            (Phase::Begun, Some(id)) => {
                self.open.insert(id);
            }
            (Phase::Ended, Some(id)) => {
                let start = self.first_seq.unwrap_or(1);
                let lost = self.lost.iter().any(|(from, to)| (*from..=*to).contains(&id));
                if !self.open.remove(&id) && id >= start && !lost {
                    self.fault(Some((file, number)), Kind::NeverBegun { id });
                }
            }
            (Phase::Begun | Phase::Ended, None) | (Phase::Refused | Phase::Noticed, _) => {}
        }
        match &read.line.notice {
            Some(Notice::Missing { .. } | Notice::Stray { .. }) | None => {}
            Some(Notice::Headless) => self.fault(Some((file, number)), Kind::Headless),
        }
    }

    /// Whether what is no record was told of by the next one.
    fn settle_stray(&mut self, notice: Option<&Notice>) {
        let Some(stray) = self.stray.take() else { return };
        // Who noticed it ended the line where it had no end.
        let whole = &stray.bytes[..];
        let open = whole.strip_suffix(b"\n").unwrap_or(whole);
        let told = |bytes: u64, sha256: &str| {
            [whole, open]
                .iter()
                .any(|one| one.len() as u64 == bytes && Hash::of(one).hex() == sha256)
        };
        match notice {
            Some(Notice::Stray { bytes, sha256 }) if told(*bytes, sha256) => self.mended += 1,
            Some(Notice::Stray { .. } | Notice::Missing { .. } | Notice::Headless) | None => {
                self.fault(Some((&stray.file, stray.line)), Kind::Unreadable);
            }
        }
    }

    fn fault(&mut self, at: Option<(&Path, u64)>, kind: Kind) {
        if self.faults.len() == MOST_TOLD {
            self.more_faults += 1;
            return;
        }
        let (file, line) = (at.map(|at| at.0.to_owned()), at.map(|at| at.1));
        self.faults.push(Fault { file, line, kind });
    }

    fn verdict(mut self, shelf: &Shelf) -> Verdict {
        self.settle_stray(None);
        match (self.head, self.last) {
            (Some(head), Some(last)) if last.seq < head.last.seq => {
                let (from, to) = (last.seq + 1, head.last.seq);
                self.fault(None, Kind::Missing { from, to });
            }
            (Some(head), Some(last)) if last.seq == head.last.seq && last != head.last => {
                self.fault(None, Kind::Unlinked { seq: last.seq });
            }
            (None, Some(_)) => self.fault(None, Kind::Headless),
            (Some(_) | None, _) => {}
        }
        if let Some(noted) = self.noted.filter(|_| !self.found) {
            self.fault(None, Kind::NotThere { seq: noted.seq });
        }
        let last = self.last.unwrap_or(Link::NOTHING);
        Verdict {
            lines: self.lines,
            files: shelf.files.len(),
            first_seq: self.first_seq.unwrap_or(0),
            since: self.since,
            left_out: self.left_out,
            last_seq: last.seq,
            last_hash: last.hash.hex(),
            faults: self.faults,
            more_faults: self.more_faults,
            unfinished: self.open.into_iter().collect(),
            mended: self.mended,
        }
    }
}
