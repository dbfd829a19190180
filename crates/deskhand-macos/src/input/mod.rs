//! Pointer and keyboard input. The window server treats the events like those of real devices.

mod background;
mod clicks;
pub(crate) mod event;
mod guard;
pub(crate) mod hotkey;
mod keyboard;
mod keys;
pub(crate) mod layout;
pub(crate) mod session;
mod text;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use deskhand_platform::{
    BackgroundKeyboard, Button, CancelSource, Deadline, Error, Input, InputGuard, Key, OwnerQuery,
    Press, Result,
};
use parking_lot::{Mutex, MutexGuard};

use background::MacBackgroundKeyboard;
use clicks::ClickCounter;
use event::{EventTarget, Flags, InputEvent, Point};
use guard::GuardedSender;
use keyboard::{Keyboard, PressedKey};
use layout::{InputSource, KeyOutput, LayoutCache};
use session::LoginSession;

use crate::{
    timing::{INPUT_POLL_INTERVAL, POINTER_TIMEOUT},
    window::KeyWindows,
};

/// The number of lines that one notch of the wheel scrolls.
const LINES_PER_NOTCH: i32 = 3;

/// The receiver of wheel events in errors.
const WHEEL_RECEIVER: &str = "the app under the pointer";

/// The system calls for input.
pub(crate) trait InputApi: Send + Sync {
    /// The login session, or `None` without one.
    fn session(&self) -> Option<LoginSession>;

    /// Returns `true` if this process may post events.
    fn can_post(&self) -> bool;

    /// The program that the user must allow in System Settings to give this process the permission.
    fn program_to_allow(&self) -> String;

    /// Returns `true` if secure input is on: an app reads a password, and other apps receive no keys.
    fn is_secure_input(&self) -> bool;

    /// The position of the pointer.
    fn pointer(&self) -> Option<Point>;

    /// Returns `true` if a button is pressed.
    fn is_down(&self, button: Button) -> bool;

    /// The maximum time between the presses of a double click.
    fn double_click_interval(&self) -> Duration;

    /// The user's input source.
    fn input_source(&self) -> InputSource;

    /// The outputs of all keys on all levels, or `None` if the layout cannot be read in time.
    fn key_outputs(&self, deadline: Deadline) -> Option<Vec<KeyOutput>>;

    /// Posts an event. Returns `false` if it could not be created.
    fn post(&self, event: &InputEvent, target: EventTarget) -> bool;
}

/// Sends input through the window server.
pub(crate) struct MacInput<S: InputApi> {
    system: Arc<S>,
    /// Finds the receiver of input.
    windows: Arc<dyn KeyWindows>,
    layouts: Arc<LayoutCache>,
    guard: Option<Arc<dyn InputGuard>>,
    cancel: CancelSource,
    /// The keys that were pressed here.
    pressed_keys: Mutex<Vec<PressedKey>>,
    /// The buttons that were pressed here.
    pressed_buttons: Mutex<Vec<PressedButton>>,
    clicks: Mutex<ClickCounter>,
    /// Held while a text is typed, so that two texts do not mix.
    typing: Mutex<()>,
}

/// A pressed button, the position of the press and the click count.
#[derive(Debug, Clone, Copy)]
struct PressedButton {
    button: Button,
    at: Point,
    clicks: u32,
}

impl<S: InputApi> MacInput<S> {
    pub(crate) fn new(system: S, windows: Arc<dyn KeyWindows>) -> Self {
        let layouts = LayoutCache::default();
        // Only the main thread can read the layout, and this call may be the only one on it.
        layouts.current(&system, Deadline::after(Duration::ZERO));
        Self {
            system: Arc::new(system),
            windows,
            layouts: Arc::new(layouts),
            guard: None,
            cancel: CancelSource::default(),
            pressed_keys: Mutex::default(),
            pressed_buttons: Mutex::default(),
            clicks: Mutex::default(),
            typing: Mutex::default(),
        }
    }

    fn sender(&self) -> GuardedSender<'_> {
        GuardedSender::new(&*self.windows, self.guard.clone(), self.cancel.token())
    }

    fn keyboard(&self) -> Keyboard<'_, S> {
        Keyboard { system: &self.system, target: EventTarget::WindowServer }
    }

    fn post(&self, event: &InputEvent) -> Result<()> {
        keyboard::post(&*self.system, event, EventTarget::WindowServer)
    }

    /// The flags of the modifiers that were pressed here.
    fn flags(&self) -> Flags {
        keyboard::pressed_flags(&self.pressed_keys.lock())
    }

    fn position(&self) -> Result<Point> {
        self.system.pointer().ok_or_else(|| Error::NoDisplay {
            why: "the window server does not report the pointer's position".to_owned(),
        })
    }

    /// The button that was pressed last and is still pressed.
    fn last_pressed(&self) -> Option<PressedButton> {
        self.pressed_buttons.lock().last().copied()
    }

    /// The event that moves the pointer.
    fn motion(&self, from: Point, to: Point) -> InputEvent {
        let delta = (to.0.saturating_sub(from.0), to.1.saturating_sub(from.1));
        let flags = self.flags();
        match self.last_pressed() {
            Some(PressedButton { button, clicks, .. }) => {
                InputEvent::Dragged { button, at: to, delta, clicks, flags }
            }
            None => InputEvent::Moved { at: to, delta, flags },
        }
    }

    fn release_button(
        &self,
        PressedButton { button, clicks, .. }: PressedButton,
        at: Point,
    ) -> Result<()> {
        let flags = self.flags();
        self.post(&InputEvent::Button { button, press: Press::Up, at, clicks, flags })
    }

    /// Waits until the window server has processed an event. Gives up after a short time, since it never moves the
    /// pointer beyond the screen.
    fn wait_until(&self, deadline: Deadline, is_done: impl Fn(&S) -> bool) {
        let deadline = deadline.at_most(POINTER_TIMEOUT);
        while !is_done(&self.system) && !deadline.has_passed() {
            std::thread::sleep(INPUT_POLL_INTERVAL);
        }
    }

    /// Releases all keys and buttons.
    fn release(&self) -> Result<()> {
        let mut result = Ok(());
        while let Some(one) = self.last_pressed() {
            // A drag ends where it began, so that nothing is moved.
            let back = self.position().and_then(|from| self.post(&self.motion(from, one.at)));
            self.pressed_buttons.lock().pop();
            result = result.and(back).and(self.release_button(one, one.at));
        }
        self.clicks.lock().reset();
        let mut pressed = self.pressed_keys.lock();
        while let Some(key) = pressed.last().map(|one| one.key.clone()) {
            result = result.and(self.keyboard().release(&key, &mut pressed));
        }
        result
    }

    /// Waits until no other text is being typed.
    fn lock_typing(&self, deadline: Deadline) -> Result<MutexGuard<'_, ()>> {
        loop {
            if let Some(guard) = self.typing.try_lock() {
                return Ok(guard);
            }
            if deadline.has_passed() {
                return Err(Error::Timeout { what: "another text that is being typed".to_owned() });
            }
            std::thread::sleep(INPUT_POLL_INTERVAL);
        }
    }
}

impl<S: InputApi + 'static> Input for MacInput<S> {
    fn check_ready(&self, _: Deadline) -> Result<()> {
        session::check_ready(&*self.system)
    }

    fn set_guard(&mut self, guard: Arc<dyn InputGuard>) {
        self.guard = Some(guard);
    }

    fn pointer_position(&self, _: Deadline) -> Result<(i32, i32)> {
        self.position()
    }

    fn move_pointer(&self, x: i32, y: i32, deadline: Deadline) -> Result<()> {
        self.check_ready(deadline)?;
        let motion = self.motion(self.position()?, (x, y));
        self.sender().send(OwnerQuery::Point(x, y), deadline, || self.post(&motion))?;
        self.wait_until(deadline, |system| system.pointer() == Some((x, y)));
        Ok(())
    }

    fn send_button(&self, button: Button, press: Press, deadline: Deadline) -> Result<()> {
        let at = self.position()?;
        let mut clicks = self.clicks.lock();
        match press {
            Press::Down => {
                self.check_ready(deadline)?;
                self.sender().send(OwnerQuery::Pointer, deadline, || {
                    let interval = self.system.double_click_interval();
                    let count = clicks.press(button, at, Instant::now(), interval);
                    self.pressed_buttons.lock().push(PressedButton { button, at, clicks: count });
                    let flags = self.flags();
                    self.post(&InputEvent::Button { button, press, at, clicks: count, flags })
                })?;
            }
            Press::Up => {
                let count = clicks.release(button);
                let mut pressed = self.pressed_buttons.lock();
                let down = pressed.iter().find(|one| one.button == button).copied();
                pressed.retain(|one| one.button != button);
                drop(pressed);
                let one = down.unwrap_or(PressedButton { button, at, clicks: count });
                if one.at != at {
                    clicks.reset();
                }
                self.release_button(one, at)?;
            }
        }
        self.wait_until(deadline, |system| system.is_down(button) == (press == Press::Down));
        Ok(())
    }

    fn is_button_down(&self, button: Button, _: Deadline) -> Result<bool> {
        Ok(self.system.is_down(button))
    }

    fn scroll(&self, right: i32, down: i32, deadline: Deadline) -> Result<()> {
        self.check_ready(deadline)?;
        let flags = self.flags();
        let sender = self.sender();
        let mut sent_any = false;
        let mut scroll = |notches: i32, event: InputEvent| {
            (0..notches.unsigned_abs()).try_for_each(|_| {
                if deadline.has_passed() {
                    return Err(Error::Timeout { what: WHEEL_RECEIVER.to_owned() });
                }
                let sent = sender.send(OwnerQuery::Pointer, deadline, || self.post(&event));
                sent.map_err(|error| {
                    if sent_any { keyboard::partial_error(error, WHEEL_RECEIVER) } else { error }
                })?;
                sent_any = true;
                Ok(())
            })
        };
        scroll(down, InputEvent::Wheel { right: 0, down: down.signum() * LINES_PER_NOTCH, flags })?;
        scroll(right, InputEvent::Wheel { right: right.signum() * LINES_PER_NOTCH, down: 0, flags })
    }

    fn send_key(&self, key: &Key, press: Press, deadline: Deadline) -> Result<()> {
        let mut pressed = self.pressed_keys.lock();
        match press {
            Press::Up => self.keyboard().release(key, &mut pressed),
            Press::Down if pressed.iter().any(|one| one.key == *key) => Ok(()),
            Press::Down => {
                self.check_ready(deadline)?;
                let layout = || self.layouts.current(&*self.system, deadline);
                let stroke =
                    keyboard::plan_stroke(key, &pressed, layout).map_err(unsupported_key)?;
                self.sender()
                    .send_key(deadline, || self.keyboard().press(stroke, key, &mut pressed))
            }
        }
    }

    fn type_text(&self, text: &str, pause: Duration, deadline: Deadline) -> Result<()> {
        self.check_ready(deadline)?;
        let _typing = self.lock_typing(deadline)?;
        let layout = self.layouts.current(&*self.system, deadline);
        let sender = self.sender();
        let send = |stroke: &dyn Fn() -> Result<()>| sender.send_key(deadline, stroke);
        self.keyboard().type_text(text, &layout, pause, deadline, &send, &|time| sender.wait(time))
    }

    fn release_all(&self, _: Deadline) -> Result<()> {
        self.cancel.cancel();
        self.release()
    }

    fn background_keyboard(
        &self,
        window: u64,
        deadline: Deadline,
    ) -> Result<Box<dyn BackgroundKeyboard>> {
        self.check_ready(deadline)?;
        let (system, windows) = (Arc::clone(&self.system), Arc::clone(&self.windows));
        let (layouts, cancel) = (Arc::clone(&self.layouts), self.cancel.clone());
        let keyboard =
            MacBackgroundKeyboard::open(system, windows, layouts, cancel, window, deadline)?;
        Ok(Box::new(keyboard))
    }
}

impl<S: InputApi> Drop for MacInput<S> {
    fn drop(&mut self) {
        // If this fails, the window server has ended and nothing is pressed any more.
        let _ = self.release();
    }
}

fn unsupported_key(why: String) -> Error {
    Error::Unsupported { what: "this key".to_owned(), why }
}

#[cfg(test)]
mod fake_system;
#[cfg(test)]
mod tests;
