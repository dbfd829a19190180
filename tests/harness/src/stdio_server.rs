//! A server process that is connected through its standard streams.

use std::io::Write;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::output_lines;
use crate::timing::{EXIT_POLL_INTERVAL, RESPONSE_TIMEOUT};

/// A server process, its input, and the lines of its output. Dropping it kills the process.
#[derive(Debug)]
pub struct StdioServer {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl StdioServer {
    /// Starts a command with pipes as standard input and output. Standard error stays as the command sets it.
    pub fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("the server does not start: {error}"));
        let input = child.stdin.take();
        let lines = output_lines::line_channel(child.stdout.take().unwrap());
        Self { child, input, lines }
    }

    /// Writes bytes and a newline.
    pub fn send(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the input is open");
        let written = input.write_all(bytes).and_then(|()| input.write_all(b"\n"));
        written.and_then(|()| input.flush()).expect("the server reads its input");
    }

    /// Returns the next line of output, or `None` if none arrives in time or the output has ended.
    pub fn next_line(&self, timeout: Duration) -> Option<String> {
        // `Err` means a timeout or the end of the output.
        self.lines.recv_timeout(timeout).ok()
    }

    /// Returns the lines that have arrived.
    pub fn pending_lines(&self) -> impl Iterator<Item = String> {
        self.lines.try_iter()
    }

    /// Returns the process id of the server.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Returns `true` if the server still runs.
    pub fn is_alive(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|status| status.is_none())
    }

    /// Sends a signal to the server.
    pub fn send_signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Closes the input of the server.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Waits until the server has exited. Returns `None` if it still runs after the timeout.
    pub fn wait(&mut self, timeout: Duration) -> Option<ExitStatus> {
        let end = Instant::now() + timeout;
        loop {
            let status = self.child.try_wait().expect("the child can be waited for");
            if status.is_some() || Instant::now() > end {
                return status;
            }
            std::thread::sleep(EXIT_POLL_INTERVAL);
        }
    }

    /// Closes the input and returns the remaining lines and the exit status.
    pub fn finish(mut self) -> (Vec<String>, ExitStatus) {
        self.close_input();
        let mut lines = Vec::new();
        while let Some(line) = self.next_line(RESPONSE_TIMEOUT) {
            lines.push(line);
        }
        let status = self.wait(RESPONSE_TIMEOUT);
        (lines, status.expect("the server exits when its input is closed"))
    }
}

impl Drop for StdioServer {
    fn drop(&mut self) {
        // The process may have exited.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
