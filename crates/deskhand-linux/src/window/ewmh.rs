//! Who manages the windows of this desktop, and how it is spoken to.

use x11rb::protocol::{
    sync::ConnectionExt as _,
    xproto::{
        Atom, ClientMessageEvent, ConnectionExt as _, EventMask, GetWindowAttributesReply, Window,
    },
};

use super::{fault::Fault, names::Names};
use crate::x11::Server;

/// The kind of window manager that runs.
#[derive(Debug)]
pub(super) enum Manager {
    /// One that tells which requests it knows.
    Modern(Vec<Atom>),
    /// One from before there were such requests.
    Old,
    /// None: windows stay where their programs put them.
    None,
}

impl Manager {
    /// Finds out who manages the windows.
    pub(super) fn of(server: &Server, names: &Names) -> Result<Self, Fault> {
        let Server { connection, root, .. } = server;
        let attributes = connection.get_window_attributes(*root)?;
        let check = server.numbers(*root, names._NET_SUPPORTING_WM_CHECK)?.first().copied();
        if !holds(&attributes.reply()?) {
            return Ok(Self::None);
        }
        let alive = match check {
            Some(window) => {
                // The window of a manager that is gone answers with an error.
                let back = server.numbers(window, names._NET_SUPPORTING_WM_CHECK);
                back.is_ok_and(|back| back.first() == Some(&window))
            }
            None => false,
        };
        if !alive {
            return Ok(Self::Old);
        }
        Ok(Self::Modern(server.numbers(*root, names._NET_SUPPORTED)?))
    }

    /// Whether it knows a request.
    pub(super) fn knows(&self, request: Atom) -> bool {
        match self {
            Self::Modern(requests) => requests.contains(&request),
            Self::Old | Self::None => false,
        }
    }

    /// Whether any runs.
    pub(super) fn runs(&self) -> bool {
        match self {
            Self::Modern(_) | Self::Old => true,
            Self::None => false,
        }
    }
}

/// Whether anybody manages the children of a window. Only one program can; a manager that crashed
/// leaves all its other marks behind, such as the list of windows.
pub(super) fn holds(root: &GetWindowAttributesReply) -> bool {
    root.all_event_masks.contains(EventMask::SUBSTRUCTURE_REDIRECT)
}

/// Sends a request about a window to the window manager.
pub(super) fn tell(
    server: &Server,
    window: Window,
    request: Atom,
    data: [u32; 5],
) -> Result<(), Fault> {
    let event = ClientMessageEvent::new(32, window, request, data);
    let mask = EventMask::SUBSTRUCTURE_REDIRECT | EventMask::SUBSTRUCTURE_NOTIFY;
    Ok(server.connection.send_event(false, server.root, mask, event)?.check()?)
}

/// Sends a message of a protocol it takes part in to a window itself.
pub(super) fn tell_program(
    server: &Server,
    names: &Names,
    window: Window,
    protocol: Atom,
    time: u32,
) -> Result<(), Fault> {
    let event = ClientMessageEvent::new(32, window, names.WM_PROTOCOLS, [protocol, time, 0, 0, 0]);
    Ok(server.connection.send_event(false, window, EventMask::NO_EVENT, event)?.check()?)
}

/// The server's time: window managers ignore requests that seem older than the last key press.
pub(super) fn now(server: &Server) -> Result<u32, Fault> {
    let connection = &server.connection;
    connection.sync_initialize(3, 1)?.reply()?;
    let counters = connection.sync_list_system_counters()?.reply()?.counters;
    let Some(clock) = counters.iter().find(|counter| counter.name == b"SERVERTIME") else {
        return Ok(x11rb::CURRENT_TIME);
    };
    Ok(connection.sync_query_counter(clock.counter)?.reply()?.counter_value.lo)
}
