//! The event store of one session: every message to the client, by stream. Appending never waits
//! for a client. Readers are positions in the store, so a client can resume after any event.

use std::{
    collections::{HashMap, VecDeque},
    fmt,
    str::FromStr,
    sync::Arc,
    time::Instant,
};

use rmcp::model::ServerJsonRpcMessage;
use tokio::sync::watch;

use self::stored_message::{SharedResults, StoredMessage};
use super::budget::MemoryBudget;
use crate::timing;

mod stored_message;

/// Maximum number of undelivered bytes. Above it, new requests are refused.
const MAX_UNDELIVERED_BYTES: usize = 16 * 1024 * 1024;

/// Maximum number of undelivered events. Above it, new requests are refused.
const MAX_UNDELIVERED_EVENTS: usize = 4096;

/// Maximum number of delivered events that are kept for resumption.
const MAX_LOG_EVENTS: usize = 1024;

/// One of the streams of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum StreamId {
    /// The standalone stream, for messages that belong to no request.
    Standalone,
    /// The stream of a request.
    Request(u64),
}

/// The id of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EventId {
    /// The stream.
    pub(crate) stream: StreamId,
    /// The position in the stream; 0 is before the first event.
    pub(crate) sequence: u64,
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.stream {
            StreamId::Standalone => write!(f, "g.{}", self.sequence),
            StreamId::Request(number) => write!(f, "p{number}.{}", self.sequence),
        }
    }
}

impl FromStr for EventId {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (stream, sequence) = text.split_once('.').ok_or(())?;
        let stream = match stream.strip_prefix('p') {
            Some(number) => StreamId::Request(number.parse().map_err(|_| ())?),
            None if stream == "g" => StreamId::Standalone,
            None => return Err(()),
        };
        Ok(Self { stream, sequence: sequence.parse().map_err(|_| ())? })
    }
}

/// An event as it is sent.
#[derive(Debug)]
pub(crate) struct OutgoingEvent {
    /// The id.
    pub(crate) id: EventId,
    /// The message.
    pub(crate) message: Arc<ServerJsonRpcMessage>,
}

#[derive(Debug)]
struct StoredEvent {
    id: EventId,
    message: StoredMessage,
    delivered: Option<Instant>,
}

/// The result of reading an event.
#[derive(Debug)]
pub(crate) enum NextEvent {
    /// An event.
    Event(OutgoingEvent),
    /// There is no event yet.
    Pending,
    /// The stream has ended.
    End,
}

#[derive(Debug)]
struct StoredStream {
    events: VecDeque<StoredEvent>,
    next: u64,
    finished: bool,
    delivered: u64,
    dropped_up_to: u64,
    is_read: bool,
    changed: watch::Sender<u64>,
}

impl StoredStream {
    fn new() -> Self {
        Self {
            events: VecDeque::new(),
            next: 1,
            finished: false,
            delivered: 0,
            dropped_up_to: 0,
            is_read: false,
            changed: watch::Sender::new(0),
        }
    }

    /// Returns the index of the first event after a position.
    fn index_after(&self, sequence: u64) -> usize {
        self.events.partition_point(|event| event.id.sequence <= sequence)
    }
}

/// Bytes and events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Size {
    bytes: usize,
    events: usize,
}

impl Size {
    fn add(&mut self, bytes: usize) {
        self.bytes += bytes;
        self.events += 1;
    }

    fn remove(&mut self, bytes: usize) {
        self.bytes -= bytes;
        self.events -= 1;
    }
}

/// The event store of one session. It holds undelivered events, and the resumption log: delivered
/// events, which a client may not have received.
#[derive(Debug)]
pub(crate) struct EventStore {
    streams: HashMap<StreamId, StoredStream>,
    read_streams: VecDeque<(StreamId, Instant)>,
    opened: u64,
    all: Size,
    log: Size,
    shared: SharedResults,
    budget: MemoryBudget,
}

impl Drop for EventStore {
    fn drop(&mut self) {
        self.budget.release(self.bytes());
    }
}

impl EventStore {
    /// Creates an empty store that counts against a budget.
    pub(crate) fn new(budget: MemoryBudget) -> Self {
        Self {
            streams: HashMap::from([(StreamId::Standalone, StoredStream::new())]),
            read_streams: VecDeque::new(),
            opened: 0,
            all: Size::default(),
            log: Size::default(),
            shared: SharedResults::default(),
            budget,
        }
    }

    /// Returns `true` if another request can be accepted.
    pub(crate) fn accepts_requests(&mut self, now: Instant) -> bool {
        self.trim_log(now);
        let undelivered = self.undelivered();
        undelivered.bytes <= MAX_UNDELIVERED_BYTES
            && undelivered.events <= MAX_UNDELIVERED_EVENTS
            && self.budget.allows(undelivered.bytes)
    }

    /// Opens the stream of a request, or returns `None` if too much is undelivered.
    pub(crate) fn open(&mut self, now: Instant) -> Option<StreamId> {
        if !self.accepts_requests(now) {
            return None;
        }
        self.opened += 1;
        let id = StreamId::Request(self.opened);
        self.streams.insert(id, StoredStream::new());
        Some(id)
    }

    /// Appends a message. If its stream is gone, the message goes to the standalone stream.
    pub(crate) fn append(&mut self, to: StreamId, message: ServerJsonRpcMessage) -> EventId {
        let before = self.bytes();
        let message = StoredMessage::new(message, &mut self.shared);
        self.all.add(message.own_bytes());
        self.budget.add(self.bytes() - before);
        let to = if self.streams.get(&to).is_some_and(|it| !it.finished) {
            to
        } else {
            StreamId::Standalone
        };
        let stream = self.streams.entry(to).or_insert_with(StoredStream::new);
        let id = EventId { stream: to, sequence: stream.next };
        stream.next += 1;
        stream.events.push_back(StoredEvent { id, message, delivered: None });
        stream.changed.send_modify(|count| *count += 1);
        if to == StreamId::Standalone {
            self.trim_standalone();
        }
        id
    }

    /// Limits the undelivered notifications of the standalone stream, which no request limits.
    /// Undelivered requests and responses are kept.
    fn trim_standalone(&mut self) {
        loop {
            let undelivered = self.undelivered();
            if undelivered.events <= MAX_UNDELIVERED_EVENTS
                && undelivered.bytes <= MAX_UNDELIVERED_BYTES
            {
                return;
            }
            let Some(stream) = self.streams.get_mut(&StreamId::Standalone) else { return };
            let can_drop = |event: &StoredEvent| {
                event.delivered.is_none() && !event.message.is_request_or_response()
            };
            let Some(at) = stream.events.iter().position(can_drop) else { return };
            let Some(event) = stream.events.remove(at) else { return };
            self.forget(event);
        }
    }

    /// Counts an event that was removed from its stream.
    fn forget(&mut self, event: StoredEvent) {
        let before = self.bytes();
        self.all.remove(event.message.own_bytes());
        event.message.remove(&mut self.shared);
        self.budget.release(before - self.bytes());
    }

    /// Counts an event of the log that was removed from its stream.
    fn forget_logged(&mut self, event: StoredEvent) {
        self.log.remove(event.message.own_bytes());
        self.forget(event);
    }

    /// Removes all finished streams, delivered or not.
    pub(crate) fn clear(&mut self) {
        self.read_streams.clear();
        let is_finished = |id: &StreamId, stream: &mut StoredStream| {
            *id != StreamId::Standalone && stream.finished
        };
        let mut removed: Vec<StoredEvent> =
            self.streams.extract_if(is_finished).flat_map(|(_, stream)| stream.events).collect();
        if let Some(open) = self.streams.get_mut(&StreamId::Standalone) {
            open.dropped_up_to = open.next - 1;
            removed.extend(open.events.drain(..));
        }
        for event in removed {
            self.forget(event);
        }
        self.log = Size::default();
    }

    /// Returns the number of stored bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.all.bytes + self.shared.bytes()
    }

    fn undelivered(&self) -> Size {
        Size { bytes: self.bytes() - self.log.bytes, events: self.all.events - self.log.events }
    }

    /// Marks a stream as finished.
    pub(crate) fn finish(&mut self, id: StreamId) {
        if let Some(stream) = self.streams.get_mut(&id) {
            stream.finished = true;
            stream.changed.send_modify(|count| *count += 1);
        }
    }

    /// Marks a stream as finished and no longer needed.
    pub(crate) fn abandon(&mut self, id: StreamId, now: Instant) {
        self.finish(id);
        self.mark_stream_read(id, now);
    }

    /// Returns `true` if a client can resume after this event: it was delivered, and all later
    /// events are still stored.
    pub(crate) fn can_resume_after(&self, id: EventId) -> bool {
        let known = |it: &StoredStream| (it.dropped_up_to..it.next).contains(&id.sequence);
        self.streams.get(&id.stream).is_some_and(known)
    }

    /// Returns the event after a position.
    pub(crate) fn next_after(&mut self, id: EventId, now: Instant) -> NextEvent {
        let Some(stream) = self.streams.get_mut(&id.stream) else { return NextEvent::End };
        match stream.events.get(stream.index_after(id.sequence)) {
            Some(event) => {
                NextEvent::Event(OutgoingEvent { id: event.id, message: event.message.message() })
            }
            None if stream.finished => {
                self.mark_stream_read(id.stream, now);
                NextEvent::End
            }
            None => NextEvent::Pending,
        }
    }

    /// Marks an event as delivered.
    pub(crate) fn mark_delivered(&mut self, id: EventId, now: Instant) {
        let Some(stream) = self.streams.get_mut(&id.stream) else { return };
        stream.delivered = stream.delivered.max(id.sequence);
        let at = stream.index_after(id.sequence).saturating_sub(1);
        if let Some(event) = stream.events.get_mut(at).filter(|event| event.id == id) {
            event.message.compact();
            if id.stream == StreamId::Standalone && event.delivered.is_none() {
                event.delivered = Some(now);
                self.log.add(event.message.own_bytes());
            }
        }
        // Clients may disconnect as soon as they have the response.
        if stream.finished && stream.delivered + 1 == stream.next {
            self.mark_stream_read(id.stream, now);
        }
        self.trim_log(now);
    }

    /// Returns the last event of the standalone stream that was delivered.
    pub(crate) fn last_delivered(&self) -> EventId {
        let sequence = self.streams.get(&StreamId::Standalone).map_or(0, |stream| stream.delivered);
        EventId { stream: StreamId::Standalone, sequence }
    }

    /// Returns a receiver that is notified of new events on a stream.
    pub(crate) fn subscribe(&self, id: StreamId) -> Option<watch::Receiver<u64>> {
        self.streams.get(&id).map(|stream| stream.changed.subscribe())
    }

    /// Returns `true` if a request or a response is not delivered yet.
    pub(crate) fn has_undelivered(&self) -> bool {
        let is_undelivered = |event: &StoredEvent| {
            event.delivered.is_none() && event.message.is_request_or_response()
        };
        self.streams.iter().any(|(id, stream)| match id {
            StreamId::Standalone => stream.events.iter().any(is_undelivered),
            StreamId::Request(_) => !stream.is_read,
        })
    }

    fn mark_stream_read(&mut self, id: StreamId, now: Instant) {
        if let Some(stream) = self.streams.get_mut(&id)
            && id != StreamId::Standalone
            && !std::mem::replace(&mut stream.is_read, true)
        {
            for event in &mut stream.events {
                event.message.compact();
                self.log.add(event.message.own_bytes());
            }
            self.read_streams.push_back((id, now));
        }
    }

    /// Removes the oldest entries of the log: expired ones, and those above its limits.
    pub(crate) fn trim_log(&mut self, now: Instant) {
        loop {
            let stream = self.read_streams.front().map(|(_, read)| *read);
            let open = self.streams.get(&StreamId::Standalone);
            let event = open.and_then(|open| open.events.front()).and_then(|it| it.delivered);
            let Some(oldest) = stream.into_iter().chain(event).min() else { return };
            if !self.is_expired(oldest, now) {
                return;
            }
            if stream == Some(oldest) {
                self.remove_oldest_stream();
            } else {
                self.remove_oldest_event();
            }
        }
    }

    fn remove_oldest_stream(&mut self) {
        let Some((id, _)) = self.read_streams.pop_front() else { return };
        for event in self.streams.remove(&id).into_iter().flat_map(|stream| stream.events) {
            self.forget_logged(event);
        }
    }

    fn remove_oldest_event(&mut self) {
        let Some(open) = self.streams.get_mut(&StreamId::Standalone) else { return };
        let Some(event) = open.events.pop_front() else { return };
        open.dropped_up_to = open.dropped_up_to.max(event.id.sequence);
        self.forget_logged(event);
    }

    /// Returns `true` if an event delivered at this time need not be kept.
    fn is_expired(&self, read: Instant, now: Instant) -> bool {
        now.saturating_duration_since(read) > timing::DELIVERED_EVENT_TTL
            || self.log.events > MAX_LOG_EVENTS
            || self.log.bytes + self.shared.bytes() > self.budget.log_limit()
    }
}

#[cfg(test)]
mod tests;
