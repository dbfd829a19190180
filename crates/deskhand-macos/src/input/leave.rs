//! Leave to send: asked for whoever would get it, right before it is sent.
//!
//! The window server cannot be held, so it is looked once more whose it is after leave was given; what
//! comes in between that look and the event is beyond reach.

use std::{cell::RefCell, sync::Arc, time::Duration};

use deskhand_platform::{Deadline, Errand, Error, Guard, Owner, Result, Whose, Windows};

/// How often it is asked again when windows change places meanwhile.
const TRIES: usize = 10;

/// Leave to send, for one errand.
pub(super) struct Leave<'a> {
    windows: &'a dyn Windows,
    /// Who is asked; nobody when everything may be sent.
    guard: Option<Arc<dyn Guard>>,
    /// Who had the keyboard at the last key, and may have the next.
    last: RefCell<Option<Vec<Owner>>>,
    errand: Errand,
}

impl<'a> Leave<'a> {
    pub(super) fn by(
        windows: &'a dyn Windows,
        guard: Option<Arc<dyn Guard>>,
        errand: Errand,
    ) -> Self {
        Self { windows, guard, last: RefCell::new(None), errand }
    }

    /// Waits, for as long as the errand goes on.
    pub(super) fn wait(&self, time: Duration) {
        self.errand.sleep(time);
    }

    /// Sends something to whom it belongs, if that may be.
    pub(super) fn send(
        &self,
        to: Whose,
        by: Deadline,
        send: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        self.goes_on()?;
        let Some(guard) = &self.guard else { return send() };
        for _ in 0..TRIES {
            let owners = self.windows.owners(to, by)?;
            guard.admit(&owners)?;
            self.goes_on()?;
            if self.windows.owners(to, by)? == owners {
                *self.last.borrow_mut() = Some(owners).filter(|_| to == Whose::Keyboard);
                return send();
            }
        }
        Err(Error::Unsupported {
            what: "input there".to_owned(),
            why: "windows come and go there all the time".to_owned(),
        })
    }

    /// Sends keys to what has the keyboard; who had it at the last key is not asked about again.
    pub(super) fn key(&self, by: Deadline, send: impl FnOnce() -> Result<()>) -> Result<()> {
        if self.guard.is_some() && self.last.borrow().is_some() {
            self.goes_on()?;
            let now = self.windows.owners(Whose::Keyboard, by)?;
            if self.last.borrow().as_ref() == Some(&now) {
                return send();
            }
        }
        self.send(Whose::Keyboard, by, send)
    }

    fn goes_on(&self) -> Result<()> {
        match self.errand.goes_on() {
            true => Ok(()),
            false => Err(Error::Halted { reason: None }),
        }
    }
}
