//! Leave to send: asked for whoever would get it, and sent in the same moment, so that nobody can
//! step between the answer and the act.
//!
//! One step is beyond reach: window managers hold a press back to bring a window forward, and then let
//! the server deliver it to whatever lies there by then.

use std::{cell::Cell, sync::Arc, time::Duration};

use deskhand_platform::{Error, Guard, Whose};
use x11rb::{
    connection::Connection as _,
    protocol::xproto::{ConnectionExt as _, Window},
};

use super::errand::Errand;
use crate::{
    window,
    x11::{Server, Trouble},
};

type Asked<T> = std::result::Result<T, Trouble>;

/// How often it is asked again when windows change places meanwhile.
const TRIES: usize = 10;

/// Leave to send, for one errand.
pub(super) struct Leave {
    /// Who is asked; nobody when everything may be sent.
    guard: Option<Arc<dyn Guard>>,
    /// What had the keyboard at the last key, and may have the next.
    last: Cell<Window>,
    /// What it is for.
    errand: Errand,
}

impl Leave {
    pub(super) fn by(guard: Option<Arc<dyn Guard>>, errand: Errand) -> Self {
        Self { guard, last: Cell::new(x11rb::NONE), errand }
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
        // 0 and 1 stand for nobody and for whatever lies under the pointer.
        if self.guard.is_some() && self.errand.goes_on() && self.last.get() > 1 {
            let _grab = Grab::of(server)?;
            if focus(server)? == self.last.get() {
                return send(server);
            }
        }
        self.send(server, Whose::Keyboard, |server| {
            if self.guard.is_some() {
                self.last.set(focus(server)?);
            }
            send(server)
        })
    }
}

fn focus(server: &Server) -> Asked<Window> {
    Ok(server.connection.get_input_focus()?.reply()?.focus)
}

/// While this lives the server serves nobody else, so what was found out still holds.
struct Grab<'a>(&'a Server);

impl<'a> Grab<'a> {
    fn of(server: &'a Server) -> Asked<Self> {
        server.connection.grab_server()?;
        Ok(Self(server))
    }
}

impl Drop for Grab<'_> {
    fn drop(&mut self) {
        // A server that cannot be told any more has let go of us, and of the grab with it.
        let told = self.0.connection.ungrab_server();
        let _ = told.map(drop).and_then(|()| self.0.connection.flush());
    }
}
