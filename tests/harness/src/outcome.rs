//! One run of a command: output, exit code and duration.

use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::timing::COMMAND_TIMEOUT;
use serde_json::Value;

/// The outcome of one command run.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The command line, for messages.
    pub line: String,
    /// The exit code, or `None` if a signal ended the process.
    pub code: Option<i32>,
    /// Bytes written to standard output.
    pub stdout: Vec<u8>,
    /// Text written to standard error.
    pub stderr: String,
    /// Time from start to exit.
    pub elapsed: Duration,
}

/// Returns the path of the built `deskhand`, in the folder of this program or its parent.
pub fn binary() -> PathBuf {
    let own = std::env::current_exe().expect("this program has a path");
    let folders = own.ancestors().skip(1).take(2);
    let mut candidates = folders.map(|folder| folder.join("deskhand"));
    candidates.find(|path| path.is_file()).unwrap_or_else(|| {
        panic!("no `deskhand` next to {}: run `cargo build -p deskhand-cli` first", own.display())
    })
}

impl Outcome {
    /// Runs a command until it exits. Kills it and panics if it hangs.
    pub fn of(command: &mut Command) -> Self {
        let line = command_line(command);
        let started = Instant::now();
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{line}: {error}"));
        let stdout = drain(child.stdout.take().expect("piped"));
        let stderr = drain(child.stderr.take().expect("piped"));
        let code = wait_for_exit(&mut child, started, &line);
        let elapsed = started.elapsed();
        let stdout = stdout.join().expect("the reader thread ends");
        let stderr =
            String::from_utf8_lossy(&stderr.join().expect("the reader thread ends")).into_owned();
        assert!(!stderr.contains("panicked"), "{line} panicked:\n{stderr}");
        Self { line, code, stdout, stderr, elapsed }
    }

    /// Returns the standard output as text.
    pub fn text(&self) -> String {
        String::from_utf8(self.stdout.clone()).unwrap_or_else(|_| panic!("{self}: not UTF-8"))
    }

    /// Returns the standard output as one JSON document. Panics if the command failed.
    pub fn json(&self) -> Value {
        self.expect_ok();
        serde_json::from_slice(&self.stdout).unwrap_or_else(|error| panic!("{self}: {error}"))
    }

    /// Returns the standard output as one JSON document per line.
    pub fn json_lines(&self) -> Vec<Value> {
        let parse =
            |line: &str| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"));
        self.text().lines().map(parse).collect()
    }

    /// Panics unless the command succeeded.
    pub fn expect_ok(&self) -> &Self {
        assert_eq!(self.code, Some(0), "{self}");
        self
    }

    /// Panics unless the command failed with this error code in JSON and an empty standard output.
    /// Returns the error.
    pub fn expect_error(&self, code: &str) -> Value {
        let error = self.error();
        assert_eq!(error["code"], code, "{self}");
        assert!(error["message"].as_str().is_some_and(|text| !text.is_empty()), "{self}");
        error
    }

    /// Returns the JSON error of a command that failed.
    pub fn error(&self) -> Value {
        assert_eq!(self.code, Some(1), "{self}");
        assert!(self.stdout.is_empty(), "a failed command wrote to stdout: {self}");
        let line = self.stderr.lines().last().unwrap_or_default();
        let value: Value =
            serde_json::from_str(line).unwrap_or_else(|_| panic!("not a JSON error: {self}"));
        value["error"].clone()
    }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let stdout = String::from_utf8_lossy(&self.stdout);
        let stdout: String = stdout.chars().take(2000).collect();
        let stderr: String = self.stderr.chars().take(2000).collect();
        let code = self.code.map_or_else(|| "a signal".to_owned(), |code| code.to_string());
        let Self { line, elapsed, .. } = self;
        write!(f, "`{line}` → {code} in {elapsed:.0?}\nstdout: {stdout}\nstderr: {stderr}")
    }
}

fn command_line(command: &Command) -> String {
    let program = PathBuf::from(command.get_program());
    let mut line = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for argument in command.get_args() {
        line.push(' ');
        line.extend(argument.to_string_lossy().chars().take(200));
    }
    line
}

fn drain(mut from: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut all = Vec::new();
        // Output before a broken pipe is still useful.
        let _ = from.read_to_end(&mut all);
        all
    })
}

fn wait_for_exit(child: &mut Child, started: Instant, line: &str) -> Option<i32> {
    loop {
        if let Some(status) = child.try_wait().expect("the child can be waited for") {
            return status.code();
        }
        if started.elapsed() > COMMAND_TIMEOUT {
            // The process may exit between the check and the kill.
            let _ = child.kill();
            let _ = child.wait();
            panic!("`{line}` hangs: killed after {COMMAND_TIMEOUT:?}");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}
