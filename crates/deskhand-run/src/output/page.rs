//! Pages of output as text: from a byte or a line on, the last lines, or both ends.

use super::{
    OutputStore,
    decode::{Remaining, decode},
};

/// Number of bytes to scan at once while lines are counted.
const BLOCK_SIZE: usize = 64 << 10;

/// The part of the output to return.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRequest {
    /// The start of the page.
    pub start: PageStart,
    /// Maximum number of lines. `None` is unlimited.
    pub max_lines: Option<u64>,
    /// Maximum number of bytes.
    pub max_bytes: usize,
}

/// The start of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageStart {
    /// This byte, such as [`OutputPage::next`] of the previous page.
    Byte(u64),
    /// This line, counted from 1.
    Line(u64),
    /// This many lines before the end.
    LastLines(u64),
}

/// A part of the output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputPage {
    /// The text. Invalid UTF-8 is replaced with U+FFFD.
    pub text: String,
    /// The offset of its first byte.
    pub from: u64,
    /// The offset of the next page.
    pub next: u64,
    /// The number of bytes of output so far.
    pub total: u64,
    /// The number of requested bytes before `from` that are not stored.
    pub missing: u64,
    /// The number of bytes that are not valid UTF-8.
    pub invalid: usize,
}

/// The beginning and the end of the output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The beginning. The complete output if nothing is omitted.
    pub head: String,
    /// The number of bytes between the beginning and the end.
    pub omitted: u64,
    /// The end. Empty if nothing is omitted.
    pub tail: String,
    /// The number of bytes of output so far.
    pub total: u64,
    /// The number of bytes that are not stored.
    pub lost: u64,
    /// The number of shown bytes that are not valid UTF-8.
    pub invalid: usize,
}

impl OutputPage {
    /// Reads a page. `remaining` tells whether the program may print more.
    pub(crate) fn read(store: &OutputStore, request: PageRequest, remaining: Remaining) -> Self {
        let requested = match request.start {
            PageStart::Byte(at) => at.min(store.total()),
            PageStart::Line(line) => offset_of_line(store, line),
            PageStart::LastLines(count) => offset_of_last_lines(store, count),
        };
        let gap = store.gap();
        let from = if gap.contains(&requested) { gap.end } else { requested };
        let mut bytes = store.copy(from, request.max_bytes.max(4));
        if let Some(lines) = request.max_lines {
            bytes.truncate(length_of_lines(&bytes, lines));
        }
        let at_end = from + bytes.len() as u64 == store.total();
        let decoded = decode(&bytes, if at_end { remaining } else { Remaining::More });
        // A character that was cut at a gap must not stop a reader from advancing.
        let stuck = decoded.used == 0 && !at_end;
        let decoded = if stuck { decode(&bytes, Remaining::Nothing) } else { decoded };
        Self {
            text: decoded.text,
            from,
            next: from + decoded.used as u64,
            total: store.total(),
            missing: from - requested,
            invalid: decoded.invalid,
        }
    }
}

impl Excerpt {
    /// Reads both ends, within this many bytes, in complete lines.
    pub(crate) fn read(store: &OutputStore, bytes: usize) -> Self {
        let (total, gap) = (store.total(), store.gap());
        let lost = gap.end - gap.start;
        if total <= bytes as u64 && lost == 0 {
            let whole = decode(&store.copy(0, bytes), Remaining::Nothing);
            let (head, tail, invalid) = (whole.text, String::new(), whole.invalid);
            return Self { head, omitted: 0, tail, total, lost, invalid };
        }
        let half = bytes / 2;
        let mut first = store.copy(0, half);
        if let Some(end) = memchr::memrchr(b'\n', &first) {
            first.truncate(end + 1);
        }
        let head = decode(&first, Remaining::More);
        let from = (total.saturating_sub(half as u64)).max(gap.end).max(head.used as u64);
        let last = store.copy(from, half);
        let skipped = match memchr::memchr(b'\n', &last) {
            Some(end) if end + 1 < last.len() => end + 1,
            Some(_) | None => last.iter().take_while(|&&byte| byte & 0xc0 == 0x80).count().min(3),
        };
        let tail = decode(last.get(skipped..).unwrap_or_default(), Remaining::Nothing);
        Self {
            omitted: from + skipped as u64 - head.used as u64,
            head: head.text,
            tail: tail.text,
            total,
            lost,
            invalid: head.invalid + tail.invalid,
        }
    }
}

/// Returns the length of the first lines, in bytes.
fn length_of_lines(bytes: &[u8], lines: u64) -> usize {
    if lines == 0 {
        return 0;
    }
    let nth = usize::try_from(lines - 1).unwrap_or(usize::MAX);
    memchr::memchr_iter(b'\n', bytes).nth(nth).map_or(bytes.len(), |end| end + 1)
}

/// Returns the offset of a line. A gap counts as part of the line before it.
fn offset_of_line(store: &OutputStore, line: u64) -> u64 {
    let mut left = line.saturating_sub(1);
    let mut at = 0;
    let gap = store.gap();
    while left > 0 && at < store.total() {
        if gap.contains(&at) {
            at = gap.end;
        }
        let block = store.copy(at, BLOCK_SIZE);
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

/// Returns the offset of the last lines, as far as they are stored.
fn offset_of_last_lines(store: &OutputStore, count: u64) -> u64 {
    let gap = store.gap();
    let lowest = gap.end;
    let mut end = store.total();
    if count == 0 {
        return end;
    }
    // A newline at the very end belongs to the last line.
    let mut left = count;
    if end > lowest && store.copy(end - 1, 1) == b"\n" {
        end -= 1;
    }
    while end > lowest {
        let from = end.saturating_sub(BLOCK_SIZE as u64).max(lowest);
        let block = store.copy(from, usize::try_from(end - from).unwrap_or(BLOCK_SIZE));
        for found in memchr::memrchr_iter(b'\n', &block) {
            left -= 1;
            if left == 0 {
                return from + found as u64 + 1;
            }
        }
        end = from;
    }
    lowest
}

#[cfg(test)]
mod tests {
    use std::{path::Path, sync::Arc};

    use super::*;
    use crate::output::{OutputLimits, SpillFolder};

    fn store(limits: (usize, usize, u64), folder: &Path, text: &str) -> OutputStore {
        let (head, tail, disk) = limits;
        let mut store = OutputStore::new(
            OutputLimits { head, tail, disk },
            Arc::new(SpillFolder::new(folder.to_owned(), 1 << 20)),
        );
        store.push(text.as_bytes());
        store
    }

    fn lines(to: u32) -> String {
        (1..=to).map(|line| format!("{line}\n")).collect()
    }

    fn page(
        store: &OutputStore,
        start: PageStart,
        max_lines: Option<u64>,
        max_bytes: usize,
    ) -> OutputPage {
        OutputPage::read(store, PageRequest { start, max_lines, max_bytes }, Remaining::Nothing)
    }

    #[test]
    fn consecutive_pages_contain_the_whole_output() {
        let temp = tempfile::tempdir().unwrap();
        let text = "aß€🦀\n".repeat(50);
        let kept = store((16, 16, 10_000), temp.path(), &text);
        let (mut decoded, mut at) = (String::new(), 0);
        while at < kept.total() {
            let part = page(&kept, PageStart::Byte(at), None, 9);
            assert_eq!((part.from, part.invalid, part.missing), (at, 0, 0));
            decoded.push_str(&part.text);
            at = part.next;
        }
        assert_eq!(decoded, text);
    }

    #[test]
    fn lines_are_found_from_both_ends() {
        let temp = tempfile::tempdir().unwrap();
        let kept = store((16, 16, 1 << 20), temp.path(), &lines(40_000));
        assert_eq!(page(&kept, PageStart::Line(30_000), Some(2), 4096).text, "30000\n30001\n");
        assert_eq!(page(&kept, PageStart::Line(1), Some(1), 4096).text, "1\n");
        assert_eq!(page(&kept, PageStart::Line(99_999), Some(1), 4096).text, "");
        assert_eq!(page(&kept, PageStart::LastLines(2), None, 4096).text, "39999\n40000\n");
        let far = page(&kept, PageStart::LastLines(39_000), Some(1), 4096);
        assert_eq!(far.text, "1001\n");
        assert_eq!(page(&kept, PageStart::LastLines(90_000), Some(1), 4096).text, "1\n");
    }

    #[test]
    fn last_line_may_lack_a_newline() {
        let kept = store((64, 64, 0), Path::new("/proc/none"), "one\ntwo\nthree");
        assert_eq!(page(&kept, PageStart::LastLines(2), None, 64).text, "two\nthree");
        assert_eq!(page(&kept, PageStart::LastLines(0), None, 64).text, "");
    }

    #[test]
    fn gaps_are_reported_and_skipped() {
        let kept = store((4, 4, 0), Path::new("/proc/none"), "abcdefghijklmnop");
        let first = page(&kept, PageStart::Byte(0), None, 64);
        assert_eq!((first.text.as_str(), first.next), ("abcd", 4));
        let second = page(&kept, PageStart::Byte(first.next), None, 64);
        assert_eq!((second.text.as_str(), second.from, second.missing), ("mnop", 12, 8));
    }

    #[test]
    fn excerpt_has_both_ends_in_complete_lines() {
        let temp = tempfile::tempdir().unwrap();
        let text = lines(1000);
        let kept = store((64, 64, 1 << 20), temp.path(), &text);
        let excerpt = Excerpt::read(&kept, 40);
        assert!(excerpt.head.starts_with("1\n2\n") && excerpt.head.ends_with('\n'), "{excerpt:?}");
        assert!(
            excerpt.tail.starts_with("99") && excerpt.tail.ends_with("\n1000\n"),
            "{excerpt:?}"
        );
        let shown = (excerpt.head.len() + excerpt.tail.len()) as u64;
        assert_eq!((shown + excerpt.omitted, excerpt.lost), (kept.total(), 0));
        let all = Excerpt::read(&kept, 10_000);
        assert_eq!((all.head, all.omitted, all.tail), (text, 0, String::new()));
    }

    #[test]
    fn excerpt_of_one_long_line_does_not_split_characters() {
        let kept = store((64, 64, 0), Path::new("/proc/none"), &"€".repeat(40));
        let excerpt = Excerpt::read(&kept, 32);
        assert_eq!(excerpt.invalid, 0, "{excerpt:?}");
        assert!(!excerpt.head.is_empty() && !excerpt.tail.is_empty());
    }
}
