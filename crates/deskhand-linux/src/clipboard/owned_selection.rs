//! Owns a selection and serves its content to other programs.

use std::{rc::Rc, time::Instant};

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
    connection::{SelectionConnection, broken},
    forms::TargetOffer,
    timing::TRANSFER_TIMEOUT,
};
use crate::session_env::SessionEnv;

/// Maximum size of one chunk; every server accepts this much in one request.
const MAX_CHUNK: usize = 256 << 10;

/// A selection that this process owns.
pub(super) struct OwnedSelection {
    connection: SelectionConnection,
    which: Selection,
    since: Timestamp,
    targets: Vec<OfferedTarget>,
    transfers: Vec<Transfer>,
    chunk: usize,
}

/// One target that this process provides.
struct OfferedTarget {
    target: Atom,
    type_atom: Atom,
    data: Rc<[u8]>,
}

/// Data that is being sent in chunks.
struct Transfer {
    requestor: Window,
    property: Atom,
    type_atom: Atom,
    data: Rc<[u8]>,
    sent: usize,
    last_activity: Instant,
}

/// Number of attempts to claim a selection that other programs claim at the same time.
const MAX_CLAIM_ATTEMPTS: usize = 5;

/// Claims the selection and returns the time of the claim.
fn claim_selection(
    connection: &SelectionConnection,
    which: Selection,
    deadline: Deadline,
) -> Result<Timestamp> {
    for _ in 0..MAX_CLAIM_ATTEMPTS {
        let now = connection.server_time(deadline)?;
        connection
            .x11
            .set_selection_owner(connection.window, connection.selection(which), now)
            .map_err(broken)?
            .check()
            .map_err(broken)?;
        if connection.owner(which)? == Some(connection.window) {
            return Ok(now);
        }
    }
    let why = "other programs keep taking it".to_owned();
    Err(Error::Disconnected { what: "the clipboard".to_owned(), why })
}

/// The outcome of a conversion request.
enum Conversion {
    Done,
    Refused,
}

impl OwnedSelection {
    /// Claims a selection and checks that it is owned.
    pub(super) fn claim(
        which: Selection,
        offers: &[TargetOffer],
        deadline: Deadline,
    ) -> Result<Self> {
        let connection = SelectionConnection::open(&SessionEnv::of_process())?;
        let target_atoms = connection.intern(offers.iter().map(|offer| offer.target.as_str()))?;
        let types = connection.intern(offers.iter().map(|offer| offer.type_name.as_str()))?;
        let targets = offers.iter().zip(target_atoms).zip(types);
        let targets = targets.map(|((offer, target), type_atom)| OfferedTarget {
            target,
            type_atom,
            data: Rc::clone(&offer.data),
        });
        let targets = targets.collect();
        let since = claim_selection(&connection, which, deadline)?;
        // The rest of a request beside its header can be data.
        let chunk = MAX_CHUNK.min(connection.x11.maximum_request_bytes() - 64);
        Ok(Self { connection, which, since, targets, transfers: Vec::new(), chunk })
    }

    /// Serves requests until another program claims the selection. Transfers in progress are
    /// completed.
    pub(super) fn serve(mut self) -> Result<()> {
        let mut lost = false;
        while !lost || !self.transfers.is_empty() {
            let deadline = (!self.transfers.is_empty()).then(|| Deadline::after(TRANSFER_TIMEOUT));
            match self.connection.next_event(deadline)? {
                Some(Event::SelectionRequest(request)) => self.handle_request(&request)?,
                Some(Event::PropertyNotify(notify)) => self.send_next_chunk(notify)?,
                // The notification of an earlier failed claim may arrive late, so the server is
                // asked.
                Some(Event::SelectionClear(_)) => {
                    lost = self.connection.owner(self.which)? != Some(self.connection.window);
                }
                Some(Event::DestroyNotify(event)) => {
                    self.transfers.retain(|one| one.requestor != event.window);
                }
                // Errors are about requestors that ended before their request was served.
                Some(_) | None => {}
            }
            self.transfers.retain(|one| one.last_activity.elapsed() < TRANSFER_TIMEOUT);
        }
        Ok(())
    }

    fn handle_request(&mut self, request: &SelectionRequestEvent) -> Result<()> {
        // Clients that predate ICCCM omit the property and expect the target's name.
        let property =
            if request.property == x11rb::NONE { request.target } else { request.property };
        let predates_ownership = request.time != x11rb::CURRENT_TIME
            && request.time.wrapping_sub(self.since).cast_signed() < 0;
        let conversion =
            if predates_ownership || request.selection != self.connection.selection(self.which) {
                Conversion::Refused
            } else if request.target == self.connection.atoms.MULTIPLE {
                self.convert_multiple(request.requestor, request.property)?
            } else {
                self.convert(request.requestor, request.target, property)?
            };
        let property = match conversion {
            Conversion::Done => property,
            Conversion::Refused => x11rb::NONE,
        };
        let notify = SelectionNotifyEvent {
            response_type: x11rb::protocol::xproto::SELECTION_NOTIFY_EVENT,
            sequence: 0,
            time: request.time,
            requestor: request.requestor,
            selection: request.selection,
            target: request.target,
            property,
        };
        let connection = &self.connection.x11;
        connection
            .send_event(false, request.requestor, EventMask::NO_EVENT, notify)
            .map_err(broken)?;
        connection.flush().map_err(broken)
    }

    /// Converts several targets at once. The property holds pairs of a target and its destination
    /// property.
    fn convert_multiple(&mut self, requestor: Window, list: Atom) -> Result<Conversion> {
        let pair = self.connection.atoms.ATOM_PAIR;
        let reply = self
            .connection
            .x11
            .get_property(false, requestor, list, AtomEnum::ANY, 0, 4096)
            .map_err(broken)?;
        // The requestor may have ended.
        let Ok(reply) = reply.reply() else { return Ok(Conversion::Refused) };
        let Some(pairs) = reply.value32() else { return Ok(Conversion::Refused) };
        let mut pairs: Vec<u32> = pairs.collect();
        for pair in pairs.as_chunks_mut::<2>().0 {
            if let Conversion::Refused = self.convert(requestor, pair[0], pair[1])? {
                // libXt, for which MULTIPLE was designed, expects a refusal here.
                pair[1] = x11rb::NONE;
            }
        }
        let connection = &self.connection.x11;
        connection
            .change_property32(PropMode::REPLACE, requestor, list, pair, &pairs)
            .map_err(broken)?;
        Ok(Conversion::Done)
    }

    fn convert(&mut self, requestor: Window, target: Atom, property: Atom) -> Result<Conversion> {
        let SelectionConnection { x11: connection, atoms, .. } = &self.connection;
        if property == x11rb::NONE {
            return Ok(Conversion::Refused);
        }
        let mode = PropMode::REPLACE;
        if target == atoms.TARGETS {
            let ours = self.targets.iter().map(|offered| offered.target);
            let all: Vec<Atom> =
                [atoms.TARGETS, atoms.TIMESTAMP, atoms.MULTIPLE].into_iter().chain(ours).collect();
            connection
                .change_property32(mode, requestor, property, AtomEnum::ATOM, &all)
                .map_err(broken)?;
            return Ok(Conversion::Done);
        }
        if target == atoms.TIMESTAMP {
            connection
                .change_property32(mode, requestor, property, AtomEnum::INTEGER, &[self.since])
                .map_err(broken)?;
            return Ok(Conversion::Done);
        }
        let Some(offered) = self.targets.iter().find(|offered| offered.target == target) else {
            return Ok(Conversion::Refused);
        };
        if offered.data.len() <= self.chunk {
            connection
                .change_property8(mode, requestor, property, offered.type_atom, &offered.data)
                .map_err(broken)?;
            return Ok(Conversion::Done);
        }
        let mask = EventMask::PROPERTY_CHANGE | EventMask::STRUCTURE_NOTIFY;
        self.select_events(requestor, mask)?;
        let size = u32::try_from(offered.data.len()).unwrap_or(u32::MAX);
        self.connection
            .x11
            .change_property32(mode, requestor, property, atoms.INCR, &[size])
            .map_err(broken)?;
        let (type_atom, data) = (offered.type_atom, Rc::clone(&offered.data));
        self.transfers.retain(|one| (one.requestor, one.property) != (requestor, property));
        let last_activity = Instant::now();
        self.transfers.push(Transfer {
            requestor,
            property,
            type_atom,
            data,
            sent: 0,
            last_activity,
        });
        Ok(Conversion::Done)
    }

    /// Sends the next chunk after the requestor has deleted the previous one. An empty chunk ends
    /// the transfer.
    fn send_next_chunk(&mut self, notify: PropertyNotifyEvent) -> Result<()> {
        let key = (notify.window, notify.atom);
        let which = self.transfers.iter().position(|one| (one.requestor, one.property) == key);
        let Some(which) = which.filter(|_| notify.state == Property::DELETE) else { return Ok(()) };
        let transfer = &mut self.transfers[which];
        let end = transfer.data.len().min(transfer.sent + self.chunk);
        let chunk = &transfer.data[transfer.sent..end];
        let Transfer { requestor, property, type_atom, .. } = *transfer;
        self.connection
            .x11
            .change_property8(PropMode::REPLACE, requestor, property, type_atom, chunk)
            .map_err(broken)?;
        let is_last = chunk.is_empty();
        (transfer.sent, transfer.last_activity) = (end, Instant::now());
        if is_last {
            self.transfers.swap_remove(which);
            if self.transfers.iter().all(|one| one.requestor != requestor) {
                self.select_events(requestor, EventMask::NO_EVENT)?;
            }
        }
        self.connection.x11.flush().map_err(broken)
    }

    fn select_events(&self, window: Window, mask: EventMask) -> Result<()> {
        // If the requestor is this process, its own window must stay subscribed to property
        // changes.
        let own = if window == self.connection.window { EventMask::PROPERTY_CHANGE } else { mask };
        let events = ChangeWindowAttributesAux::new().event_mask(own | mask);
        self.connection.x11.change_window_attributes(window, &events).map_err(broken)?;
        Ok(())
    }
}
