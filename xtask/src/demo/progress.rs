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

    /// Prints at most this many lines of a text, and the number of omitted lines.
    pub(super) fn quote(&self, text: &str, at_most: usize) {
        for line in text.lines().take(at_most) {
            println!("          │ {line}");
        }
        let more = text.lines().count().saturating_sub(at_most);
        if more > 0 {
            println!("          │ … {more} more lines");
        }
    }
}
