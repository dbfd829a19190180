//! Whether the caller still waits for an answer.

use std::{
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use deskhand_model::Delivery;

use crate::{Error, Result};

/// A flag the caller raises when it no longer wants the answer; whoever waits wakes up at once.
#[derive(Debug, Default)]
pub struct Stop {
    asked: Mutex<bool>,
    news: Condvar,
}

impl Stop {
    /// A flag that is down.
    pub const fn new() -> Self {
        Self { asked: Mutex::new(false), news: Condvar::new() }
    }

    /// Raises it; it stays up.
    pub fn ask(&self) {
        *self.flag() = true;
        self.news.notify_all();
    }

    /// Whether it is up.
    pub fn asked(&self) -> bool {
        *self.flag()
    }

    /// Goes on only while it is down, and nothing was sent yet.
    ///
    /// # Errors
    ///
    /// `Stopped` when it is up.
    pub(crate) fn check(&self) -> Result<()> {
        if self.asked() { Err(Error::Stopped { delivery: Delivery::NotSent }) } else { Ok(()) }
    }

    /// Waits, but no longer than until it is up, while nothing was sent yet.
    ///
    /// # Errors
    ///
    /// `Stopped` when it is up.
    pub fn sleep(&self, time: Duration) -> Result<()> {
        let (begun, mut asked) = (Instant::now(), self.flag());
        while !*asked && begun.elapsed() < time {
            let left = time.saturating_sub(begun.elapsed());
            let woken = self.news.wait_timeout(asked, left);
            asked = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(asked);
        self.check()
    }

    fn flag(&self) -> MutexGuard<'_, bool> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sleeper_wakes_when_the_caller_goes_away() {
        let stop = Stop::new();
        assert!(stop.sleep(Duration::from_millis(5)).is_ok());
        let begun = Instant::now();
        std::thread::scope(|threads| {
            threads.spawn(|| {
                std::thread::sleep(Duration::from_millis(30));
                stop.ask();
            });
            assert!(matches!(
                stop.sleep(Duration::from_secs(60)),
                Err(Error::Stopped { delivery: Delivery::NotSent })
            ));
        });
        assert!(begun.elapsed() < Duration::from_secs(30));
        assert!(stop.asked() && stop.check().is_err());
    }
}
