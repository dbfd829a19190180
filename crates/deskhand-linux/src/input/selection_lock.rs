//! A lock between programs of one desktop, built on X selections.

use deskhand_platform::Deadline;
use x11rb::{
    connection::Connection,
    protocol::xproto::{ConnectionExt as _, CreateWindowAux, Window, WindowClass},
};

use super::timing::LOCK_POLL_INTERVAL;
use crate::x11::{X11Result, XServer};

/// A held lock. Only one program of a desktop can hold the lock with a given name.
pub(super) struct SelectionLock<'a> {
    server: &'a XServer,
    window: Window,
}

impl<'a> SelectionLock<'a> {
    /// Waits for the lock. Returns `None` if another program still holds it at the deadline.
    pub(super) fn acquire(
        server: &'a XServer,
        name: &str,
        deadline: Deadline,
    ) -> X11Result<Option<Self>> {
        // The server clears a selection when its owner's connection ends, so a killed program
        // cannot keep the lock.
        let XServer { connection, root, .. } = server;
        let name = connection.intern_atom(false, name.as_bytes())?.reply()?.atom;
        let window = connection.generate_id()?;
        let (nothing, class) = (CreateWindowAux::new(), WindowClass::INPUT_ONLY);
        connection.create_window(0, window, *root, -1, -1, 1, 1, 0, class, 0, &nothing)?;
        let lock = Self { server, window };
        loop {
            connection.grab_server()?;
            let owner = connection.get_selection_owner(name)?.reply();
            let free = owner.as_ref().is_ok_and(|reply| reply.owner == x11rb::NONE);
            if free {
                connection.set_selection_owner(window, name, x11rb::CURRENT_TIME)?;
            }
            connection.ungrab_server()?;
            connection.flush()?;
            owner?;
            if free {
                return Ok(Some(lock));
            }
            if deadline.has_passed() {
                return Ok(None);
            }
            std::thread::sleep(LOCK_POLL_INTERVAL);
        }
    }
}

impl SelectionLock<'_> {
    /// Holds the lock until the connection ends.
    pub(super) fn hold_until_disconnect(self) {
        std::mem::forget(self);
    }
}

impl Drop for SelectionLock<'_> {
    fn drop(&mut self) {
        // The selection ends with its window; a lost connection ends both.
        let _ = self.server.connection.destroy_window(self.window);
        let _ = self.server.connection.flush();
    }
}
