//! A connection to the X server for one errand, with a window of its own to talk through.

use std::{sync::mpsc, time::Duration};

use deskhand_platform::{Deadline, Error, Result, Selection};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use x11rb::{
    connection::Connection as _,
    protocol::{
        Event,
        res::{ClientIdMask, ClientIdSpec, ConnectionExt as _},
        xproto::{
            Atom, AtomEnum, ConnectionExt as _, CreateWindowAux, EventMask, PropMode, Timestamp,
            Window, WindowClass,
        },
    },
    rust_connection::RustConnection,
    wrapper::ConnectionExt as _,
};

use crate::apps::process;

x11rb::atom_manager! {
    /// The names selections are spoken of by.
    pub(super) Atoms: AtomsCookie {
        ATOM_PAIR,
        CLIPBOARD,
        DESKHAND_SELECTION,
        INCR,
        MULTIPLE,
        TARGETS,
        TIMESTAMP,
    }
}

/// A connection and what is needed on it.
pub(super) struct Link {
    pub(super) connection: RustConnection,
    pub(super) window: Window,
    pub(super) atoms: Atoms,
}

/// What the X server has done when a call to it fails.
pub(super) fn broken(error: impl std::fmt::Display) -> Error {
    Error::Broken { what: "the X server".to_owned(), why: error.to_string() }
}

impl Link {
    /// Connects to the display the environment names.
    pub(super) fn open() -> Result<Self> {
        let refused = |error: &dyn std::fmt::Display| Error::NoDisplay { why: error.to_string() };
        let (connection, screen) = x11rb::connect(None).map_err(|e| refused(&e))?;
        let root = connection.setup().roots.get(screen).map(|screen| screen.root);
        let root = root.ok_or_else(|| refused(&"no such screen"))?;
        let atoms = Atoms::new(&connection).map_err(broken)?.reply().map_err(broken)?;
        let window = connection.generate_id().map_err(broken)?;
        let events = CreateWindowAux::new().event_mask(EventMask::PROPERTY_CHANGE);
        connection
            .create_window(0, window, root, -1, -1, 1, 1, 0, WindowClass::INPUT_ONLY, 0, &events)
            .map_err(broken)?
            .check()
            .map_err(broken)?;
        Ok(Self { connection, window, atoms })
    }

    /// The next event, or none when the time is over.
    pub(super) fn event(&self, by: Option<Deadline>) -> Result<Option<Event>> {
        loop {
            self.connection.flush().map_err(broken)?;
            if let Some(event) = self.connection.poll_for_event().map_err(broken)? {
                return Ok(Some(event));
            }
            if by.is_some_and(Deadline::passed) {
                return Ok(None);
            }
            let wait = by.and_then(|by| Timespec::try_from(by.left()).ok());
            let mut watched = [PollFd::new(self.connection.stream(), PollFlags::IN)];
            match poll(&mut watched, wait.as_ref()) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(broken(error)),
            }
        }
    }

    /// The server's clock: claims and questions carry it, so that late ones lose.
    pub(super) fn now(&self, by: Deadline) -> Result<Timestamp> {
        let name = self.atoms.DESKHAND_SELECTION;
        self.connection
            .change_property8(PropMode::REPLACE, self.window, name, AtomEnum::STRING, &[])
            .map_err(broken)?;
        while let Some(event) = self.event(Some(by))? {
            if let Event::PropertyNotify(event) = event
                && event.window == self.window
            {
                return Ok(event.time);
            }
        }
        Err(Error::Timeout { what: "the X server".to_owned() })
    }

    /// The name of a selection.
    pub(super) fn selection(&self, at: Selection) -> Atom {
        match at {
            Selection::Clipboard => self.atoms.CLIPBOARD,
            Selection::Primary => AtomEnum::PRIMARY.into(),
        }
    }

    /// The window that owns a selection, when one does.
    pub(super) fn owner(&self, at: Selection) -> Result<Option<Window>> {
        let asked = self.connection.get_selection_owner(self.selection(at)).map_err(broken)?;
        let owner = asked.reply().map_err(broken)?.owner;
        Ok(Some(owner).filter(|owner| *owner != x11rb::NONE))
    }

    /// The program behind a window, where the server knows its process.
    pub(super) fn program(&self, window: Window) -> Option<String> {
        let spec = ClientIdSpec { client: window, mask: ClientIdMask::LOCAL_CLIENT_PID };
        // A server without this extension, or a window that is gone: the name is not known.
        let found = self.connection.res_query_client_ids(&[spec]).ok()?.reply().ok()?;
        let pid = found.ids.first()?.value.first().copied()?;
        process::name(pid)
    }

    /// The numbers of names.
    pub(super) fn atoms<'a>(&self, names: impl Iterator<Item = &'a str>) -> Result<Vec<Atom>> {
        let asked: Vec<_> = names
            .map(|name| self.connection.intern_atom(false, name.as_bytes()).map_err(broken))
            .collect::<Result<_>>()?;
        asked.into_iter().map(|one| Ok(one.reply().map_err(broken)?.atom)).collect()
    }

    /// The names of numbers; one that is no name is left out.
    pub(super) fn names(&self, atoms: &[Atom]) -> Result<Vec<(Atom, String)>> {
        let asked: Vec<_> = atoms
            .iter()
            .map(|atom| Ok((*atom, self.connection.get_atom_name(*atom).map_err(broken)?)))
            .collect::<Result<_>>()?;
        let told = asked.into_iter().filter_map(|(atom, asked)| {
            // Owners offer numbers that are no atoms; the server says so, and nothing is lost.
            let name = asked.reply().ok()?.name;
            Some((atom, String::from_utf8_lossy(&name).into_owned()))
        });
        Ok(told.collect())
    }
}

/// How much longer than its deadline an errand may take to say that it is over.
const GRACE: Duration = Duration::from_millis(250);

/// Runs an errand on a thread of its own: an X server that hangs holds up nobody past the deadline.
pub(super) fn within<T: Send + 'static>(
    by: Deadline,
    errand: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let (done, result) = mpsc::channel();
    std::thread::Builder::new()
        .name("clipboard".to_owned())
        .spawn(move || {
            // Nobody waits any longer once the deadline has passed.
            let _late = done.send(errand());
        })
        .map_err(broken)?;
    result
        .recv_timeout(by.left() + GRACE)
        .unwrap_or_else(|_| Err(Error::Timeout { what: "the X server".to_owned() }))
}
