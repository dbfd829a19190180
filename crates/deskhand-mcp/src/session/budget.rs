//! How much all sessions together keep for clients that have not read it.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// How many bytes all keep together.
const MOST: usize = 256 * 1024 * 1024;

/// How many bytes a session may keep when that is used up: others must be able to go on.
const SHARE: usize = 64 * 1024;

/// The bytes all sessions keep.
#[derive(Debug, Clone)]
pub(crate) struct Budget {
    kept: Arc<AtomicUsize>,
    most: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self::of(MOST)
    }
}

impl Budget {
    /// So many bytes for all together.
    pub(super) fn of(most: usize) -> Self {
        Self { kept: Arc::default(), most }
    }

    /// So many bytes are kept from now on.
    pub(super) fn take(&self, bytes: usize) {
        self.kept.fetch_add(bytes, Ordering::Relaxed);
    }

    /// So many bytes are kept no more.
    pub(super) fn give_back(&self, bytes: usize) {
        self.kept.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Whether all together keep too much.
    pub(super) fn is_spent(&self) -> bool {
        self.kept.load(Ordering::Relaxed) > self.most
    }

    /// Whether a session that keeps so many bytes may keep more.
    pub(super) fn allows(&self, kept: usize) -> bool {
        kept <= SHARE || !self.is_spent()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_it_is_spent_only_those_with_little_go_on() {
        let budget = Budget::of(8 * SHARE);
        budget.take(8 * SHARE);
        assert!(budget.allows(8 * SHARE));
        budget.take(1);
        assert!(budget.is_spent() && budget.allows(SHARE) && !budget.allows(SHARE + 1));
        budget.give_back(1);
        assert!(!budget.is_spent());
    }
}
