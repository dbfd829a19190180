//! The head file stores the position of the last record. Without it, a truncated log could not be
//! detected.

use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::{FileExt, OpenOptionsExt},
    path::Path,
};

use serde::{Deserialize, Serialize};

use super::record::{ChainLink, Hash, MAX_SEQ};

/// The constant size of the file: one write replaces it, and it needs no more disk space later.
const SIZE: usize = 512;

/// The position of the last record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    /// The last record.
    pub(super) last: ChainLink,
    /// The size of the current file after that record.
    pub(super) size: u64,
    /// The number of the first record in the current file.
    pub(super) first: u64,
    /// The record before the oldest one that still exists.
    pub(super) start: ChainLink,
}

impl Head {
    /// The head of an empty log.
    pub(super) const NEW: Self =
        Self { last: ChainLink::START, size: 0, first: 1, start: ChainLink::START };
}

#[derive(Serialize, Deserialize)]
struct HeadText {
    seq: u64,
    hash: String,
    size: u64,
    first: u64,
    start_seq: u64,
    start_hash: String,
}

/// The open head file.
#[derive(Debug)]
pub(super) struct HeadFile(File);

impl HeadFile {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        options.open(path).map(Self)
    }

    /// Returns another handle to the same file.
    pub(super) fn try_clone(&self) -> io::Result<Self> {
        self.0.try_clone().map(Self)
    }

    pub(super) fn read(&self) -> Option<Head> {
        let mut bytes = [0; SIZE];
        let length = self.0.read_at(&mut bytes, 0).ok()?;
        parse(&bytes[..length])
    }

    pub(super) fn write(&self, head: &Head) -> io::Result<()> {
        let text = HeadText {
            seq: head.last.seq,
            hash: head.last.hash.hex(),
            size: head.size,
            first: head.first,
            start_seq: head.start.seq,
            start_hash: head.start.hash.hex(),
        };
        let mut bytes = serde_json::to_vec(&text)?;
        bytes.resize(SIZE - 1, b' ');
        bytes.push(b'\n');
        self.0.write_all_at(&bytes, 0)
    }
}

/// Reads the head of a log; `None` if it does not exist or is invalid.
pub(super) fn read(path: &Path) -> Option<Head> {
    parse(&std::fs::read(path).ok()?)
}

fn parse(bytes: &[u8]) -> Option<Head> {
    let text: HeadText = serde_json::from_slice(bytes).ok()?;
    let link =
        |seq, hash: &str| (seq <= MAX_SEQ).then_some(ChainLink { seq, hash: Hash::parse(hash)? });
    Some(Head {
        last: link(text.seq, &text.hash)?,
        size: text.size,
        first: text.first.clamp(1, MAX_SEQ),
        start: link(text.start_seq, &text.start_hash)?,
    })
}
