//! The halt: while it is up nothing is done, whoever calls and through whichever door.
//!
//! The flag is a file, so that it also stops engines that start later, and a person can raise it when
//! no server answers. Each engine has a thread that waits for it and says when it has stopped.

mod error;
mod everyone;
mod place;
#[cfg(test)]
mod tests;
mod watch;

use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
};

use deskhand_platform::Machine;
use deskhand_tools::Stop;

pub use error::{Error, Halted};
pub use everyone::{Everyone, Outcome};

use place::{Flag, Place};
use watch::Listed;

/// Whether everything is halted. Clones are the same halt.
#[derive(Clone)]
pub struct Halt(Arc<Shared>);

struct Shared {
    up: AtomicBool,
    state: Mutex<State>,
    source: Option<(Place, Arc<dyn Machine>)>,
    listed: OnceLock<Listed>,
    starting: Mutex<()>,
}

#[derive(Default)]
struct State {
    reason: Option<String>,
    running: Vec<Weak<Stop>>,
}

/// A call that is stopped when everything is, for as long as it runs.
pub struct Running<'a> {
    halt: &'a Halt,
    stop: Arc<Stop>,
}

impl Halt {
    /// The halt that is told in a folder; it is looked once whether it is up.
    pub fn at(folder: PathBuf, machine: Arc<dyn Machine>) -> Self {
        let place = Place { folder };
        let seen = place.read();
        let halt = Self::new(Some((place, machine)));
        halt.0.set(seen.as_ref());
        halt
    }

    /// A halt nobody raises.
    pub fn none() -> Self {
        Self::new(None)
    }

    fn new(source: Option<(Place, Arc<dyn Machine>)>) -> Self {
        let (up, state) = (AtomicBool::new(false), Mutex::default());
        Self(Arc::new(Shared {
            up,
            state,
            source,
            listed: OnceLock::new(),
            starting: Mutex::default(),
        }))
    }

    /// Begins to look for the flag; from then on it is noticed at once. `let_go` releases whatever
    /// is held down, and is called when it goes up.
    ///
    /// # Errors
    ///
    /// When the flag cannot be looked for.
    pub fn watch(&self, let_go: impl Fn() + Send + Sync + 'static) -> Result<(), Error> {
        let Some((place, machine)) = &self.0.source else { return Ok(()) };
        let is_listed = || self.0.listed.get().is_some();
        if is_listed() {
            return Ok(());
        }
        // Calls that begin at the same moment would take each other off the list.
        let _one = self.0.starting.lock().unwrap_or_else(PoisonError::into_inner);
        if !is_listed() {
            let listed = watch::start(&self.0, place, machine, Box::new(let_go))?;
            self.0.listed.get_or_init(|| listed);
        }
        Ok(())
    }

    /// Whether it is up.
    pub fn is_up(&self) -> bool {
        self.0.up.load(Ordering::Acquire)
    }

    /// Goes on only while it is down.
    ///
    /// # Errors
    ///
    /// When it is up.
    pub fn check(&self) -> Result<(), Halted> {
        if self.is_up() { Err(Halted { reason: self.0.state().reason.clone() }) } else { Ok(()) }
    }

    /// Stops a call when the flag goes up, until the result is dropped.
    pub fn running(&self, stop: &Arc<Stop>) -> Running<'_> {
        self.0.state().running.push(Arc::downgrade(stop));
        // It may have gone up before this call was known.
        if self.is_up() {
            stop.ask();
        }
        Running { halt: self, stop: Arc::clone(stop) }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let mine = Arc::as_ptr(&self.stop);
        self.halt.0.state().running.retain(|one| one.as_ptr() != mine);
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in what the flag says now.
    fn set(&self, flag: Option<&Flag>) {
        let mut state = self.state();
        state.reason = flag.and_then(|flag| flag.reason.clone());
        self.up.store(flag.is_some(), Ordering::Release);
        if flag.is_some() {
            state.running.iter().filter_map(Weak::upgrade).for_each(|stop| stop.ask());
        }
    }

    /// Whether a call still runs.
    fn is_busy(&self) -> bool {
        !self.state().running.is_empty()
    }
}
