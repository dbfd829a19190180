//! Owning a selection: answering every program that asks for what lies there.

use std::{
    rc::Rc,
    time::{Duration, Instant},
};

use deskhand_platform::{Deadline, Error, Result, Selection};
use x11rb::{
    connection::{Connection as _, RequestConnection as _},
    protocol::{
        Event,
        xproto::{
            Atom, AtomEnum, ChangeWindowAttributesAux, ConnectionExt as _, EventMask, PropMode,
            Property, PropertyNotifyEvent, SelectionNotifyEvent, SelectionRequestEvent, Timestamp,
            Window,
        },
    },
    wrapper::ConnectionExt as _,
};

use super::{
    forms::Offer,
    link::{Link, broken},
};

/// Larger data goes in pieces of this size: what every server takes in one request.
const PIECE: usize = 256 << 10;
/// How long a program may leave a piece untaken before it gets no more.
const PATIENCE: Duration = Duration::from_secs(10);

/// A selection of ours.
pub(super) struct Holding {
    link: Link,
    at: Selection,
    since: Timestamp,
    stock: Vec<Good>,
    transfers: Vec<Transfer>,
    piece: usize,
}

/// One target we answer to.
struct Good {
    target: Atom,
    kind: Atom,
    data: Rc<[u8]>,
}

/// Data on its way in pieces.
struct Transfer {
    requestor: Window,
    property: Atom,
    kind: Atom,
    data: Rc<[u8]>,
    sent: usize,
    moved: Instant,
}

/// How often a selection is claimed that others claim at the same moment.
const CLAIMS: usize = 5;

/// Makes the selection ours; the moment since when it is.
fn claim(link: &Link, at: Selection, by: Deadline) -> Result<Timestamp> {
    for _ in 0..CLAIMS {
        let now = link.now(by)?;
        link.connection
            .set_selection_owner(link.window, link.selection(at), now)
            .map_err(broken)?
            .check()
            .map_err(broken)?;
        if link.owner(at)? == Some(link.window) {
            return Ok(now);
        }
    }
    let why = "other programs keep taking it".to_owned();
    Err(Error::Broken { what: "the clipboard".to_owned(), why })
}

/// Whether a conversion was made.
enum Made {
    Yes,
    No,
}

impl Holding {
    /// Takes a selection and makes sure that it is ours.
    pub(super) fn take(at: Selection, offers: &[Offer], by: Deadline) -> Result<Self> {
        let link = Link::open()?;
        let targets = link.atoms(offers.iter().map(|offer| offer.target.as_str()))?;
        let kinds = link.atoms(offers.iter().map(|offer| offer.kind.as_str()))?;
        let stock = offers.iter().zip(targets).zip(kinds).map(|((offer, target), kind)| Good {
            target,
            kind,
            data: Rc::clone(&offer.data),
        });
        let stock = stock.collect();
        let since = claim(&link, at, by)?;
        // A request has a head of its own; the rest of what the server takes can be data.
        let piece = PIECE.min(link.connection.maximum_request_bytes() - 64);
        Ok(Self { link, at, since, stock, transfers: Vec::new(), piece })
    }

    /// Answers until another program has the selection; what is on its way then is still sent.
    pub(super) fn serve(mut self) -> Result<()> {
        let mut lost = false;
        while !lost || !self.transfers.is_empty() {
            let by = (!self.transfers.is_empty()).then(|| Deadline::after(PATIENCE));
            match self.link.event(by)? {
                Some(Event::SelectionRequest(request)) => self.answer(&request)?,
                Some(Event::PropertyNotify(told)) => self.go_on(told)?,
                // The word of a claim that failed before may come late, so the server is asked.
                Some(Event::SelectionClear(_)) => {
                    lost = self.link.owner(self.at)? != Some(self.link.window);
                }
                Some(Event::DestroyNotify(gone)) => {
                    self.transfers.retain(|one| one.requestor != gone.window);
                }
                // Programs that ask may be gone before they are answered: errors are about them.
                Some(_) | None => {}
            }
            self.transfers.retain(|one| one.moved.elapsed() < PATIENCE);
        }
        Ok(())
    }

    fn answer(&mut self, asked: &SelectionRequestEvent) -> Result<()> {
        // Clients from before ICCCM leave the property out and mean the target's name.
        let property = if asked.property == x11rb::NONE { asked.target } else { asked.property };
        let too_early = asked.time != x11rb::CURRENT_TIME
            && asked.time.wrapping_sub(self.since).cast_signed() < 0;
        let made = if too_early || asked.selection != self.link.selection(self.at) {
            Made::No
        } else if asked.target == self.link.atoms.MULTIPLE {
            self.several(asked.requestor, asked.property)?
        } else {
            self.convert(asked.requestor, asked.target, property)?
        };
        let property = match made {
            Made::Yes => property,
            Made::No => x11rb::NONE,
        };
        let notify = SelectionNotifyEvent {
            response_type: x11rb::protocol::xproto::SELECTION_NOTIFY_EVENT,
            sequence: 0,
            time: asked.time,
            requestor: asked.requestor,
            selection: asked.selection,
            target: asked.target,
            property,
        };
        let connection = &self.link.connection;
        connection
            .send_event(false, asked.requestor, EventMask::NO_EVENT, notify)
            .map_err(broken)?;
        connection.flush().map_err(broken)
    }

    /// Several targets asked for at once: pairs of a target and the property it goes to.
    fn several(&mut self, requestor: Window, list: Atom) -> Result<Made> {
        let pair = self.link.atoms.ATOM_PAIR;
        let asked = self
            .link
            .connection
            .get_property(false, requestor, list, AtomEnum::ANY, 0, 4096)
            .map_err(broken)?;
        // The program that asks may be gone.
        let Ok(asked) = asked.reply() else { return Ok(Made::No) };
        let Some(pairs) = asked.value32() else { return Ok(Made::No) };
        let mut pairs: Vec<u32> = pairs.collect();
        for pair in pairs.as_chunks_mut::<2>().0 {
            if let Made::No = self.convert(requestor, pair[0], pair[1])? {
                // libXt, which MULTIPLE was made for, reads a refusal here.
                pair[1] = x11rb::NONE;
            }
        }
        let connection = &self.link.connection;
        connection
            .change_property32(PropMode::REPLACE, requestor, list, pair, &pairs)
            .map_err(broken)?;
        Ok(Made::Yes)
    }

    fn convert(&mut self, requestor: Window, target: Atom, property: Atom) -> Result<Made> {
        let Link { connection, atoms, .. } = &self.link;
        if property == x11rb::NONE {
            return Ok(Made::No);
        }
        let mode = PropMode::REPLACE;
        if target == atoms.TARGETS {
            let ours = self.stock.iter().map(|good| good.target);
            let all: Vec<Atom> =
                [atoms.TARGETS, atoms.TIMESTAMP, atoms.MULTIPLE].into_iter().chain(ours).collect();
            connection
                .change_property32(mode, requestor, property, AtomEnum::ATOM, &all)
                .map_err(broken)?;
            return Ok(Made::Yes);
        }
        if target == atoms.TIMESTAMP {
            connection
                .change_property32(mode, requestor, property, AtomEnum::INTEGER, &[self.since])
                .map_err(broken)?;
            return Ok(Made::Yes);
        }
        let Some(good) = self.stock.iter().find(|good| good.target == target) else {
            return Ok(Made::No);
        };
        if good.data.len() <= self.piece {
            connection
                .change_property8(mode, requestor, property, good.kind, &good.data)
                .map_err(broken)?;
            return Ok(Made::Yes);
        }
        let mask = EventMask::PROPERTY_CHANGE | EventMask::STRUCTURE_NOTIFY;
        self.listen(requestor, mask)?;
        let size = u32::try_from(good.data.len()).unwrap_or(u32::MAX);
        self.link
            .connection
            .change_property32(mode, requestor, property, atoms.INCR, &[size])
            .map_err(broken)?;
        let (kind, data) = (good.kind, Rc::clone(&good.data));
        self.transfers.retain(|one| (one.requestor, one.property) != (requestor, property));
        let moved = Instant::now();
        self.transfers.push(Transfer { requestor, property, kind, data, sent: 0, moved });
        Ok(Made::Yes)
    }

    /// A program took a piece away: it wants the next. An empty one is the end.
    fn go_on(&mut self, told: PropertyNotifyEvent) -> Result<()> {
        let place = (told.window, told.atom);
        let at = self.transfers.iter().position(|one| (one.requestor, one.property) == place);
        let Some(at) = at.filter(|_| told.state == Property::DELETE) else { return Ok(()) };
        let transfer = &mut self.transfers[at];
        let end = transfer.data.len().min(transfer.sent + self.piece);
        let piece = &transfer.data[transfer.sent..end];
        let Transfer { requestor, property, kind, .. } = *transfer;
        self.link
            .connection
            .change_property8(PropMode::REPLACE, requestor, property, kind, piece)
            .map_err(broken)?;
        let over = piece.is_empty();
        (transfer.sent, transfer.moved) = (end, Instant::now());
        if over {
            self.transfers.swap_remove(at);
            if self.transfers.iter().all(|one| one.requestor != requestor) {
                self.listen(requestor, EventMask::NO_EVENT)?;
            }
        }
        self.link.connection.flush().map_err(broken)
    }

    fn listen(&self, window: Window, mask: EventMask) -> Result<()> {
        // Asking ourselves must not make us deaf to our own window.
        let own = if window == self.link.window { EventMask::PROPERTY_CHANGE } else { mask };
        let events = ChangeWindowAttributesAux::new().event_mask(own | mask);
        self.link.connection.change_window_attributes(window, &events).map_err(broken)?;
        Ok(())
    }
}
