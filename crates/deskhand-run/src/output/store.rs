//! Stores output: the beginning and the end in memory, the whole in an unnamed file. The file vanishes when this
//! process ends, however it ends.

use std::{
    collections::VecDeque,
    fs::File,
    io::{self, Write},
    ops::Range,
    os::unix::fs::FileExt,
    sync::Arc,
};

use super::{OutputLimits, SpillFolder};

/// The output of one operation, within limits.
#[derive(Debug)]
pub(crate) struct OutputStore {
    limits: OutputLimits,
    spill_folder: Arc<SpillFolder>,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
    disk: DiskState,
}

/// The part of the output on disk.
#[derive(Debug)]
enum DiskState {
    /// None: the output fits into memory.
    Unused,
    /// The beginning of the output, with this length.
    File(File, u64),
    /// None: storage on disk is disabled.
    Disabled,
    /// None, for this reason: the folder is not writable, or newer outputs needed the space.
    Unavailable(String),
}

impl OutputStore {
    /// Creates an empty store. Output that does not fit into memory goes to the folder.
    pub(crate) fn new(limits: OutputLimits, spill_folder: Arc<SpillFolder>) -> Self {
        Self {
            limits,
            spill_folder,
            head: Vec::new(),
            tail: VecDeque::new(),
            total: 0,
            disk: DiskState::Unused,
        }
    }

    /// Appends output.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let space = self.limits.head.saturating_sub(self.head.len());
        let (first, rest) = bytes.split_at(space.min(bytes.len()));
        if matches!(self.disk, DiskState::Unused) && self.tail.len() + rest.len() > self.limits.tail
        {
            self.disk = self.spill();
        }
        self.write(bytes);
        self.head.extend_from_slice(first);
        let kept = rest.get(rest.len().saturating_sub(self.limits.tail)..).unwrap_or_default();
        let surplus = (self.tail.len() + kept.len()).saturating_sub(self.limits.tail);
        self.tail.drain(..surplus.min(self.tail.len()));
        self.tail.extend(kept);
        self.total += bytes.len() as u64;
    }

    /// The number of bytes of output.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// The range of bytes that are not stored.
    pub(crate) fn gap(&self) -> Range<u64> {
        let kept = match &self.disk {
            DiskState::Unused => self.total,
            DiskState::File(_, length) => (*length).max(self.head.len() as u64),
            DiskState::Disabled | DiskState::Unavailable(_) => self.head.len() as u64,
        };
        let tail = self.tail_start();
        if kept < tail { kept..tail } else { 0..0 }
    }

    /// The reason why long output is not on disk.
    pub(crate) fn disk_error(&self) -> Option<&str> {
        match &self.disk {
            DiskState::Unused | DiskState::File(..) | DiskState::Disabled => None,
            DiskState::Unavailable(reason) => Some(reason),
        }
    }

    /// Copies bytes from an offset on. Stops early at the end and at a gap.
    pub(crate) fn copy(&self, from: u64, max_bytes: usize) -> Vec<u8> {
        let end = (from + max_bytes as u64).min(self.total);
        let gap = self.gap();
        let end = if !gap.is_empty() && from < gap.start { end.min(gap.start) } else { end };
        let mut bytes = Vec::with_capacity(usize::try_from(end.saturating_sub(from)).unwrap_or(0));
        let mut at = from;
        while at < end && !gap.contains(&at) {
            let before = bytes.len();
            self.copy_some(at, end, &mut bytes);
            if bytes.len() == before {
                break;
            }
            at = from + bytes.len() as u64;
        }
        bytes
    }

    /// Copies from the one location that stores the next byte.
    fn copy_some(&self, at: u64, end: u64, into: &mut Vec<u8>) {
        let head = self.head.len() as u64;
        let tail_start = self.tail_start();
        if at < head {
            into.extend_from_slice(slice(&self.head, at, end.min(head)));
        } else if at >= tail_start {
            let (first, second) = self.tail.as_slices();
            let middle = tail_start + first.len() as u64;
            if at < middle {
                into.extend_from_slice(slice(first, at - tail_start, end.min(middle) - tail_start));
            } else {
                into.extend_from_slice(slice(second, at - middle, end - middle));
            }
        } else if let DiskState::File(file, length) = &self.disk {
            let count = end.min(*length).min(tail_start).saturating_sub(at);
            let start = into.len();
            into.resize(start + usize::try_from(count).unwrap_or(0), 0);
            let read = file.read_at(into.get_mut(start..).unwrap_or_default(), at).unwrap_or(0);
            into.truncate(start + read);
        }
    }

    fn tail_start(&self) -> u64 {
        self.total - self.tail.len() as u64
    }

    /// Writes the content of memory to disk before some of it is dropped.
    fn spill(&self) -> DiskState {
        if self.limits.disk == 0 {
            return DiskState::Disabled;
        }
        let written = self.spill_folder.create_file().and_then(|mut file| {
            let mut length = 0;
            let (first, second) = self.tail.as_slices();
            for part in [&self.head[..], first, second] {
                length +=
                    write_within(&mut file, part, self.limits.disk - length, &self.spill_folder)?;
            }
            Ok(DiskState::File(file, length))
        });
        written.unwrap_or_else(|error| DiskState::Unavailable(error.to_string()))
    }

    fn write(&mut self, bytes: &[u8]) {
        let DiskState::File(file, length) = &mut self.disk else { return };
        // After a gap in the file, later bytes would be at the wrong offset.
        if *length < self.total {
            return;
        }
        let space = self.limits.disk.saturating_sub(*length);
        match write_within(file, bytes, space, &self.spill_folder) {
            Ok(written) => *length += written,
            // The disk is full: keep what was written, `gap` covers the rest.
            Err(_) => self.limits.disk = *length,
        }
    }

    /// Drops the file, so that others can use the space. Returns `false` if there was none.
    pub(crate) fn drop_file(&mut self) -> bool {
        let given = self.release_space();
        if given {
            let reason =
                "newer outputs needed its disk space; only its beginning and its end are kept";
            self.disk = DiskState::Unavailable(reason.to_owned());
        }
        given
    }

    fn release_space(&self) -> bool {
        match &self.disk {
            DiskState::File(_, length) => {
                self.spill_folder.release(*length);
                true
            }
            DiskState::Unused | DiskState::Disabled | DiskState::Unavailable(_) => false,
        }
    }
}

impl Drop for OutputStore {
    fn drop(&mut self) {
        self.release_space();
    }
}

fn write_within(
    file: &mut File,
    bytes: &[u8],
    space: u64,
    spill_folder: &SpillFolder,
) -> io::Result<u64> {
    let granted = spill_folder.reserve(space.min(bytes.len() as u64));
    let count = usize::try_from(granted).unwrap_or(usize::MAX);
    let written = file.write_all(bytes.get(..count).unwrap_or_default());
    if written.is_err() {
        spill_folder.release(granted);
    }
    written.map(|()| granted)
}

fn slice(bytes: &[u8], from: u64, to: u64) -> &[u8] {
    let (Ok(from), Ok(to)) = (usize::try_from(from), usize::try_from(to)) else { return &[] };
    bytes.get(from..to).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt, path::Path};

    use proptest::prelude::*;

    use super::*;

    fn store(head: usize, tail: usize, disk: u64, folder: &Path) -> OutputStore {
        let spill_folder = SpillFolder::new(folder.to_owned(), 1 << 20);
        OutputStore::new(OutputLimits { head, tail, disk }, Arc::new(spill_folder))
    }

    fn all(store: &OutputStore) -> Vec<u8> {
        let mut bytes = Vec::new();
        while (bytes.len() as u64) < store.total() {
            let part = store.copy(bytes.len() as u64, 7);
            assert!(!part.is_empty(), "nothing at {}", bytes.len());
            bytes.extend(part);
        }
        bytes
    }

    #[test]
    fn output_that_fits_into_memory_is_not_written_to_disk() {
        let temp = tempfile::tempdir().unwrap();
        let mut kept = store(4, 4, 100, &temp.path().join("out"));
        kept.push(b"abc");
        kept.push(b"defgh");
        assert_eq!(all(&kept), b"abcdefgh");
        assert!(kept.gap().is_empty() && !temp.path().join("out").exists());
    }

    #[test]
    fn file_is_unnamed_and_in_a_private_folder() {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().join("deep/out");
        let mut kept = store(4, 4, 100, &folder);
        for byte in b'a'..=b'z' {
            kept.push(&[byte]);
        }
        assert_eq!(all(&kept), (b'a'..=b'z').collect::<Vec<_>>());
        assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    }

    #[test]
    fn beyond_the_limit_the_end_is_kept_and_the_gap_is_known() {
        let temp = tempfile::tempdir().unwrap();
        let mut kept = store(4, 4, 10, temp.path());
        kept.push(b"abcdefghijklmnopqrstuvwxyz");
        assert_eq!((kept.total(), kept.gap()), (26, 10..22));
        assert_eq!(kept.copy(0, 100), b"abcdefghij");
        assert_eq!(kept.copy(12, 100), b"");
        assert_eq!(kept.copy(22, 100), b"wxyz");
    }

    #[test]
    fn disk_space_is_shared_and_released() {
        let temp = tempfile::tempdir().unwrap();
        let spill_folder = Arc::new(SpillFolder::new(temp.path().to_owned(), 30));
        let limits = OutputLimits { head: 4, tail: 4, disk: 100 };
        let [mut one, mut other] =
            [(); 2].map(|()| OutputStore::new(limits, Arc::clone(&spill_folder)));
        one.push(&[b'a'; 20]);
        other.push(&[b'b'; 20]);
        assert_eq!((one.gap(), other.gap(), spill_folder.available()), (0..0, 10..16, 0));
        assert!(one.drop_file() && !one.drop_file());
        assert_eq!((one.gap(), spill_folder.available()), (4..16, 20));
        assert!(one.disk_error().is_some());
        drop(other);
        assert_eq!(spill_folder.available(), 30);
    }

    #[test]
    fn without_a_disk_both_ends_are_kept_and_the_reason_is_known() {
        let mut kept = store(4, 4, 100, Path::new("/proc/none"));
        kept.push(b"abcdefghijklmnopqrstuvwxyz");
        assert_eq!(kept.gap(), 4..22);
        assert_eq!((kept.copy(0, 9), kept.copy(22, 9)), (b"abcd".to_vec(), b"wxyz".to_vec()));
        assert!(kept.disk_error().is_some());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn stored_bytes_are_correct_for_any_parts(
            parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 0..12),
            head in 0..20_usize, tail in 0..20_usize, disk in 0..200_u64,
        ) {
            let temp = tempfile::tempdir().unwrap();
            let mut kept = store(head, tail, disk, temp.path());
            parts.iter().for_each(|part| kept.push(part));
            let bytes = parts.concat();
            prop_assert_eq!(kept.total(), bytes.len() as u64);
            let gap = kept.gap();
            let mut at = 0;
            while at < kept.total() {
                if gap.contains(&at) {
                    at = gap.end;
                    continue;
                }
                let got = kept.copy(at, 13);
                prop_assert!(!got.is_empty());
                let from = usize::try_from(at).unwrap();
                prop_assert_eq!(&got[..], &bytes[from..from + got.len()]);
                at += got.len() as u64;
            }
        }
    }
}
