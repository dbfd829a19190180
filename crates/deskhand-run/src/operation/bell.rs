//! Rings when an operation of a session ends, for whoever waits for several.

use std::{
    sync::{Condvar, Mutex, PoisonError},
    time::{Duration, Instant},
};

/// How often a waiter looks whether it should still wait.
pub(crate) const LOOK: Duration = Duration::from_millis(25);

/// Counts the ends of operations.
#[derive(Debug, Default)]
pub(crate) struct Bell {
    rung: Mutex<u64>,
    changed: Condvar,
}

impl Bell {
    /// How often it has rung; taken before looking, so that no ring is missed.
    pub(crate) fn count(&self) -> u64 {
        *self.rung.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Rings.
    pub(crate) fn ring(&self) {
        *self.rung.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.changed.notify_all();
    }

    /// Waits for a ring after the count, until the time is over or `stop` says so.
    pub(crate) fn wait(&self, since: u64, until: Instant, stop: &dyn Fn() -> bool) -> Heard {
        let mut rung = self.rung.lock().unwrap_or_else(PoisonError::into_inner);
        while *rung == since {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || stop() {
                return Heard::Nothing;
            }
            let waited = self.changed.wait_timeout(rung, left.min(LOOK));
            rung = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        Heard::Ring
    }
}

/// What came of waiting for a bell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Heard {
    /// It rang.
    Ring,
    /// The time is over, or nobody wants to wait any longer.
    Nothing,
}
