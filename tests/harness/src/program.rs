//! A running program: its pipes, its process group and its termination.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::output_lines;

/// A running program. Dropping it kills its process group.
#[derive(Debug)]
pub struct Program {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    /// The process on the accessibility bus. Launchers start it as a child.
    app: Option<u32>,
}

impl Program {
    /// Starts a command in a new process group and reads its standard output line by line.
    pub fn start(command: &mut Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
        let mut child = command.spawn().unwrap_or_else(|error| {
            panic!("{} cannot be started: {error}", command.get_program().to_string_lossy())
        });
        let stdin = child.stdin.take();
        let lines = output_lines::line_channel(child.stdout.take().expect("piped"));
        Self { child, stdin, lines, app: None }
    }

    /// Returns the process id of the app.
    pub fn pid(&self) -> u32 {
        self.app.unwrap_or_else(|| self.child.id())
    }

    /// Returns the process id as text, for arguments.
    pub fn pid_text(&self) -> String {
        self.pid().to_string()
    }

    pub(crate) fn set_app_pid(&mut self, app: u32) {
        self.app = Some(app);
    }

    /// Returns `true` if the process still runs.
    pub fn is_alive(&mut self) -> bool {
        self.child.try_wait().expect("the child can be waited for").is_none()
    }

    /// Writes one line to the standard input.
    pub fn write_line(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("standard input is open");
        writeln!(stdin, "{line}")
            .and_then(|()| stdin.flush())
            .expect("the program reads its standard input");
    }

    /// Returns the next line of standard output, or `None` if no line arrives in time.
    pub fn next_line(&self, within: Duration) -> Option<String> {
        // `Err` means a timeout or the end of the output.
        self.lines.recv_timeout(within).ok()
    }

    /// Waits for a line of standard output. Panics after 30 s.
    pub fn wait_for(&self, wanted: &str) {
        let end = Instant::now() + Duration::from_secs(30);
        let mut received = Vec::new();
        while let Some(line) = self.next_line(end.saturating_duration_since(Instant::now())) {
            if line == wanted {
                return;
            }
            received.push(line);
        }
        panic!("the line {wanted:?} did not arrive; received: {received:?}");
    }

    /// Sends a signal to the app's process.
    pub fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(self.pid().cast_signed()).expect("a process id is not 0");
        kill_process(pid, signal).expect("the app runs");
    }

    /// Returns the resident memory in megabytes.
    pub fn resident_mb(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid()));
        let status = status.expect("the app runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kb: u64 = line.and_then(|l| l.split_whitespace().next()?.parse().ok()).unwrap_or(0);
        kb / 1024
    }

    /// Kills the process group.
    pub fn end(&mut self) {
        let group = Pid::from_raw(self.child.id().cast_signed());
        if let Some(group) = group.filter(|_| self.is_alive()) {
            // The process may exit between the check and the kill, and members of its group may
            // have exited.
            let _ = kill_process_group(group, Signal::KILL);
        }
        // A launcher's child may have left the group. Shutting down the desktop ends it.
        let _ = self.child.wait();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.end();
    }
}
