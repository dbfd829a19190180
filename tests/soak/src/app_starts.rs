//! `soak app-starts`: a server keeps nothing of apps that have quit.

use std::fs;
use std::io;
use std::time::Instant;

use harness::mcp::{Elicitation, McpClient};
use harness::{App, Program, TestDesktop};
use serde_json::json;

use crate::summary::Summary;
use crate::timing::{APP_READ_INTERVAL, APP_READ_TIMEOUT};

/// The number of starts between two samples.
const SAMPLE_INTERVAL: usize = 50;
/// The number of starts after which the server must not grow. Caches and the allocator fill until
/// then.
const WARM_UP: usize = 100;
/// The number of descriptors by which samples may differ: connections to the app that is just
/// ending, and sockets of calls that are just made.
const MAX_DESCRIPTOR_GROWTH: usize = 8;
/// The memory by which samples may differ, in KiB: less than 10 KiB per start over 1000 starts.
const MAX_MEMORY_GROWTH_KIB: usize = 8 * 1024;

/// The resources that a process uses.
#[derive(Debug, Clone, Copy)]
struct Sample {
    starts: usize,
    descriptors: usize,
    memory_kib: usize,
}

impl Sample {
    fn take(pid: u32, starts: usize) -> io::Result<Self> {
        let descriptors = fs::read_dir(format!("/proc/{pid}/fd"))?.count();
        let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
        let memory = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let memory = memory.and_then(|text| text.split_whitespace().next()?.parse().ok());
        let missing = || io::Error::other("its status has no VmRSS");
        Ok(Self { starts, descriptors, memory_kib: memory.ok_or_else(missing)? })
    }
}

/// Starts and quits an app that one server reads and clicks each time.
pub(crate) fn run(starts: usize, seed: u64) -> Summary {
    let mut summary = Summary::new(
        "app-starts",
        format!("cargo xtask soak app-starts --starts {starts} --seed {seed}"),
        "One server reads and clicks an app that starts and quits again and again. After the first \
         100 starts, the open file descriptors and the memory of the server must not grow.",
    );
    let progress = crate::progress(starts);
    let desktop = TestDesktop::new();
    let mut client = McpClient::start(&desktop, Elicitation::Unsupported);
    let mut samples = Vec::new();
    let mut clicks = 0;
    for number in 1..=starts {
        let mut program = desktop.launch(App::Mousepad);
        match wait_for_tree(&mut client, &program) {
            Ok(()) => {
                let arguments = json!({ "app": program.pid_text(), "query": "Save" });
                let clicked = client.call("ax_click", arguments);
                clicks += usize::from(clicked.data["effect"] == "confirmed");
            }
            Err(why) => summary.failures.push(format!("start {number}: {why}")),
        }
        program.end();
        if number % SAMPLE_INTERVAL == 0 {
            match Sample::take(client.pid(), number) {
                Ok(sample) => samples.push(sample),
                Err(error) => summary.failures.push(format!("sample at {number}: {error}")),
            }
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    for sample in &samples {
        let Sample { starts, descriptors, memory_kib } = sample;
        let figures = format!("{descriptors} descriptors, {memory_kib} KiB");
        summary.fact(format!("after {starts} starts"), figures);
    }
    summary.fact("starts", starts);
    summary.fact("clicks with a confirmed effect", clicks);
    if clicks == 0 {
        summary.failures.push("no click had an effect".to_owned());
    }
    summary.failures.extend(growth(&samples));
    summary
}

/// Waits until the server can read the app.
fn wait_for_tree(client: &mut McpClient, program: &Program) -> Result<(), String> {
    let end = Instant::now() + APP_READ_TIMEOUT;
    loop {
        let read = client.call("ax_get_tree", json!({ "app": program.pid_text() }));
        if !read.failed {
            return Ok(());
        }
        if Instant::now() > end {
            return Err(read.text);
        }
        std::thread::sleep(APP_READ_INTERVAL);
    }
}

/// Returns the samples after the warm-up that exceed its last one.
fn growth(samples: &[Sample]) -> Vec<String> {
    let mut later = samples.iter().filter(|sample| sample.starts >= WARM_UP);
    let Some(first) = later.next() else {
        return vec![format!("{WARM_UP} starts are required before growth can be judged")];
    };
    let mut failures = Vec::new();
    for sample in later {
        let starts = sample.starts;
        let descriptors = sample.descriptors.saturating_sub(first.descriptors);
        if descriptors > MAX_DESCRIPTOR_GROWTH {
            failures.push(format!("after {starts} starts: {descriptors} more descriptors"));
        }
        let memory_kib = sample.memory_kib.saturating_sub(first.memory_kib);
        if memory_kib > MAX_MEMORY_GROWTH_KIB {
            failures.push(format!("after {starts} starts: {memory_kib} KiB more memory"));
        }
    }
    failures
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(starts: usize, descriptors: usize, memory_kib: usize) -> Sample {
        Sample { starts, descriptors, memory_kib }
    }

    #[test]
    fn growth_after_the_warm_up_is_a_failure() {
        let flat = [sample(50, 9, 10), sample(100, 30, 60_000), sample(150, 31, 61_000)];
        assert!(growth(&flat).is_empty());
        let leak = [sample(100, 30, 60_000), sample(150, 80, 90_000)];
        assert_eq!(growth(&leak).len(), 2);
        assert_eq!(growth(&[sample(50, 9, 10)]).len(), 1, "too few starts");
    }
}
