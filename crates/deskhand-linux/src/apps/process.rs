//! What the kernel tells about a process.

use std::{fs, time::Duration};

/// The program file a process runs.
pub(crate) fn executable(pid: u32) -> Option<String> {
    let path = fs::read_link(format!("/proc/{pid}/exe")).ok()?;
    let path = path.to_string_lossy();
    // The kernel marks a file that was replaced by an update.
    Some(path.strip_suffix(" (deleted)").unwrap_or(&path).to_owned())
}

/// The short name of a process.
pub(crate) fn name(pid: u32) -> Option<String> {
    fs::read_to_string(format!("/proc/{pid}/comm")).ok().map(|name| name.trim_end().to_owned())
}

/// When a process started, in clock ticks since the machine did.
pub(crate) fn started(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name stands in parentheses and may contain anything, so fields count from its end.
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_whitespace().nth(19)?.parse().ok()
}

/// How long a process has been running.
pub(crate) fn age(pid: u32) -> Option<Duration> {
    let up = fs::read_to_string("/proc/uptime").ok()?;
    let up: f64 = up.split_whitespace().next()?.parse().ok()?;
    let started = started(pid)? as f64 / rustix::param::clock_ticks_per_second() as f64;
    Duration::try_from_secs_f64(up - started).ok()
}

/// A variable of a process's first environment.
pub(crate) fn variable(pid: u32, name: &str) -> Option<String> {
    let all = fs::read(format!("/proc/{pid}/environ")).ok()?;
    all.split(|byte| *byte == 0)
        .filter_map(|pair| std::str::from_utf8(pair).ok())
        .find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
        .map(str::to_owned)
}

/// The command line of a process.
pub(crate) fn arguments(pid: u32) -> Vec<String> {
    let all = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    all.split(|byte| *byte == 0)
        .filter(|part| !part.is_empty())
        .map(|part| String::from_utf8_lossy(part).into_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_very_process_is_known() {
        let me = std::process::id();
        assert!(executable(me).is_some_and(|path| path.contains("deskhand")));
        assert!(started(me).is_some_and(|ticks| ticks > 0));
        assert!(age(me).is_some_and(|age| age < Duration::from_secs(3600)));
        assert!(!arguments(me).is_empty());
        assert_eq!(variable(me, "PATH"), std::env::var("PATH").ok());
    }

    #[test]
    fn a_process_that_is_not_there_is_unknown() {
        assert_eq!((executable(0), name(0), started(0)), (None, None, None));
    }
}
