//! The halt: while it is active, no call may act on the desktop.
//!
//! The halt flag is a file. It also stops engines that start later, and the user can set it even if no
//! server responds. Each engine has a thread that watches the flag and acknowledges it.

mod controller;
mod error;
mod folder;
#[cfg(test)]
mod tests;
mod watch;

use std::{
    path::PathBuf,
    sync::{
        Arc, OnceLock, Weak,
        atomic::{AtomicBool, Ordering},
    },
};

use deskhand_platform::Machine;
use deskhand_verbs::CancelToken;
use parking_lot::{Mutex, MutexGuard};

pub use controller::{HaltController, HaltOutcome};
pub use error::{Error, Halted};

use folder::{Flag, HaltFolder};
use watch::Registration;

/// The halt. Clones share their state.
#[derive(Clone)]
pub struct Halt(Arc<HaltState>);

struct HaltState {
    active: AtomicBool,
    details: Mutex<HaltDetails>,
    source: Option<(HaltFolder, Arc<dyn Machine>)>,
    registration: OnceLock<Registration>,
    registering: Mutex<()>,
}

#[derive(Default)]
struct HaltDetails {
    reason: Option<String>,
    running: Vec<Weak<CancelToken>>,
}

/// A running call that a halt cancels. Dropping it ends the tracking.
pub struct RunningCall<'a> {
    halt: &'a Halt,
    cancel: Arc<CancelToken>,
}

impl Halt {
    /// Creates the halt of a folder and reads its current flag.
    pub fn in_folder(folder: PathBuf, machine: Arc<dyn Machine>) -> Self {
        let folder = HaltFolder { path: folder };
        let flag = folder.read_flag();
        let halt = Self::new(Some((folder, machine)));
        halt.0.set(flag.as_ref());
        halt
    }

    /// Creates a halt that is never active.
    pub fn never() -> Self {
        Self::new(None)
    }

    fn new(source: Option<(HaltFolder, Arc<dyn Machine>)>) -> Self {
        Self(Arc::new(HaltState {
            active: AtomicBool::new(false),
            details: Mutex::default(),
            source,
            registration: OnceLock::new(),
            registering: Mutex::default(),
        }))
    }

    /// Starts to watch the flag, so that a halt takes effect immediately. `release` is called when
    /// the halt becomes active; it must release all held keys and buttons.
    ///
    /// # Errors
    ///
    /// If the flag cannot be watched.
    pub fn watch(&self, release: impl Fn() + Send + Sync + 'static) -> Result<(), Error> {
        let Some((folder, machine)) = &self.0.source else { return Ok(()) };
        let is_registered = || self.0.registration.get().is_some();
        if is_registered() {
            return Ok(());
        }
        // Two concurrent registrations would remove each other's file.
        let _guard = self.0.registering.lock();
        if !is_registered() {
            let registration = watch::start(&self.0, folder, machine, Box::new(release))?;
            self.0.registration.get_or_init(|| registration);
        }
        Ok(())
    }

    /// Returns `true` while everything is halted.
    pub fn is_active(&self) -> bool {
        self.0.active.load(Ordering::Acquire)
    }

    /// Fails while everything is halted.
    ///
    /// # Errors
    ///
    /// `Halted` with the reason of the user.
    pub fn check(&self) -> Result<(), Halted> {
        if self.is_active() {
            Err(Halted { reason: self.0.details().reason.clone() })
        } else {
            Ok(())
        }
    }

    /// Cancels a call when the halt becomes active, until the result is dropped.
    pub fn track(&self, cancel: &Arc<CancelToken>) -> RunningCall<'_> {
        self.0.details().running.push(Arc::downgrade(cancel));
        // The halt may have become active before this call was tracked.
        if self.is_active() {
            cancel.cancel();
        }
        RunningCall { halt: self, cancel: Arc::clone(cancel) }
    }
}

impl Drop for RunningCall<'_> {
    fn drop(&mut self) {
        let own = Arc::as_ptr(&self.cancel);
        self.halt.0.details().running.retain(|one| one.as_ptr() != own);
    }
}

impl HaltState {
    fn details(&self) -> MutexGuard<'_, HaltDetails> {
        self.details.lock()
    }

    /// Applies the current flag.
    fn set(&self, flag: Option<&Flag>) {
        let mut details = self.details();
        details.reason = flag.and_then(|flag| flag.reason.clone());
        self.active.store(flag.is_some(), Ordering::Release);
        if flag.is_some() {
            details.running.iter().filter_map(Weak::upgrade).for_each(|cancel| cancel.cancel());
        }
    }

    /// Returns `true` if a call is running.
    fn is_busy(&self) -> bool {
        !self.details().running.is_empty()
    }
}
