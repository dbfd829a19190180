//! The demo's voice: short lines, each with the time since the start.

use std::time::Instant;

pub(super) struct Story {
    start: Instant,
}

impl Story {
    pub(super) fn begin() -> Self {
        Self { start: Instant::now() }
    }

    pub(super) fn tell(&self, line: &str) {
        println!("{:6.2} s  {line}", self.start.elapsed().as_secs_f32());
    }

    /// A quotation: at most this many lines, and how many were left out.
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
