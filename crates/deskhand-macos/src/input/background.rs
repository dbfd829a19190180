//! A keyboard for background windows. Its events go to the process of one window, not through the window server,
//! so that focus, pointer and window order stay as they are.

use std::{sync::Arc, time::Duration};

use deskhand_platform::{
    BackgroundKeyboard, CancelSource, Deadline, Error, Key, OwnerQuery, Press, Result, Windows,
};

use super::{
    EventTarget, InputApi,
    guard::GuardedSender,
    keyboard::{self, Keyboard, PressedKey},
    layout::LayoutCache,
    session, unsupported_key,
};
use crate::{timing::RELEASE_TIMEOUT, window::KeyWindows};

/// The action in errors.
const BACKGROUND_TYPING: &str = "typing into a background window";

/// A keyboard whose events go to the process of one window. The app passes them to its focused element.
pub(super) struct MacBackgroundKeyboard<S: InputApi> {
    system: Arc<S>,
    windows: Arc<dyn KeyWindows>,
    layouts: Arc<LayoutCache>,
    cancel: CancelSource,
    window: u64,
    pid: u32,
    pressed: Vec<PressedKey>,
}

impl<S: InputApi> MacBackgroundKeyboard<S> {
    /// Creates a keyboard for a window.
    pub(super) fn open(
        system: Arc<S>,
        windows: Arc<dyn KeyWindows>,
        layouts: Arc<LayoutCache>,
        cancel: CancelSource,
        window: u64,
        deadline: Deadline,
    ) -> Result<Self> {
        let pid = owner(&*windows, window, deadline)?;
        let keyboard = Self { system, windows, layouts, cancel, window, pid, pressed: Vec::new() };
        keyboard.check_secure_input()?;
        keyboard.check_key_window(deadline)?;
        Ok(keyboard)
    }

    fn check_secure_input(&self) -> Result<()> {
        match session::secure_input_conflict(&*self.system, self.pid) {
            None => Ok(()),
            Some(why) => Err(Error::Unsupported { what: BACKGROUND_TYPING.to_owned(), why }),
        }
    }

    /// Checks that the window still belongs to the same process, since pids are reused.
    fn check(&self, deadline: Deadline) -> Result<()> {
        session::check_ready(&*self.system)?;
        self.check_secure_input()?;
        match owner(&*self.windows, self.window, deadline)? {
            pid if pid == self.pid => Ok(()),
            _ => Err(gone(self.window)),
        }
    }

    /// Fails if another window of the app would receive the keys: the app passes them to its key window.
    fn check_key_window(&self, deadline: Deadline) -> Result<()> {
        if !self.windows.is_other_window_key(self.window, deadline)? {
            return Ok(());
        }
        let why = "another window of the app would receive the keys".to_owned();
        Err(Error::Unsupported { what: BACKGROUND_TYPING.to_owned(), why })
    }

    fn keyboard(&self) -> Keyboard<'_, S> {
        Keyboard { system: &self.system, target: EventTarget::Process(self.pid) }
    }
}

impl<S: InputApi> BackgroundKeyboard for MacBackgroundKeyboard<S> {
    fn send_key(&mut self, key: &Key, press: Press, deadline: Deadline) -> Result<()> {
        let mut pressed = std::mem::take(&mut self.pressed);
        let result = match press {
            Press::Up => self.keyboard().release(key, &mut pressed),
            Press::Down if pressed.iter().any(|one| one.key == *key) => Ok(()),
            Press::Down => {
                self.check(deadline).and_then(|()| self.check_key_window(deadline)).and_then(|()| {
                    let layout = || self.layouts.current(&*self.system, deadline);
                    let stroke =
                        keyboard::plan_stroke(key, &pressed, layout).map_err(unsupported_key)?;
                    self.keyboard().press(stroke, key, &mut pressed)
                })
            }
        };
        self.pressed = pressed;
        result
    }

    fn type_text(&mut self, text: &str, pause: Duration, deadline: Deadline) -> Result<()> {
        self.check(deadline)?;
        self.check_key_window(deadline)?;
        let layout = self.layouts.current(&*self.system, deadline);
        let sender = GuardedSender::new(&*self.windows, None, self.cancel.token());
        let send = |stroke: &dyn Fn() -> Result<()>| {
            self.check(deadline)?;
            sender.send(OwnerQuery::Window(self.window), deadline, stroke)
        };
        self.keyboard().type_text(text, &layout, pause, deadline, &send, &|time| sender.wait(time))
    }
}

impl<S: InputApi> Drop for MacBackgroundKeyboard<S> {
    fn drop(&mut self) {
        let mut pressed = std::mem::take(&mut self.pressed);
        // If the pid was reused, the new process must not receive the release of a key it did not see pressed.
        let current = owner(&*self.windows, self.window, Deadline::after(RELEASE_TIMEOUT));
        while let Some(key) = pressed.last().map(|one| one.key.clone()) {
            if current.as_ref() != Ok(&self.pid) {
                return;
            }
            // If this fails, the process has ended and its keys with it.
            let _ = self.keyboard().release(&key, &mut pressed);
        }
    }
}

fn gone(window: u64) -> Error {
    Error::Gone { what: format!("window {window}") }
}

/// The process of a window.
fn owner(windows: &dyn Windows, window: u64, deadline: Deadline) -> Result<u32> {
    let owners = windows.owners(OwnerQuery::Window(window), deadline)?;
    owners.iter().map(|owner| owner.pid).find(|pid| *pid > 1).ok_or_else(|| gone(window))
}
