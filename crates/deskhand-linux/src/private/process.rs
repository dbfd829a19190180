//! Processes as `/proc` shows them, told apart by number and start time.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::environment::MARK;
use super::error::{Error, Result};

/// One process for all time: numbers are used again, number and start time together are not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// When it started, in clock ticks since the machine did.
    pub started: u64,
}

impl Process {
    /// Returns the calling process.
    pub(super) fn current() -> Result<Self> {
        let pid = std::process::id();
        Self::of(pid).ok_or_else(|| {
            let absent = std::io::Error::from(std::io::ErrorKind::NotFound);
            Error::io("read", Path::new("/proc/self/stat"))(absent)
        })
    }

    /// Returns the process that runs under this number; a zombie does not.
    pub(super) fn of(pid: u32) -> Option<Self> {
        let stat = Stat::read(pid)?;
        stat.runs.then_some(Self { pid, started: stat.started })
    }

    /// Tells whether this very process still runs.
    pub fn is_alive(&self) -> bool {
        Self::of(self.pid) == Some(*self)
    }
}

/// What one line of `/proc/PID/stat` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stat {
    pub(super) runs: bool,
    pub(super) parent: u32,
    pub(super) started: u64,
}

impl Stat {
    pub(super) fn read(pid: u32) -> Option<Self> {
        // A process can go at any moment, and then there is nothing to read: that is the answer.
        Self::parse(&fs::read(format!("/proc/{pid}/stat")).ok()?)
    }

    fn parse(line: &[u8]) -> Option<Self> {
        // The name in the second field may hold spaces, parentheses and bytes that are not UTF-8.
        let name_end = line.iter().rposition(|byte| *byte == b')')?;
        let rest = str::from_utf8(line.get(name_end + 1..)?).ok()?;
        let mut fields = rest.split_ascii_whitespace();
        let state = fields.next()?;
        let parent = fields.next()?.parse().ok()?;
        let started = fields.nth(17)?.parse().ok()?;
        Some(Self { runs: !matches!(state, "Z" | "X" | "x"), parent, started })
    }
}

/// Lists the numbers of all processes.
pub(super) fn all() -> Result<Vec<u32>> {
    let proc = Path::new("/proc");
    let entries = fs::read_dir(proc).map_err(Error::io("list", proc))?;
    Ok(entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect())
}

/// Reads the mark a process was started with; none when it has none or is another user's.
pub(super) fn mark(pid: u32) -> Option<String> {
    let environ = fs::read(format!("/proc/{pid}/environ")).ok()?;
    mark_in(&environ)
}

fn mark_in(environ: &[u8]) -> Option<String> {
    let mut variables = environ.split(|byte| *byte == 0);
    let value = variables.find_map(|one| one.strip_prefix(MARK.as_bytes())?.strip_prefix(b"="))?;
    String::from_utf8(value.to_vec()).ok()
}

/// Tells whether a mark is that of a desktop or of one that was made inside it.
pub(super) fn belongs(mark: &str, id: &str) -> bool {
    mark.strip_prefix(id).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: &str = "S 7 1 1 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 4321 1 1 0";

    #[test]
    fn start_time_is_found_behind_any_name() {
        for name in ["(sh)", "(a) b) S 1 2)", "((", "()"] {
            let line = format!("42 {name}) {FIELDS}");
            let stat = Stat::parse(line.as_bytes()).unwrap();
            assert_eq!(stat, Stat { runs: true, parent: 7, started: 4321 }, "{name}");
        }
    }

    #[test]
    fn a_zombie_does_not_run() {
        let line = format!("42 (sh) {}", FIELDS.replace("S 7", "Z 7"));
        assert!(!Stat::parse(line.as_bytes()).unwrap().runs);
    }

    #[test]
    fn this_process_is_alive_and_its_number_alone_is_not_enough() {
        let current = Process::current().unwrap();
        assert!(current.is_alive());
        assert!(!Process { started: current.started + 1, ..current }.is_alive());
    }

    #[test]
    fn marks_match_whole_and_nested_ones_belong() {
        assert_eq!(mark_in(b"A=1\0DESKHAND_DESKTOP=ab\0").as_deref(), Some("ab"));
        assert_eq!(mark_in(b"XDESKHAND_DESKTOP=ab\0DESKHAND_DESKTOPS=/x\0"), None);
        assert!(belongs("ab", "ab") && belongs("ab/cd", "ab"));
        assert!(!belongs("abc", "ab") && !belongs("a", "ab") && !belongs("ab", "ab/cd"));
    }
}
