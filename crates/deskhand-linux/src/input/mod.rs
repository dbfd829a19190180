//! Pointer and keyboard over XTEST: the X server takes what is sent for what a person did.

mod aside;
mod calm;
mod hotkey;
mod idle;
mod keyboard;
mod keys;
mod layout;
mod leave;
mod loan;
mod lock;
mod plan;
mod pointer;
mod pulse;
mod second;
mod starting;
mod stuck;
mod typing;

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use deskhand_platform::{
    Aside, Button, Deadline, Errands, Error, Guard, Input, Key, Press, Result, Whose,
};
use x11rb::protocol::xproto::ConnectionExt as _;

use crate::x11::{Server, Trouble, X11};
use aside::XAside;
pub use hotkey::hotkey;
use keyboard::Keyboard;
use keys::{Held, Place};
use leave::Leave;
pub(crate) use stuck::release as release_stuck;
use typing::{Shifted, Typist};

/// What putting the keyboard back may take after a deadline has passed.
const TO_PUT_BACK: Duration = Duration::from_secs(1);

/// Sends input over X11.
pub(crate) struct XInput {
    x11: Arc<X11>,
    /// Keys have a connection of their own: typing waits for apps, and nobody else waits for it.
    keyboard: Mutex<Option<Arc<X11>>>,
    /// Keys that are down because of us.
    held: Arc<Mutex<Vec<Held>>>,
    /// Who is asked before anything is sent.
    guard: Option<Arc<dyn Guard>>,
    /// What is being sent.
    errands: Errands,
    /// Buttons that are down because of us.
    pressed: Arc<Mutex<Vec<Pressed>>>,
}

/// A button that is down, and where it went down.
struct Pressed {
    button: Button,
    at: (i32, i32),
}

impl XInput {
    pub(crate) fn new(x11: Arc<X11>) -> Self {
        Self {
            x11,
            keyboard: Mutex::new(None),
            held: Arc::default(),
            guard: None,
            errands: Errands::default(),
            pressed: Arc::default(),
        }
    }

    /// Runs something on the keyboard's connection; it minds the deadline itself, and is given time
    /// beyond it to clean up.
    fn on_keyboard<T: Send + 'static>(
        &self,
        by: Deadline,
        job: impl FnOnce(&Server) -> std::result::Result<T, Trouble> + Send + 'static,
    ) -> Result<T> {
        self.connection(by)?.run(Deadline::after(by.left() + TO_PUT_BACK), job)
    }

    /// Runs something that sends input, unless a screen locker would get it, or somebody who may not.
    fn send<T: Send + 'static>(
        &self,
        to: Whose,
        by: Deadline,
        job: impl FnOnce(&Server) -> std::result::Result<T, Trouble> + Send + 'static,
    ) -> Result<T> {
        let (guard, errand) = (self.guard.clone(), self.errands.begin());
        let sent = self.x11.run(by, move |server| match lock::locker(server)? {
            Some(by) => Ok(Err(Error::Locked { by })),
            None => Leave::by(guard, errand).send(server, to, job).map(Ok),
        });
        sent.flatten()
    }

    /// The keys that are down because of us, the last one first.
    fn down(&self) -> Vec<Key> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.iter().rev().map(|one| one.key.clone()).collect()
    }

    fn connection(&self, by: Deadline) -> Result<Arc<X11>> {
        let mut open = self.keyboard.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(match &*open {
            Some(x11) => Arc::clone(x11),
            None => {
                let x11 = Arc::clone(open.insert(Arc::new(X11::open(by)?)));
                x11.run(by.or_after(aside::TO_REMOVE), aside::sweep)?;
                x11
            }
        })
    }
}

impl Input for XInput {
    fn ready(&self, by: Deadline) -> Result<()> {
        let locked = self.x11.run(by, lock::locker)?;
        locked.map_or(Ok(()), |by| Err(Error::Locked { by }))
    }

    fn guard(&mut self, guard: Arc<dyn Guard>) {
        self.guard = Some(guard);
    }

    fn pointer(&self, by: Deadline) -> Result<(i32, i32)> {
        self.x11.run(by, pointer::position)
    }

    fn move_to(&self, x: i32, y: i32, by: Deadline) -> Result<()> {
        self.send(Whose::At(x, y), by, move |server| pointer::move_to(server, x, y))
    }

    fn button(&self, button: Button, press: Press, by: Deadline) -> Result<()> {
        let pressed = Arc::clone(&self.pressed);
        match press {
            Press::Down => self.send(Whose::Pointer, by, move |server| {
                let at = pointer::position(server)?;
                pressed.lock().unwrap_or_else(PoisonError::into_inner).push(Pressed { button, at });
                pointer::button(server, button, press)
            }),
            Press::Up => self.x11.run(by, move |server| {
                let mut pressed = pressed.lock().unwrap_or_else(PoisonError::into_inner);
                pressed.retain(|one| one.button != button);
                pointer::button(server, button, press)
            }),
        }
    }

    fn is_down(&self, button: Button, by: Deadline) -> Result<bool> {
        self.x11.run(by, move |server| pointer::is_down(server, button))
    }

    fn wheel(&self, right: i32, down: i32, by: Deadline) -> Result<()> {
        self.send(Whose::Pointer, by, move |server| pointer::wheel(server, right, down))
    }

    fn key(&self, key: &Key, press: Press, by: Deadline) -> Result<()> {
        if press == Press::Down {
            self.ready(by)?;
        }
        let (key, held) = (key.clone(), Arc::clone(&self.held));
        let (guard, errand) = (self.guard.clone(), self.errands.begin());
        let outcome = self.on_keyboard(by, move |server| {
            let mut held = held.lock().unwrap_or_else(PoisonError::into_inner);
            let leave = Leave::by(guard, errand);
            let keys = Keyboard::open(server)?.asking(&leave);
            let place = Place { desk: server, keys, window: None };
            match press {
                Press::Down => place.press(&key, &mut held, by),
                Press::Up => place.release(&key, &mut held, by).map(Ok),
            }
        })?;
        outcome.map_err(|why| Error::Unsupported { what: "this key".to_owned(), why })
    }

    fn write(&self, text: &str, pause: Duration, by: Deadline) -> Result<()> {
        self.ready(by)?;
        let text = text.to_owned();
        let (guard, errand) = (self.guard.clone(), self.errands.begin());
        let outcome = self.on_keyboard(by, move |server| {
            let leave = Leave::by(guard, errand);
            let keys = Keyboard::open(server)?.asking(&leave);
            let shifted = Shifted::Pressed;
            Typist { desk: server, keys, window: None, shifted }.text(&text, pause, by)
        })?;
        outcome.map_err(Error::from)
    }

    fn aside(&self, window: u64, by: Deadline) -> Result<Box<dyn Aside>> {
        let gone = || Error::Gone { what: format!("window {window:#x}") };
        let window = u32::try_from(window).map_err(|_| gone())?;
        let there = self.on_keyboard(by, move |server| {
            Ok(server.connection.get_geometry(window)?.reply().is_ok())
        })?;
        if !there {
            return Err(gone());
        }
        let opened = self.on_keyboard(by, move |server| aside::open(server, window, by))??;
        Ok(Box::new(XAside::new(self.connection(by)?, opened, self.errands.clone())))
    }

    fn let_go(&self, by: Deadline) -> Result<()> {
        self.errands.end();
        let pressed = Arc::clone(&self.pressed);
        let buttons = self.x11.run(by, move |server| {
            let mut pressed = pressed.lock().unwrap_or_else(PoisonError::into_inner);
            for Pressed { button, at } in pressed.drain(..).rev() {
                // What is dropped where it was taken stays there.
                pointer::move_to(server, at.0, at.1)?;
                pointer::button(server, button, Press::Up)?;
            }
            Ok(())
        });
        let mut keys = Ok(());
        for key in self.down() {
            keys = keys.and(self.key(&key, Press::Up, by));
        }
        buttons.and(keys)
    }
}

impl Drop for XInput {
    fn drop(&mut self) {
        for key in self.down() {
            // The server may be gone, and the keys with it.
            let _ = self.key(&key, Press::Up, Deadline::after(TO_PUT_BACK));
        }
    }
}
