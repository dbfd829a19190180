//! A place that lends one thing to one user at a time, with a deadline on the wait.

use std::{
    ops::{Deref, DerefMut},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};

use deskhand_platform::Deadline;

/// Holds a value that only one caller may use at a time.
///
/// A plain mutex has no deadline: callers of a frozen app would queue behind each other for longer
/// than any of them may take.
pub(crate) struct Slot<T> {
    value: Mutex<T>,
    lent: Mutex<bool>,
    back: Condvar,
}

impl<T> Slot<T> {
    /// Puts a value in its place.
    pub(crate) fn new(value: T) -> Self {
        Self { value: Mutex::new(value), lent: Mutex::new(false), back: Condvar::new() }
    }

    /// Borrows the value; `None` when the deadline came before it was free.
    pub(crate) fn borrow(&self, by: Deadline) -> Option<Borrowed<'_, T>> {
        let lent = self.lent.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut lent, _) = self
            .back
            .wait_timeout_while(lent, by.left(), |lent| *lent)
            .unwrap_or_else(PoisonError::into_inner);
        if *lent {
            return None;
        }
        *lent = true;
        let value = self.value.lock().unwrap_or_else(PoisonError::into_inner);
        Some(Borrowed { value, _return: Return { lent: &self.lent, back: &self.back } })
    }
}

/// A value on loan; it goes back when this is dropped, also by a panic.
pub(crate) struct Borrowed<'a, T> {
    value: MutexGuard<'a, T>,
    // Dropped after the guard, so the next borrower finds the value unlocked.
    _return: Return<'a>,
}

struct Return<'a> {
    lent: &'a Mutex<bool>,
    back: &'a Condvar,
}

impl Drop for Return<'_> {
    fn drop(&mut self) {
        *self.lent.lock().unwrap_or_else(PoisonError::into_inner) = false;
        self.back.notify_one();
    }
}

impl<T> Deref for Borrowed<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Borrowed<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_second_borrower_waits_no_longer_than_its_deadline() {
        let slot = Slot::new(7);
        let first = slot.borrow(Deadline::after(Duration::ZERO));
        assert!(first.is_some());
        assert!(slot.borrow(Deadline::after(Duration::from_millis(20))).is_none());
        drop(first);
        assert_eq!(slot.borrow(Deadline::after(Duration::ZERO)).as_deref(), Some(&7));
    }

    #[test]
    fn a_panicking_borrower_gives_the_value_back() {
        let slot = Slot::new(7);
        std::thread::scope(|threads| {
            let crash = threads.spawn(|| {
                let _held = slot.borrow(Deadline::after(Duration::ZERO));
                panic!("on purpose");
            });
            assert!(crash.join().is_err());
        });
        assert!(slot.borrow(Deadline::after(Duration::ZERO)).is_some());
    }
}
