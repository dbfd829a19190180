//! How far the log has come, kept beside it: without it nobody could tell that its end is missing.

use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::{FileExt, OpenOptionsExt},
    path::Path,
};

use serde::{Deserialize, Serialize};

use super::record::{Hash, LAST, Link};

/// The file always has this size, so that it is written anew in one go and never needs more room.
const SIZE: usize = 512;

/// How far the log has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    /// The last line.
    pub(super) last: Link,
    /// How large the current file was with it.
    pub(super) size: u64,
    /// The number of the first line of the current file.
    pub(super) first: u64,
    /// What the oldest line that is kept follows.
    pub(super) start: Link,
}

impl Head {
    /// That of a log nobody has written to.
    pub(super) const NEW: Self =
        Self { last: Link::NOTHING, size: 0, first: 1, start: Link::NOTHING };
}

#[derive(Serialize, Deserialize)]
struct Text {
    seq: u64,
    hash: String,
    size: u64,
    first: u64,
    start_seq: u64,
    start_hash: String,
}

/// The file the head is kept in.
#[derive(Debug)]
pub(super) struct HeadFile(File);

impl HeadFile {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let mut how = OpenOptions::new();
        how.read(true).write(true).create(true).truncate(false).mode(0o600);
        how.open(path).map(Self)
    }

    /// The same file, held once more.
    pub(super) fn again(&self) -> io::Result<Self> {
        self.0.try_clone().map(Self)
    }

    pub(super) fn read(&self) -> Option<Head> {
        let mut bytes = [0; SIZE];
        let length = self.0.read_at(&mut bytes, 0).ok()?;
        parse(&bytes[..length])
    }

    pub(super) fn write(&self, head: &Head) -> io::Result<()> {
        let text = Text {
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

/// Reads the head a log has; `None` when there is none, or it makes no sense.
pub(super) fn read(path: &Path) -> Option<Head> {
    parse(&std::fs::read(path).ok()?)
}

fn parse(bytes: &[u8]) -> Option<Head> {
    let text: Text = serde_json::from_slice(bytes).ok()?;
    let link = |seq, hash: &str| (seq <= LAST).then_some(Link { seq, hash: Hash::parse(hash)? });
    Some(Head {
        last: link(text.seq, &text.hash)?,
        size: text.size,
        first: text.first.clamp(1, LAST),
        start: link(text.start_seq, &text.start_hash)?,
    })
}
