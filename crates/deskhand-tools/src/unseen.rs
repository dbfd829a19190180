//! How many texts that no person could see one call met and left out.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The count of one call.
#[derive(Debug, Default)]
pub struct Unseen {
    left_out: AtomicUsize,
    shown: AtomicUsize,
}

impl Unseen {
    /// Notes that so many were left out of a look; of several looks the one with most counts.
    pub(crate) fn left_out(&self, texts: usize) {
        self.left_out.fetch_max(texts, Ordering::Relaxed);
    }

    /// Notes that so many are in the answer because the caller asked for them.
    pub(crate) fn shown(&self, texts: usize) {
        self.shown.fetch_max(texts, Ordering::Relaxed);
    }

    /// How many were left out.
    pub fn count(&self) -> usize {
        self.left_out.load(Ordering::Relaxed)
    }

    /// Whether there were any at all, left out or shown.
    pub fn any(&self) -> bool {
        self.count() > 0 || self.shown.load(Ordering::Relaxed) > 0
    }
}
