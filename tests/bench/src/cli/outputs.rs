//! Measures the memory cost of large outputs.

use std::{fs, time::Instant};

use harness::TestDesktop;

use super::{
    figures::Outputs,
    server::{Server, Tools},
};
use crate::error::Result;

/// The number of commands that print at the same time.
const COMMANDS: usize = 6;

/// The number of bytes that each command prints.
const BYTES: usize = 20_000_000;

/// Runs the commands and reads the memory of the server and its broker process.
pub(super) fn measure(desktop: &TestDesktop) -> Result<Option<Outputs>> {
    let mut server = Server::start(desktop, Tools::Cli)?;
    let command = format!("yes 0123456789012345678901234567890123456789 | head -c {BYTES}");
    let started = Instant::now();
    server.run_many(&command, COMMANDS, COMMANDS)?;
    let seconds = started.elapsed().as_secs_f64();
    let pid = server.pid();
    Ok(Some(Outputs {
        commands: COMMANDS,
        bytes: BYTES,
        seconds,
        server_kb: memory(pid, "VmHWM:"),
        broker_kb: children(pid).into_iter().map(|child| memory(child, "VmHWM:")).sum(),
        after_kb: memory(pid, "VmRSS:"),
    }))
}

fn memory(pid: u32, key: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(key));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// Returns the child processes of all threads of a process.
fn children(pid: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let all = threads.filter_map(|one| fs::read_to_string(one.path().join("children")).ok());
    let all: Vec<String> = all.collect();
    all.iter().flat_map(|line| line.split_whitespace()).filter_map(|it| it.parse().ok()).collect()
}
