//! The independent reader that says whether an app did what it was asked: `tests/peers/witness.py`.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use harness::Program;

/// How long the reader itself may take.
const RUN_TIMEOUT: Duration = Duration::from_secs(10);
/// How often it is asked.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// A reader of one thing in one app.
pub(crate) struct Observer(Program);

impl Observer {
    /// Starts it on the desktop this process is on; the words are those of the script.
    pub(crate) fn start(words: &[String]) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../peers/witness.py");
        Self(Program::start(Command::new("/usr/bin/python3").arg(script).args(words)))
    }

    /// What is to be seen now; `None` when the app gave no answer.
    pub(crate) fn read(&mut self) -> Option<String> {
        self.0.write_line("look");
        self.0.next_line(RUN_TIMEOUT).filter(|line| line != "null")
    }

    /// Whether something else than before comes to be seen in time.
    pub(crate) fn wait_for_change(&mut self, before: &str, within: Duration) -> bool {
        let end = Instant::now() + within;
        loop {
            if self.read().is_some_and(|now| now != before) {
                return true;
            }
            if Instant::now() > end {
                return false;
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }
}
