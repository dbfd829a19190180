//! Limits over HTTP.

use e2e::Stage;
use serde_json::{Value, json};

use super::web::Server;

const LOOK: &str = "ax_list_apps";

fn look() -> Value {
    json!({ "name": LOOK, "arguments": {} })
}

#[test]
fn over_http_a_refused_call_is_429_with_the_time_to_come_again() {
    let stage = Stage::new();
    let server = Server::set(&stage, &[], &[("DESKHAND_RATE_LIMIT_RPM", "3")]);
    let mut replies: Vec<_> = (1..=5).map(|_| server.call_as("any", LOOK, json!({}))).collect();
    assert_eq!(replies[0].status, 200, "{}", replies[0].head);
    let refused = replies.pop().unwrap();
    assert_eq!(refused.status, 429, "{}", refused.head);
    let after: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&after), "{}", refused.head);
    assert_told(&refused.json());
}

#[test]
fn over_a_stream_of_http_each_client_has_calls_of_its_own() {
    let stage = Stage::new();
    let server = Server::set(&stage, &[], &[("DESKHAND_RATE_LIMIT_RPM", "3")]);
    let answer = |session: &str, id: i64| {
        let mut reply = server.ask(Some(session), id, "tools/call", look());
        let events = std::iter::from_fn(|| reply.event());
        events.map(|event| event.message()).find(|message| message["id"] == id).unwrap()
    };
    let (one, other) = (server.session(), server.session());
    let answers: Vec<Value> = (1..=5).map(|id| answer(&one, id)).collect();
    assert_told(&answers[4]);
    assert!(answer(&other, 1).get("result").is_some());
}

/// A refusal says by how much too early it came.
fn assert_told(answer: &Value) {
    assert_eq!(answer["error"]["code"], -32000, "{answer}");
    assert!(answer["error"]["data"]["retry_after_ms"].as_u64().unwrap() > 0, "{answer}");
}
