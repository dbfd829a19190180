//! Requests data from the owner of a selection, in one reply or in chunks.

use deskhand_platform::{Deadline, Error, Result, Selection};
use x11rb::protocol::{
    Event,
    xproto::{
        Atom, AtomEnum, ChangeWindowAttributesAux, ConnectionExt as _, EventMask, GetPropertyReply,
        Property, Window,
    },
};

use super::connection::{SelectionConnection, broken};

/// Maximum size of received data. An owner that sends more may never stop.
const MAX_BYTES: usize = 256 << 20;

/// The data that an owner sent.
pub(super) struct SelectionData {
    /// The type that the owner reports.
    pub(super) type_atom: Atom,
    /// The number of bits per unit: 8, 16 or 32.
    pub(super) format: u8,
    /// The bytes. Units of more than one byte are in native byte order.
    pub(super) data: Vec<u8>,
}

impl SelectionData {
    /// Interprets the data as a list of atoms.
    pub(super) fn atoms(&self) -> Vec<Atom> {
        if self.format != 32 {
            return Vec::new();
        }
        self.data.as_chunks().0.iter().map(|four| u32::from_ne_bytes(*four)).collect()
    }
}

/// A connection to the owner of a selection.
pub(super) struct SelectionRequest<'a> {
    connection: &'a SelectionConnection,
    selection: Atom,
    owner: Window,
    time: u32,
    deadline: Deadline,
}

impl<'a> SelectionRequest<'a> {
    /// Finds the owner. Returns `None` if the selection has no owner.
    pub(super) fn open(
        connection: &'a SelectionConnection,
        which: Selection,
        deadline: Deadline,
    ) -> Result<Option<Self>> {
        let Some(owner) = connection.owner(which)? else { return Ok(None) };
        // The owner may end while this waits, so its end is watched. If it has already ended, the
        // server itself refuses the request.
        let gone = ChangeWindowAttributesAux::new().event_mask(EventMask::STRUCTURE_NOTIFY);
        connection.x11.change_window_attributes(owner, &gone).map_err(broken)?;
        let (selection, time) = (connection.selection(which), connection.server_time(deadline)?);
        Ok(Some(Self { connection, selection, owner, time, deadline }))
    }

    /// Returns the name of the owner's program.
    pub(super) fn program(&self) -> Option<String> {
        self.connection.program_of(self.owner)
    }

    /// Requests one target. Returns `None` if the owner does not provide it.
    pub(super) fn convert(&self, target: Atom) -> Result<Option<SelectionData>> {
        let SelectionConnection { x11: connection, window, atoms } = self.connection;
        let property = atoms.DESKHAND_SELECTION;
        connection.delete_property(*window, property).map_err(broken)?;
        connection
            .convert_selection(*window, self.selection, target, property, self.time)
            .map_err(broken)?;
        loop {
            if let Event::SelectionNotify(notify) = self.next_event()?
                && (notify.selection, notify.target) == (self.selection, target)
            {
                if notify.property == x11rb::NONE {
                    return Ok(None);
                }
                break;
            }
        }
        let first = self.take_property()?;
        let reply = if first.type_ == atoms.INCR { self.receive_chunks()? } else { first };
        if reply.type_ == x11rb::NONE {
            // The owner announced a reply but did not send one.
            return Ok(None);
        }
        Ok(Some(SelectionData { type_atom: reply.type_, format: reply.format, data: reply.value }))
    }

    /// Reads and deletes the property with the reply or a chunk of it.
    fn take_property(&self) -> Result<GetPropertyReply> {
        let SelectionConnection { x11: connection, window, atoms } = self.connection;
        let (name, any) = (atoms.DESKHAND_SELECTION, AtomEnum::ANY);
        connection
            .get_property(true, *window, name, any, 0, u32::MAX / 4)
            .map_err(broken)?
            .reply()
            .map_err(broken)
    }

    /// Receives a large reply in chunks. Deleting a chunk requests the next; an empty chunk ends
    /// the transfer.
    fn receive_chunks(&self) -> Result<GetPropertyReply> {
        let mut whole: Option<GetPropertyReply> = None;
        loop {
            let Event::PropertyNotify(notify) = self.next_event()? else { continue };
            let is_ours = notify.window == self.connection.window
                && notify.atom == self.connection.atoms.DESKHAND_SELECTION
                && notify.state == Property::NEW_VALUE;
            if !is_ours {
                continue;
            }
            let chunk = self.take_property()?;
            if chunk.type_ == x11rb::NONE {
                // The notification of a chunk that was already read.
                continue;
            }
            let end = chunk.value.is_empty();
            match &mut whole {
                Some(whole) => whole.value.extend_from_slice(&chunk.value),
                None => whole = Some(chunk),
            }
            let size = whole.as_ref().map_or(0, |whole| whole.value.len());
            if size > MAX_BYTES {
                let why = format!("it sent more than {} MB", MAX_BYTES >> 20);
                return Err(Error::Unexpected { what: self.describe_owner(), why });
            }
            if let Some(whole) = whole.take_if(|_| end) {
                return Ok(whole);
            }
        }
    }

    /// Waits for the next event. Returns an error if the owner has ended or the deadline has
    /// passed.
    fn next_event(&self) -> Result<Event> {
        match self.connection.next_event(Some(self.deadline))? {
            Some(Event::DestroyNotify(gone)) if gone.window == self.owner => {
                Err(Error::Gone { what: "the program that owned the clipboard".to_owned() })
            }
            Some(event) => Ok(event),
            None => Err(Error::Timeout { what: self.describe_owner() }),
        }
    }

    fn describe_owner(&self) -> String {
        match self.program() {
            Some(name) => format!("`{name}`, which owns the clipboard,"),
            None => "the program that owns the clipboard".to_owned(),
        }
    }
}
