//! Cancellation of a running call.

use std::time::{Duration, Instant};

use deskhand_model::Delivery;
use parking_lot::{Condvar, Mutex};

use crate::{Error, Result};

/// A flag that the caller sets when it no longer wants the result. Setting it wakes every sleeper.
#[derive(Default)]
pub struct CancelToken {
    cancelled: Mutex<bool>,
    changed: Condvar,
    hook: Mutex<Option<CancelAction>>,
}

/// A function that runs when a token is cancelled.
type CancelAction = Box<dyn FnOnce() + Send>;

/// Keeps the function of [`CancelToken::on_cancel`] registered until it is dropped.
#[must_use]
pub struct CancelHook<'a>(&'a CancelToken);

impl Drop for CancelHook<'_> {
    fn drop(&mut self) {
        *self.0.hook.lock() = None;
    }
}

impl std::fmt::Debug for CancelToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("CancelToken").field(&self.is_cancelled()).finish()
    }
}

impl CancelToken {
    /// Creates a token that is not cancelled.
    pub const fn new() -> Self {
        Self { cancelled: Mutex::new(false), changed: Condvar::new(), hook: Mutex::new(None) }
    }

    /// Cancels the call. This cannot be undone.
    pub fn cancel(&self) {
        *self.cancelled.lock() = true;
        self.changed.notify_all();
        let action = self.hook.lock().take();
        if let Some(action) = action {
            action();
        }
    }

    /// Registers a function that runs once on cancellation, or at once if the call is already
    /// cancelled. It is meant for work that cannot check the token itself. A token holds one function
    /// at a time.
    pub fn on_cancel(&self, action: impl FnOnce() + Send + 'static) -> CancelHook<'_> {
        *self.hook.lock() = Some(Box::new(action));
        if self.is_cancelled() {
            let action = self.hook.lock().take();
            if let Some(action) = action {
                action();
            }
        }
        CancelHook(self)
    }

    /// Returns `true` if the call was cancelled.
    pub fn is_cancelled(&self) -> bool {
        *self.cancelled.lock()
    }

    /// Fails if the call was cancelled. Use it only while nothing has been sent to the desktop.
    ///
    /// # Errors
    ///
    /// [`Error::Cancelled`] with [`Delivery::NotSent`].
    pub fn check(&self) -> Result<()> {
        if self.is_cancelled() {
            Err(Error::Cancelled { delivery: Delivery::NotSent })
        } else {
            Ok(())
        }
    }

    /// Sleeps until the time has passed or the call is cancelled. Use it only while nothing has been
    /// sent to the desktop.
    ///
    /// # Errors
    ///
    /// [`Error::Cancelled`] with [`Delivery::NotSent`].
    pub fn sleep(&self, time: Duration) -> Result<()> {
        let end = Instant::now() + time;
        let mut cancelled = self.cancelled.lock();
        while !*cancelled && !self.changed.wait_until(&mut cancelled, end).timed_out() {}
        drop(cancelled);
        self.check()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    };

    use super::*;

    #[test]
    fn cancelling_wakes_a_sleeper() {
        let token = CancelToken::new();
        assert!(token.sleep(Duration::from_millis(5)).is_ok());
        let started = Instant::now();
        std::thread::scope(|threads| {
            threads.spawn(|| {
                std::thread::sleep(Duration::from_millis(30));
                token.cancel();
            });
            assert!(matches!(
                token.sleep(Duration::from_secs(60)),
                Err(Error::Cancelled { delivery: Delivery::NotSent })
            ));
        });
        assert!(started.elapsed() < Duration::from_secs(30));
        assert!(token.is_cancelled() && token.check().is_err());
    }

    #[test]
    fn a_hook_runs_once_before_or_after_cancellation() {
        let runs = Arc::new(AtomicUsize::new(0));
        let count = || {
            let runs = Arc::clone(&runs);
            move || {
                runs.fetch_add(1, Ordering::Relaxed);
            }
        };
        let token = CancelToken::new();
        drop(token.on_cancel(count()));
        let hook = token.on_cancel(count());
        token.cancel();
        token.cancel();
        assert_eq!(runs.load(Ordering::Relaxed), 1);
        drop(hook);
        let _again = token.on_cancel(count());
        assert_eq!(runs.load(Ordering::Relaxed), 2);
    }
}
