//! The texts no person could see that one call met.

use std::{
    collections::BTreeSet,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use deskhand_model::Flag;

/// What one call met of them.
#[derive(Debug, Default)]
pub struct Unseen {
    left_out: AtomicUsize,
    found: Mutex<BTreeSet<Flag>>,
}

impl Unseen {
    /// Notes that so many were left out of a look; of several looks the one with most counts.
    pub fn left_out(&self, texts: usize) {
        self.left_out.fetch_max(texts, Ordering::Relaxed);
    }

    /// Notes what was found, left out or shown.
    pub fn found(&self, flag: Flag) {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).insert(flag);
    }

    /// How many were left out.
    pub fn count(&self) -> usize {
        self.left_out.load(Ordering::Relaxed)
    }

    /// What was found.
    pub fn flags(&self) -> Vec<Flag> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect()
    }
}
