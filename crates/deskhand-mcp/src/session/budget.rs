//! The memory budget for events stored by all sessions.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// Maximum number of bytes stored by all sessions.
const MAX_BYTES: usize = 32 * 1024 * 1024;

/// Maximum number of bytes in the resumption log of a session, unless a setting says otherwise.
pub(crate) const DEFAULT_LOG_BYTES: usize = 4 * 1024 * 1024;

/// Number of bytes a session may always store, so that other sessions are not blocked.
const SESSION_SHARE: usize = 64 * 1024;

/// The number of bytes stored by all sessions.
#[derive(Debug, Clone)]
pub(crate) struct MemoryBudget {
    stored: Arc<AtomicUsize>,
    max_bytes: usize,
    log_bytes: usize,
}

impl Default for MemoryBudget {
    fn default() -> Self {
        Self::new(MAX_BYTES)
    }
}

impl MemoryBudget {
    /// Creates a budget of `max_bytes` bytes.
    pub(super) fn new(max_bytes: usize) -> Self {
        Self { stored: Arc::default(), max_bytes, log_bytes: DEFAULT_LOG_BYTES }
    }

    /// Sets the maximum number of bytes in the resumption log of one session.
    pub(super) fn with_log_bytes(self, log_bytes: usize) -> Self {
        Self { log_bytes, ..self }
    }

    /// Returns the number of bytes that a session may keep in its resumption log now.
    pub(super) fn log_limit(&self) -> usize {
        if self.is_exceeded() { self.log_bytes.min(SESSION_SHARE) } else { self.log_bytes }
    }

    /// Adds stored bytes.
    pub(super) fn add(&self, bytes: usize) {
        self.stored.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Subtracts bytes that are no longer stored.
    pub(super) fn release(&self, bytes: usize) {
        self.stored.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Returns `true` if all sessions together store too much.
    pub(super) fn is_exceeded(&self) -> bool {
        self.stored.load(Ordering::Relaxed) > self.max_bytes
    }

    /// Returns `true` if a session with this number of undelivered bytes may store more.
    pub(super) fn allows(&self, undelivered: usize) -> bool {
        undelivered <= SESSION_SHARE || !self.is_exceeded()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exceeded_budget_leaves_room_for_small_sessions() {
        let budget = MemoryBudget::new(8 * SESSION_SHARE);
        budget.add(8 * SESSION_SHARE);
        assert!(budget.allows(8 * SESSION_SHARE));
        budget.add(1);
        assert!(
            budget.is_exceeded()
                && budget.allows(SESSION_SHARE)
                && !budget.allows(SESSION_SHARE + 1)
        );
        budget.release(1);
        assert!(!budget.is_exceeded());
    }
}
