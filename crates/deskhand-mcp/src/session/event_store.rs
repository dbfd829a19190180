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

use super::budget::MemoryBudget;
use crate::timing;

/// Maximum number of stored bytes. Above it, new requests are refused.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// Maximum number of stored events. Above it, new requests are refused.
const MAX_EVENTS: usize = 4096;

/// Number of bytes and events above which delivered events are kept only briefly.
const SOFT_LIMIT: (usize, usize) = (8 * 1024 * 1024, 1024);

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

/// A stored message.
#[derive(Debug, Clone)]
pub(crate) struct StoredEvent {
    /// The id.
    pub(crate) id: EventId,
    /// The message.
    pub(crate) message: Arc<ServerJsonRpcMessage>,
    bytes: usize,
    delivered: Option<Instant>,
}

impl StoredEvent {
    /// Returns `true` if the client or the server waits for it: it is a response or a request.
    fn is_request_or_response(&self) -> bool {
        !matches!(*self.message, ServerJsonRpcMessage::Notification(_))
    }
}

/// The result of reading an event.
#[derive(Debug)]
pub(crate) enum NextEvent {
    /// An event.
    Event(StoredEvent),
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

/// The event store of one session.
#[derive(Debug)]
pub(crate) struct EventStore {
    streams: HashMap<StreamId, StoredStream>,
    read_streams: VecDeque<(StreamId, Instant)>,
    opened: u64,
    bytes: usize,
    events: usize,
    budget: MemoryBudget,
}

impl Default for EventStore {
    fn default() -> Self {
        Self::new(MemoryBudget::default())
    }
}

impl Drop for EventStore {
    fn drop(&mut self) {
        self.budget.release(self.bytes);
    }
}

impl EventStore {
    /// Creates an empty store that counts against a budget.
    pub(crate) fn new(budget: MemoryBudget) -> Self {
        let streams = HashMap::from([(StreamId::Standalone, StoredStream::new())]);
        Self { streams, read_streams: VecDeque::new(), opened: 0, bytes: 0, events: 0, budget }
    }

    /// Returns `true` if another request can be accepted.
    pub(crate) fn accepts_requests(&mut self, now: Instant) -> bool {
        self.remove_expired(now);
        !self.exceeds((MAX_BYTES, MAX_EVENTS)) && self.budget.allows(self.bytes)
    }

    /// Opens the stream of a request, or returns `None` if too much is stored.
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
        let bytes = serde_json::to_string(&message).map_or(0, |text| text.len());
        let to = if self.streams.get(&to).is_some_and(|it| !it.finished) {
            to
        } else {
            StreamId::Standalone
        };
        let stream = self.streams.entry(to).or_insert_with(StoredStream::new);
        let id = EventId { stream: to, sequence: stream.next };
        stream.next += 1;
        stream.events.push_back(StoredEvent {
            id,
            message: Arc::new(message),
            bytes,
            delivered: None,
        });
        stream.changed.send_modify(|count| *count += 1);
        self.bytes += bytes;
        self.budget.add(bytes);
        self.events += 1;
        if to == StreamId::Standalone {
            self.trim_standalone();
        }
        id
    }

    /// Limits the standalone stream, which no request limits. Undelivered requests and responses
    /// are kept.
    fn trim_standalone(&mut self) {
        let Some(stream) = self.streams.get_mut(&StreamId::Standalone) else { return };
        while stream.events.len() > MAX_EVENTS || self.bytes > MAX_BYTES {
            let can_drop =
                |event: &StoredEvent| event.delivered.is_some() || !event.is_request_or_response();
            let Some(at) = stream.events.iter().position(can_drop) else { return };
            let Some(event) = stream.events.remove(at) else { return };
            if event.delivered.is_some() {
                stream.dropped_up_to = stream.dropped_up_to.max(event.id.sequence);
            }
            self.bytes -= event.bytes;
            self.budget.release(event.bytes);
            self.events -= 1;
        }
    }

    /// Removes all finished streams, delivered or not.
    pub(crate) fn clear(&mut self) {
        self.streams.retain(|id, stream| *id == StreamId::Standalone || !stream.finished);
        self.read_streams.clear();
        if let Some(open) = self.streams.get_mut(&StreamId::Standalone) {
            open.dropped_up_to = open.next - 1;
            open.events.clear();
        }
        let left = || self.streams.values().flat_map(|stream| &stream.events);
        let (bytes, events) = (left().map(|event| event.bytes).sum(), left().count());
        self.budget.release(self.bytes - bytes);
        (self.bytes, self.events) = (bytes, events);
    }

    /// Returns the number of stored bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
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
            Some(event) => NextEvent::Event(event.clone()),
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
        if id.stream == StreamId::Standalone {
            let at = stream.index_after(id.sequence).saturating_sub(1);
            if let Some(event) = stream.events.get_mut(at).filter(|event| event.id == id) {
                event.delivered.get_or_insert(now);
            }
            return;
        }
        // Clients may disconnect as soon as they have the response.
        if stream.finished && stream.delivered + 1 == stream.next {
            self.mark_stream_read(id.stream, now);
        }
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
        let is_undelivered =
            |event: &StoredEvent| event.delivered.is_none() && event.is_request_or_response();
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
            self.read_streams.push_back((id, now));
        }
    }

    /// Removes expired delivered events, oldest first.
    fn remove_expired(&mut self, now: Instant) {
        while let Some((id, read)) = self.read_streams.front().copied() {
            if !self.is_expired(read, now) {
                break;
            }
            self.read_streams.pop_front();
            if let Some(stream) = self.streams.remove(&id) {
                let bytes = stream.events.iter().map(|event| event.bytes).sum::<usize>();
                self.bytes -= bytes;
                self.budget.release(bytes);
                self.events -= stream.events.len();
            }
        }
        loop {
            let first = self.streams.get(&StreamId::Standalone).and_then(|it| it.events.front());
            let Some(delivered) = first.and_then(|event| event.delivered) else { return };
            if !self.is_expired(delivered, now) {
                return;
            }
            let Some(stream) = self.streams.get_mut(&StreamId::Standalone) else { return };
            let Some(event) = stream.events.pop_front() else { return };
            stream.dropped_up_to = stream.dropped_up_to.max(event.id.sequence);
            self.bytes -= event.bytes;
            self.budget.release(event.bytes);
            self.events -= 1;
        }
    }

    /// Returns `true` if an event delivered at this time need not be kept.
    fn is_expired(&self, read: Instant, now: Instant) -> bool {
        let age = now.saturating_duration_since(read);
        age > timing::DELIVERED_EVENT_TTL
            || self.exceeds((MAX_BYTES, MAX_EVENTS))
            || (self.exceeds(SOFT_LIMIT) && age > timing::DELIVERED_EVENT_SHORT_TTL)
    }

    fn exceeds(&self, (bytes, events): (usize, usize)) -> bool {
        self.bytes > bytes || self.events > events
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rmcp::model::{JsonRpcMessage, RequestId, ServerNotification, ServerResult};

    use super::*;

    fn message(id: i64) -> ServerJsonRpcMessage {
        JsonRpcMessage::response(ServerResult::empty(()), RequestId::Number(id))
    }

    fn read(store: &mut EventStore, mut from: EventId) -> Vec<String> {
        let mut seen = Vec::new();
        while let NextEvent::Event(event) = store.next_after(from, Instant::now()) {
            seen.push(event.id.to_string());
            from = event.id;
        }
        seen
    }

    #[test]
    fn events_can_be_read_later_and_repeatedly() {
        let mut store = EventStore::default();
        let stream = store.open(Instant::now()).unwrap();
        for id in 0..3 {
            store.append(stream, message(id));
        }
        store.finish(stream);
        let begin = EventId { stream, sequence: 0 };
        assert_eq!(read(&mut store, begin), ["p1.1", "p1.2", "p1.3"]);
        assert_eq!(read(&mut store, EventId { stream, sequence: 2 }), ["p1.3"]);
        assert!(matches!(
            store.next_after(EventId { stream, sequence: 3 }, Instant::now()),
            NextEvent::End
        ));
    }

    #[test]
    fn event_ids_are_parsed_as_they_are_printed() {
        for name in ["g.0", "g.17", "p4.2"] {
            assert_eq!(name.parse::<EventId>().unwrap().to_string(), name);
        }
        for name in ["", "0", "g", "x.1", "p.1", "p1.", "p-1.1", "g1.1"] {
            assert!(name.parse::<EventId>().is_err(), "{name}");
        }
        let store = EventStore::default();
        assert!(store.can_resume_after("g.0".parse().unwrap()));
        assert!(
            !store.can_resume_after("g.5".parse().unwrap())
                && !store.can_resume_after("p1.0".parse().unwrap())
        );
    }

    #[test]
    fn a_delivered_stream_expires() {
        let mut store = EventStore::default();
        let now = Instant::now();
        let stream = store.open(now).unwrap();
        store.append(stream, message(1));
        store.finish(stream);
        assert!(store.has_undelivered());
        read(&mut store, EventId { stream, sequence: 0 });
        assert!(!store.has_undelivered());
        store.open(now + timing::DELIVERED_EVENT_TTL + Duration::from_secs(1));
        assert!(!store.can_resume_after(EventId { stream, sequence: 1 }));
        assert_eq!((store.bytes, store.events), (0, 0));
    }

    #[test]
    fn the_store_of_a_reading_client_stays_small() {
        let mut store = EventStore::default();
        let mut now = Instant::now();
        for id in 0..20_000 {
            let stream = store.open(now).expect("the store has room");
            let event = store.append(stream, message(id));
            store.finish(stream);
            store.mark_delivered(event, now);
            now += Duration::from_millis(1);
        }
        assert!(store.events <= MAX_EVENTS + 1, "{}", store.events);
        now += timing::DELIVERED_EVENT_SHORT_TTL + Duration::from_secs(1);
        store.open(now);
        assert!(store.events <= SOFT_LIMIT.1, "{}", store.events);
    }

    #[test]
    fn an_abandoned_stream_counts_as_delivered() {
        let mut store = EventStore::default();
        let stream = store.open(Instant::now()).unwrap();
        store.append(stream, message(1));
        store.abandon(stream, Instant::now());
        assert!(!store.has_undelivered());
    }

    #[test]
    fn too_many_undelivered_events_refuse_new_requests() {
        let mut store = EventStore::default();
        let stream = store.open(Instant::now()).unwrap();
        for id in 0..=i64::try_from(MAX_EVENTS).unwrap() {
            store.append(stream, message(id));
        }
        assert_eq!(store.open(Instant::now()), None);
        assert_eq!(read(&mut store, EventId { stream, sequence: 0 }).len(), MAX_EVENTS + 1);
    }

    #[test]
    fn the_standalone_stream_keeps_the_newest_events() {
        let mut store = EventStore::default();
        for _ in 0..MAX_EVENTS + 10 {
            let news = ServerNotification::ToolListChangedNotification(Default::default());
            store.append(StreamId::Standalone, JsonRpcMessage::notification(news));
        }
        let seen = read(&mut store, EventId { stream: StreamId::Standalone, sequence: 0 });
        assert_eq!((seen.len(), seen[0].as_str()), (MAX_EVENTS, "g.11"));
    }

    #[test]
    fn a_single_stream_drops_only_delivered_events() {
        let mut store = EventStore::default();
        let mut now = Instant::now();
        for id in 0..10_000 {
            assert!(store.accepts_requests(now), "all events are delivered");
            let event = store.append(StreamId::Standalone, message(id));
            store.mark_delivered(event, now);
            now += Duration::from_millis(1);
        }
        assert!(store.events <= MAX_EVENTS + 1 && !store.has_undelivered(), "{}", store.events);
        let early = EventId { stream: StreamId::Standalone, sequence: 5 };
        assert!(!store.can_resume_after(early), "later events are gone");
        now += timing::DELIVERED_EVENT_TTL + Duration::from_secs(1);
        assert!(store.accepts_requests(now));
        assert_eq!((store.events, store.bytes), (0, 0));
        for id in 0..=i64::try_from(MAX_EVENTS).unwrap() {
            store.append(StreamId::Standalone, message(id));
        }
        assert!(store.has_undelivered() && !store.accepts_requests(now), "nothing is delivered");
        assert_eq!(store.events, MAX_EVENTS + 1, "a response is never dropped");
    }
}
