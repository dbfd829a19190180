//! Detects the window manager and sends it requests.

use x11rb::protocol::{
    sync::ConnectionExt as _,
    xproto::{
        Atom, ClientMessageEvent, ConnectionExt as _, EventMask, GetWindowAttributesReply, Window,
    },
};

use super::{atoms::WmAtoms, error::WindowError};
use crate::x11::XServer;

/// The kind of window manager.
#[derive(Debug)]
pub(super) enum WindowManager {
    /// An EWMH window manager, with the requests it supports.
    Ewmh(Vec<Atom>),
    /// A window manager without EWMH.
    Legacy,
    /// No window manager: windows stay where their programs put them.
    None,
}

impl WindowManager {
    /// Detects the window manager.
    pub(super) fn detect(server: &XServer, atoms: &WmAtoms) -> Result<Self, WindowError> {
        let XServer { connection, root, .. } = server;
        let attributes = connection.get_window_attributes(*root)?;
        let check = server.read_u32_list(*root, atoms._NET_SUPPORTING_WM_CHECK)?.first().copied();
        if !has_manager(&attributes.reply()?) {
            return Ok(Self::None);
        }
        let alive = match check {
            Some(window) => {
                // The window of a manager that has ended replies with an error.
                let back = server.read_u32_list(window, atoms._NET_SUPPORTING_WM_CHECK);
                back.is_ok_and(|back| back.first() == Some(&window))
            }
            None => false,
        };
        if !alive {
            return Ok(Self::Legacy);
        }
        Ok(Self::Ewmh(server.read_u32_list(*root, atoms._NET_SUPPORTED)?))
    }

    /// Returns `true` if the window manager supports a request.
    pub(super) fn supports(&self, request: Atom) -> bool {
        match self {
            Self::Ewmh(requests) => requests.contains(&request),
            Self::Legacy | Self::None => false,
        }
    }

    /// Returns `true` if a window manager is running.
    pub(super) fn is_running(&self) -> bool {
        match self {
            Self::Ewmh(_) | Self::Legacy => true,
            Self::None => false,
        }
    }
}

/// Returns `true` if a program manages the children of the root window. Only one program can. A
/// manager that crashed leaves other traces behind, such as the window list, so those prove
/// nothing.
pub(super) fn has_manager(root: &GetWindowAttributesReply) -> bool {
    root.all_event_masks.contains(EventMask::SUBSTRUCTURE_REDIRECT)
}

/// Sends a request about a window to the window manager.
pub(super) fn send_to_manager(
    server: &XServer,
    window: Window,
    request: Atom,
    data: [u32; 5],
) -> Result<(), WindowError> {
    let event = ClientMessageEvent::new(32, window, request, data);
    let mask = EventMask::SUBSTRUCTURE_REDIRECT | EventMask::SUBSTRUCTURE_NOTIFY;
    Ok(server.connection.send_event(false, server.root, mask, event)?.check()?)
}

/// Sends a message of a window protocol to the program of a window.
pub(super) fn send_to_program(
    server: &XServer,
    atoms: &WmAtoms,
    window: Window,
    protocol: Atom,
    time: u32,
) -> Result<(), WindowError> {
    let event = ClientMessageEvent::new(32, window, atoms.WM_PROTOCOLS, [protocol, time, 0, 0, 0]);
    Ok(server.connection.send_event(false, window, EventMask::NO_EVENT, event)?.check()?)
}

/// Returns the server's time. Window managers ignore requests that seem older than the last key
/// press.
pub(super) fn server_time(server: &XServer) -> Result<u32, WindowError> {
    let connection = &server.connection;
    connection.sync_initialize(3, 1)?.reply()?;
    let counters = connection.sync_list_system_counters()?.reply()?.counters;
    let Some(clock) = counters.iter().find(|counter| counter.name == b"SERVERTIME") else {
        return Ok(x11rb::CURRENT_TIME);
    };
    Ok(connection.sync_query_counter(clock.counter)?.reply()?.counter_value.lo)
}
