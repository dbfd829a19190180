//! Notifications about a selection that gets a new owner or loses it.

use std::time::Duration;

use deskhand_platform::{ClipboardChanges, Deadline, Result, Selection};
use x11rb::protocol::{
    Event,
    xfixes::{ConnectionExt as _, SelectionEventMask},
    xproto::Atom,
};

use super::connection::{SelectionConnection, broken};
use crate::session_env::SessionEnv;

/// A subscription to the changes of one selection.
pub(super) struct SelectionChanges {
    connection: SelectionConnection,
    selection: Atom,
}

impl SelectionChanges {
    /// Subscribes to a selection of a session.
    pub(super) fn open(env: &SessionEnv, which: Selection) -> Result<Self> {
        let connection = SelectionConnection::open(env)?;
        let selection = connection.selection(which);
        connection.x11.xfixes_query_version(5, 0).map_err(broken)?.reply().map_err(broken)?;
        let all = SelectionEventMask::SET_SELECTION_OWNER
            | SelectionEventMask::SELECTION_WINDOW_DESTROY
            | SelectionEventMask::SELECTION_CLIENT_CLOSE;
        connection
            .x11
            .xfixes_select_selection_input(connection.window, selection, all)
            .map_err(broken)?
            .check()
            .map_err(broken)?;
        Ok(Self { connection, selection })
    }
}

impl ClipboardChanges for SelectionChanges {
    fn next(&mut self, wait: Duration) -> Result<bool> {
        let deadline = Deadline::after(wait);
        while let Some(event) = self.connection.next_event(Some(deadline))? {
            if let Event::XfixesSelectionNotify(notify) = event
                && notify.selection == self.selection
            {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
