//! Asking the owner of a selection: one question, answered at once or piece by piece.

use deskhand_platform::{Deadline, Error, Result, Selection};
use x11rb::protocol::{
    Event,
    xproto::{
        Atom, AtomEnum, ChangeWindowAttributesAux, ConnectionExt as _, EventMask, GetPropertyReply,
        Property, Window,
    },
};

use super::link::{Link, broken};

/// More than this is no copy a person made: whoever sends it may be sending for ever.
const MOST: usize = 256 << 20;

/// What an owner answered.
pub(super) struct Answer {
    /// The type it says its answer has.
    pub(super) kind: Atom,
    /// How many bits one unit has: 8, 16 or 32.
    pub(super) format: u8,
    /// The bytes; units of more than one byte are in the byte order of this machine.
    pub(super) data: Vec<u8>,
}

impl Answer {
    /// The answer as a list of atoms.
    pub(super) fn atoms(&self) -> Vec<Atom> {
        if self.format != 32 {
            return Vec::new();
        }
        self.data.as_chunks().0.iter().map(|four| u32::from_ne_bytes(*four)).collect()
    }
}

/// A conversation with the owner of a selection.
pub(super) struct Asking<'a> {
    link: &'a Link,
    selection: Atom,
    owner: Window,
    time: u32,
    by: Deadline,
}

impl<'a> Asking<'a> {
    /// Begins one; `None` when nobody owns the selection.
    pub(super) fn begin(link: &'a Link, at: Selection, by: Deadline) -> Result<Option<Self>> {
        let Some(owner) = link.owner(at)? else { return Ok(None) };
        // An owner that ends while we wait would leave us waiting; it may be gone even now, and
        // then the server itself refuses the question.
        let gone = ChangeWindowAttributesAux::new().event_mask(EventMask::STRUCTURE_NOTIFY);
        link.connection.change_window_attributes(owner, &gone).map_err(broken)?;
        let (selection, time) = (link.selection(at), link.now(by)?);
        Ok(Some(Self { link, selection, owner, time, by }))
    }

    /// The program that is asked.
    pub(super) fn program(&self) -> Option<String> {
        self.link.program(self.owner)
    }

    /// Asks for one target; `None` when the owner does not have it.
    pub(super) fn ask(&self, target: Atom) -> Result<Option<Answer>> {
        let Link { connection, window, atoms } = self.link;
        let property = atoms.DESKHAND_SELECTION;
        connection.delete_property(*window, property).map_err(broken)?;
        connection
            .convert_selection(*window, self.selection, target, property, self.time)
            .map_err(broken)?;
        loop {
            if let Event::SelectionNotify(told) = self.next()?
                && (told.selection, told.target) == (self.selection, target)
            {
                if told.property == x11rb::NONE {
                    return Ok(None);
                }
                break;
            }
        }
        let first = self.take()?;
        let answer = if first.type_ == atoms.INCR { self.pieces()? } else { first };
        if answer.type_ == x11rb::NONE {
            // It says it has answered and has not.
            return Ok(None);
        }
        Ok(Some(Answer { kind: answer.type_, format: answer.format, data: answer.value }))
    }

    /// Takes the property with the answer, or a piece of it, away from the window.
    fn take(&self) -> Result<GetPropertyReply> {
        let Link { connection, window, atoms } = self.link;
        let (name, any) = (atoms.DESKHAND_SELECTION, AtomEnum::ANY);
        connection
            .get_property(true, *window, name, any, 0, u32::MAX / 4)
            .map_err(broken)?
            .reply()
            .map_err(broken)
    }

    /// The pieces of a large answer: each is taken away to get the next, an empty one is the end.
    fn pieces(&self) -> Result<GetPropertyReply> {
        let mut whole: Option<GetPropertyReply> = None;
        loop {
            let Event::PropertyNotify(told) = self.next()? else { continue };
            let ours = told.window == self.link.window
                && told.atom == self.link.atoms.DESKHAND_SELECTION
                && told.state == Property::NEW_VALUE;
            if !ours {
                continue;
            }
            let piece = self.take()?;
            if piece.type_ == x11rb::NONE {
                // The announcement of what was taken already.
                continue;
            }
            let end = piece.value.is_empty();
            match &mut whole {
                Some(whole) => whole.value.extend_from_slice(&piece.value),
                None => whole = Some(piece),
            }
            let size = whole.as_ref().map_or(0, |whole| whole.value.len());
            if size > MOST {
                let why = format!("it sent more than {} MB", MOST >> 20);
                return Err(Error::Unexpected { what: self.who(), why });
            }
            if let Some(whole) = whole.take_if(|_| end) {
                return Ok(whole);
            }
        }
    }

    /// The next event; fails when the owner is gone or the time is over.
    fn next(&self) -> Result<Event> {
        match self.link.event(Some(self.by))? {
            Some(Event::DestroyNotify(gone)) if gone.window == self.owner => {
                Err(Error::Gone { what: "the program that had copied it".to_owned() })
            }
            Some(event) => Ok(event),
            None => Err(Error::Timeout { what: self.who() }),
        }
    }

    fn who(&self) -> String {
        match self.program() {
            Some(name) => format!("`{name}`, which owns the clipboard,"),
            None => "the program that owns the clipboard".to_owned(),
        }
    }
}
