//! Has an app read its keys yet? Asked by the ping every window manager uses: an app answers it in
//! turn, after everything that was sent to it before.

use std::time::Duration;

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

use super::idle::Process;
use crate::x11::{Server, Trouble};

type Asked<T> = std::result::Result<T, Trouble>;

/// How long an app that answers no pings gets to read its keys.
const BLIND: Duration = Duration::from_millis(120);

/// How often the answer is looked for.
const STEP: Duration = Duration::from_micros(300);

/// After how many looks it is worth asking whether the window is still there.
const RECHECK: u32 = 100;

x11rb::atom_manager! {
    /// The names a ping is made of.
    Names: NamesCookie { WM_PROTOCOLS, _NET_WM_PING, }
}

/// Whether the keys were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Read {
    /// The app answered, or is of the kind that cannot and was given time.
    Yes,
    /// It has not answered by the deadline.
    No,
}

/// Listens to the app keys go to.
pub(super) struct Pulse<'a> {
    server: &'a Server,
    names: Names,
    /// Always this window, or the one that has the keyboard at the moment.
    fixed: Option<Window>,
    /// Who was asked last; keys sent since may have gone there.
    last: Option<Window>,
    serial: u32,
}

impl<'a> Pulse<'a> {
    /// Begins to listen, to one window or to whoever has the keyboard.
    pub(super) fn new(server: &'a Server, fixed: Option<Window>) -> Asked<Self> {
        let names = Names::new(&server.connection)?.reply()?;
        let pulse = Self { server, names, fixed, last: None, serial: 0 };
        // Most answer to those who watch the children of the root, Qt to those who watch the root.
        pulse.listen(EventMask::SUBSTRUCTURE_NOTIFY | EventMask::STRUCTURE_NOTIFY)?;
        Ok(pulse)
    }

    fn listen(&self, mask: EventMask) -> Asked<()> {
        let change = ChangeWindowAttributesAux::new().event_mask(mask);
        self.server.connection.change_window_attributes(self.server.root, &change)?.check()?;
        Ok(())
    }

    /// Waits until the app has read everything sent so far.
    pub(super) fn settle(&mut self, by: Deadline) -> Asked<Read> {
        let now = match self.fixed {
            Some(window) => self.answering(window)?,
            None => self.focused()?,
        };
        let mut asked: Vec<Window> = self.last.into_iter().chain(now).collect();
        asked.dedup();
        self.last = now;
        if now.is_none() {
            std::thread::sleep(BLIND.min(by.left()));
        }
        for window in asked {
            if self.ping(window, by)? == Read::No {
                return Ok(Read::No);
            }
        }
        Ok(Read::Yes)
    }

    /// The same, and until an app that mixes up its keys is done with them.
    pub(super) fn rest(&mut self, by: Deadline) -> Asked<Read> {
        let read = self.settle(by)?;
        if let Some(app) = self.deferring()?.filter(|_| read == Read::Yes) {
            app.wait_idle(self.server, by)?;
        }
        Ok(read)
    }

    /// The app that was asked last, if it is one that mixes up its keys.
    pub(super) fn deferring(&self) -> Asked<Option<Process>> {
        self.last.map_or(Ok(None), |window| Process::of(self.server, window))
    }

    /// Whether anybody can be asked. One who answers is asked at no cost, so only others are worth
    /// sparing.
    pub(super) fn is_blind(&self) -> bool {
        self.last.is_none()
    }

    /// Finds out who has the keyboard and whether it answers, before anything is sent.
    pub(super) fn first(&mut self, by: Deadline) -> Asked<Read> {
        self.last = match self.fixed {
            Some(window) => self.answering(window)?,
            None => self.focused()?,
        };
        self.last.map_or(Ok(Read::Yes), |window| self.ping(window, by))
    }

    /// Waits until every app that answers pings has read everything sent so far; a window of one that
    /// has not.
    pub(super) fn unread(&mut self, by: Deadline) -> Asked<Option<Window>> {
        let Server { connection, root, atoms } = self.server;
        // All windows of a connection get their events in one line.
        let owner = |window: &Window| *window & !connection.setup().resource_id_mask;
        let mut asked: Vec<Window> = Vec::new();
        for window in self.server.numbers(*root, atoms._NET_CLIENT_LIST)? {
            let known = asked.iter().any(|one| owner(one) == owner(&window));
            let speaks = if known { None } else { self.answering(window)? };
            if speaks == Some(window) {
                asked.push(window);
            }
        }
        for window in asked {
            if self.ping(window, by)? == Read::No {
                return Ok(Some(window));
            }
        }
        Ok(None)
    }

    fn ping(&mut self, window: Window, by: Deadline) -> Asked<Read> {
        let Server { connection, root, .. } = self.server;
        self.serial += 1;
        let data = [self.names._NET_WM_PING, self.serial, window, 0, 0];
        let ping = ClientMessageEvent::new(32, window, self.names.WM_PROTOCOLS, data);
        // A window that closed meanwhile has nothing left to read.
        if connection.send_event(false, window, EventMask::NO_EVENT, ping)?.check().is_err() {
            return Ok(Read::Yes);
        }
        for look in 1_u32.. {
            while let Some(event) = connection.poll_for_event()? {
                let Event::ClientMessage(pong) = event else { continue };
                let said = pong.data.as_data32();
                if pong.window == *root && said[..3] == data[..3] {
                    return Ok(Read::Yes);
                }
            }
            if by.passed() {
                return Ok(Read::No);
            }
            if look % RECHECK == 0 && self.answering(window)?.is_none() {
                return Ok(Read::Yes);
            }
            std::thread::sleep(STEP);
        }
        Ok(Read::No)
    }

    /// The window that has the keyboard, if it answers pings.
    fn focused(&self) -> Asked<Option<Window>> {
        let focus = self.server.connection.get_input_focus()?.reply()?.focus;
        // 0 is nobody and 1 is whatever lies under the pointer.
        if focus > 1 { self.answering(focus) } else { Ok(None) }
    }

    /// The window itself or the one around it that answers pings.
    fn answering(&self, mut window: Window) -> Asked<Option<Window>> {
        let Server { connection, root, .. } = self.server;
        while window != *root && window != x11rb::NONE {
            let (name, kind) = (self.names.WM_PROTOCOLS, AtomEnum::ATOM);
            let asked = connection.get_property(false, window, name, kind, 0, 64)?;
            let around = connection.query_tree(window)?;
            let (Ok(spoken), Ok(around)) = (asked.reply(), around.reply()) else {
                return Ok(None);
            };
            let ping = self.names._NET_WM_PING;
            if spoken.value32().is_some_and(|mut all| all.any(|atom| atom == ping)) {
                return Ok(Some(window));
            }
            window = around.parent;
        }
        Ok(None)
    }
}

impl Drop for Pulse<'_> {
    fn drop(&mut self) {
        // What else the windows do is not read by anybody; a lost connection listens to nothing.
        let _ = self.listen(EventMask::NO_EVENT);
        while let Ok(Some(_)) = self.server.connection.poll_for_event() {}
    }
}
