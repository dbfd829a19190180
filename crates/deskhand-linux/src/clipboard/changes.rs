//! Word of a selection that changed hands, from the server itself.

use std::time::Duration;

use deskhand_platform::{Changes, Deadline, Result, Selection};
use x11rb::protocol::{
    Event,
    xfixes::{ConnectionExt as _, SelectionEventMask},
    xproto::Atom,
};

use super::link::{Link, broken};

/// Listens to one selection.
pub(super) struct XChanges {
    link: Link,
    selection: Atom,
}

impl XChanges {
    /// Begins to listen.
    pub(super) fn begin(at: Selection) -> Result<Self> {
        let link = Link::open()?;
        let selection = link.selection(at);
        link.connection.xfixes_query_version(5, 0).map_err(broken)?.reply().map_err(broken)?;
        let all = SelectionEventMask::SET_SELECTION_OWNER
            | SelectionEventMask::SELECTION_WINDOW_DESTROY
            | SelectionEventMask::SELECTION_CLIENT_CLOSE;
        link.connection
            .xfixes_select_selection_input(link.window, selection, all)
            .map_err(broken)?
            .check()
            .map_err(broken)?;
        Ok(Self { link, selection })
    }
}

impl Changes for XChanges {
    fn next(&mut self, wait: Duration) -> Result<bool> {
        let by = Deadline::after(wait);
        while let Some(event) = self.link.event(Some(by))? {
            if let Event::XfixesSelectionNotify(told) = event
                && told.selection == self.selection
            {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
