//! Wakes threads that wait for several operations of a session.

use std::time::Instant;

use parking_lot::{Condvar, Mutex};

use crate::timing::POLL_INTERVAL;

/// Counts finished operations and wakes waiting threads.
#[derive(Debug, Default)]
pub(crate) struct CompletionSignal {
    finished: Mutex<u64>,
    changed: Condvar,
}

impl CompletionSignal {
    /// The number of finished operations. Callers read it before they inspect the operations, so that
    /// [`CompletionSignal::wait`] misses none.
    pub(crate) fn count(&self) -> u64 {
        *self.finished.lock()
    }

    /// Reports that an operation has finished.
    pub(crate) fn notify(&self) {
        *self.finished.lock() += 1;
        self.changed.notify_all();
    }

    /// Waits until more operations than `seen` have finished. Returns `false` if the deadline passes or
    /// `should_stop` returns `true` first.
    pub(crate) fn wait(
        &self,
        seen: u64,
        deadline: Instant,
        should_stop: &dyn Fn() -> bool,
    ) -> bool {
        let mut finished = self.finished.lock();
        while *finished == seen {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || should_stop() {
                return false;
            }
            self.changed.wait_for(&mut finished, left.min(POLL_INTERVAL));
        }
        true
    }
}
