//! Prints the progress of the demo, with the time since its start.

use std::time::Instant;

pub(super) struct ProgressLog {
    start: Instant,
}

impl ProgressLog {
    pub(super) fn start() -> Self {
        Self { start: Instant::now() }
    }

    pub(super) fn print(&self, line: &str) {
        println!("{:6.2} s  {line}", self.start.elapsed().as_secs_f32());
    }
}
