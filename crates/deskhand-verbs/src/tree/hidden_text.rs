//! The invisible text that one call comes across.

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicUsize, Ordering},
};

use deskhand_model::Flag;
use parking_lot::Mutex;

/// Counts the invisible text items of one call and collects their flags.
#[derive(Debug, Default)]
pub struct HiddenTextReport {
    omitted: AtomicUsize,
    flags: Mutex<BTreeSet<Flag>>,
}

impl HiddenTextReport {
    /// Records the number of items omitted from one tree read. The largest number counts.
    pub fn record_omitted(&self, items: usize) {
        self.omitted.fetch_max(items, Ordering::Relaxed);
    }

    /// Records suspicious content, omitted or shown.
    pub fn record_flag(&self, flag: Flag) {
        self.flags.lock().insert(flag);
    }

    /// Returns the number of omitted items.
    pub fn omitted(&self) -> usize {
        self.omitted.load(Ordering::Relaxed)
    }

    /// Returns the kinds of suspicious content found.
    pub fn flags(&self) -> Vec<Flag> {
        self.flags.lock().iter().copied().collect()
    }
}
