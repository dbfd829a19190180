//! Faults in the middle of an action: every one ends in a clear answer within its deadline, which
//! says whether anything was sent, and never in a false `confirmed`.
#![allow(clippy::unwrap_used, reason = "tests")]

mod apps;
mod displays;
mod lock;

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use harness::actions::answer::Answer;
use harness::{App, Outcome, Program, Stage, outcome};

const FAULTS: App = App::Fixture("gtk3_faults.py", &[]);

/// How long the commands here may wait, and as a word for them.
const PATIENCE: Duration = Duration::from_secs(4);
const WORD: &str = "4";
/// What starting, sending, looking again and a busy machine may take on top.
const GRACE: Duration = Duration::from_secs(6);

/// Calls `deskhand` in JSON with the patience of these tests.
fn call(stage: &Stage, words: &[&str]) -> Outcome {
    let mut line = words.to_vec();
    line.extend(["--format", "json", "--timeout", WORD]);
    in_time(stage.deskhand(&line))
}

fn in_time(outcome: Outcome) -> Outcome {
    assert!(outcome.elapsed < PATIENCE + GRACE, "too late: {outcome}");
    outcome
}

/// A ref of the one element a query means.
fn look(stage: &Stage, program: &Program, query: &str) -> String {
    let outcome = call(stage, &["find", query, "--app", &program.pid_text()]);
    outcome.json()["element_ref"].as_str().unwrap().to_owned()
}

/// Fails unless the answer is an error that says what was sent; its code.
fn failed(outcome: &Outcome, deliveries: &[&str]) -> String {
    match Answer::of(outcome) {
        Answer::Failed { code, delivery, message } => {
            assert!(deliveries.contains(&delivery.as_str()), "{delivery}: {outcome}");
            assert!(!message.is_empty(), "{outcome}");
            code
        }
        Answer::Effect { .. } | Answer::Garbled(_) => panic!("no error: {outcome}"),
    }
}

/// A command that runs while something happens to the world.
struct Running {
    child: Child,
    line: String,
    begun: Instant,
}

impl Running {
    fn start(stage: &Stage, words: &[&str]) -> Self {
        let mut command: Command = stage.command(outcome::binary());
        command.args(words).args(["--format", "json", "--timeout", WORD]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        Self { child, line: words.join(" "), begun: Instant::now() }
    }

    /// Waits for its end, for no longer than it may take.
    fn end(mut self, longest: Duration) -> Outcome {
        while self.child.try_wait().unwrap().is_none() {
            if self.begun.elapsed() > longest {
                self.child.kill().unwrap();
                panic!("`{}` hangs", self.line);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let elapsed = self.begun.elapsed();
        let output = self.child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!stderr.contains("panicked"), "{stderr}");
        let (line, code, stdout) = (self.line, output.status.code(), output.stdout);
        Outcome { line, code, stdout, stderr, elapsed }
    }
}
