//! The event store of one session: every message to the client, by stream. Appending never waits for
//! a client. Readers are positions in the store, so a client can resume after any event.

use std::{
    collections::{HashMap, VecDeque},
    fmt,
    str::FromStr,
    sync::Arc,
    time::{Duration, Instant},
};

use rmcp::model::ServerJsonRpcMessage;
use tokio::sync::watch;

use super::budget::Budget;

/// Maximum number of stored bytes. Above it, new requests are refused.
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// Maximum number of stored events. Above it, new requests are refused.
const MOST_EVENTS: usize = 4096;

/// Number of bytes and events above which delivered events are kept only briefly.
const PLENTY: (usize, usize) = (8 * 1024 * 1024, 1024);

/// One of the streams of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum StreamId {
    /// The standalone stream, for messages that belong to no request.
    Open,
    /// The stream of a request.
    Of(u64),
}

/// The id of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EventId {
    /// The stream.
    pub(crate) stream: StreamId,
    /// The position in the stream; 0 is before the first event.
    pub(crate) place: u64,
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.stream {
            StreamId::Open => write!(f, "g.{}", self.place),
            StreamId::Of(number) => write!(f, "p{number}.{}", self.place),
        }
    }
}

impl FromStr for EventId {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (stream, place) = text.split_once('.').ok_or(())?;
        let stream = match stream.strip_prefix('p') {
            Some(number) => StreamId::Of(number.parse().map_err(|_| ())?),
            None if stream == "g" => StreamId::Open,
            None => return Err(()),
        };
        Ok(Self { stream, place: place.parse().map_err(|_| ())? })
    }
}

/// A stored message.
#[derive(Debug, Clone)]
pub(crate) struct Event {
    /// The id.
    pub(crate) id: EventId,
    /// The message.
    pub(crate) message: Arc<ServerJsonRpcMessage>,
    bytes: usize,
    handed: Option<Instant>,
}

impl Event {
    /// Returns `true` if the client or the server waits for it: it is a response or a request.
    fn is_awaited(&self) -> bool {
        !matches!(*self.message, ServerJsonRpcMessage::Notification(_))
    }
}

/// The result of reading an event.
#[derive(Debug)]
pub(crate) enum Found {
    /// An event.
    Event(Event),
    /// There is no event yet.
    Nothing,
    /// The stream has ended.
    End,
}

#[derive(Debug)]
struct Stream {
    events: VecDeque<Event>,
    next: u64,
    finished: bool,
    handed: u64,
    forgotten: u64,
    read: bool,
    news: watch::Sender<u64>,
}

impl Stream {
    fn new() -> Self {
        Self {
            events: VecDeque::new(),
            next: 1,
            finished: false,
            handed: 0,
            forgotten: 0,
            read: false,
            news: watch::Sender::new(0),
        }
    }

    /// Returns the index of the first event after a position.
    fn index_after(&self, place: u64) -> usize {
        self.events.partition_point(|event| event.id.place <= place)
    }
}

/// The event store of one session.
#[derive(Debug)]
pub(crate) struct EventLog {
    streams: HashMap<StreamId, Stream>,
    read: VecDeque<(StreamId, Instant)>,
    opened: u64,
    bytes: usize,
    events: usize,
    budget: Budget,
}

impl Default for EventLog {
    fn default() -> Self {
        Self::within(Budget::default())
    }
}

impl Drop for EventLog {
    fn drop(&mut self) {
        self.budget.give_back(self.bytes);
    }
}

impl EventLog {
    /// Creates an empty store that counts against a budget.
    pub(crate) fn within(budget: Budget) -> Self {
        let streams = HashMap::from([(StreamId::Open, Stream::new())]);
        Self { streams, read: VecDeque::new(), opened: 0, bytes: 0, events: 0, budget }
    }

    /// Returns `true` if another request can be accepted.
    pub(crate) fn has_room(&mut self, now: Instant) -> bool {
        self.sweep(now);
        !self.holds((MOST_BYTES, MOST_EVENTS)) && self.budget.allows(self.bytes)
    }

    /// Opens the stream of a request, or returns `None` if too much is stored.
    pub(crate) fn open(&mut self, now: Instant) -> Option<StreamId> {
        if !self.has_room(now) {
            return None;
        }
        self.opened += 1;
        let id = StreamId::Of(self.opened);
        self.streams.insert(id, Stream::new());
        Some(id)
    }

    /// Appends a message. If its stream is gone, the message goes to the standalone stream.
    pub(crate) fn append(&mut self, to: StreamId, message: ServerJsonRpcMessage) -> EventId {
        let bytes = serde_json::to_string(&message).map_or(0, |text| text.len());
        let to =
            if self.streams.get(&to).is_some_and(|it| !it.finished) { to } else { StreamId::Open };
        let stream = self.streams.entry(to).or_insert_with(Stream::new);
        let id = EventId { stream: to, place: stream.next };
        stream.next += 1;
        stream.events.push_back(Event { id, message: Arc::new(message), bytes, handed: None });
        stream.news.send_modify(|count| *count += 1);
        self.bytes += bytes;
        self.budget.take(bytes);
        self.events += 1;
        if to == StreamId::Open {
            self.bound();
        }
        id
    }

    /// Limits the standalone stream, which no request limits. Undelivered requests and responses are
    /// kept.
    fn bound(&mut self) {
        let Some(stream) = self.streams.get_mut(&StreamId::Open) else { return };
        while stream.events.len() > MOST_EVENTS || self.bytes > MOST_BYTES {
            let spare = |event: &Event| event.handed.is_some() || !event.is_awaited();
            let Some(at) = stream.events.iter().position(spare) else { return };
            let Some(event) = stream.events.remove(at) else { return };
            if event.handed.is_some() {
                stream.forgotten = stream.forgotten.max(event.id.place);
            }
            self.bytes -= event.bytes;
            self.budget.give_back(event.bytes);
            self.events -= 1;
        }
    }

    /// Removes all finished streams, delivered or not.
    pub(crate) fn clear(&mut self) {
        self.streams.retain(|id, stream| *id == StreamId::Open || !stream.finished);
        self.read.clear();
        if let Some(open) = self.streams.get_mut(&StreamId::Open) {
            open.forgotten = open.next - 1;
            open.events.clear();
        }
        let left = || self.streams.values().flat_map(|stream| &stream.events);
        let (bytes, events) = (left().map(|event| event.bytes).sum(), left().count());
        self.budget.give_back(self.bytes - bytes);
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
            stream.news.send_modify(|count| *count += 1);
        }
    }

    /// Marks a stream as finished and no longer needed.
    pub(crate) fn abandon(&mut self, id: StreamId, now: Instant) {
        self.finish(id);
        self.mark_read(id, now);
    }

    /// Returns `true` if a client can resume after this event: it was delivered, and all later events
    /// are still stored.
    pub(crate) fn owns(&self, id: EventId) -> bool {
        let known = |it: &Stream| (it.forgotten..it.next).contains(&id.place);
        self.streams.get(&id.stream).is_some_and(known)
    }

    /// Returns the event after a position.
    pub(crate) fn after(&mut self, id: EventId, now: Instant) -> Found {
        let Some(stream) = self.streams.get_mut(&id.stream) else { return Found::End };
        match stream.events.get(stream.index_after(id.place)) {
            Some(event) => Found::Event(event.clone()),
            None if stream.finished => {
                self.mark_read(id.stream, now);
                Found::End
            }
            None => Found::Nothing,
        }
    }

    /// Marks an event as delivered.
    pub(crate) fn handed(&mut self, id: EventId, now: Instant) {
        let Some(stream) = self.streams.get_mut(&id.stream) else { return };
        stream.handed = stream.handed.max(id.place);
        if id.stream == StreamId::Open {
            let at = stream.index_after(id.place).saturating_sub(1);
            if let Some(event) = stream.events.get_mut(at).filter(|event| event.id == id) {
                event.handed.get_or_insert(now);
            }
            return;
        }
        // Clients may disconnect as soon as they have the response.
        if stream.finished && stream.handed + 1 == stream.next {
            self.mark_read(id.stream, now);
        }
    }

    /// Returns the last event of the standalone stream that was delivered.
    pub(crate) fn last_handed(&self) -> EventId {
        let place = self.streams.get(&StreamId::Open).map_or(0, |stream| stream.handed);
        EventId { stream: StreamId::Open, place }
    }

    /// Returns a receiver that is notified of new events on a stream.
    pub(crate) fn news(&self, id: StreamId) -> Option<watch::Receiver<u64>> {
        self.streams.get(&id).map(|stream| stream.news.subscribe())
    }

    /// Returns `true` if a request or a response is not delivered yet.
    pub(crate) fn has_unread(&self) -> bool {
        let waits = |event: &Event| event.handed.is_none() && event.is_awaited();
        self.streams.iter().any(|(id, stream)| match id {
            StreamId::Open => stream.events.iter().any(waits),
            StreamId::Of(_) => !stream.read,
        })
    }

    fn mark_read(&mut self, id: StreamId, now: Instant) {
        if let Some(stream) = self.streams.get_mut(&id)
            && id != StreamId::Open
            && !std::mem::replace(&mut stream.read, true)
        {
            self.read.push_back((id, now));
        }
    }

    /// Removes expired delivered events, oldest first.
    fn sweep(&mut self, now: Instant) {
        while let Some((id, read)) = self.read.front().copied() {
            if !self.is_over(read, now) {
                break;
            }
            self.read.pop_front();
            if let Some(stream) = self.streams.remove(&id) {
                let bytes = stream.events.iter().map(|event| event.bytes).sum::<usize>();
                self.bytes -= bytes;
                self.budget.give_back(bytes);
                self.events -= stream.events.len();
            }
        }
        loop {
            let first = self.streams.get(&StreamId::Open).and_then(|it| it.events.front());
            let Some(handed) = first.and_then(|event| event.handed) else { return };
            if !self.is_over(handed, now) {
                return;
            }
            let Some(stream) = self.streams.get_mut(&StreamId::Open) else { return };
            let Some(event) = stream.events.pop_front() else { return };
            stream.forgotten = stream.forgotten.max(event.id.place);
            self.bytes -= event.bytes;
            self.budget.give_back(event.bytes);
            self.events -= 1;
        }
    }

    /// Returns `true` if an event delivered at this time need not be kept.
    fn is_over(&self, read: Instant, now: Instant) -> bool {
        let age = now.saturating_duration_since(read);
        age > KEPT || self.holds((MOST_BYTES, MOST_EVENTS)) || (self.holds(PLENTY) && age > BRIEFLY)
    }

    fn holds(&self, (bytes, events): (usize, usize)) -> bool {
        self.bytes > bytes || self.events > events
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::{JsonRpcMessage, RequestId, ServerNotification, ServerResult};

    use super::*;

    fn message(id: i64) -> ServerJsonRpcMessage {
        JsonRpcMessage::response(ServerResult::empty(()), RequestId::Number(id))
    }

    fn read(log: &mut EventLog, mut from: EventId) -> Vec<String> {
        let mut seen = Vec::new();
        while let Found::Event(event) = log.after(from, Instant::now()) {
            seen.push(event.id.to_string());
            from = event.id;
        }
        seen
    }

    #[test]
    fn events_can_be_read_later_and_repeatedly() {
        let mut log = EventLog::default();
        let stream = log.open(Instant::now()).unwrap();
        for id in 0..3 {
            log.append(stream, message(id));
        }
        log.finish(stream);
        let begin = EventId { stream, place: 0 };
        assert_eq!(read(&mut log, begin), ["p1.1", "p1.2", "p1.3"]);
        assert_eq!(read(&mut log, EventId { stream, place: 2 }), ["p1.3"]);
        assert!(matches!(log.after(EventId { stream, place: 3 }, Instant::now()), Found::End));
    }

    #[test]
    fn event_ids_are_parsed_as_they_are_printed() {
        for name in ["g.0", "g.17", "p4.2"] {
            assert_eq!(name.parse::<EventId>().unwrap().to_string(), name);
        }
        for name in ["", "0", "g", "x.1", "p.1", "p1.", "p-1.1", "g1.1"] {
            assert!(name.parse::<EventId>().is_err(), "{name}");
        }
        let log = EventLog::default();
        assert!(log.owns("g.0".parse().unwrap()));
        assert!(!log.owns("g.5".parse().unwrap()) && !log.owns("p1.0".parse().unwrap()));
    }

    #[test]
    fn a_delivered_stream_expires() {
        let mut log = EventLog::default();
        let now = Instant::now();
        let stream = log.open(now).unwrap();
        log.append(stream, message(1));
        log.finish(stream);
        assert!(log.has_unread());
        read(&mut log, EventId { stream, place: 0 });
        assert!(!log.has_unread());
        log.open(now + KEPT + Duration::from_secs(1));
        assert!(!log.owns(EventId { stream, place: 1 }));
        assert_eq!((log.bytes, log.events), (0, 0));
    }

    #[test]
    fn the_store_of_a_reading_client_stays_small() {
        let mut log = EventLog::default();
        let mut now = Instant::now();
        for id in 0..20_000 {
            let stream = log.open(now).expect("the store has room");
            let event = log.append(stream, message(id));
            log.finish(stream);
            log.handed(event, now);
            now += Duration::from_millis(1);
        }
        assert!(log.events <= MOST_EVENTS + 1, "{}", log.events);
        now += BRIEFLY + Duration::from_secs(1);
        log.open(now);
        assert!(log.events <= PLENTY.1, "{}", log.events);
    }

    #[test]
    fn an_abandoned_stream_counts_as_delivered() {
        let mut log = EventLog::default();
        let stream = log.open(Instant::now()).unwrap();
        log.append(stream, message(1));
        log.abandon(stream, Instant::now());
        assert!(!log.has_unread());
    }

    #[test]
    fn too_many_undelivered_events_refuse_new_requests() {
        let mut log = EventLog::default();
        let stream = log.open(Instant::now()).unwrap();
        for id in 0..=i64::try_from(MOST_EVENTS).unwrap() {
            log.append(stream, message(id));
        }
        assert_eq!(log.open(Instant::now()), None);
        assert_eq!(read(&mut log, EventId { stream, place: 0 }).len(), MOST_EVENTS + 1);
    }

    #[test]
    fn the_standalone_stream_keeps_the_newest_events() {
        let mut log = EventLog::default();
        for _ in 0..MOST_EVENTS + 10 {
            let news = ServerNotification::ToolListChangedNotification(Default::default());
            log.append(StreamId::Open, JsonRpcMessage::notification(news));
        }
        let seen = read(&mut log, EventId { stream: StreamId::Open, place: 0 });
        assert_eq!((seen.len(), seen[0].as_str()), (MOST_EVENTS, "g.11"));
    }

    #[test]
    fn a_single_stream_drops_only_delivered_events() {
        let mut log = EventLog::default();
        let mut now = Instant::now();
        for id in 0..10_000 {
            assert!(log.has_room(now), "all events are delivered");
            let event = log.append(StreamId::Open, message(id));
            log.handed(event, now);
            now += Duration::from_millis(1);
        }
        assert!(log.events <= MOST_EVENTS + 1 && !log.has_unread(), "{}", log.events);
        let early = EventId { stream: StreamId::Open, place: 5 };
        assert!(!log.owns(early), "later events are gone");
        now += KEPT + Duration::from_secs(1);
        assert!(log.has_room(now));
        assert_eq!((log.events, log.bytes), (0, 0));
        for id in 0..=i64::try_from(MOST_EVENTS).unwrap() {
            log.append(StreamId::Open, message(id));
        }
        assert!(log.has_unread() && !log.has_room(now), "nothing is delivered");
        assert_eq!(log.events, MOST_EVENTS + 1, "a response is never dropped");
    }
}
