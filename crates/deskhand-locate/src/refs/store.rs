//! The file that keeps refs across processes: one line of JSON per ref, appended under a lock.

use std::{
    fs::{self, File, OpenOptions},
    hash::{DefaultHasher, Hash, Hasher},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    time::Duration,
};

use deskhand_model::{App, NodeId};
use deskhand_platform::json_lines;
use serde::{Deserialize, Serialize};

use super::{fingerprint::Fingerprint, timing::MAX_UNUSED_AGE};
use crate::Error;

/// The file is rewritten without outdated lines if it is larger than this and than twice its size
/// after the last rewrite.
const MIN_COMPACT_BYTES: u64 = 4 << 20;

/// One ref in the file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct RefRecord<'a> {
    #[serde(rename = "e")]
    pub(super) number: u32,
    pub(super) id: NodeId,
    #[serde(rename = "f")]
    pub(super) fingerprint: std::borrow::Cow<'a, Fingerprint>,
}

/// The first line of the file: the number of rewrites, the next ref number, and the size after the
/// last rewrite.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
struct Header {
    generation: u64,
    next: u32,
    size: u64,
}

/// The data that other processes added to the file.
pub(super) struct StoreUpdate {
    pub(super) records: Vec<RefRecord<'static>>,
    pub(super) next: u32,
}

/// The refs file of one app process.
#[derive(Debug)]
pub(super) struct RefStore {
    file: PathBuf,
    lock_file: Option<File>,
    header: Header,
    read_to: u64,
}

impl RefStore {
    /// Opens the refs file of an app and creates the directory if necessary.
    pub(super) fn of(dir: &Path, app: &App) -> Result<Self, Error> {
        let mut root = DefaultHasher::new();
        (&app.root, &app.id).hash(&mut root);
        let name = format!("refs-{}-{}-{:016x}.jsonl", app.pid, app.started, root.finish());
        let store =
            Self { file: dir.join(name), lock_file: None, header: Header::default(), read_to: 0 };
        fs::create_dir_all(dir).map_err(|e| store.error(&e))?;
        if !store.file.exists() {
            remove_old_files(dir, MAX_UNUSED_AGE);
        }
        Ok(store)
    }

    pub(super) fn error(&self, e: &io::Error) -> Error {
        Error::RefsFile { file: self.file.display().to_string(), why: e.to_string() }
    }

    /// Returns `true` if this process holds the lock.
    pub(super) fn is_locked(&self) -> bool {
        self.lock_file.is_some()
    }

    /// Waits up to two seconds for the lock.
    pub(super) fn lock(&mut self) -> io::Result<()> {
        if self.lock_file.is_none() {
            self.lock_file = Some(json_lines::lock(&self.file)?);
        }
        Ok(())
    }

    /// Releases the lock.
    pub(super) fn unlock(&mut self) {
        self.lock_file = None;
    }

    /// Reads the lines other processes added since the last read. An incomplete last line is
    /// ignored.
    pub(super) fn read_updates(&mut self) -> io::Result<StoreUpdate> {
        let mut file = match File::open(&self.file) {
            Ok(file) => file,
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                self.read_to = 0;
                return Ok(StoreUpdate { records: Vec::new(), next: 1 });
            }
            Err(e) => return Err(e),
        };
        let mut start = [0; 128];
        let read = read_up_to(&mut file, &mut start)?;
        let header = start[..read].split_inclusive(|b| *b == b'\n').next().unwrap_or_default();
        let length = header.len() as u64;
        let header: Header = serde_json::from_slice(header).unwrap_or_default();
        if header != self.header || self.read_to < length {
            (self.header, self.read_to) = (header, length);
        }
        file.seek(SeekFrom::Start(self.read_to))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let complete = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |last| last + 1);
        self.read_to += complete as u64;
        let records: Vec<RefRecord<'_>> = json_lines::parse(&bytes[..complete]);
        let next = records.iter().map(|record| record.number.saturating_add(1)).max().unwrap_or(1);
        Ok(StoreUpdate { records, next: next.max(self.header.next) })
    }

    /// Appends records. The caller must hold the lock and have read all updates.
    pub(super) fn append(&mut self, records: &[RefRecord<'_>], next: u32) -> io::Result<()> {
        if self.read_to == 0 {
            self.replace(&[], next)?;
        }
        let mut file = OpenOptions::new().append(true).open(&self.file)?;
        let end = file.metadata()?.len();
        // A process that died while writing left an incomplete line. The line break ends it.
        let mut bytes = if end > self.read_to { b"\n".to_vec() } else { Vec::new() };
        bytes.append(&mut json_lines::to_lines(records)?);
        file.write_all(&bytes)?;
        self.read_to = end + bytes.len() as u64;
        Ok(())
    }

    /// Returns `true` if the file should be rewritten.
    pub(super) fn needs_compaction(&self) -> bool {
        self.read_to > MIN_COMPACT_BYTES.max(2 * self.header.size)
    }

    /// Rewrites the file atomically.
    pub(super) fn replace(&mut self, records: &[RefRecord<'_>], next: u32) -> io::Result<()> {
        let mut lines = json_lines::to_lines(records)?;
        let generation = self.header.generation + 1;
        let header = Header { generation, next, size: lines.len() as u64 };
        let mut bytes = json_lines::to_lines([header])?;
        bytes.append(&mut lines);
        json_lines::replace(&self.file, &bytes)?;
        (self.header, self.read_to) = (header, bytes.len() as u64);
        Ok(())
    }
}

fn read_up_to(file: &mut File, into: &mut [u8]) -> io::Result<usize> {
    let mut read = 0;
    while read < into.len() {
        match file.read(&mut into[read..])? {
            0 => break,
            more => read += more,
        }
    }
    Ok(read)
}

/// Removes files that were not written for longer than `max_age`. Failures are ignored, because a
/// leftover file only takes disk space.
fn remove_old_files(dir: &Path, max_age: Duration) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with("refs-");
        let written = entry.metadata().and_then(|found| found.modified());
        let old = written.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > max_age));
        if ours && old {
            let _ = fs::remove_file(entry.path());
        }
    }
}
