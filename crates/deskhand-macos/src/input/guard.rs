//! Checks the receiver of input right before it is sent.
//!
//! The window server cannot be paused. So the receiver is looked up again after the check. A change between that
//! second lookup and the event cannot be detected.

use std::{cell::RefCell, sync::Arc, time::Duration};

use deskhand_platform::{
    CancelToken, Deadline, Error, InputGuard, Owner, OwnerQuery, Result, Windows,
};

/// The number of attempts while windows keep changing.
const MAX_ATTEMPTS: usize = 10;

/// Sends input only to receivers that the guard allows, until it is cancelled.
pub(super) struct GuardedSender<'a> {
    windows: &'a dyn Windows,
    /// `None` if all receivers are allowed.
    guard: Option<Arc<dyn InputGuard>>,
    /// The allowed owners of the keyboard at the last key.
    last_owners: RefCell<Option<Vec<Owner>>>,
    cancel: CancelToken,
}

impl<'a> GuardedSender<'a> {
    pub(super) fn new(
        windows: &'a dyn Windows,
        guard: Option<Arc<dyn InputGuard>>,
        cancel: CancelToken,
    ) -> Self {
        Self { windows, guard, last_owners: RefCell::new(None), cancel }
    }

    /// Waits, or returns early if it is cancelled.
    pub(super) fn wait(&self, time: Duration) {
        self.cancel.sleep(time);
    }

    /// Sends input if the guard allows its receiver.
    pub(super) fn send(
        &self,
        to: OwnerQuery,
        deadline: Deadline,
        send: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        self.check_active()?;
        let Some(guard) = &self.guard else { return send() };
        for _ in 0..MAX_ATTEMPTS {
            let owners = self.windows.owners(to, deadline)?;
            guard.check(&owners)?;
            self.check_active()?;
            if self.windows.owners(to, deadline)? == owners {
                *self.last_owners.borrow_mut() =
                    Some(owners).filter(|_| to == OwnerQuery::Keyboard);
                return send();
            }
        }
        Err(Error::Unsupported {
            what: "sending input".to_owned(),
            why: "the windows that would receive it keep changing".to_owned(),
        })
    }

    /// Sends a key to the owner of the keyboard. The guard is not asked again about the same owner.
    pub(super) fn send_key(
        &self,
        deadline: Deadline,
        send: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        if self.guard.is_some() && self.last_owners.borrow().is_some() {
            self.check_active()?;
            let owners = self.windows.owners(OwnerQuery::Keyboard, deadline)?;
            if self.last_owners.borrow().as_ref() == Some(&owners) {
                return send();
            }
        }
        self.send(OwnerQuery::Keyboard, deadline, send)
    }

    fn check_active(&self) -> Result<()> {
        match self.cancel.is_active() {
            true => Ok(()),
            false => Err(Error::InputCancelled),
        }
    }
}
