//! Errands: what is being sent at this moment, and whether it may go on.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

/// How long nobody looks whether an errand may go on.
const STEP: Duration = Duration::from_millis(2);

/// All errands of one desktop.
#[derive(Debug, Clone, Default)]
pub struct Errands(Arc<AtomicU64>);

impl Errands {
    /// Begins an errand.
    pub fn begin(&self) -> Errand {
        Errand { ended: Arc::clone(&self.0), begun: self.0.load(Ordering::Acquire) }
    }

    /// Ends every errand that was begun so far.
    pub fn end(&self) {
        self.0.fetch_add(1, Ordering::AcqRel);
    }
}

/// One errand.
#[derive(Debug, Clone)]
pub struct Errand {
    ended: Arc<AtomicU64>,
    begun: u64,
}

impl Errand {
    /// Whether it may go on.
    pub fn goes_on(&self) -> bool {
        self.ended.load(Ordering::Acquire) == self.begun
    }

    /// Waits, for as long as it may go on.
    pub fn sleep(&self, time: Duration) {
        let begun = Instant::now();
        while self.goes_on() {
            match time.saturating_sub(begun.elapsed()) {
                Duration::ZERO => return,
                left => std::thread::sleep(left.min(STEP)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_errand_ends_with_all_and_the_next_goes_on() {
        let errands = Errands::default();
        let first = errands.begin();
        assert!(first.goes_on());
        errands.end();
        assert!(!first.goes_on() && errands.begin().goes_on());
        let begun = Instant::now();
        first.sleep(Duration::from_secs(60));
        assert!(begun.elapsed() < Duration::from_secs(30));
    }
}
