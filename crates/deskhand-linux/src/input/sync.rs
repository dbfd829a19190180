//! Waits until an app has read its keys. It uses the ping that window managers use: an app answers
//! it after all events that were sent to it before.

use deskhand_platform::Deadline;
use x11rb::{
    connection::Connection,
    protocol::{
        Event,
        xproto::{
            AtomEnum, ChangeWindowAttributesAux, ClientMessageEvent, ConnectionExt as _, EventMask,
            Window,
        },
    },
};

use super::{
    idle::DeferringApp,
    timing::{NO_PING_DELAY, PING_POLL_INTERVAL},
};
use crate::x11::{X11Result, XServer};

/// Number of polls for an answer between two checks that the window still exists.
const POLLS_BETWEEN_WINDOW_CHECKS: u32 = 100;

x11rb::atom_manager! {
    /// The atoms of the ping protocol.
    PingAtoms: PingAtomsCookie { WM_PROTOCOLS, _NET_WM_PING, }
}

/// The state of the keys sent to an app.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InputStatus {
    /// The app answered, or it cannot answer and was given time.
    Read,
    /// The app did not answer by the deadline.
    Pending,
}

/// Synchronizes with the app that receives keys.
pub(super) struct InputSync<'a> {
    server: &'a XServer,
    atoms: PingAtoms,
    /// The window that always receives the keys, or `None` for the focused window.
    fixed_window: Option<Window>,
    /// The window pinged last. Keys sent since then may have gone there.
    last: Option<Window>,
    serial: u32,
}

impl<'a> InputSync<'a> {
    /// Starts listening for answers from one window, or from the focused window.
    pub(super) fn new(server: &'a XServer, fixed_window: Option<Window>) -> X11Result<Self> {
        let atoms = PingAtoms::new(&server.connection)?.reply()?;
        let sync = Self { server, atoms, fixed_window, last: None, serial: 0 };
        // Most toolkits answer to clients that select `SubstructureNotify` on the root window; Qt
        // answers to those that select `StructureNotify`.
        sync.select_events(EventMask::SUBSTRUCTURE_NOTIFY | EventMask::STRUCTURE_NOTIFY)?;
        Ok(sync)
    }

    fn select_events(&self, mask: EventMask) -> X11Result<()> {
        let change = ChangeWindowAttributesAux::new().event_mask(mask);
        self.server.connection.change_window_attributes(self.server.root, &change)?.check()?;
        Ok(())
    }

    /// Waits until the app has read all keys sent so far.
    pub(super) fn wait_until_read(&mut self, deadline: Deadline) -> X11Result<InputStatus> {
        let now = match self.fixed_window {
            Some(window) => self.ping_capable_window(window)?,
            None => self.focused_ping_window()?,
        };
        let mut pinged: Vec<Window> = self.last.into_iter().chain(now).collect();
        pinged.dedup();
        self.last = now;
        if now.is_none() {
            std::thread::sleep(NO_PING_DELAY.min(deadline.remaining()));
        }
        for window in pinged {
            if self.ping(window, deadline)? == InputStatus::Pending {
                return Ok(InputStatus::Pending);
            }
        }
        Ok(InputStatus::Read)
    }

    /// Waits until the app has read all keys, and until a [`DeferringApp`] is idle.
    pub(super) fn wait_until_processed(&mut self, deadline: Deadline) -> X11Result<InputStatus> {
        let read = self.wait_until_read(deadline)?;
        if let Some(app) = self.deferring_app()?.filter(|_| read == InputStatus::Read) {
            app.wait_idle(self.server, deadline)?;
        }
        Ok(read)
    }

    /// Returns the app pinged last if it is a [`DeferringApp`].
    pub(super) fn deferring_app(&self) -> X11Result<Option<DeferringApp>> {
        self.last.map_or(Ok(None), |window| DeferringApp::from_window(self.server, window))
    }

    /// Returns `true` if the app cannot be pinged. Waiting for such an app costs time, so callers
    /// do it only where they must.
    pub(super) fn has_no_ping_target(&self) -> bool {
        self.last.is_none()
    }

    /// Determines and pings the window that receives keys, before any key is sent.
    pub(super) fn ping_target(&mut self, deadline: Deadline) -> X11Result<InputStatus> {
        self.last = match self.fixed_window {
            Some(window) => self.ping_capable_window(window)?,
            None => self.focused_ping_window()?,
        };
        self.last.map_or(Ok(InputStatus::Read), |window| self.ping(window, deadline))
    }

    /// Waits until every app that answers pings has read all events sent so far. Returns a window
    /// of an app that has not.
    pub(super) fn find_unresponsive_window(
        &mut self,
        deadline: Deadline,
    ) -> X11Result<Option<Window>> {
        let XServer { connection, root, atoms, .. } = self.server;
        // All windows of one client share one event queue.
        let owner = |window: &Window| *window & !connection.setup().resource_id_mask;
        let mut pinged: Vec<Window> = Vec::new();
        for window in self.server.read_u32_list(*root, atoms._NET_CLIENT_LIST)? {
            let known = pinged.iter().any(|one| owner(one) == owner(&window));
            let capable = if known { None } else { self.ping_capable_window(window)? };
            if capable == Some(window) {
                pinged.push(window);
            }
        }
        for window in pinged {
            if self.ping(window, deadline)? == InputStatus::Pending {
                return Ok(Some(window));
            }
        }
        Ok(None)
    }

    fn ping(&mut self, window: Window, deadline: Deadline) -> X11Result<InputStatus> {
        let XServer { connection, root, .. } = self.server;
        self.serial += 1;
        let data = [self.atoms._NET_WM_PING, self.serial, window, 0, 0];
        let ping = ClientMessageEvent::new(32, window, self.atoms.WM_PROTOCOLS, data);
        // A window that has closed has nothing left to read.
        if connection.send_event(false, window, EventMask::NO_EVENT, ping)?.check().is_err() {
            return Ok(InputStatus::Read);
        }
        for poll in 1_u32.. {
            while let Some(event) = connection.poll_for_event()? {
                let Event::ClientMessage(pong) = event else { continue };
                let answer = pong.data.as_data32();
                if pong.window == *root && answer[..3] == data[..3] {
                    return Ok(InputStatus::Read);
                }
            }
            if deadline.has_passed() {
                return Ok(InputStatus::Pending);
            }
            if poll % POLLS_BETWEEN_WINDOW_CHECKS == 0
                && self.ping_capable_window(window)?.is_none()
            {
                return Ok(InputStatus::Read);
            }
            std::thread::sleep(PING_POLL_INTERVAL);
        }
        Ok(InputStatus::Pending)
    }

    /// Returns the focused window if it answers pings.
    fn focused_ping_window(&self) -> X11Result<Option<Window>> {
        let focus = self.server.connection.get_input_focus()?.reply()?.focus;
        // The values 0 and 1 mean no focus and focus that follows the pointer.
        if focus > 1 { self.ping_capable_window(focus) } else { Ok(None) }
    }

    /// Returns the window or its nearest ancestor that answers pings.
    fn ping_capable_window(&self, mut window: Window) -> X11Result<Option<Window>> {
        let XServer { connection, root, .. } = self.server;
        while window != *root && window != x11rb::NONE {
            let (name, kind) = (self.atoms.WM_PROTOCOLS, AtomEnum::ATOM);
            let pinged = connection.get_property(false, window, name, kind, 0, 64)?;
            let tree = connection.query_tree(window)?;
            let (Ok(protocols), Ok(tree)) = (pinged.reply(), tree.reply()) else {
                return Ok(None);
            };
            let ping = self.atoms._NET_WM_PING;
            if protocols.value32().is_some_and(|mut all| all.any(|atom| atom == ping)) {
                return Ok(Some(window));
            }
            window = tree.parent;
        }
        Ok(None)
    }
}

impl Drop for InputSync<'_> {
    fn drop(&mut self) {
        // Pending events are discarded; on a lost connection there are none.
        let _ = self.select_events(EventMask::NO_EVENT);
        while let Ok(Some(_)) = self.server.connection.poll_for_event() {}
    }
}
