//! An X connection for one clipboard operation, with its own window.

use std::sync::mpsc;

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

use super::timing::REPORT_GRACE;
use crate::{apps::process, session_env::SessionEnv};

x11rb::atom_manager! {
    /// The atoms of the selection protocol.
    pub(super) SelectionAtoms: SelectionAtomsCookie {
        ATOM_PAIR,
        CLIPBOARD,
        DESKHAND_SELECTION,
        INCR,
        MULTIPLE,
        TARGETS,
        TIMESTAMP,
    }
}

/// An X connection, its window and its atoms.
pub(super) struct SelectionConnection {
    pub(super) x11: RustConnection,
    pub(super) window: Window,
    pub(super) atoms: SelectionAtoms,
}

/// Converts an error of a call to the X server.
pub(super) fn broken(error: impl std::fmt::Display) -> Error {
    Error::Disconnected { what: "the X server".to_owned(), why: error.to_string() }
}

impl SelectionConnection {
    /// Connects to the display of a session.
    pub(super) fn open(env: &SessionEnv) -> Result<Self> {
        let (x11, root) = env.connect_x11().map_err(|why| Error::NoDisplay { why })?;
        let atoms = SelectionAtoms::new(&x11).map_err(broken)?.reply().map_err(broken)?;
        let window = x11.generate_id().map_err(broken)?;
        let events = CreateWindowAux::new().event_mask(EventMask::PROPERTY_CHANGE);
        x11.create_window(0, window, root, -1, -1, 1, 1, 0, WindowClass::INPUT_ONLY, 0, &events)
            .map_err(broken)?
            .check()
            .map_err(broken)?;
        Ok(Self { x11, window, atoms })
    }

    /// Waits for the next event. Returns `None` when the deadline passes.
    pub(super) fn next_event(&self, deadline: Option<Deadline>) -> Result<Option<Event>> {
        loop {
            self.x11.flush().map_err(broken)?;
            if let Some(event) = self.x11.poll_for_event().map_err(broken)? {
                return Ok(Some(event));
            }
            if deadline.is_some_and(Deadline::has_passed) {
                return Ok(None);
            }
            let wait = deadline.and_then(|deadline| Timespec::try_from(deadline.remaining()).ok());
            let mut watched = [PollFd::new(self.x11.stream(), PollFlags::IN)];
            match poll(&mut watched, wait.as_ref()) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(broken(error)),
            }
        }
    }

    /// Returns the server's time. Requests carry it so that late ones lose.
    pub(super) fn server_time(&self, deadline: Deadline) -> Result<Timestamp> {
        let name = self.atoms.DESKHAND_SELECTION;
        self.x11
            .change_property8(PropMode::REPLACE, self.window, name, AtomEnum::STRING, &[])
            .map_err(broken)?;
        while let Some(event) = self.next_event(Some(deadline))? {
            if let Event::PropertyNotify(event) = event
                && event.window == self.window
            {
                return Ok(event.time);
            }
        }
        Err(Error::Timeout { what: "the X server".to_owned() })
    }

    /// Returns the atom of a selection.
    pub(super) fn selection(&self, which: Selection) -> Atom {
        match which {
            Selection::Clipboard => self.atoms.CLIPBOARD,
            Selection::Primary => AtomEnum::PRIMARY.into(),
        }
    }

    /// Returns the window that owns a selection, if there is one.
    pub(super) fn owner(&self, which: Selection) -> Result<Option<Window>> {
        let request = self.x11.get_selection_owner(self.selection(which)).map_err(broken)?;
        let owner = request.reply().map_err(broken)?.owner;
        Ok(Some(owner).filter(|owner| *owner != x11rb::NONE))
    }

    /// Returns the name of the program that owns a window, if the server knows its process.
    pub(super) fn program_of(&self, window: Window) -> Option<String> {
        let spec = ClientIdSpec { client: window, mask: ClientIdMask::LOCAL_CLIENT_PID };
        // Without the X-Resource extension, or if the window has closed, the name is unknown.
        let found = self.x11.res_query_client_ids(&[spec]).ok()?.reply().ok()?;
        let pid = found.ids.first()?.value.first().copied()?;
        process::name(pid)
    }

    /// Returns the atoms with these names.
    pub(super) fn intern<'a>(&self, names: impl Iterator<Item = &'a str>) -> Result<Vec<Atom>> {
        let requests: Vec<_> = names
            .map(|name| self.x11.intern_atom(false, name.as_bytes()).map_err(broken))
            .collect::<Result<_>>()?;
        requests.into_iter().map(|one| Ok(one.reply().map_err(broken)?.atom)).collect()
    }

    /// Returns the names of atoms. Invalid atoms are omitted.
    pub(super) fn atom_names(&self, atoms: &[Atom]) -> Result<Vec<(Atom, String)>> {
        let requests: Vec<_> = atoms
            .iter()
            .map(|atom| Ok((*atom, self.x11.get_atom_name(*atom).map_err(broken)?)))
            .collect::<Result<_>>()?;
        let named = requests.into_iter().filter_map(|(atom, request)| {
            // Some owners offer numbers that are no atoms; the server rejects them.
            let name = request.reply().ok()?.name;
            Some((atom, String::from_utf8_lossy(&name).into_owned()))
        });
        Ok(named.collect())
    }
}

/// Runs `task` on a separate thread, so that a hanging X server does not block the caller past the
/// deadline.
pub(super) fn run_with_deadline<T: Send + 'static>(
    deadline: Deadline,
    task: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let (done, result) = mpsc::channel();
    std::thread::Builder::new()
        .name("clipboard".to_owned())
        .spawn(move || {
            // After the deadline the result is not needed.
            let _unreceived = done.send(task());
        })
        .map_err(broken)?;
    result
        .recv_timeout(deadline.remaining() + REPORT_GRACE)
        .unwrap_or_else(|_| Err(Error::Timeout { what: "the X server".to_owned() }))
}
