//! Leave to send: asked for whoever would get it, and sent in the same moment, so that nobody can
//! step between the answer and the act.
//!
//! One step is beyond reach: window managers hold a press back to bring a window forward, and then let
//! the server deliver it to whatever lies there by then.

use std::{cell::Cell, sync::Arc, time::Duration};

use deskhand_platform::{Errand, Error, Guard, Whose};
use x11rb::protocol::xproto::{ConnectionExt as _, Window};

use crate::{
    window,
    x11::{Grab, Server, Trouble},
};

type Asked<T> = std::result::Result<T, Trouble>;

/// How often it is asked again when windows change places meanwhile.
const TRIES: usize = 10;

/// Leave to send, for one errand.
pub(super) struct Leave {
    /// Who is asked; nobody when everything may be sent.
    guard: Option<Arc<dyn Guard>>,
    /// What had the keyboard at the last key, and may have the next.
    last: Cell<Option<Held>>,
    /// What it is for.
    errand: Errand,
}

impl Leave {
    pub(super) fn by(guard: Option<Arc<dyn Guard>>, errand: Errand) -> Self {
        Self { guard, last: Cell::new(None), errand }
    }

    /// Waits, for as long as the errand goes on.
    pub(super) fn wait(&self, time: Duration) {
        self.errand.sleep(time);
    }

    /// Sends something to whom it belongs, if that may be.
    pub(super) fn send<T>(
        &self,
        server: &Server,
        to: Whose,
        send: impl FnOnce(&Server) -> Asked<T>,
    ) -> Asked<T> {
        if !self.errand.goes_on() {
            return Err(Trouble::refused(Error::Halted { reason: None }));
        }
        let Some(guard) = &self.guard else { return send(server) };
        for _ in 0..TRIES {
            let chain = window::chain(server, to)?;
            let owners = window::of_chain(server, &chain)?;
            guard.admit(&owners).map_err(Trouble::refused)?;
            let _grab = Grab::of(server)?;
            if window::chain(server, to)? == chain {
                return send(server);
            }
        }
        Err(Trouble::refused(Error::Unsupported {
            what: "input there".to_owned(),
            why: "windows come and go there all the time".to_owned(),
        }))
    }

    /// Sends a key to what has the keyboard; what had it at the last key is not asked about again.
    pub(super) fn key(&self, server: &Server, send: impl Fn(&Server) -> Asked<()>) -> Asked<()> {
        if self.guard.is_some() && self.errand.goes_on() && self.last.get().is_some() {
            let _grab = Grab::of(server)?;
            if held(server)? == self.last.get() {
                return send(server);
            }
        }
        self.send(server, Whose::Keyboard, |server| {
            if self.guard.is_some() {
                self.last.set(held(server)?);
            }
            send(server)
        })
    }
}

/// The window that has the keyboard, and the one under the pointer inside it, which gets the keys.
type Held = (Window, Window);

/// Who has the keyboard; nobody where that changes with every step of the pointer.
fn held(server: &Server) -> Asked<Option<Held>> {
    let Server { connection, root, .. } = server;
    let focus = connection.get_input_focus()?.reply()?.focus;
    // 0 and 1 stand for nobody and for whatever lies under the pointer.
    if focus <= 1 || focus == *root {
        return Ok(None);
    }
    // It may close at any moment, and then has it no more.
    let inside = connection.query_pointer(focus)?.reply();
    Ok(inside.ok().map(|at| (focus, at.child)))
}
