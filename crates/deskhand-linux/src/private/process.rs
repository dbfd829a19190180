//! Processes, identified by process id and start time.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::environment::DESKTOP_ID_VAR;
use super::error::{Error, Result};
pub(super) use crate::apps::process::Stat;

/// A process. Process ids are reused, but the pair of id and start time is unique.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// The process id.
    pub pid: u32,
    /// The start time, in clock ticks since boot.
    pub started: u64,
}

impl Process {
    /// Returns the current process.
    pub(super) fn current() -> Result<Self> {
        let pid = std::process::id();
        Self::running(pid).ok_or_else(|| {
            let absent = std::io::Error::from(std::io::ErrorKind::NotFound);
            Error::io("read", Path::new("/proc/self/stat"))(absent)
        })
    }

    /// Returns the running process with this id. A zombie does not count.
    pub(super) fn running(pid: u32) -> Option<Self> {
        let stat = Stat::read(pid)?;
        stat.is_running.then_some(Self { pid, started: stat.started })
    }

    /// Returns `true` if this process is still running.
    pub fn is_alive(&self) -> bool {
        Self::running(self.pid) == Some(*self)
    }
}

/// Lists the ids of all processes.
pub(super) fn list_pids() -> Result<Vec<u32>> {
    let proc = Path::new("/proc");
    let entries = fs::read_dir(proc).map_err(Error::io("list", proc))?;
    Ok(entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect())
}

/// Returns the id of the desktop that a process belongs to. Returns `None` if it belongs to none or
/// its environment is not readable.
pub(super) fn desktop_id(pid: u32) -> Option<String> {
    let environ = fs::read(format!("/proc/{pid}/environ")).ok()?;
    parse_desktop_id(&environ)
}

fn parse_desktop_id(environ: &[u8]) -> Option<String> {
    let mut variables = environ.split(|byte| *byte == 0);
    let value = variables
        .find_map(|one| one.strip_prefix(DESKTOP_ID_VAR.as_bytes())?.strip_prefix(b"="))?;
    String::from_utf8(value.to_vec()).ok()
}

/// Returns `true` if `desktop_id` is the desktop `id` or one that was started inside it.
pub(super) fn is_inside_desktop(desktop_id: &str, id: &str) -> bool {
    desktop_id.strip_prefix(id).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_alive_only_with_its_start_time() {
        let current = Process::current().unwrap();
        assert!(current.is_alive());
        assert!(!Process { started: current.started + 1, ..current }.is_alive());
    }

    #[test]
    fn desktop_ids_match_exactly_or_as_nested_ones() {
        assert_eq!(parse_desktop_id(b"A=1\0DESKHAND_DESKTOP=ab\0").as_deref(), Some("ab"));
        assert_eq!(parse_desktop_id(b"XDESKHAND_DESKTOP=ab\0DESKHAND_DESKTOPS=/x\0"), None);
        assert!(is_inside_desktop("ab", "ab") && is_inside_desktop("ab/cd", "ab"));
        assert!(
            !is_inside_desktop("abc", "ab")
                && !is_inside_desktop("a", "ab")
                && !is_inside_desktop("ab", "ab/cd")
        );
    }
}
