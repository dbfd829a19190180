//! Pointer and keyboard over XTEST: the X server takes what is sent for what a person did.

mod aside;
mod calm;
mod idle;
mod keyboard;
mod keys;
mod layout;
mod loan;
mod lock;
mod plan;
mod pointer;
mod pulse;
mod second;
mod starting;
mod typing;

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use deskhand_platform::{Aside, Button, Deadline, Error, Input, Key, Press, Result};
use x11rb::protocol::xproto::ConnectionExt as _;

use crate::x11::{Server, Trouble, X11};
use aside::XAside;
use keyboard::Keyboard;
use keys::{Held, Place};
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
}

impl XInput {
    pub(crate) fn new(x11: Arc<X11>) -> Self {
        Self { x11, keyboard: Mutex::new(None), held: Arc::default() }
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

    /// Runs something that sends input, unless a screen locker would get it.
    fn send<T: Send + 'static>(
        &self,
        by: Deadline,
        job: impl FnOnce(&Server) -> std::result::Result<T, Trouble> + Send + 'static,
    ) -> Result<T> {
        let sent = self.x11.run(by, move |server| match lock::locker(server)? {
            Some(by) => Ok(Err(Error::Locked { by })),
            None => job(server).map(Ok),
        });
        sent.flatten()
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
        self.send(by, |_| Ok(()))
    }

    fn pointer(&self, by: Deadline) -> Result<(i32, i32)> {
        self.x11.run(by, pointer::position)
    }

    fn move_to(&self, x: i32, y: i32, by: Deadline) -> Result<()> {
        self.send(by, move |server| pointer::move_to(server, x, y))
    }

    fn button(&self, button: Button, press: Press, by: Deadline) -> Result<()> {
        match press {
            Press::Down => self.send(by, move |server| pointer::button(server, button, press)),
            Press::Up => self.x11.run(by, move |server| pointer::button(server, button, press)),
        }
    }

    fn is_down(&self, button: Button, by: Deadline) -> Result<bool> {
        self.x11.run(by, move |server| pointer::is_down(server, button))
    }

    fn wheel(&self, right: i32, down: i32, by: Deadline) -> Result<()> {
        self.send(by, move |server| pointer::wheel(server, right, down))
    }

    fn key(&self, key: &Key, press: Press, by: Deadline) -> Result<()> {
        if press == Press::Down {
            self.ready(by)?;
        }
        let (key, held) = (key.clone(), Arc::clone(&self.held));
        let outcome = self.on_keyboard(by, move |server| {
            let mut held = held.lock().unwrap_or_else(PoisonError::into_inner);
            let place = Place { desk: server, keys: Keyboard::open(server)?, window: None };
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
        let outcome = self.on_keyboard(by, move |server| {
            let keys = Keyboard::open(server)?;
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
        Ok(Box::new(XAside::new(self.connection(by)?, opened)))
    }
}

impl Drop for XInput {
    fn drop(&mut self) {
        let left: Vec<Key> = {
            let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
            held.iter().rev().map(|one| one.key.clone()).collect()
        };
        for key in left {
            // The server may be gone, and the keys with it.
            let _ = self.key(&key, Press::Up, Deadline::after(TO_PUT_BACK));
        }
    }
}
