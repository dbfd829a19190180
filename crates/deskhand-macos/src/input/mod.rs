//! Pointer and keyboard: events that the window server takes for what a person did.

mod aside;
mod clicks;
pub(crate) mod event;
pub(crate) mod hotkey;
mod keyboard;
mod keys;
pub(crate) mod layout;
mod leave;
pub(crate) mod session;
mod text;

use std::{
    sync::{Arc, Mutex, PoisonError, TryLockError},
    time::{Duration, Instant},
};

use deskhand_platform::{
    Aside, Button, Deadline, Errands, Error, Guard, Input, Key, Press, Result, Whose,
};

use aside::MacAside;
use clicks::Clicks;
use event::{Event, Flags, Place, To};
use keyboard::{Held, Keyboard};
use layout::{Layouts, Made, Source};
use leave::Leave;
use session::Session;

use crate::window::KeyWindows;

/// A notch of the wheel, in lines.
const NOTCH: i32 = 3;

/// What letting go may take when nobody waits for it any more.
const TO_LET_GO: Duration = Duration::from_secs(1);

/// Who gets what the wheel sends.
const TURNED: &str = "what the wheel turns";

/// How often to look whether another text is typed to its end.
const STEP: Duration = Duration::from_millis(2);

/// How long the window server may take to do what was posted, and how often that is looked at: until then
/// it tells of the pointer as it was before.
const TO_ARRIVE: Duration = Duration::from_millis(100);

/// What the room needs of the system.
pub(crate) trait Desk: Send + Sync {
    /// What is known of the session; `None` without one.
    fn session(&self) -> Option<Session>;

    /// Whether this program may send input.
    fn allowed(&self) -> bool;

    /// The program a person has to allow it to.
    fn who(&self) -> String;

    /// Whether somebody asks for a password, so that keys are kept from others.
    fn is_secure(&self) -> bool;

    /// Where the pointer is.
    fn pointer(&self) -> Option<Place>;

    /// Whether a button is down.
    fn is_down(&self, button: Button) -> bool;

    /// The time within which two clicks are a double click.
    fn double_click(&self) -> Duration;

    /// What the person types with.
    fn source(&self) -> Source;

    /// What every key makes on every level; `None` when the system cannot be asked in time.
    fn layout(&self, by: Deadline) -> Option<Vec<Made>>;

    /// Posts an event; whether there was one to post.
    fn post(&self, event: &Event, to: To) -> bool;
}

/// Sends input through the window server.
pub(crate) struct MacInput<G: Desk> {
    desk: Arc<G>,
    /// Tells whose a place, or the keyboard, is.
    windows: Arc<dyn KeyWindows>,
    layouts: Arc<Layouts>,
    /// Who is asked before anything is sent.
    guard: Option<Arc<dyn Guard>>,
    errands: Errands,
    /// Keys that are down because of us.
    held: Mutex<Vec<Held>>,
    /// Buttons that are down because of us.
    pressed: Mutex<Vec<Pressed>>,
    clicks: Mutex<Clicks>,
    /// Two texts at once would be one muddle.
    typing: Mutex<()>,
}

/// A button that is down, where it went down, and how many clicks in a row that was.
#[derive(Debug, Clone, Copy)]
struct Pressed {
    button: Button,
    at: Place,
    clicks: u32,
}

impl<G: Desk> MacInput<G> {
    /// Input on a desk whose windows are known.
    pub(crate) fn new(desk: G, windows: Arc<dyn KeyWindows>) -> Self {
        let layouts = Layouts::default();
        // Only the main thread can read the layout, and this may be the one time it is ours.
        layouts.now(&desk, Deadline::after(Duration::ZERO));
        Self {
            desk: Arc::new(desk),
            windows,
            layouts: Arc::new(layouts),
            guard: None,
            errands: Errands::default(),
            held: Mutex::default(),
            pressed: Mutex::default(),
            clicks: Mutex::default(),
            typing: Mutex::default(),
        }
    }

    fn leave(&self) -> Leave<'_> {
        Leave::by(&*self.windows, self.guard.clone(), self.errands.begin())
    }

    fn keyboard(&self) -> Keyboard<'_, G> {
        Keyboard { desk: &self.desk, to: To::Desk }
    }

    fn post(&self, event: &Event) -> Result<()> {
        keyboard::post(&*self.desk, event, To::Desk)
    }

    /// What is held down because of us.
    fn flags(&self) -> Flags {
        keyboard::flags(&self.held.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn at(&self) -> Result<Place> {
        self.desk.pointer().ok_or_else(|| Error::NoDisplay {
            why: "the window server does not tell where the pointer is".to_owned(),
        })
    }

    /// The last button that is down because of us.
    fn dragging(&self) -> Option<Pressed> {
        self.pressed.lock().unwrap_or_else(PoisonError::into_inner).last().copied()
    }

    /// The event that brings the pointer to a place.
    fn motion(&self, from: Place, to: Place) -> Event {
        let by = (to.0.saturating_sub(from.0), to.1.saturating_sub(from.1));
        let flags = self.flags();
        match self.dragging() {
            Some(Pressed { button, clicks, .. }) => {
                Event::Dragged { button, at: to, by, clicks, flags }
            }
            None => Event::Moved { at: to, by, flags },
        }
    }

    fn lift(&self, Pressed { button, clicks, .. }: Pressed, at: Place) -> Result<()> {
        let flags = self.flags();
        self.post(&Event::Button { button, press: Press::Up, at, clicks, flags })
    }

    /// Waits until the window server has done what was posted; what it never does, as with a place beyond
    /// the screen, is not waited for any longer.
    fn settle(&self, by: Deadline, is_done: impl Fn(&G) -> bool) {
        let by = by.or_after(TO_ARRIVE);
        while !is_done(&self.desk) && !by.passed() {
            std::thread::sleep(STEP);
        }
    }

    /// Lets go of every key and button.
    fn release(&self) -> Result<()> {
        let mut outcome = Ok(());
        while let Some(one) = self.dragging() {
            // What is dropped where it was taken stays there.
            let back = self.at().and_then(|from| self.post(&self.motion(from, one.at)));
            self.pressed.lock().unwrap_or_else(PoisonError::into_inner).pop();
            outcome = outcome.and(back).and(self.lift(one, one.at));
        }
        self.clicks.lock().unwrap_or_else(PoisonError::into_inner).forget();
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(key) = held.last().map(|one| one.key.clone()) {
            outcome = outcome.and(self.keyboard().release(&key, &mut held));
        }
        outcome
    }

    /// Waits for another text to be typed to its end.
    fn turn(&self, by: Deadline) -> Result<std::sync::MutexGuard<'_, ()>> {
        loop {
            match self.typing.try_lock() {
                Ok(turn) => return Ok(turn),
                Err(TryLockError::Poisoned(turn)) => return Ok(turn.into_inner()),
                Err(TryLockError::WouldBlock) if by.passed() => {
                    return Err(Error::Timeout { what: "another text that is typed".to_owned() });
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(STEP),
            }
        }
    }
}

impl<G: Desk + 'static> Input for MacInput<G> {
    fn ready(&self, _: Deadline) -> Result<()> {
        session::ready(&*self.desk)
    }

    fn guard(&mut self, guard: Arc<dyn Guard>) {
        self.guard = Some(guard);
    }

    fn pointer(&self, _: Deadline) -> Result<(i32, i32)> {
        self.at()
    }

    fn move_to(&self, x: i32, y: i32, by: Deadline) -> Result<()> {
        self.ready(by)?;
        let motion = self.motion(self.at()?, (x, y));
        self.leave().send(Whose::At(x, y), by, || self.post(&motion))?;
        self.settle(by, |desk| desk.pointer() == Some((x, y)));
        Ok(())
    }

    fn button(&self, button: Button, press: Press, by: Deadline) -> Result<()> {
        let at = self.at()?;
        let mut clicks = self.clicks.lock().unwrap_or_else(PoisonError::into_inner);
        match press {
            Press::Down => {
                self.ready(by)?;
                self.leave().send(Whose::Pointer, by, || {
                    let within = self.desk.double_click();
                    let count = clicks.press(button, at, Instant::now(), within);
                    let one = Pressed { button, at, clicks: count };
                    self.pressed.lock().unwrap_or_else(PoisonError::into_inner).push(one);
                    let flags = self.flags();
                    self.post(&Event::Button { button, press, at, clicks: count, flags })
                })?;
            }
            Press::Up => {
                let count = clicks.release(button);
                let mut pressed = self.pressed.lock().unwrap_or_else(PoisonError::into_inner);
                let down = pressed.iter().find(|one| one.button == button).copied();
                pressed.retain(|one| one.button != button);
                drop(pressed);
                let one = down.unwrap_or(Pressed { button, at, clicks: count });
                if one.at != at {
                    clicks.forget();
                }
                self.lift(one, at)?;
            }
        }
        self.settle(by, |desk| desk.is_down(button) == (press == Press::Down));
        Ok(())
    }

    fn is_down(&self, button: Button, _: Deadline) -> Result<bool> {
        Ok(self.desk.is_down(button))
    }

    fn wheel(&self, right: i32, down: i32, by: Deadline) -> Result<()> {
        self.ready(by)?;
        let flags = self.flags();
        let leave = self.leave();
        let mut begun = false;
        let mut turn = |notches: i32, event: Event| {
            (0..notches.unsigned_abs()).try_for_each(|_| {
                if by.passed() {
                    return Err(Error::Timeout { what: TURNED.to_owned() });
                }
                let sent = leave.send(Whose::Pointer, by, || self.post(&event));
                let told = |error| if begun { keyboard::broken_off(error, TURNED) } else { error };
                sent.map_err(told)?;
                begun = true;
                Ok(())
            })
        };
        turn(down, Event::Wheel { right: 0, down: down.signum() * NOTCH, flags })?;
        turn(right, Event::Wheel { right: right.signum() * NOTCH, down: 0, flags })
    }

    fn key(&self, key: &Key, press: Press, by: Deadline) -> Result<()> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        match press {
            Press::Up => self.keyboard().release(key, &mut held),
            Press::Down if held.iter().any(|one| one.key == *key) => Ok(()),
            Press::Down => {
                self.ready(by)?;
                let found = || self.layouts.now(&*self.desk, by);
                let stroke = keyboard::stroke(key, &held, found).map_err(unable)?;
                self.leave().key(by, || self.keyboard().press(stroke, key, &mut held))
            }
        }
    }

    fn write(&self, text: &str, pause: Duration, by: Deadline) -> Result<()> {
        self.ready(by)?;
        let _turn = self.turn(by)?;
        let found = self.layouts.now(&*self.desk, by);
        let leave = self.leave();
        let send = |stroke: &dyn Fn() -> Result<()>| leave.key(by, stroke);
        self.keyboard().text(text, &found, pause, by, &send, &|time| leave.wait(time))
    }

    fn let_go(&self, _: Deadline) -> Result<()> {
        self.errands.end();
        self.release()
    }

    fn aside(&self, window: u64, by: Deadline) -> Result<Box<dyn Aside>> {
        self.ready(by)?;
        let (windows, layouts) = (Arc::clone(&self.windows), Arc::clone(&self.layouts));
        let errands = self.errands.clone();
        let aside = MacAside::open(Arc::clone(&self.desk), windows, layouts, errands, window, by)?;
        Ok(Box::new(aside))
    }
}

impl<G: Desk> Drop for MacInput<G> {
    fn drop(&mut self) {
        // The window server may be gone, and what is down with it.
        let _ = self.release();
    }
}

fn unable(why: String) -> Error {
    Error::Unsupported { what: "this key".to_owned(), why }
}

#[cfg(test)]
mod recorded;
#[cfg(test)]
mod tests;
