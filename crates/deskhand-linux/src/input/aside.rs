//! A keyboard of our own beside that of the person at the desk: a second master device, whose keys
//! go to one window while theirs go where they were.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use deskhand_platform::{Aside, Deadline, Error, Key, Press, Result};
use x11rb::protocol::xproto::Window;

use super::{
    TO_PUT_BACK,
    keyboard::Keyboard,
    keys::{Held, Place},
    loan::Turn,
    pulse::Pulse,
    second::Second,
    typing::{Shifted, Typist},
};
use crate::x11::{self, Server, Trouble, X11};

/// The turn programs take with the second keyboard.
const ASIDE: &str = "_DESKHAND_ASIDE";

/// A second keyboard whose keys go to one window.
pub(super) struct Opened {
    second: Second,
    window: Window,
}

/// Points the second keyboard at a window; `None` where that would disturb the person.
pub(super) fn open(
    desk: &Server,
    window: Window,
    by: Deadline,
) -> std::result::Result<Option<Opened>, Trouble> {
    let own = x11::connect().map_err(std::io::Error::other)?;
    let Some(turn) = Turn::take(&own, ASIDE, by)? else { return Ok(None) };
    turn.keep();
    let Some(second) = Second::new(own)? else { return Ok(None) };
    let keyboard = Keyboard::open(second.server())?;
    // What a killed program left down would change what is typed.
    for code in keyboard.down()? {
        keyboard.release(code)?;
    }
    second.point_at(window)?;
    Pulse::new(desk, Some(window))?.first(by)?;
    Ok(Some(Opened { second, window }))
}

/// A second keyboard in use; dropped, its keys go nowhere.
pub(super) struct XAside {
    /// The desk's connection, whose layout apps go by.
    desk: Arc<X11>,
    opened: Arc<Opened>,
    held: Arc<Mutex<Vec<Held>>>,
}

impl XAside {
    pub(super) fn new(desk: Arc<X11>, opened: Opened) -> Self {
        Self { desk, opened: Arc::new(opened), held: Arc::default() }
    }

    fn run<T: Send + 'static>(
        &self,
        by: Deadline,
        job: impl FnOnce(&Server, &Opened, &mut Vec<Held>) -> std::result::Result<T, Trouble>
        + Send
        + 'static,
    ) -> Result<T> {
        let (opened, held) = (Arc::clone(&self.opened), Arc::clone(&self.held));
        self.desk.run(Deadline::after(by.left() + TO_PUT_BACK), move |desk| {
            let mut held = held.lock().unwrap_or_else(PoisonError::into_inner);
            job(desk, &opened, &mut held)
        })
    }
}

impl Aside for XAside {
    fn key(&mut self, key: &Key, press: Press, by: Deadline) -> Result<()> {
        let key = key.clone();
        let outcome = self.run(by, move |desk, opened, held| {
            let keys = Keyboard::open(opened.second.server())?;
            let place = Place { desk, keys, window: Some(opened.window) };
            match press {
                Press::Down => place.press(&key, held, by),
                Press::Up => place.release(&key, held, by).map(Ok),
            }
        })?;
        outcome.map_err(|why| Error::Unsupported { what: "this key".to_owned(), why })
    }

    fn write(&mut self, text: &str, pause: Duration, by: Deadline) -> Result<()> {
        let text = text.to_owned();
        let outcome = self.run(by, move |desk, opened, _| {
            let keys = Keyboard::open(opened.second.server())?;
            // Qt 5 looks at the desk's keyboard for what is held down.
            let shifted = Shifted::Lent;
            Typist { desk, keys, window: Some(opened.window), shifted }.text(&text, pause, by)
        })?;
        outcome.map_err(Error::from)
    }
}

impl Drop for XAside {
    fn drop(&mut self) {
        let by = Deadline::after(TO_PUT_BACK);
        // The server may be gone, and the keyboard with it.
        let _ = self.run(by, move |desk, opened, held| {
            let keys = Keyboard::open(opened.second.server())?;
            let place = Place { desk, keys, window: Some(opened.window) };
            while let Some(key) = held.last().map(|one| one.key.clone()) {
                place.release(&key, held, by)?;
            }
            opened.second.park(opened.window)
        });
    }
}
