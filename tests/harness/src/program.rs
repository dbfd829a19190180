//! A program on a stage: its pipes, its processes, and its certain end.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

/// A running program, ended with its whole process group when dropped.
#[derive(Debug)]
pub struct Program {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    /// The process that is on the accessibility bus, which launchers start as a child.
    app: Option<u32>,
}

impl Program {
    /// Starts a command in a process group of its own; its standard output is read line by line.
    pub fn start(command: &mut Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
        let mut child = command.spawn().unwrap_or_else(|error| {
            panic!("{} cannot be started: {error}", command.get_program().to_string_lossy())
        });
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("piped");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Self { child, stdin, lines, app: None }
    }

    /// The process of the app itself.
    pub fn pid(&self) -> u32 {
        self.app.unwrap_or_else(|| self.child.id())
    }

    /// The same, as an argument.
    pub fn pid_text(&self) -> String {
        self.pid().to_string()
    }

    pub(crate) fn set_app_pid(&mut self, app: u32) {
        self.app = Some(app);
    }

    /// Whether it still runs.
    pub fn is_alive(&mut self) -> bool {
        self.child.try_wait().expect("a child can be waited for").is_none()
    }

    /// Writes one line to its standard input.
    pub fn write_line(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("its standard input is open");
        writeln!(stdin, "{line}")
            .and_then(|()| stdin.flush())
            .expect("it reads its standard input");
    }

    /// The next line of its standard output, if one comes in time.
    pub fn next_line(&self, within: Duration) -> Option<String> {
        // Late, or the end of its output.
        self.lines.recv_timeout(within).ok()
    }

    /// Waits for a line of its standard output; fails when it does not come within 30 s.
    pub fn wait_for(&self, wanted: &str) {
        let end = Instant::now() + Duration::from_secs(30);
        let mut received = Vec::new();
        while let Some(line) = self.next_line(end.saturating_duration_since(Instant::now())) {
            if line == wanted {
                return;
            }
            received.push(line);
        }
        panic!("the line {wanted:?} did not come; seen: {received:?}");
    }

    /// Sends a signal to the process of the app.
    pub fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(self.pid().cast_signed()).expect("a pid is not 0");
        kill_process(pid, signal).expect("the app runs");
    }

    /// How much memory it holds, in megabytes.
    pub fn resident_mb(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid()));
        let status = status.expect("the app runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kb: u64 = line.and_then(|l| l.split_whitespace().next()?.parse().ok()).unwrap_or(0);
        kb / 1024
    }

    /// Ends it now.
    pub fn end(&mut self) {
        let group = Pid::from_raw(self.child.id().cast_signed());
        if let Some(group) = group.filter(|_| self.is_alive()) {
            // It may end in this very moment, and some of its group may have ended before.
            let _ = kill_process_group(group, Signal::KILL);
        }
        // A launcher's child may have left the group; the desktop's own end takes what is left.
        let _ = self.child.wait();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.end();
    }
}
