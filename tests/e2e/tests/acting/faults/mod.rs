//! Faults during an action. Each call returns before its deadline with an error that states the
//! delivery, and never with a false `confirmed`.
#![allow(clippy::unwrap_used, reason = "tests")]

mod apps;
mod displays;
mod lock;

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use harness::actions::answer::Answer;
use harness::{App, Outcome, Program, TestDesktop, outcome};

const FAULTS: App = App::Fixture("gtk3_faults.py", &[]);

/// Timeout of the commands in these tests, as a duration and as an argument.
const TIMEOUT: Duration = Duration::from_secs(4);
const TIMEOUT_ARG: &str = "4";
/// Extra time for process start, sending, verification and a busy machine.
const GRACE: Duration = Duration::from_secs(6);

/// Calls `deskhand` with JSON output and the timeout of these tests.
fn call(stage: &TestDesktop, args: &[&str]) -> Outcome {
    let mut line = args.to_vec();
    line.extend(["--format", "json", "--timeout", TIMEOUT_ARG]);
    assert_in_time(stage.deskhand(&line))
}

fn assert_in_time(outcome: Outcome) -> Outcome {
    assert!(outcome.elapsed < TIMEOUT + GRACE, "too late: {outcome}");
    outcome
}

/// Returns the ref of the one element that matches a query.
fn find_ref(stage: &TestDesktop, program: &Program, query: &str) -> String {
    let outcome = call(stage, &["find", query, "--app", &program.pid_text()]);
    outcome.json()["element_ref"].as_str().unwrap().to_owned()
}

/// Fails unless the outcome is an error with one of these deliveries. Returns the error code.
fn expect_failure(outcome: &Outcome, deliveries: &[&str]) -> String {
    match Answer::from_outcome(outcome) {
        Answer::Failed { code, delivery, message } => {
            assert!(deliveries.contains(&delivery.as_str()), "{delivery}: {outcome}");
            assert!(!message.is_empty(), "{outcome}");
            code
        }
        Answer::Effect { .. } | Answer::Unparsable(_) => panic!("expected an error: {outcome}"),
    }
}

/// A `deskhand` command that runs in the background during a test.
struct Running {
    child: Child,
    line: String,
    started: Instant,
}

impl Running {
    fn start(stage: &TestDesktop, args: &[&str]) -> Self {
        let mut command: Command = stage.command(outcome::binary());
        command.args(args).args(["--format", "json", "--timeout", TIMEOUT_ARG]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        Self { child, line: args.join(" "), started: Instant::now() }
    }

    /// Waits until the command ends. Kills it and panics after `limit`.
    fn end(mut self, limit: Duration) -> Outcome {
        while self.child.try_wait().unwrap().is_none() {
            if self.started.elapsed() > limit {
                self.child.kill().unwrap();
                panic!("`{}` did not end in time", self.line);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let elapsed = self.started.elapsed();
        let output = self.child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!stderr.contains("panicked"), "{stderr}");
        let (line, code, stdout) = (self.line, output.status.code(), output.stdout);
        Outcome { line, code, stdout, stderr, elapsed }
    }
}
