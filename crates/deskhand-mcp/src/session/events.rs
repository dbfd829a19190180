//! The log of one session: every message to the client, by the stream it belongs to. Appending
//! never waits for a client; readers are places in the log.

use std::{
    collections::{HashMap, VecDeque},
    fmt,
    str::FromStr,
    sync::Arc,
    time::{Duration, Instant},
};

use rmcp::model::ServerJsonRpcMessage;
use tokio::sync::watch;

/// How many bytes may wait before new requests are refused.
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// How many messages may wait before new requests are refused.
const MOST_EVENTS: usize = 4096;

/// How many bytes, and how many messages, make a log that keeps what was read only briefly.
const PLENTY: (usize, usize) = (8 * 1024 * 1024, 1024);

/// How long a finished stream is kept after somebody read it to its end: what was handed over may
/// still be lost on the way.
const KEPT: Duration = Duration::from_secs(300);

/// How long in a log that has plenty.
const BRIEFLY: Duration = Duration::from_secs(10);

/// One of the streams of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum StreamId {
    /// The one for what belongs to no request.
    Open,
    /// The one of a request.
    Of(u64),
}

/// The name of one message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EventId {
    /// Its stream.
    pub(crate) stream: StreamId,
    /// Its place there; 0 comes before the first.
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

/// One message in the log.
#[derive(Debug, Clone)]
pub(crate) struct Event {
    /// Its name.
    pub(crate) id: EventId,
    /// The message.
    pub(crate) message: Arc<ServerJsonRpcMessage>,
    bytes: usize,
}

/// What a reader finds at its place.
#[derive(Debug)]
pub(crate) enum Found {
    /// A message.
    Event(Event),
    /// Nothing yet.
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
            read: false,
            news: watch::Sender::new(0),
        }
    }
}

/// The log of one session.
#[derive(Debug)]
pub(crate) struct EventLog {
    streams: HashMap<StreamId, Stream>,
    read: VecDeque<(StreamId, Instant)>,
    opened: u64,
    bytes: usize,
    events: usize,
}

impl Default for EventLog {
    fn default() -> Self {
        let streams = HashMap::from([(StreamId::Open, Stream::new())]);
        Self { streams, read: VecDeque::new(), opened: 0, bytes: 0, events: 0 }
    }
}

impl EventLog {
    /// Opens the stream of a request, unless too much waits already.
    pub(crate) fn open(&mut self, now: Instant) -> Option<StreamId> {
        self.sweep(now);
        if self.bytes > MOST_BYTES || self.events > MOST_EVENTS {
            return None;
        }
        self.opened += 1;
        let id = StreamId::Of(self.opened);
        self.streams.insert(id, Stream::new());
        Some(id)
    }

    /// Appends a message; one to a stream that is gone goes to the open one.
    pub(crate) fn append(&mut self, to: StreamId, message: ServerJsonRpcMessage) -> EventId {
        let bytes = serde_json::to_string(&message).map_or(0, |text| text.len());
        let to =
            if self.streams.get(&to).is_some_and(|it| !it.finished) { to } else { StreamId::Open };
        let stream = self.streams.entry(to).or_insert_with(Stream::new);
        let id = EventId { stream: to, place: stream.next };
        stream.next += 1;
        stream.events.push_back(Event { id, message: Arc::new(message), bytes });
        self.bytes += bytes;
        self.events += 1;
        // Nobody asks for what the open stream brings, so nothing else bounds it.
        if to == StreamId::Open && stream.events.len() > MOST_EVENTS {
            let oldest = stream.events.pop_front();
            self.bytes -= oldest.map_or(0, |event| event.bytes);
            self.events -= 1;
        }
        stream.news.send_modify(|count| *count += 1);
        id
    }

    /// Says that nothing more comes on a stream.
    pub(crate) fn finish(&mut self, id: StreamId) {
        if let Some(stream) = self.streams.get_mut(&id) {
            stream.finished = true;
            stream.news.send_modify(|count| *count += 1);
        }
    }

    /// Says that nothing more comes on a stream, and that nobody wants what came.
    pub(crate) fn abandon(&mut self, id: StreamId, now: Instant) {
        self.finish(id);
        self.mark_read(id, now);
    }

    /// Whether there is such a stream, and a place in it that was given out.
    pub(crate) fn owns(&self, id: EventId) -> bool {
        self.streams.get(&id.stream).is_some_and(|stream| id.place < stream.next)
    }

    /// What comes after a place.
    pub(crate) fn after(&mut self, id: EventId, now: Instant) -> Found {
        let Some(stream) = self.streams.get_mut(&id.stream) else { return Found::End };
        let first = stream.events.front().map_or(stream.next, |event| event.id.place);
        let at = (id.place + 1).saturating_sub(first);
        match usize::try_from(at).ok().and_then(|at| stream.events.get(at)) {
            Some(event) => Found::Event(event.clone()),
            None if stream.finished => {
                self.mark_read(id.stream, now);
                Found::End
            }
            None => Found::Nothing,
        }
    }

    /// Notes that an event was handed to somebody who reads.
    pub(crate) fn handed(&mut self, id: EventId, now: Instant) {
        let Some(stream) = self.streams.get_mut(&id.stream) else { return };
        stream.handed = stream.handed.max(id.place);
        // Clients may leave as soon as they have their result.
        if stream.finished && stream.handed + 1 == stream.next {
            self.mark_read(id.stream, now);
        }
    }

    /// The last event of the open stream that was handed to somebody.
    pub(crate) fn last_handed(&self) -> EventId {
        let place = self.streams.get(&StreamId::Open).map_or(0, |stream| stream.handed);
        EventId { stream: StreamId::Open, place }
    }

    /// Told of everything that comes on a stream.
    pub(crate) fn news(&self, id: StreamId) -> Option<watch::Receiver<u64>> {
        self.streams.get(&id).map(|stream| stream.news.subscribe())
    }

    /// Whether something waits that nobody has read.
    pub(crate) fn has_unread(&self) -> bool {
        self.streams.iter().any(|(id, stream)| *id != StreamId::Open && !stream.read)
    }

    fn mark_read(&mut self, id: StreamId, now: Instant) {
        if let Some(stream) = self.streams.get_mut(&id)
            && id != StreamId::Open
            && !std::mem::replace(&mut stream.read, true)
        {
            self.read.push_back((id, now));
        }
    }

    /// Forgets what was read, the oldest first; what was not stays.
    fn sweep(&mut self, now: Instant) {
        while let Some((id, read)) = self.read.front().copied() {
            let age = now.duration_since(read);
            let holds = |(bytes, events)| self.bytes > bytes || self.events > events;
            let is_over =
                age > KEPT || holds((MOST_BYTES, MOST_EVENTS)) || (holds(PLENTY) && age > BRIEFLY);
            if !is_over {
                return;
            }
            self.read.pop_front();
            if let Some(stream) = self.streams.remove(&id) {
                self.bytes -= stream.events.iter().map(|event| event.bytes).sum::<usize>();
                self.events -= stream.events.len();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::{JsonRpcMessage, RequestId, ServerResult};

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
    fn what_was_not_read_is_there_later_and_more_than_once() {
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
    fn names_go_both_ways_and_others_are_refused() {
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
    fn a_stream_that_was_read_is_forgotten_in_time_and_frees_its_bytes() {
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
    fn a_client_that_reads_is_served_without_end_and_the_log_stays_small() {
        let mut log = EventLog::default();
        let mut now = Instant::now();
        for id in 0..20_000 {
            let stream = log.open(now).expect("nothing waits");
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
    fn what_nobody_wants_any_more_is_no_hindrance() {
        let mut log = EventLog::default();
        let stream = log.open(Instant::now()).unwrap();
        log.append(stream, message(1));
        log.abandon(stream, Instant::now());
        assert!(!log.has_unread());
    }

    #[test]
    fn too_much_unread_refuses_new_requests_and_loses_nothing() {
        let mut log = EventLog::default();
        let stream = log.open(Instant::now()).unwrap();
        for id in 0..=i64::try_from(MOST_EVENTS).unwrap() {
            log.append(stream, message(id));
        }
        assert_eq!(log.open(Instant::now()), None);
        assert_eq!(read(&mut log, EventId { stream, place: 0 }).len(), MOST_EVENTS + 1);
    }

    #[test]
    fn the_open_stream_keeps_the_newest() {
        let mut log = EventLog::default();
        for id in 0..i64::try_from(MOST_EVENTS).unwrap() + 10 {
            log.append(StreamId::Open, message(id));
        }
        let seen = read(&mut log, EventId { stream: StreamId::Open, place: 0 });
        assert_eq!((seen.len(), seen[0].as_str()), (MOST_EVENTS, "g.11"));
    }
}
