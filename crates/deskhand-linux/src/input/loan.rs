//! Spare keys lent to symbols no key makes, given back when dropped.

use std::time::Duration;

use deskhand_platform::Deadline;
use x11rb::{
    connection::Connection,
    protocol::xproto::{ConnectionExt as _, CreateWindowAux, Window, WindowClass},
};

use super::{
    keyboard::Keyboard,
    layout::{Layout, Row},
};
use crate::x11::{Server, Trouble};

type Asked<T> = std::result::Result<T, Trouble>;

/// How often to look whether another program has given the keys back.
const STEP: Duration = Duration::from_millis(2);

/// The right to something only one program of a desktop can do at a time.
pub(super) struct Turn<'a> {
    server: &'a Server,
    window: Window,
}

impl<'a> Turn<'a> {
    /// Waits for its turn; `None` when it did not come in time.
    pub(super) fn take(server: &'a Server, name: &str, by: Deadline) -> Asked<Option<Self>> {
        // The owner of a selection is known to the server, which clears it when the owner's
        // connection ends: a lock that a killed program cannot keep.
        let Server { connection, root, .. } = server;
        let name = connection.intern_atom(false, name.as_bytes())?.reply()?.atom;
        let window = connection.generate_id()?;
        let (nothing, class) = (CreateWindowAux::new(), WindowClass::INPUT_ONLY);
        connection.create_window(0, window, *root, -1, -1, 1, 1, 0, class, 0, &nothing)?;
        let turn = Self { server, window };
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
                return Ok(Some(turn));
            }
            if by.passed() {
                return Ok(None);
            }
            std::thread::sleep(STEP);
        }
    }
}

impl Turn<'_> {
    /// Keeps it until the connection ends.
    pub(super) fn keep(self) {
        std::mem::forget(self);
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        // The selection goes with its window; a lost connection takes both.
        let _ = self.server.connection.destroy_window(self.window);
        let _ = self.server.connection.flush();
    }
}

/// Keys that are lent at the moment.
pub(super) struct Loan<'a> {
    keyboard: Keyboard<'a>,
    first: u8,
    before: Vec<Row>,
    is_out: bool,
}

impl<'a> Loan<'a> {
    /// Nothing is lent yet; the spare keys are those of the layout.
    pub(super) fn new(keyboard: Keyboard<'a>, layout: &Layout) -> Self {
        let spares = layout.spares();
        let ends = spares.first().copied().zip(spares.last().copied());
        let before = ends.map_or(&[][..], |(from, to)| layout.between(from, to));
        let mut before = before.to_vec();
        let first = ends.map_or(0, |(from, _)| from);
        for code in spares {
            // What a killed program left there is not worth keeping.
            if let Some(row) = before.get_mut(usize::from(code - first)) {
                *row = Row::empty();
            }
        }
        Self { keyboard, first, before, is_out: false }
    }

    /// Lends these keys, and takes back all others.
    pub(super) fn lend(&mut self, keys: &[(u8, u32)]) -> Asked<()> {
        let mut rows = self.before.clone();
        for (code, symbol) in keys {
            if let Some(row) = rows.get_mut(usize::from(code.saturating_sub(self.first))) {
                *row = Row::single(*symbol);
            }
        }
        self.is_out = true;
        self.keyboard.set(self.first, &rows)
    }
}

impl Drop for Loan<'_> {
    fn drop(&mut self) {
        if self.is_out {
            // On a lost connection there is nobody left to give them back to.
            let _ = self.keyboard.set(self.first, &self.before);
        }
    }
}
