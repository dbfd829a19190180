//! A keyboard of our own beside that of the person at the desk: a second master device, whose keys
//! go to one window while theirs go where they were.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use deskhand_platform::{Aside, Deadline, Errands, Error, Key, Press, Result};
use x11rb::protocol::xproto::Window;

use super::{
    TO_PUT_BACK,
    keyboard::Keyboard,
    keys::{Held, Place},
    leave::Leave,
    loan::Turn,
    lock,
    pulse::Pulse,
    second::{self, STARTED_MEANWHILE, Second},
    typing::{Shifted, Typist},
};
use crate::{
    apps::is_web_engine,
    x11::{self, Server, Trouble, X11},
};

/// The turn programs take with the second keyboard.
const ASIDE: &str = "_DESKHAND_ASIDE";

/// How long a removal may take: apps are waited for before and after it.
pub(super) const TO_REMOVE: Duration = STARTED_MEANWHILE.saturating_add(Duration::from_secs(3));

/// A second keyboard whose keys go to one window.
pub(super) struct Opened {
    second: Second,
    window: Window,
}

/// Points the second keyboard at a window; why that would disturb somebody otherwise.
pub(super) fn open(
    desk: &Server,
    window: Window,
    by: Deadline,
) -> std::result::Result<Result<Opened>, Trouble> {
    let disturbs = |why: &str| {
        let what = "typing on a keyboard of its own".to_owned();
        Ok(Err(Error::Unsupported { what, why: why.to_owned() }))
    };
    if let Some(by) = lock::locker(desk)? {
        // A locker that crashes when a device comes or goes unlocks the screen.
        return Ok(Err(Error::Locked { by }));
    }
    if person_types_into_chromium(desk, window)? {
        return disturbs("Chromium has the keyboard, and hears no other than the newest");
    }
    let own = x11::connect().map_err(std::io::Error::other)?;
    let Some(turn) = Turn::take(&own, ASIDE, by)? else {
        return disturbs("another program types on it");
    };
    turn.keep();
    let second = match Second::new(own, desk)? {
        Ok(second) => second,
        Err(why) => return disturbs(&why),
    };
    match point(desk, &second, window, by) {
        Ok(()) => Ok(Ok(Opened { second, window })),
        Err(trouble) => {
            second.remove(desk)?;
            Err(trouble)
        }
    }
}

fn point(
    desk: &Server,
    second: &Second,
    window: Window,
    by: Deadline,
) -> std::result::Result<(), Trouble> {
    let keyboard = Keyboard::open(second.server())?;
    // What a killed program left down would change what is typed.
    for code in keyboard.down()? {
        keyboard.release(code)?;
    }
    second.point_at(window)?;
    Pulse::new(desk, Some(window))?.first(by)?;
    Ok(())
}

/// Whether the person may type into a window the second keyboard would make deaf to theirs. Into the
/// window that is typed into nobody else types at the same time.
fn person_types_into_chromium(desk: &Server, target: Window) -> std::result::Result<bool, Trouble> {
    let active = desk.numbers(desk.root, desk.atoms._NET_ACTIVE_WINDOW)?;
    let other = |window: &&Window| **window != x11rb::NONE && **window != target;
    let Some(active) = active.first().filter(other) else { return Ok(false) };
    let pid = desk.numbers(*active, desk.atoms._NET_WM_PID);
    // A window that closed meanwhile has nobody typing into it.
    let pid = pid.ok().and_then(|pids| pids.first().copied());
    // A program of somebody else cannot be looked at, and is taken for an ordinary one.
    let program = pid.and_then(|pid| std::fs::read_link(format!("/proc/{pid}/exe")).ok());
    Ok(program.is_some_and(|program| is_web_engine(&program)))
}

/// Removes a second keyboard a killed program left.
pub(super) fn sweep(desk: &Server) -> std::result::Result<(), Trouble> {
    let Some(pointer) = second::find(desk)? else { return Ok(()) };
    match Turn::take(desk, ASIDE, Deadline::after(Duration::ZERO))? {
        Some(_turn) => second::remove(desk, pointer),
        // It is in use.
        None => Ok(()),
    }
}

/// A second keyboard in use; dropped, its keys go nowhere.
pub(super) struct XAside {
    /// The desk's connection, whose layout apps go by.
    desk: Arc<X11>,
    opened: Arc<Opened>,
    held: Arc<Mutex<Vec<Held>>>,
    errands: Errands,
}

impl XAside {
    pub(super) fn new(desk: Arc<X11>, opened: Opened, errands: Errands) -> Self {
        Self { desk, opened: Arc::new(opened), held: Arc::default(), errands }
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
        let (key, errand) = (key.clone(), self.errands.begin());
        let outcome = self.run(by, move |desk, opened, held| {
            let leave = Leave::by(None, errand);
            let keys = Keyboard::open(opened.second.server())?.asking(&leave);
            let place = Place { desk, keys, window: Some(opened.window) };
            match press {
                Press::Down => place.press(&key, held, by),
                Press::Up => place.release(&key, held, by).map(Ok),
            }
        })?;
        outcome.map_err(|why| Error::Unsupported { what: "this key".to_owned(), why })
    }

    fn write(&mut self, text: &str, pause: Duration, by: Deadline) -> Result<()> {
        let (text, errand) = (text.to_owned(), self.errands.begin());
        let outcome = self.run(by, move |desk, opened, _| {
            let leave = Leave::by(None, errand);
            let keys = Keyboard::open(opened.second.server())?.asking(&leave);
            // Qt 5 looks at the desk's keyboard for what is held down.
            let shifted = Shifted::Lent;
            Typist { desk, keys, window: Some(opened.window), shifted }.text(&text, pause, by)
        })?;
        outcome.map_err(Error::from)
    }
}

impl Drop for XAside {
    fn drop(&mut self) {
        let by = Deadline::after(TO_REMOVE);
        // The server may be gone, and the keyboard with it.
        let _ = self.run(by, move |desk, opened, held| {
            let keys = Keyboard::open(opened.second.server())?;
            let place = Place { desk, keys, window: Some(opened.window) };
            let mut released = Ok(());
            while let Some(key) = held.last().map(|one| one.key.clone()) {
                released = released.and(place.release(&key, held, by));
            }
            let parked = opened.second.park(opened.window);
            parked.and(opened.second.remove(desk)).and(released)
        });
    }
}
