//! Whether the caller still waits for an answer.

use std::{
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use deskhand_model::Delivery;

use crate::{Error, Result};

/// A flag the caller raises when it no longer wants the answer; whoever waits wakes up at once.
#[derive(Default)]
pub struct Stop {
    asked: Mutex<bool>,
    news: Condvar,
    heeding: Mutex<Option<Heeding>>,
}

/// What is done when the flag is raised.
type Heeding = Box<dyn FnOnce() + Send>;

/// As long as it is held, something is done when the flag is raised.
#[must_use]
pub struct Heeded<'a>(&'a Stop);

impl Drop for Heeded<'_> {
    fn drop(&mut self) {
        *self.0.heeding() = None;
    }
}

impl std::fmt::Debug for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Stop").field(&self.asked()).finish()
    }
}

impl Stop {
    /// A flag that is down.
    pub const fn new() -> Self {
        Self { asked: Mutex::new(false), news: Condvar::new(), heeding: Mutex::new(None) }
    }

    /// Raises it; it stays up.
    pub fn ask(&self) {
        *self.flag() = true;
        self.news.notify_all();
        let heeding = self.heeding().take();
        if let Some(heeding) = heeding {
            heeding();
        }
    }

    /// Has something done when it is raised, for what cannot look at it; at once where it is up. One
    /// thing at a time.
    pub fn heed(&self, heeding: impl FnOnce() + Send + 'static) -> Heeded<'_> {
        *self.heeding() = Some(Box::new(heeding));
        if self.asked()
            && let Some(heeding) = self.heeding().take()
        {
            heeding();
        }
        Heeded(self)
    }

    fn heeding(&self) -> MutexGuard<'_, Option<Heeding>> {
        self.heeding.lock().unwrap_or_else(PoisonError::into_inner)
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
    pub fn check(&self) -> Result<()> {
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

    #[test]
    fn what_cannot_look_at_the_flag_is_told_once_whether_it_is_raised_before_or_after() {
        let told = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let count = || {
            let told = std::sync::Arc::clone(&told);
            move || {
                told.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            }
        };
        let seen = || told.load(std::sync::atomic::Ordering::Relaxed);
        let stop = Stop::new();
        drop(stop.heed(count()));
        let heeded = stop.heed(count());
        stop.ask();
        stop.ask();
        assert_eq!(seen(), 1);
        drop(heeded);
        let _again = stop.heed(count());
        assert_eq!(seen(), 2);
    }
}
