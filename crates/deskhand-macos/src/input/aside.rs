//! A keyboard of our own: its keys go straight to the process of one window, past the window server, so
//! that focus, pointer and the order of windows stay as they are.

use std::{sync::Arc, time::Duration};

use deskhand_platform::{Aside, Deadline, Errands, Error, Key, Press, Result, Whose, Windows};

use super::{
    Desk, TO_LET_GO, To,
    keyboard::{self, Held, Keyboard},
    layout::Layouts,
    leave::Leave,
    session, unable,
};
use crate::window::KeyWindows;

/// What is done with it, in words for errors.
const PAST: &str = "typing past the focus";

/// A keyboard whose keys go to the process of one window; the process gives them to the element that has
/// the focus within it.
pub(super) struct MacAside<G: Desk> {
    desk: Arc<G>,
    windows: Arc<dyn KeyWindows>,
    layouts: Arc<Layouts>,
    errands: Errands,
    window: u64,
    pid: u32,
    held: Vec<Held>,
}

impl<G: Desk> MacAside<G> {
    /// Points a keyboard at a window.
    pub(super) fn open(
        desk: Arc<G>,
        windows: Arc<dyn KeyWindows>,
        layouts: Arc<Layouts>,
        errands: Errands,
        window: u64,
        by: Deadline,
    ) -> Result<Self> {
        let pid = owner(&*windows, window, by)?;
        let aside = Self { desk, windows, layouts, errands, window, pid, held: Vec::new() };
        aside.open_to_keys()?;
        aside.undiverted(by)?;
        Ok(aside)
    }

    fn open_to_keys(&self) -> Result<()> {
        match session::kept_from(&*self.desk, self.pid) {
            None => Ok(()),
            Some(why) => Err(Error::Unsupported { what: PAST.to_owned(), why }),
        }
    }

    /// Whether keys may still go there: numbers of processes are used again.
    fn check(&self, by: Deadline) -> Result<()> {
        session::ready(&*self.desk)?;
        self.open_to_keys()?;
        match owner(&*self.windows, self.window, by)? {
            pid if pid == self.pid => Ok(()),
            _ => Err(gone(self.window)),
        }
    }

    /// Refuses to type where another window of the program would get it: keys go to a process, which gives
    /// them to the one of its windows that has its keyboard.
    fn undiverted(&self, by: Deadline) -> Result<()> {
        if !self.windows.diverts(self.window, by)? {
            return Ok(());
        }
        let why = "another window of its app gets what is typed into the app".to_owned();
        Err(Error::Unsupported { what: PAST.to_owned(), why })
    }

    fn keyboard(&self) -> Keyboard<'_, G> {
        Keyboard { desk: &self.desk, to: To::Process(self.pid) }
    }
}

impl<G: Desk> Aside for MacAside<G> {
    fn key(&mut self, key: &Key, press: Press, by: Deadline) -> Result<()> {
        let mut held = std::mem::take(&mut self.held);
        let outcome = match press {
            Press::Up => self.keyboard().release(key, &mut held),
            Press::Down if held.iter().any(|one| one.key == *key) => Ok(()),
            Press::Down => self.check(by).and_then(|()| self.undiverted(by)).and_then(|()| {
                let found = || self.layouts.now(&*self.desk, by);
                let stroke = keyboard::stroke(key, &held, found).map_err(unable)?;
                self.keyboard().press(stroke, key, &mut held)
            }),
        };
        self.held = held;
        outcome
    }

    fn write(&mut self, text: &str, pause: Duration, by: Deadline) -> Result<()> {
        self.check(by)?;
        self.undiverted(by)?;
        let found = self.layouts.now(&*self.desk, by);
        let leave = Leave::by(&*self.windows, None, self.errands.begin());
        let send = |stroke: &dyn Fn() -> Result<()>| {
            self.check(by)?;
            leave.send(Whose::Window(self.window), by, stroke)
        };
        self.keyboard().text(text, &found, pause, by, &send, &|time| leave.wait(time))
    }
}

impl<G: Desk> Drop for MacAside<G> {
    fn drop(&mut self) {
        let mut held = std::mem::take(&mut self.held);
        // A process that came to have the number must not get the end of a key it never saw begin.
        let same = owner(&*self.windows, self.window, Deadline::after(TO_LET_GO));
        while let Some(key) = held.last().map(|one| one.key.clone()) {
            if same.as_ref() != Ok(&self.pid) {
                return;
            }
            // The process may have ended, and the keys with it.
            let _ = self.keyboard().release(&key, &mut held);
        }
    }
}

fn gone(window: u64) -> Error {
    Error::Gone { what: format!("window {window}") }
}

/// The process of a window.
fn owner(windows: &dyn Windows, window: u64, by: Deadline) -> Result<u32> {
    let owners = windows.owners(Whose::Window(window), by)?;
    owners.iter().map(|owner| owner.pid).find(|pid| *pid > 1).ok_or_else(|| gone(window))
}
