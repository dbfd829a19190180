//! Cancellation of operations that send input.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

/// Interval at which a sleeping operation checks for cancellation. Short enough that typing stops
/// within one character.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// Hands out tokens and cancels all of them at once. One desktop has one source.
#[derive(Debug, Clone, Default)]
pub struct CancelSource(Arc<AtomicU64>);

impl CancelSource {
    /// Creates a token for an operation that starts now.
    pub fn token(&self) -> CancelToken {
        CancelToken { current: Arc::clone(&self.0), generation: self.0.load(Ordering::Acquire) }
    }

    /// Cancels every token created so far. Later tokens are not affected.
    pub fn cancel(&self) {
        self.0.fetch_add(1, Ordering::AcqRel);
    }
}

/// Tells one operation whether it has been cancelled.
#[derive(Debug, Clone)]
pub struct CancelToken {
    current: Arc<AtomicU64>,
    generation: u64,
}

impl CancelToken {
    /// Returns `true` until the source cancels this token.
    pub fn is_active(&self) -> bool {
        self.current.load(Ordering::Acquire) == self.generation
    }

    /// Sleeps for `duration`, or until the token is cancelled.
    pub fn sleep(&self, duration: Duration) {
        let start = Instant::now();
        while self.is_active() {
            match duration.saturating_sub(start.elapsed()) {
                Duration::ZERO => return,
                remaining => std::thread::sleep(remaining.min(POLL_INTERVAL)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cancel_ends_existing_tokens_and_not_later_ones() {
        let source = CancelSource::default();
        let first = source.token();
        assert!(first.is_active());
        source.cancel();
        assert!(!first.is_active() && source.token().is_active());
        let start = Instant::now();
        first.sleep(Duration::from_secs(60));
        assert!(start.elapsed() < Duration::from_secs(30));
    }
}
