//! Process data from `/proc`.

use std::{fs, time::Duration};

/// Returns the path of a process's executable.
pub(crate) fn executable(pid: u32) -> Option<String> {
    let path = fs::read_link(format!("/proc/{pid}/exe")).ok()?;
    let path = path.to_string_lossy();
    // The kernel appends this to the path of a file that was replaced, such as by an update.
    Some(path.strip_suffix(" (deleted)").unwrap_or(&path).to_owned())
}

/// Returns the short name of a process.
pub(crate) fn name(pid: u32) -> Option<String> {
    fs::read_to_string(format!("/proc/{pid}/comm")).ok().map(|name| name.trim_end().to_owned())
}

/// Returns the start time of a process, in clock ticks since boot.
pub(crate) fn started(pid: u32) -> Option<u64> {
    Stat::read(pid).map(|stat| stat.started)
}

/// Returns the processor time that a process has used.
pub(crate) fn cpu_time(pid: u32) -> Option<Duration> {
    parse_cpu_time(&fs::read(format!("/proc/{pid}/stat")).ok()?)
}

fn parse_cpu_time(line: &[u8]) -> Option<Duration> {
    let end = line.iter().rposition(|byte| *byte == b')')?;
    let mut fields = str::from_utf8(line.get(end + 1..)?).ok()?.split_ascii_whitespace();
    let user: u64 = fields.nth(11)?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    let seconds = (user + system) as f64 / rustix::param::clock_ticks_per_second() as f64;
    Some(Duration::from_secs_f64(seconds))
}

/// The fields of `/proc/PID/stat` that are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stat {
    /// `true` if the process is running. A zombie has ended, but its parent has not reaped it yet.
    pub(crate) is_running: bool,
    pub(crate) parent: u32,
    pub(crate) session: u32,
    pub(crate) started: u64,
    /// The start address of the stack.
    pub(crate) stack: u64,
}

impl Stat {
    pub(crate) fn read(pid: u32) -> Option<Self> {
        Self::parse(&fs::read(format!("/proc/{pid}/stat")).ok()?)
    }

    /// Returns the age of the process at the moment when the system has been running for `uptime`.
    pub(crate) fn age_at(&self, uptime: Duration) -> Duration {
        let started = self.started as f64 / rustix::param::clock_ticks_per_second() as f64;
        uptime.saturating_sub(Duration::from_secs_f64(started))
    }

    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        // The name is in parentheses and may contain anything, so fields count from its end.
        let end = line.iter().rposition(|byte| *byte == b')')?;
        let rest = str::from_utf8(line.get(end + 1..)?).ok()?;
        let mut fields = rest.split_ascii_whitespace();
        let state = fields.next()?;
        Some(Self {
            is_running: !matches!(state, "Z" | "X" | "x"),
            parent: fields.next()?.parse().ok()?,
            session: fields.nth(1)?.parse().ok()?,
            started: fields.nth(15)?.parse().ok()?,
            stack: fields.nth(5).and_then(|at| at.parse().ok()).unwrap_or(0),
        })
    }
}

/// Lists the ids of all processes.
pub(crate) fn list_pids() -> Vec<u32> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// Programs whose first argument without a dash is the script they run.
const SCRIPT_INTERPRETERS: [&str; 9] =
    ["python", "perl", "ruby", "node", "gjs", "gjs-console", "bash", "dash", "sh"];

/// Returns the name of a process's program: of its script for interpreters.
pub(crate) fn program_name(pid: u32) -> Option<String> {
    let executable = executable(pid)?;
    let file = file_name(&executable);
    let is_interpreter = |name: &str| {
        file.strip_prefix(name)
            .is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.'))
    };
    let script = || {
        let arguments = arguments(pid);
        let script = arguments.iter().skip(1).find(|word| !word.starts_with('-'))?;
        Some(file_name(script).to_owned())
    };
    if SCRIPT_INTERPRETERS.iter().any(|name| is_interpreter(name))
        && let Some(script) = script()
    {
        return Some(script);
    }
    // LibreOffice's program is `soffice.bin`, started by the script `soffice`.
    Some(file.strip_suffix(".bin").unwrap_or(file).to_owned())
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns the age of a process.
pub(crate) fn age(pid: u32) -> Option<Duration> {
    Some(Stat::read(pid)?.age_at(uptime()?))
}

/// Returns the time since the system was started.
pub(crate) fn uptime() -> Option<Duration> {
    let uptime = fs::read_to_string("/proc/uptime").ok()?;
    Duration::try_from_secs_f64(uptime.split_whitespace().next()?.parse().ok()?).ok()
}

/// Returns a variable of a process's initial environment.
pub(crate) fn variable(pid: u32, name: &str) -> Option<String> {
    let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
    environment
        .split(|byte| *byte == 0)
        .filter_map(|pair| std::str::from_utf8(pair).ok())
        .find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
        .map(str::to_owned)
}

/// Returns `true` if a process has loaded a library whose path contains this text.
pub(crate) fn has_library(pid: u32, part: &str) -> bool {
    fs::read(format!("/proc/{pid}/maps"))
        .is_ok_and(|maps| maps.windows(part.len()).any(|text| text == part.as_bytes()))
}

/// Returns the command line of a process.
pub(crate) fn arguments(pid: u32) -> Vec<String> {
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    line.split(|byte| *byte == 0)
        .filter(|part| !part.is_empty())
        .map(|part| String::from_utf8_lossy(part).into_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_current_process_is_found() {
        let me = std::process::id();
        assert!(executable(me).is_some_and(|path| path.contains("deskhand")));
        assert!(started(me).is_some_and(|ticks| ticks > 0));
        assert!(age(me).is_some_and(|age| age < Duration::from_secs(3600)));
        assert!(cpu_time(me).is_some_and(|used| used < Duration::from_secs(3600)));
        assert!(!arguments(me).is_empty());
        assert_eq!(variable(me, "PATH"), std::env::var("PATH").ok());
    }

    #[test]
    fn fields_are_found_after_any_name() {
        let fields = "S 7 8 9 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 4321 1 1 0 2 3 99 0";
        for name in ["(sh)", "(a) b) S 1 2)", "(("] {
            let stat = Stat::parse(format!("42 {name}) {fields}").as_bytes());
            let known = Stat { is_running: true, parent: 7, session: 9, started: 4321, stack: 99 };
            assert_eq!(stat, Some(known), "{name}");
        }
        let zombie = Stat::parse(format!("42 (sh) {}", fields.replace("S 7", "Z 7")).as_bytes());
        assert!(!zombie.unwrap().is_running);
    }

    #[test]
    fn processor_time_includes_the_kernel() {
        let ticks = rustix::param::clock_ticks_per_second();
        let line =
            format!("42 (a b) S 7 8 9 0 -1 4194560 1 0 0 0 {ticks} {ticks} 0 0 20 0 1 0 4321");
        assert_eq!(parse_cpu_time(line.as_bytes()), Some(Duration::from_secs(2)));
    }

    #[test]
    fn a_missing_process_has_no_data() {
        assert_eq!((executable(0), name(0), started(0)), (None, None, None));
    }
}
