//! Commands that will not end, and how they are ended: afterwards no process may carry their mark.

use std::{
    fs,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::escapes::{Hold, Net, Place};
use crate::hostile::{Caller, Door, Era};

/// How long what is killed may take to leave the table of processes.
const PATIENCE: Duration = Duration::from_secs(10);

/// What ends commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The tool for it.
    Cancel,
    /// Their time is over.
    Timeout,
    /// The client goes: it closes the stream, or deletes its session.
    Gone,
    /// The server is asked to end.
    Terminated,
    /// The server is killed.
    Killed,
}

impl Ending {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Cancel, Self::Timeout, Self::Gone, Self::Terminated, Self::Killed];

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cancel => "`cancel`",
            Self::Timeout => "their time",
            Self::Gone => "the client that goes",
            Self::Terminated => "SIGTERM to the server",
            Self::Killed => "SIGKILL to the server",
        }
    }
}

/// Starts so many commands that fork, leave their session and heed no signal, ends them one way, and
/// says which processes are left.
pub fn end(place: &Place, door: Door, ending: Ending, commands: usize) -> Vec<String> {
    let command = place.server(Net::Off, Hold::Sandbox);
    let mut caller = Caller::start(command, door, Era::Handshake, &json!({}));
    let server = caller.pid();
    let time = if ending == Ending::Timeout { 5 } else { 300 };
    let marks: Vec<String> = (0..commands).map(|_| mark()).collect();
    let (mut ids, mut faults) = (Vec::new(), Vec::new());
    for mark in &marks {
        let answer = call(
            &mut caller,
            "sandboxed_shell",
            &json!({ "command": stubborn(mark), "timeout_seconds": time }),
        );
        ids.push(answer["operation_id"].as_str().unwrap_or_default().to_owned());
        // Two in sessions of their own, one whose parent has ended, one that ignores signals; they are
        // looked for before the next begins, while none of them has run out of time.
        if !comes(|| marked(mark).len() >= 4) {
            faults.push(format!("{ending:?} over {door:?}: only {:?} came", marked(mark)));
        }
    }
    match ending {
        Ending::Cancel => {
            for (id, mark) in ids.iter().zip(&marks) {
                call(&mut caller, "cancel", &json!({ "operation_id": id }));
                if !marked(mark).is_empty() {
                    faults.push(format!("{:?} are there after the answer to cancel", marked(mark)));
                }
            }
        }
        Ending::Timeout => {}
        Ending::Gone => caller.hang_up(),
        Ending::Terminated => signal(server, Signal::TERM),
        Ending::Killed => signal(server, Signal::KILL),
    }
    for mark in &marks {
        if !comes(|| marked(mark).is_empty()) {
            faults.push(format!("{ending:?} over {door:?} left {}", told(&marked(mark))));
        }
    }
    faults
}

fn signal(pid: u32, signal: Signal) {
    let pid = Pid::from_raw(pid.cast_signed()).expect("a pid");
    kill_process(pid, signal).expect("the server runs");
}

fn call(caller: &mut Caller, tool: &str, arguments: &Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments }).to_string();
    let answer = caller.ask("tools/call", &params);
    let last = answer.lines().last().unwrap_or_default();
    let value: Value = serde_json::from_str(last).unwrap_or_else(|why| panic!("{answer}: {why}"));
    value["result"]["structuredContent"].clone()
}

fn comes(mut is_so: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + PATIENCE;
    while Instant::now() < end {
        if is_so() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    false
}

/// A number of seconds nobody else sleeps for: processes are found by it.
fn mark() -> String {
    format!("7{:03}.{:09}", fastrand::u32(0..1000), fastrand::u32(0..1_000_000_000))
}

/// A script that forks away twice, into sessions of their own, and heeds no signal that can be ignored.
fn stubborn(mark: &str) -> String {
    format!(
        "trap '' TERM INT HUP QUIT\nexport MARK={mark}\n\
         (setsid sh -c 'trap \"\" TERM HUP INT; (setsid sleep {mark} &); sleep {mark}' &)\n\
         nohup sleep {mark} >/dev/null 2>&1 &\n\
         perl -e '$SIG{{TERM}} = $SIG{{HUP}} = \"IGNORE\"; sleep 600' {mark} &\nsleep {mark}\nwait\n"
    )
}

/// The processes that carry a mark, by their command lines or variables.
fn marked(mark: &str) -> Vec<u32> {
    let carries = |pid: u32| {
        let read = |name: &str| fs::read(format!("/proc/{pid}/{name}")).unwrap_or_default();
        let has = |bytes: Vec<u8>| memchr::memmem::find(&bytes, mark.as_bytes()).is_some();
        has(read("cmdline")) || has(read("environ"))
    };
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid| carries(*pid)).collect()
}

fn told(pids: &[u32]) -> String {
    let line = |pid: &u32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        format!("{pid} {}", String::from_utf8_lossy(&line).replace('\0', " "))
    };
    pids.iter().map(line).collect::<Vec<_>>().join(", ")
}
