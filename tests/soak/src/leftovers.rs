//! Finds leftover processes and files without Deskhand's own code.

use std::collections::BTreeSet;
use std::fs;

/// Returns the processes that were started with this environment variable.
pub(crate) fn carrying(variable: &str, value: &str) -> Vec<u32> {
    let wanted = format!("{variable}={value}").into_bytes();
    let carries = |pid: &u32| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|one| one == wanted)
    };
    pids().filter(carries).collect()
}

/// Returns the lock files of X servers that no longer run.
pub(crate) fn stale_x_locks() -> BTreeSet<String> {
    let entries = fs::read_dir("/tmp").into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let locks = names.filter(|name| name.starts_with(".X") && name.ends_with("-lock"));
    locks.filter(|name| is_stale(name)).collect()
}

fn is_stale(lock: &str) -> bool {
    let Ok(text) = fs::read_to_string(format!("/tmp/{lock}")) else { return false };
    let pid: Option<u32> = text.trim().parse().ok();
    pid.is_some_and(|pid| !fs::exists(format!("/proc/{pid}")).unwrap_or(true))
}

fn pids() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}
