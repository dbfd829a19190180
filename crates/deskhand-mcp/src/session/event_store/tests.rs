//! Tests of the event store.

use std::time::Duration;

use rmcp::model::{JsonRpcMessage, RequestId, ServerNotification, ServerResult};

use super::*;

impl Default for EventStore {
    fn default() -> Self {
        Self::new(MemoryBudget::default())
    }
}

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
    assert_eq!((store.bytes(), store.all.events), (0, 0));
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
    assert_eq!(store.log.events, MAX_LOG_EVENTS);
    assert_eq!(store.all, store.log);
    now += timing::DELIVERED_EVENT_TTL + Duration::from_secs(1);
    store.trim_log(now);
    assert_eq!((store.bytes(), store.all.events), (0, 0));
}

#[test]
fn the_log_is_limited_in_bytes() {
    let mut store = EventStore::new(MemoryBudget::default().with_log_bytes(100_000));
    let now = Instant::now();
    let long = || rmcp::model::CustomResult::new(serde_json::json!({ "text": "x".repeat(9_000) }));
    for id in 0..100 {
        let stream = store.open(now).unwrap();
        let result = ServerResult::CustomResult(long());
        let event = store.append(stream, JsonRpcMessage::response(result, RequestId::Number(id)));
        store.finish(stream);
        assert!(store.bytes() < 111_000, "an undelivered response is stored: {}", store.bytes());
        store.mark_delivered(event, now);
        assert!(store.bytes() <= 100_000, "{}", store.bytes());
    }
    let kept: Vec<u64> = (1..=100)
        .filter(|number| {
            let stream = StreamId::Request(*number);
            store.can_resume_after(EventId { stream, sequence: 0 })
        })
        .collect();
    assert_eq!(kept, (91..=100).collect::<Vec<u64>>(), "the newest responses");
}

#[test]
fn many_lists_take_the_space_of_one() {
    let mut store = EventStore::default();
    let now = Instant::now();
    let tools: Vec<_> =
        (0..50).map(|at| serde_json::json!({ "name": at, "x": "y".repeat(400) })).collect();
    let list = rmcp::model::CustomResult::new(serde_json::json!({ "tools": tools }));
    let mut last = None;
    for id in 0..500 {
        let stream = store.open(now).unwrap();
        let result = ServerResult::CustomResult(list.clone());
        let event = store.append(stream, JsonRpcMessage::response(result, RequestId::Number(id)));
        store.finish(stream);
        store.mark_delivered(event, now);
        last = Some(event.stream);
    }
    assert_eq!(store.all.events, 500);
    assert!(store.bytes() < 60_000, "{}", store.bytes());
    let begin = EventId { stream: last.unwrap(), sequence: 0 };
    let NextEvent::Event(event) = store.next_after(begin, now) else { panic!("it is stored") };
    let sent = serde_json::to_value(&*event.message).unwrap();
    assert_eq!((&sent["id"], &sent["result"]), (&499.into(), &list.0));
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
    for id in 0..=i64::try_from(MAX_UNDELIVERED_EVENTS).unwrap() {
        store.append(stream, message(id));
    }
    assert_eq!(store.open(Instant::now()), None);
    let all = read(&mut store, EventId { stream, sequence: 0 });
    assert_eq!(all.len(), MAX_UNDELIVERED_EVENTS + 1);
}

#[test]
fn the_standalone_stream_keeps_the_newest_events() {
    let mut store = EventStore::default();
    for _ in 0..MAX_UNDELIVERED_EVENTS + 10 {
        let news = ServerNotification::ToolListChangedNotification(Default::default());
        store.append(StreamId::Standalone, JsonRpcMessage::notification(news));
    }
    let seen = read(&mut store, EventId { stream: StreamId::Standalone, sequence: 0 });
    assert_eq!((seen.len(), seen[0].as_str()), (MAX_UNDELIVERED_EVENTS, "g.11"));
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
    assert!(store.all.events == MAX_LOG_EVENTS && !store.has_undelivered());
    let early = EventId { stream: StreamId::Standalone, sequence: 5 };
    assert!(!store.can_resume_after(early), "later events are gone");
    now += timing::DELIVERED_EVENT_TTL + Duration::from_secs(1);
    assert!(store.accepts_requests(now));
    assert_eq!((store.bytes(), store.all.events), (0, 0));
    for id in 0..=i64::try_from(MAX_UNDELIVERED_EVENTS).unwrap() {
        store.append(StreamId::Standalone, message(id));
    }
    assert!(store.has_undelivered() && !store.accepts_requests(now), "nothing is delivered");
    assert_eq!(store.all.events, MAX_UNDELIVERED_EVENTS + 1, "a response is never dropped");
}
