//! Terminates commands that resist termination and checks that no process is left. Every process
//! carries a marker in its command line or environment.

use std::{
    fs,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::escapes::{Confinement, NetworkAccess, SandboxFixture};
use crate::hostile::{Era, RawClient, Transport};
use crate::timing::EXIT_TIMEOUT;

/// A cause that ends commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Termination {
    /// The `cancel` tool.
    Cancel,
    /// The command's timeout.
    Timeout,
    /// The client disconnects: it closes the stream or deletes its session.
    ClientGone,
    /// The server receives SIGTERM.
    ServerTerminated,
    /// The server receives SIGKILL.
    ServerKilled,
}

impl Termination {
    /// Every value.
    pub const ALL: [Self; 5] =
        [Self::Cancel, Self::Timeout, Self::ClientGone, Self::ServerTerminated, Self::ServerKilled];

    /// Returns a description for tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cancel => "`cancel`",
            Self::Timeout => "timeout",
            Self::ClientGone => "client disconnect",
            Self::ServerTerminated => "SIGTERM to the server",
            Self::ServerKilled => "SIGKILL to the server",
        }
    }
}

/// Starts commands that fork, leave their session and ignore signals, ends them by one cause, and
/// returns a description of each process that is left.
pub fn leftovers_after(
    fixture: &SandboxFixture,
    transport: Transport,
    termination: Termination,
    commands: usize,
) -> Vec<String> {
    let command = fixture.server(NetworkAccess::Off, Confinement::Sandboxed);
    let mut client = RawClient::start(command, transport, Era::Handshake, &json!({}));
    let server = client.pid();
    let timeout_seconds = if termination == Termination::Timeout { 5 } else { 300 };
    let markers: Vec<String> = (0..commands).map(|_| new_marker()).collect();
    let (mut ids, mut faults) = (Vec::new(), Vec::new());
    for marker in &markers {
        let answer = call(
            &mut client,
            "sandboxed_shell",
            &json!({ "command": unkillable_script(marker), "timeout_seconds": timeout_seconds }),
        );
        ids.push(answer["operation_id"].as_str().unwrap_or_default().to_owned());
        // Each script starts two processes in separate sessions, one orphan and one that
        // ignores signals. Check before the next command starts, while none has timed out.
        if !wait_until(|| processes_with_marker(marker).len() >= 4) {
            faults.push(format!(
                "{termination:?} over {transport:?}: only {:?} started",
                processes_with_marker(marker)
            ));
        }
    }
    match termination {
        Termination::Cancel => {
            for (id, marker) in ids.iter().zip(&markers) {
                call(&mut client, "cancel", &json!({ "operation_id": id }));
                if !processes_with_marker(marker).is_empty() {
                    faults.push(format!(
                        "{:?} still run after the response to cancel",
                        processes_with_marker(marker)
                    ));
                }
            }
        }
        Termination::Timeout => {}
        Termination::ClientGone => client.disconnect(),
        Termination::ServerTerminated => signal(server, Signal::TERM),
        Termination::ServerKilled => signal(server, Signal::KILL),
    }
    for marker in &markers {
        if !wait_until(|| processes_with_marker(marker).is_empty()) {
            faults.push(format!(
                "{termination:?} over {transport:?} left {}",
                describe(&processes_with_marker(marker))
            ));
        }
    }
    faults
}

fn signal(pid: u32, signal: Signal) {
    let pid = Pid::from_raw(pid.cast_signed()).expect("a pid");
    kill_process(pid, signal).expect("the server runs");
}

fn call(client: &mut RawClient, tool: &str, arguments: &Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments }).to_string();
    let answer = client.request("tools/call", &params);
    let last = answer.lines().last().unwrap_or_default();
    let value: Value = serde_json::from_str(last).unwrap_or_else(|why| panic!("{answer}: {why}"));
    value["result"]["structuredContent"].clone()
}

fn wait_until(mut condition: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + EXIT_TIMEOUT;
    while Instant::now() < end {
        if condition() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    false
}

/// Returns a sleep duration that no other process uses. It identifies the processes of one command.
fn new_marker() -> String {
    format!("7{:03}.{:09}", fastrand::u32(0..1000), fastrand::u32(0..1_000_000_000))
}

/// Returns a script that forks into new sessions twice and ignores every signal that can be
/// ignored.
fn unkillable_script(marker: &str) -> String {
    format!(
        "trap '' TERM INT HUP QUIT\nexport MARK={marker}\n\
         (setsid sh -c 'trap \"\" TERM HUP INT; (setsid sleep {marker} &); sleep {marker}' &)\n\
         nohup sleep {marker} >/dev/null 2>&1 &\n\
         perl -e '$SIG{{TERM}} = $SIG{{HUP}} = \"IGNORE\"; sleep 600' {marker} &\nsleep {marker}\nwait\n"
    )
}

/// Returns the processes with a marker in their command line or environment.
fn processes_with_marker(marker: &str) -> Vec<u32> {
    let has_marker = |pid: u32| {
        let read = |name: &str| fs::read(format!("/proc/{pid}/{name}")).unwrap_or_default();
        let has = |bytes: Vec<u8>| memchr::memmem::find(&bytes, marker.as_bytes()).is_some();
        has(read("cmdline")) || has(read("environ"))
    };
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid| has_marker(*pid)).collect()
}

fn describe(pids: &[u32]) -> String {
    let line = |pid: &u32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        format!("{pid} {}", String::from_utf8_lossy(&line).replace('\0', " "))
    };
    pids.iter().map(line).collect::<Vec<_>>().join(", ")
}
