//! Verifies that the log is complete and unchanged.

use std::{
    collections::BTreeSet,
    fmt,
    path::{Path, PathBuf},
};

use serde::Serialize;

use super::{
    Error, Phase,
    files::LogPaths,
    head::Head,
    record::{ChainLink, Hash, Notice, ParsedRecord},
    snapshot::LogSnapshot,
};

/// The maximum number of faults in a report.
const MAX_FAULTS: usize = 100;

/// The result of verifying a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verification {
    /// The number of valid records.
    pub lines: u64,
    /// The number of files.
    pub files: usize,
    /// The number of the first record that still exists; rotation deleted the earlier ones.
    pub first_seq: u64,
    /// The time of that record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// The number of refused calls without a separate record.
    pub left_out: u64,
    /// The number of the last record.
    pub last_seq: u64,
    /// The hash of the last record. Stored elsewhere, it later proves that no earlier record changed.
    pub last_hash: String,
    /// The faults; empty if the log is intact.
    pub faults: Vec<LogFault>,
    /// The number of further faults.
    pub more_faults: u64,
    /// Calls without an end record: they are running, or their process died.
    pub unfinished: Vec<u64>,
    /// Incomplete lines of killed writers that the next writer reported in the log.
    pub mended: u64,
}

impl Verification {
    /// Returns `true` if the log is complete and unchanged.
    pub fn is_intact(&self) -> bool {
        self.faults.is_empty()
    }

    /// Returns the number of records that rotation deleted.
    pub fn rotated_away(&self) -> u64 {
        self.first_seq.saturating_sub(1)
    }
}

/// A fault of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LogFault {
    /// The file; absent for a fault of the whole log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// The line in the file, starting at 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The kind of the fault.
    #[serde(flatten)]
    pub kind: FaultKind,
}

/// The kind of a fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "fault", rename_all = "snake_case")]
pub enum FaultKind {
    /// The line is not a record: it is incomplete, or another program wrote it.
    Unreadable,
    /// The record was changed.
    Changed {
        /// The number of the record.
        seq: u64,
    },
    /// The record does not match the hash of the previous one, which may have been replaced.
    Unlinked {
        /// The number of the record.
        seq: u64,
    },
    /// The record was moved or inserted.
    Misplaced {
        /// The number of the record.
        seq: u64,
    },
    /// Records are missing.
    Missing {
        /// The first missing record.
        from: u64,
        /// The last missing record.
        to: u64,
    },
    /// An end record has no start record.
    NeverBegun {
        /// The number of the missing start record.
        id: u64,
    },
    /// The head file is missing or invalid.
    Headless,
    /// The log does not contain the given checkpoint.
    NotThere {
        /// The record number of the checkpoint.
        seq: u64,
    },
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable => {
                write!(f, "is not a record: it is incomplete, or another program wrote it")
            }
            Self::Changed { seq } => write!(f, "record {seq} was changed"),
            Self::Unlinked { seq } => {
                write!(f, "record {seq} does not match the previous one: one of them was replaced")
            }
            Self::Misplaced { seq } => write!(f, "record {seq} was moved or inserted"),
            Self::Missing { from, to } if from == to => write!(f, "record {from} is missing"),
            Self::Missing { from, to } => write!(f, "records {from} to {to} are missing"),
            Self::NeverBegun { id } => write!(f, "ends call {id}, which has no start record"),
            Self::Headless => {
                write!(f, "the head file is missing: records at the end of the log may be missing")
            }
            Self::NotThere { seq } => write!(f, "record {seq} does not match the checkpoint"),
        }
    }
}

/// The number and hash of a record, stored outside the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    seq: u64,
    hash: String,
}

impl Checkpoint {
    /// Parses `SEQ:HASH`; `None` if the text has another form.
    pub fn parse(text: &str) -> Option<Self> {
        let (seq, hash) = text.split_once(':')?;
        Hash::parse(hash)?;
        Some(Self { seq: seq.parse().ok()?, hash: hash.to_owned() })
    }
}

/// Verifies a log. It must contain the checkpoint, if one is given.
///
/// # Errors
///
/// If the log cannot be read.
pub fn verify(file: PathBuf, checkpoint: Option<&Checkpoint>) -> Result<Verification, Error> {
    let snapshot = LogSnapshot::open(&LogPaths { current: file })?;
    let mut verifier = Verifier::new(snapshot.head, checkpoint);
    for log_file in &snapshot.files {
        let mut number = 0;
        log_file.for_each_line(|line| {
            number += 1;
            verifier.line(&log_file.path, number, line);
        })?;
    }
    Ok(verifier.finish(&snapshot))
}

struct Verifier<'a> {
    head: Option<Head>,
    checkpoint: Option<&'a Checkpoint>,
    found_checkpoint: bool,
    last: Option<ChainLink>,
    first_seq: Option<u64>,
    since: Option<String>,
    left_out: u64,
    lines: u64,
    faults: Vec<LogFault>,
    more_faults: u64,
    open: BTreeSet<u64>,
    reported_fragments: u64,
    /// The ranges of records that are missing or invalid.
    lost: Vec<(u64, u64)>,
    /// Invalid bytes, until it is known if the next record reports them.
    invalid_bytes: Option<InvalidBytes>,
}

struct InvalidBytes {
    file: PathBuf,
    line: u64,
    bytes: Vec<u8>,
}

impl<'a> Verifier<'a> {
    fn new(head: Option<Head>, checkpoint: Option<&'a Checkpoint>) -> Self {
        Self {
            head,
            checkpoint,
            found_checkpoint: false,
            last: head.map(|head| head.start),
            first_seq: None,
            since: None,
            left_out: 0,
            lines: 0,
            faults: Vec::new(),
            more_faults: 0,
            open: BTreeSet::new(),
            reported_fragments: 0,
            lost: Vec::new(),
            invalid_bytes: None,
        }
    }

    fn line(&mut self, file: &Path, number: u64, bytes: &[u8]) {
        let Some(read) = ParsedRecord::parse(bytes.strip_suffix(b"\n").unwrap_or(bytes)) else {
            let (file, line) = (file.to_owned(), number);
            let invalid =
                self.invalid_bytes.get_or_insert(InvalidBytes { file, line, bytes: Vec::new() });
            invalid.bytes.extend_from_slice(bytes);
            return;
        };
        self.check_invalid_bytes_report(read.record.notice.as_ref());
        let Some(last) = self.last else {
            // Without a head, the chain starts at the first record.
            self.last = Some(ChainLink { seq: read.record.seq.saturating_sub(1), hash: read.prev });
            return self.line(file, number, bytes);
        };
        let (seq, at) = (read.record.seq, Some((file, number)));
        if !read.intact {
            self.fault(at, FaultKind::Changed { seq });
            self.last = Some(ChainLink { seq: last.seq + 1, hash: read.hash });
            self.lost.push((last.seq + 1, last.seq + 1));
            return;
        }
        if seq <= last.seq {
            return self.fault(at, FaultKind::Misplaced { seq });
        }
        if seq > last.seq + 1 {
            self.lost.push((last.seq + 1, seq - 1));
            self.fault(at, FaultKind::Missing { from: last.seq + 1, to: seq - 1 });
        } else if read.prev != last.hash {
            self.fault(at, FaultKind::Unlinked { seq });
        }
        self.last = Some(read.link());
        self.valid_record(file, number, &read);
    }

    fn valid_record(&mut self, file: &Path, number: u64, read: &ParsedRecord) {
        let seq = read.record.seq;
        self.first_seq.get_or_insert(seq);
        self.since.get_or_insert_with(|| read.record.timestamp.clone());
        self.left_out = self.left_out.saturating_add(read.record.left_out.unwrap_or(0));
        self.lines += 1;
        let hash = read.hash.hex();
        self.found_checkpoint |=
            self.checkpoint.is_some_and(|one| one.seq == seq && one.hash == hash);
        match (read.record.phase, read.record.id) {
            (Phase::Begun, Some(id)) => {
                self.open.insert(id);
            }
            (Phase::Ended, Some(id)) => {
                let start = self.first_seq.unwrap_or(1);
                let lost = self.lost.iter().any(|(from, to)| (*from..=*to).contains(&id));
                if !self.open.remove(&id) && id >= start && !lost {
                    self.fault(Some((file, number)), FaultKind::NeverBegun { id });
                }
            }
            (Phase::Begun | Phase::Ended, None) | (Phase::Refused | Phase::Noticed, _) => {}
        }
        match &read.record.notice {
            Some(Notice::Missing { .. } | Notice::Stray { .. }) | None => {}
            Some(Notice::Headless) => self.fault(Some((file, number)), FaultKind::Headless),
        }
    }

    /// Checks if the next record reports the invalid bytes before it.
    fn check_invalid_bytes_report(&mut self, notice: Option<&Notice>) {
        let Some(invalid) = self.invalid_bytes.take() else { return };
        // The writer that reported them may have added a line break.
        let whole = &invalid.bytes[..];
        let without_break = whole.strip_suffix(b"\n").unwrap_or(whole);
        let is_reported = |bytes: u64, sha256: &str| {
            [whole, without_break]
                .iter()
                .any(|one| one.len() as u64 == bytes && Hash::of(one).hex() == sha256)
        };
        match notice {
            Some(Notice::Stray { bytes, sha256 }) if is_reported(*bytes, sha256) => {
                self.reported_fragments += 1
            }
            Some(Notice::Stray { .. } | Notice::Missing { .. } | Notice::Headless) | None => {
                self.fault(Some((&invalid.file, invalid.line)), FaultKind::Unreadable);
            }
        }
    }

    fn fault(&mut self, at: Option<(&Path, u64)>, kind: FaultKind) {
        if self.faults.len() == MAX_FAULTS {
            self.more_faults += 1;
            return;
        }
        let (file, line) = (at.map(|at| at.0.to_owned()), at.map(|at| at.1));
        self.faults.push(LogFault { file, line, kind });
    }

    fn finish(mut self, snapshot: &LogSnapshot) -> Verification {
        self.check_invalid_bytes_report(None);
        match (self.head, self.last) {
            (Some(head), Some(last)) if last.seq < head.last.seq => {
                let (from, to) = (last.seq + 1, head.last.seq);
                self.fault(None, FaultKind::Missing { from, to });
            }
            (Some(head), Some(last)) if last.seq == head.last.seq && last != head.last => {
                self.fault(None, FaultKind::Unlinked { seq: last.seq });
            }
            (None, Some(_)) => self.fault(None, FaultKind::Headless),
            (Some(_) | None, _) => {}
        }
        if let Some(checkpoint) = self.checkpoint.filter(|_| !self.found_checkpoint) {
            self.fault(None, FaultKind::NotThere { seq: checkpoint.seq });
        }
        let last = self.last.unwrap_or(ChainLink::START);
        Verification {
            lines: self.lines,
            files: snapshot.files.len(),
            first_seq: self.first_seq.unwrap_or(0),
            since: self.since,
            left_out: self.left_out,
            last_seq: last.seq,
            last_hash: last.hash.hex(),
            faults: self.faults,
            more_faults: self.more_faults,
            unfinished: self.open.into_iter().collect(),
            mended: self.reported_fragments,
        }
    }
}
