//! The independent reader that checks whether an app changed: `tests/peers/witness.py`.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::timing::{OBSERVER_INTERVAL, OBSERVER_TIMEOUT};
use harness::Program;

/// A reader of one property of one app.
pub(crate) struct Observer(Program);

impl Observer {
    /// Starts the script on the desktop of this process.
    pub(crate) fn start(arguments: &[String]) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../peers/witness.py");
        Self(Program::start(Command::new("/usr/bin/python3").arg(script).args(arguments)))
    }

    /// Returns the current value, or `None` if the app did not answer.
    pub(crate) fn read(&mut self) -> Option<String> {
        self.0.write_line("look");
        self.0.next_line(OBSERVER_TIMEOUT).filter(|line| line != "null")
    }

    /// Waits until the value differs from `before`. Returns `false` after the timeout.
    pub(crate) fn wait_for_change(&mut self, before: &str, within: Duration) -> bool {
        let end = Instant::now() + within;
        loop {
            if self.read().is_some_and(|now| now != before) {
                return true;
            }
            if Instant::now() > end {
                return false;
            }
            std::thread::sleep(OBSERVER_INTERVAL);
        }
    }
}
