//! The memory budget for events stored by all sessions.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// Maximum number of bytes stored by all sessions.
const MOST: usize = 256 * 1024 * 1024;

/// Number of bytes a session may always store, so that other sessions are not blocked.
const SHARE: usize = 64 * 1024;

/// The number of bytes stored by all sessions.
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
    /// Creates a budget of `most` bytes.
    pub(super) fn of(most: usize) -> Self {
        Self { kept: Arc::default(), most }
    }

    /// Adds stored bytes.
    pub(super) fn take(&self, bytes: usize) {
        self.kept.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Subtracts bytes that are no longer stored.
    pub(super) fn give_back(&self, bytes: usize) {
        self.kept.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Returns `true` if all sessions together store too much.
    pub(super) fn is_spent(&self) -> bool {
        self.kept.load(Ordering::Relaxed) > self.most
    }

    /// Returns `true` if a session that stores `kept` bytes may store more.
    pub(super) fn allows(&self, kept: usize) -> bool {
        kept <= SHARE || !self.is_spent()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exceeded_budget_leaves_room_for_small_sessions() {
        let budget = Budget::of(8 * SHARE);
        budget.take(8 * SHARE);
        assert!(budget.allows(8 * SHARE));
        budget.take(1);
        assert!(budget.is_spent() && budget.allows(SHARE) && !budget.allows(SHARE + 1));
        budget.give_back(1);
        assert!(!budget.is_spent());
    }
}
