//! Pointer and keyboard input over XTEST, which the X server treats like input from the user's
//! devices.

mod background;
mod borrowed_keys;
mod guard;
mod hotkey;
mod idle;
mod keyboard;
mod keys;
mod layout;
mod lock;
mod modifiers;
mod plan;
mod pointer;
mod second_keyboard;
mod selection_lock;
mod starting;
mod stuck;
mod sync;
mod timing;
mod typing;

use std::{sync::Arc, time::Duration};

use deskhand_platform::{
    BackgroundKeyboard, Button, CancelSource, Deadline, Error, Input, InputGuard, Key, OwnerQuery,
    Press, Result,
};
use parking_lot::Mutex;
use x11rb::protocol::xproto::ConnectionExt as _;

use crate::x11::{X11Result, X11Thread, XServer};
use background::X11BackgroundKeyboard;
use guard::GuardedSender;
pub use hotkey::register_hotkey;
use keyboard::Keyboard;
use keys::{KeySender, PressedKey};
pub(crate) use stuck::release_stuck_input;
use timing::{REMOVE_TIMEOUT, RESTORE_TIMEOUT};
use typing::{ModifierMode, TextTyper};

/// Sends pointer and keyboard input to an X server.
pub(crate) struct X11Input {
    x11: Arc<X11Thread>,
    /// The connection for keys. It is separate because typing waits for apps, and other requests
    /// must not.
    keyboard: Mutex<Option<Arc<X11Thread>>>,
    /// Keys that Deskhand holds down.
    pressed_keys: Arc<Mutex<Vec<PressedKey>>>,
    /// The guard to ask before input is sent.
    guard: Option<Arc<dyn InputGuard>>,
    /// Cancels the operations in progress.
    cancel_tokens: CancelSource,
    /// Buttons that Deskhand holds down.
    pressed_buttons: Arc<Mutex<Vec<PressedButton>>>,
}

/// A pressed button and the position where it was pressed.
struct PressedButton {
    button: Button,
    at: (i32, i32),
}

impl X11Input {
    pub(crate) fn new(x11: Arc<X11Thread>) -> Self {
        Self {
            x11,
            keyboard: Mutex::new(None),
            pressed_keys: Arc::default(),
            guard: None,
            cancel_tokens: CancelSource::default(),
            pressed_buttons: Arc::default(),
        }
    }

    /// Runs `task` on the keyboard's connection. The task checks the deadline itself and gets extra
    /// time to restore the keyboard.
    fn on_keyboard<T: Send + 'static>(
        &self,
        deadline: Deadline,
        task: impl FnOnce(&XServer) -> X11Result<T> + Send + 'static,
    ) -> Result<T> {
        self.keyboard_connection(deadline)?
            .run(Deadline::after(deadline.remaining() + RESTORE_TIMEOUT), task)
    }

    /// Runs a task that sends input, unless the screen is locked or the guard refuses the receiver.
    fn send<T: Send + 'static>(
        &self,
        receiver: OwnerQuery,
        deadline: Deadline,
        task: impl FnOnce(&XServer) -> X11Result<T> + Send + 'static,
    ) -> Result<T> {
        let (guard, cancel) = (self.guard.clone(), self.cancel_tokens.token());
        let outcome =
            self.x11.run(deadline, move |server| match lock::find_screen_locker(server)? {
                Some(locker) => Ok(Err(Error::ScreenLocked { by: locker })),
                None => GuardedSender::new(guard, cancel).send(server, receiver, task).map(Ok),
            });
        outcome.flatten()
    }

    /// Returns the keys that Deskhand holds down, the most recent first.
    fn pressed_keys_reversed(&self) -> Vec<Key> {
        self.pressed_keys.lock().iter().rev().map(|one| one.key.clone()).collect()
    }

    fn keyboard_connection(&self, deadline: Deadline) -> Result<Arc<X11Thread>> {
        let mut open = self.keyboard.lock();
        Ok(match &*open {
            Some(x11) => Arc::clone(x11),
            None => {
                let x11 = Arc::clone(open.insert(Arc::new(self.x11.open_another(deadline)?)));
                x11.run(deadline.at_most(REMOVE_TIMEOUT), background::remove_leftover)?;
                x11
            }
        })
    }
}

impl Input for X11Input {
    fn check_ready(&self, deadline: Deadline) -> Result<()> {
        let locked = self.x11.run(deadline, lock::find_screen_locker)?;
        locked.map_or(Ok(()), |locker| Err(Error::ScreenLocked { by: locker }))
    }

    fn set_guard(&mut self, guard: Arc<dyn InputGuard>) {
        self.guard = Some(guard);
    }

    fn pointer_position(&self, deadline: Deadline) -> Result<(i32, i32)> {
        self.x11.run(deadline, pointer::position)
    }

    fn move_pointer(&self, x: i32, y: i32, deadline: Deadline) -> Result<()> {
        self.send(OwnerQuery::Point(x, y), deadline, move |server| pointer::move_to(server, x, y))
    }

    fn send_button(&self, button: Button, press: Press, deadline: Deadline) -> Result<()> {
        let pressed_buttons = Arc::clone(&self.pressed_buttons);
        match press {
            Press::Down => self.send(OwnerQuery::Pointer, deadline, move |server| {
                let at = pointer::position(server)?;
                pressed_buttons.lock().push(PressedButton { button, at });
                pointer::button(server, button, press)
            }),
            Press::Up => self.x11.run(deadline, move |server| {
                pressed_buttons.lock().retain(|one| one.button != button);
                pointer::button(server, button, press)
            }),
        }
    }

    fn is_button_down(&self, button: Button, deadline: Deadline) -> Result<bool> {
        self.x11.run(deadline, move |server| pointer::is_down(server, button))
    }

    fn scroll(&self, right: i32, down: i32, deadline: Deadline) -> Result<()> {
        self.send(OwnerQuery::Pointer, deadline, move |server| pointer::wheel(server, right, down))
    }

    fn send_key(&self, key: &Key, press: Press, deadline: Deadline) -> Result<()> {
        if press == Press::Down {
            self.check_ready(deadline)?;
        }
        let (key, pressed_keys) = (key.clone(), Arc::clone(&self.pressed_keys));
        let (guard, cancel) = (self.guard.clone(), self.cancel_tokens.token());
        let outcome = self.on_keyboard(deadline, move |server| {
            let mut pressed_keys = pressed_keys.lock();
            let sender = GuardedSender::new(guard, cancel);
            let keys = Keyboard::open(server)?.guarded_by(&sender);
            let key_sender = KeySender { main_server: server, keys, window: None };
            match press {
                Press::Down => key_sender.press(&key, &mut pressed_keys, deadline),
                Press::Up => key_sender.release(&key, &mut pressed_keys, deadline).map(Ok),
            }
        })?;
        outcome.map_err(|why| Error::Unsupported { what: "this key".to_owned(), why })
    }

    fn type_text(&self, text: &str, pause: Duration, deadline: Deadline) -> Result<()> {
        self.check_ready(deadline)?;
        let text = text.to_owned();
        let (guard, cancel) = (self.guard.clone(), self.cancel_tokens.token());
        let outcome = self.on_keyboard(deadline, move |server| {
            let sender = GuardedSender::new(guard, cancel);
            let keys = Keyboard::open(server)?.guarded_by(&sender);
            let modifiers = ModifierMode::Press;
            TextTyper { main_server: server, keys, window: None, modifiers }
                .type_text(&text, pause, deadline)
        })?;
        outcome.map_err(Error::from)
    }

    fn background_keyboard(
        &self,
        window: u64,
        deadline: Deadline,
    ) -> Result<Box<dyn BackgroundKeyboard>> {
        let gone = || Error::Gone { what: format!("window {window:#x}") };
        let window = u32::try_from(window).map_err(|_| gone())?;
        let exists = self.on_keyboard(deadline, move |server| {
            Ok(server.connection.get_geometry(window)?.reply().is_ok())
        })?;
        if !exists {
            return Err(gone());
        }
        let target =
            self.on_keyboard(deadline, move |server| background::open(server, window, deadline))??;
        let connection = self.keyboard_connection(deadline)?;
        Ok(Box::new(X11BackgroundKeyboard::new(connection, target, self.cancel_tokens.clone())))
    }

    fn release_all(&self, deadline: Deadline) -> Result<()> {
        self.cancel_tokens.cancel();
        let pressed_buttons = Arc::clone(&self.pressed_buttons);
        let buttons = self.x11.run(deadline, move |server| {
            for PressedButton { button, at } in pressed_buttons.lock().drain(..).rev() {
                // Releasing the button where it was pressed prevents an accidental drag and drop.
                pointer::move_to(server, at.0, at.1)?;
                pointer::button(server, button, Press::Up)?;
            }
            Ok(())
        });
        let mut keys = Ok(());
        for key in self.pressed_keys_reversed() {
            keys = keys.and(self.send_key(&key, Press::Up, deadline));
        }
        buttons.and(keys)
    }
}

impl Drop for X11Input {
    fn drop(&mut self) {
        for key in self.pressed_keys_reversed() {
            // If the server is gone, the keys are gone too.
            let _ = self.send_key(&key, Press::Up, Deadline::after(RESTORE_TIMEOUT));
        }
    }
}
