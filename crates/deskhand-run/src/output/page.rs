//! Parts of what was printed, as text: from a byte or a line on, the last lines, or both ends.

use super::{
    Store,
    text::{After, decoded},
};

/// Bytes looked at together while lines are counted.
const BLOCK: usize = 64 << 10;

/// Which part of the output to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Where it begins.
    pub start: Start,
    /// The most lines; any number when absent.
    pub lines: Option<u64>,
    /// The most bytes.
    pub bytes: usize,
}

/// Where a part begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// At this byte, such as [`Page::next`] of the page before.
    Byte(u64),
    /// At this line; the first is 1.
    Line(u64),
    /// So many lines before the end.
    LastLines(u64),
}

/// A part of the output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The text; bytes that are none stand in it as U+FFFD.
    pub text: String,
    /// Its first byte.
    pub from: u64,
    /// The byte the next page begins at.
    pub next: u64,
    /// Bytes printed so far.
    pub total: u64,
    /// Bytes before it that were asked for and not kept.
    pub missing: u64,
    /// Bytes in it that are no text.
    pub invalid: usize,
}

/// The beginning and the end of the output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The beginning; all of it when nothing is left out.
    pub head: String,
    /// Bytes between the two that are not shown here.
    pub left_out: u64,
    /// The end; empty when nothing is left out.
    pub tail: String,
    /// Bytes printed so far.
    pub total: u64,
    /// Bytes that were not kept anywhere.
    pub lost: u64,
    /// Bytes shown that are no text.
    pub invalid: usize,
}

impl Page {
    /// Reads a part; `after` says whether more may be printed.
    pub(crate) fn read(store: &Store, part: Part, after: After) -> Self {
        let wanted = match part.start {
            Start::Byte(at) => at.min(store.total()),
            Start::Line(line) => line_at(store, line),
            Start::LastLines(count) => last_lines_at(store, count),
        };
        let gap = store.gap();
        let from = if gap.contains(&wanted) { gap.end } else { wanted };
        let mut bytes = store.copy(from, part.bytes.max(4));
        if let Some(lines) = part.lines {
            bytes.truncate(length_of(&bytes, lines));
        }
        let at_end = from + bytes.len() as u64 == store.total();
        let read = decoded(&bytes, if at_end { after } else { After::More });
        // A character that is cut off by what was not kept must not stop whoever reads on.
        let stuck = read.used == 0 && !at_end;
        let read = if stuck { decoded(&bytes, After::Nothing) } else { read };
        Self {
            text: read.text,
            from,
            next: from + read.used as u64,
            total: store.total(),
            missing: from - wanted,
            invalid: read.invalid,
        }
    }
}

impl Excerpt {
    /// Reads both ends, within so many bytes, cut where lines end.
    pub(crate) fn read(store: &Store, bytes: usize) -> Self {
        let (total, gap) = (store.total(), store.gap());
        let lost = gap.end - gap.start;
        if total <= bytes as u64 && lost == 0 {
            let whole = decoded(&store.copy(0, bytes), After::Nothing);
            let (head, tail, invalid) = (whole.text, String::new(), whole.invalid);
            return Self { head, left_out: 0, tail, total, lost, invalid };
        }
        let half = bytes / 2;
        let mut first = store.copy(0, half);
        if let Some(end) = memchr::memrchr(b'\n', &first) {
            first.truncate(end + 1);
        }
        let head = decoded(&first, After::More);
        let from = (total.saturating_sub(half as u64)).max(gap.end).max(head.used as u64);
        let last = store.copy(from, half);
        let skipped = match memchr::memchr(b'\n', &last) {
            Some(end) if end + 1 < last.len() => end + 1,
            Some(_) | None => last.iter().take_while(|&&byte| byte & 0xc0 == 0x80).count().min(3),
        };
        let tail = decoded(last.get(skipped..).unwrap_or_default(), After::Nothing);
        Self {
            left_out: from + skipped as u64 - head.used as u64,
            head: head.text,
            tail: tail.text,
            total,
            lost,
            invalid: head.invalid + tail.invalid,
        }
    }
}

/// How many bytes the first lines take.
fn length_of(bytes: &[u8], lines: u64) -> usize {
    if lines == 0 {
        return 0;
    }
    let nth = usize::try_from(lines - 1).unwrap_or(usize::MAX);
    memchr::memchr_iter(b'\n', bytes).nth(nth).map_or(bytes.len(), |end| end + 1)
}

/// The first byte of a line; what was not kept counts as part of the line before it.
fn line_at(store: &Store, line: u64) -> u64 {
    let mut left = line.saturating_sub(1);
    let mut at = 0;
    let gap = store.gap();
    while left > 0 && at < store.total() {
        if gap.contains(&at) {
            at = gap.end;
        }
        let block = store.copy(at, BLOCK);
        if block.is_empty() {
            break;
        }
        for end in memchr::memchr_iter(b'\n', &block) {
            left -= 1;
            if left == 0 {
                return at + end as u64 + 1;
            }
        }
        at += block.len() as u64;
    }
    if left == 0 { at } else { store.total() }
}

/// The first byte of the last lines, as far as they were kept.
fn last_lines_at(store: &Store, count: u64) -> u64 {
    let gap = store.gap();
    let floor = gap.end;
    let mut end = store.total();
    if count == 0 {
        return end;
    }
    // The newline at the very end belongs to the last line.
    let mut left = count;
    if end > floor && store.copy(end - 1, 1) == b"\n" {
        end -= 1;
    }
    while end > floor {
        let from = end.saturating_sub(BLOCK as u64).max(floor);
        let block = store.copy(from, usize::try_from(end - from).unwrap_or(BLOCK));
        for found in memchr::memrchr_iter(b'\n', &block) {
            left -= 1;
            if left == 0 {
                return from + found as u64 + 1;
            }
        }
        end = from;
    }
    floor
}

#[cfg(test)]
mod tests {
    use std::{path::Path, sync::Arc};

    use super::*;
    use crate::output::{Bounds, Shelf};

    fn store(bounds: (usize, usize, u64), folder: &Path, text: &str) -> Store {
        let (head, tail, whole) = bounds;
        let mut store = Store::new(
            Bounds { head, tail, whole },
            Arc::new(Shelf::new(folder.to_owned(), 1 << 20)),
        );
        store.push(text.as_bytes());
        store
    }

    fn lines(to: u32) -> String {
        (1..=to).map(|line| format!("{line}\n")).collect()
    }

    fn page(store: &Store, start: Start, lines: Option<u64>, bytes: usize) -> Page {
        Page::read(store, Part { start, lines, bytes }, After::Nothing)
    }

    #[test]
    fn pages_follow_each_other_to_the_end() {
        let place = tempfile::tempdir().unwrap();
        let text = "aß€🦀\n".repeat(50);
        let kept = store((16, 16, 10_000), place.path(), &text);
        let (mut read, mut at) = (String::new(), 0);
        while at < kept.total() {
            let part = page(&kept, Start::Byte(at), None, 9);
            assert_eq!((part.from, part.invalid, part.missing), (at, 0, 0));
            read.push_str(&part.text);
            at = part.next;
        }
        assert_eq!(read, text);
    }

    #[test]
    fn lines_are_found_from_both_ends_in_memory_and_on_disk() {
        let place = tempfile::tempdir().unwrap();
        let kept = store((16, 16, 1 << 20), place.path(), &lines(40_000));
        assert_eq!(page(&kept, Start::Line(30_000), Some(2), 4096).text, "30000\n30001\n");
        assert_eq!(page(&kept, Start::Line(1), Some(1), 4096).text, "1\n");
        assert_eq!(page(&kept, Start::Line(99_999), Some(1), 4096).text, "");
        assert_eq!(page(&kept, Start::LastLines(2), None, 4096).text, "39999\n40000\n");
        let far = page(&kept, Start::LastLines(39_000), Some(1), 4096);
        assert_eq!(far.text, "1001\n");
        assert_eq!(page(&kept, Start::LastLines(90_000), Some(1), 4096).text, "1\n");
    }

    #[test]
    fn the_last_line_may_lack_its_end() {
        let kept = store((64, 64, 0), Path::new("/proc/none"), "one\ntwo\nthree");
        assert_eq!(page(&kept, Start::LastLines(2), None, 64).text, "two\nthree");
        assert_eq!(page(&kept, Start::LastLines(0), None, 64).text, "");
    }

    #[test]
    fn what_was_not_kept_is_told_and_stepped_over() {
        let kept = store((4, 4, 0), Path::new("/proc/none"), "abcdefghijklmnop");
        let first = page(&kept, Start::Byte(0), None, 64);
        assert_eq!((first.text.as_str(), first.next), ("abcd", 4));
        let second = page(&kept, Start::Byte(first.next), None, 64);
        assert_eq!((second.text.as_str(), second.from, second.missing), ("mnop", 12, 8));
    }

    #[test]
    fn an_excerpt_is_both_ends_in_whole_lines_and_counts_the_rest() {
        let place = tempfile::tempdir().unwrap();
        let text = lines(1000);
        let kept = store((64, 64, 1 << 20), place.path(), &text);
        let short = Excerpt::read(&kept, 40);
        assert!(short.head.starts_with("1\n2\n") && short.head.ends_with('\n'), "{short:?}");
        assert!(short.tail.starts_with("99") && short.tail.ends_with("\n1000\n"), "{short:?}");
        let shown = (short.head.len() + short.tail.len()) as u64;
        assert_eq!((shown + short.left_out, short.lost), (kept.total(), 0));
        let all = Excerpt::read(&kept, 10_000);
        assert_eq!((all.head, all.left_out, all.tail), (text, 0, String::new()));
    }

    #[test]
    fn an_excerpt_of_one_long_line_does_not_break_characters() {
        let kept = store((64, 64, 0), Path::new("/proc/none"), &"€".repeat(40));
        let short = Excerpt::read(&kept, 32);
        assert_eq!(short.invalid, 0, "{short:?}");
        assert!(!short.head.is_empty() && !short.tail.is_empty());
    }
}
