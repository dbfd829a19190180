//! Large outputs at once, and what they cost in memory.

use std::{fs, time::Instant};

use harness::TestDesktop;

use super::{
    figures::Outputs,
    server::{Server, Tools},
};
use crate::error::Result;

/// How many commands print at once.
const COMMANDS: usize = 6;

/// How much each of them prints.
const BYTES: usize = 20_000_000;

/// Has commands print, and looks at the memory of the server and of its broker.
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

/// The processes a process has started, whichever of its threads did.
fn children(pid: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let all = threads.filter_map(|one| fs::read_to_string(one.path().join("children")).ok());
    let all: Vec<String> = all.collect();
    all.iter().flat_map(|line| line.split_whitespace()).filter_map(|it| it.parse().ok()).collect()
}
