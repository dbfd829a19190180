//! Bytes in the order they came: the beginning and the end in memory, the whole in a file that has no
//! name, so nothing of it is left when this process ends, however it ends.

use std::{
    collections::VecDeque,
    fs::File,
    io::{self, Write},
    ops::Range,
    os::unix::fs::FileExt,
    sync::Arc,
};

use super::{Bounds, Shelf};

/// What was printed, within bounds.
#[derive(Debug)]
pub(crate) struct Store {
    bounds: Bounds,
    shelf: Arc<Shelf>,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
    disk: Disk,
}

/// What of it is on disk.
#[derive(Debug)]
enum Disk {
    /// Nothing: memory holds all of it.
    Unused,
    /// The beginning, this far.
    File(File, u64),
    /// Nothing: it is not wanted.
    Never,
    /// Nothing, and why: the folder cannot be written to, or others needed the room.
    Refused(String),
}

impl Store {
    /// An empty store; what is too long for memory goes to the shelf.
    pub(crate) fn new(bounds: Bounds, shelf: Arc<Shelf>) -> Self {
        Self {
            bounds,
            shelf,
            head: Vec::new(),
            tail: VecDeque::new(),
            total: 0,
            disk: Disk::Unused,
        }
    }

    /// Adds what was printed.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let room = self.bounds.head.saturating_sub(self.head.len());
        let (first, rest) = bytes.split_at(room.min(bytes.len()));
        if matches!(self.disk, Disk::Unused) && self.tail.len() + rest.len() > self.bounds.tail {
            self.disk = self.spilt();
        }
        self.write(bytes);
        self.head.extend_from_slice(first);
        let kept = rest.get(rest.len().saturating_sub(self.bounds.tail)..).unwrap_or_default();
        let over = (self.tail.len() + kept.len()).saturating_sub(self.bounds.tail);
        self.tail.drain(..over.min(self.tail.len()));
        self.tail.extend(kept);
        self.total += bytes.len() as u64;
    }

    /// How many bytes were printed.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Bytes that were not kept.
    pub(crate) fn gap(&self) -> Range<u64> {
        let kept = match &self.disk {
            Disk::Unused => self.total,
            Disk::File(_, length) => (*length).max(self.head.len() as u64),
            Disk::Never | Disk::Refused(_) => self.head.len() as u64,
        };
        let tail = self.tail_at();
        if kept < tail { kept..tail } else { 0..0 }
    }

    /// Why the whole is not on disk, when it should be.
    pub(crate) fn refusal(&self) -> Option<&str> {
        match &self.disk {
            Disk::Unused | Disk::File(..) | Disk::Never => None,
            Disk::Refused(why) => Some(why),
        }
    }

    /// Copies bytes from a place on; fewer than asked for where they end or others were not kept.
    pub(crate) fn copy(&self, from: u64, most: usize) -> Vec<u8> {
        let end = (from + most as u64).min(self.total);
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

    /// Copies from the one place that holds the next byte.
    fn copy_some(&self, at: u64, end: u64, into: &mut Vec<u8>) {
        let head = self.head.len() as u64;
        let tail_at = self.tail_at();
        if at < head {
            into.extend_from_slice(slice(&self.head, at, end.min(head)));
        } else if at >= tail_at {
            let (first, second) = self.tail.as_slices();
            let middle = tail_at + first.len() as u64;
            if at < middle {
                into.extend_from_slice(slice(first, at - tail_at, end.min(middle) - tail_at));
            } else {
                into.extend_from_slice(slice(second, at - middle, end - middle));
            }
        } else if let Disk::File(file, length) = &self.disk {
            let count = end.min(*length).min(tail_at).saturating_sub(at);
            let start = into.len();
            into.resize(start + usize::try_from(count).unwrap_or(0), 0);
            let read = file.read_at(into.get_mut(start..).unwrap_or_default(), at).unwrap_or(0);
            into.truncate(start + read);
        }
    }

    fn tail_at(&self) -> u64 {
        self.total - self.tail.len() as u64
    }

    /// Puts what is in memory on disk, before some of it must leave.
    fn spilt(&self) -> Disk {
        if self.bounds.whole == 0 {
            return Disk::Never;
        }
        let written = self.shelf.file().and_then(|mut file| {
            let mut length = 0;
            let (first, second) = self.tail.as_slices();
            for part in [&self.head[..], first, second] {
                length += write_within(&mut file, part, self.bounds.whole - length, &self.shelf)?;
            }
            Ok(Disk::File(file, length))
        });
        written.unwrap_or_else(|error| Disk::Refused(error.to_string()))
    }

    fn write(&mut self, bytes: &[u8]) {
        let Disk::File(file, length) = &mut self.disk else { return };
        // What came after a byte that was not kept would stand at the wrong place.
        if *length < self.total {
            return;
        }
        let room = self.bounds.whole.saturating_sub(*length);
        match write_within(file, bytes, room, &self.shelf) {
            Ok(written) => *length += written,
            // The disk is full: it holds what it holds, and the gap says what it does not.
            Err(_) => self.bounds.whole = *length,
        }
    }

    /// Gives up what is on disk, so that others have the room; says whether there was anything.
    pub(crate) fn give_up(&mut self) -> bool {
        let given = self.let_go();
        if given {
            let why = "newer outputs needed its room on disk; its beginning and its end are kept";
            self.disk = Disk::Refused(why.to_owned());
        }
        given
    }

    fn let_go(&self) -> bool {
        match &self.disk {
            Disk::File(_, length) => {
                self.shelf.give(*length);
                true
            }
            Disk::Unused | Disk::Never | Disk::Refused(_) => false,
        }
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        self.let_go();
    }
}

fn write_within(file: &mut File, bytes: &[u8], room: u64, shelf: &Shelf) -> io::Result<u64> {
    let granted = shelf.take(room.min(bytes.len() as u64));
    let count = usize::try_from(granted).unwrap_or(usize::MAX);
    let written = file.write_all(bytes.get(..count).unwrap_or_default());
    if written.is_err() {
        shelf.give(granted);
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

    fn store(head: usize, tail: usize, whole: u64, folder: &Path) -> Store {
        let shelf = Shelf::new(folder.to_owned(), 1 << 20);
        Store::new(Bounds { head, tail, whole }, Arc::new(shelf))
    }

    fn all(store: &Store) -> Vec<u8> {
        let mut bytes = Vec::new();
        while (bytes.len() as u64) < store.total() {
            let part = store.copy(bytes.len() as u64, 7);
            assert!(!part.is_empty(), "nothing at {}", bytes.len());
            bytes.extend(part);
        }
        bytes
    }

    #[test]
    fn what_memory_holds_never_meets_the_disk() {
        let place = tempfile::tempdir().unwrap();
        let mut kept = store(4, 4, 100, &place.path().join("out"));
        kept.push(b"abc");
        kept.push(b"defgh");
        assert_eq!(all(&kept), b"abcdefgh");
        assert!(kept.gap().is_empty() && !place.path().join("out").exists());
    }

    #[test]
    fn the_whole_is_on_disk_without_a_name_in_a_private_folder() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("deep/out");
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
        let place = tempfile::tempdir().unwrap();
        let mut kept = store(4, 4, 10, place.path());
        kept.push(b"abcdefghijklmnopqrstuvwxyz");
        assert_eq!((kept.total(), kept.gap()), (26, 10..22));
        assert_eq!(kept.copy(0, 100), b"abcdefghij");
        assert_eq!(kept.copy(12, 100), b"");
        assert_eq!(kept.copy(22, 100), b"wxyz");
    }

    #[test]
    fn the_room_of_a_shelf_is_shared_and_comes_back() {
        let place = tempfile::tempdir().unwrap();
        let shelf = Arc::new(Shelf::new(place.path().to_owned(), 30));
        let bounds = Bounds { head: 4, tail: 4, whole: 100 };
        let [mut one, mut other] = [(); 2].map(|()| Store::new(bounds, Arc::clone(&shelf)));
        one.push(&[b'a'; 20]);
        other.push(&[b'b'; 20]);
        assert_eq!((one.gap(), other.gap(), shelf.left()), (0..0, 10..16, 0));
        assert!(one.give_up() && !one.give_up());
        assert_eq!((one.gap(), shelf.left()), (4..16, 20));
        assert!(one.refusal().is_some());
        drop(other);
        assert_eq!(shelf.left(), 30);
    }

    #[test]
    fn without_a_disk_the_beginning_and_the_end_are_kept_and_it_says_why() {
        let mut kept = store(4, 4, 100, Path::new("/proc/none"));
        kept.push(b"abcdefghijklmnopqrstuvwxyz");
        assert_eq!(kept.gap(), 4..22);
        assert_eq!((kept.copy(0, 9), kept.copy(22, 9)), (b"abcd".to_vec(), b"wxyz".to_vec()));
        assert!(kept.refusal().is_some());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn whatever_the_parts_every_byte_that_is_kept_is_the_right_one(
            parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 0..12),
            head in 0..20_usize, tail in 0..20_usize, whole in 0..200_u64,
        ) {
            let place = tempfile::tempdir().unwrap();
            let mut kept = store(head, tail, whole, place.path());
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
