//! The texts no person could see that one call met.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What one call met of them.
#[derive(Debug, Default)]
pub struct Unseen {
    left_out: AtomicUsize,
    doubted: AtomicBool,
}

impl Unseen {
    /// Notes that so many were left out of a look; of several looks the one with most counts.
    pub(crate) fn left_out(&self, texts: usize) {
        self.left_out.fetch_max(texts, Ordering::Relaxed);
    }

    /// Notes that one of them, left out or shown, was long enough to tell a reader what to do.
    pub(crate) fn doubt(&self) {
        self.doubted.store(true, Ordering::Relaxed);
    }

    /// How many were left out.
    pub fn count(&self) -> usize {
        self.left_out.load(Ordering::Relaxed)
    }

    /// Whether one was long enough to tell a reader what to do.
    pub fn doubted(&self) -> bool {
        self.doubted.load(Ordering::Relaxed)
    }
}
