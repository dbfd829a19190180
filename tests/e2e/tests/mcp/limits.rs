//! Limits over HTTP, and the limit of pictures that a client's model is shown.

use std::{
    io::{BufRead, BufReader},
    time::Duration,
};

use harness::{App, Stage};
use serde_json::{Value, json};

use super::{
    sampling::{asked, find, reply, stage, text},
    socket,
    talk::Talk,
    web::{Server, request},
};

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

#[test]
fn who_is_known_has_no_more_calls_by_more_sessions() {
    let stage = Stage::new();
    let token = "correct-horse-battery-staple";
    let set = [("DESKHAND_RATE_LIMIT_RPM", "3"), ("DESKHAND_HTTP_TOKEN", token)];
    let server = Server::set(&stage, &[], &set);
    let answers: Vec<Value> = (1..=5)
        .map(|id| {
            let session = server.session_as(token);
            let call = request(id, "tools/call", look());
            let mut reply = server.post_as(token, Some(&session), &call);
            reply.first(|message| message["id"] == id).unwrap()
        })
        .collect();
    assert!(answers[0].get("result").is_some(), "{}", answers[0]);
    assert_told(&answers[4]);
}

#[test]
fn who_has_too_many_calls_under_way_is_refused_and_others_are_served_meanwhile() {
    let stage = Stage::new();
    let app = stage.start(App::Mousepad);
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().join("mcp.sock");
    let mut server = socket::serve(&stage, &at, &[], &[("DESKHAND_CONCURRENCY", "10")]);
    let (one, other) = (socket::client(&at), socket::client(&at));
    let wait = json!({
        "name": "ax_wait_idle",
        "arguments": { "app": app.pid_text(), "timeout_ms": 600_000, "poll_ms": 10_000 },
    });
    for id in 1..=40 {
        socket::send(&one, id, "tools/call", &wait);
    }
    let read = |line: std::io::Result<String>| serde_json::from_str(&line.unwrap()).unwrap();
    let answers = BufReader::new(&one).lines().map(read);
    let refused: Vec<Value> =
        answers.filter(|it: &Value| it.get("error").is_some()).take(30).collect();
    for answer in &refused {
        assert_told(answer);
        assert!(answer.to_string().contains("10 calls at once"), "{answer}");
    }
    let served = socket::ask(&other, 1, "tools/call", look());
    assert!(served["result"].is_object(), "{served}");
    server.kill().unwrap();
    server.wait().unwrap();
}

#[test]
fn a_resource_too_many_is_429_like_a_call() {
    let stage = Stage::new();
    let server = Server::set(&stage, &[], &[("DESKHAND_RATE_LIMIT_RPM", "3")]);
    let read = || server.read_as("any", "deskhand://apps");
    let mut replies: Vec<_> = (1..=5).map(|_| read()).collect();
    assert_eq!(replies[0].status, 200, "{}", replies[0].head);
    let refused = replies.pop().unwrap();
    assert_eq!(refused.status, 429, "{}", refused.head);
    assert!(refused.header("retry-after").is_some(), "{}", refused.head);
    assert_told(&refused.json());
}

/// A server that shows a model one picture a minute.
fn of_one_picture(stage: &Stage) -> Talk {
    Talk::begin_changed(stage, &[], |command| {
        command.env("DESKHAND_VLM_RATE_LIMIT", "1");
    })
}

#[test]
fn a_picture_too_many_is_refused_and_the_model_is_asked_nothing() {
    let (stage, app) = stage();
    let mut talk = of_one_picture(&stage);
    talk.initialize("2025-06-18", json!({ "sampling": {} }));
    talk.notify("notifications/initialized", json!({}));
    let call = talk.request("tools/call", find(&app));
    for words in ["Four buttons.", "Press the first."] {
        let question = asked(&mut talk);
        reply(&mut talk, &question, text(words));
    }
    let answer = talk.answer(call);
    assert!(answer.to_string().contains("Press the first"), "{answer}");

    let refused = talk.ask("tools/call", find(&app));
    assert_told(&refused);
    assert!(refused.to_string().contains("1 vision calls a minute"), "{refused}");
    assert_asked_nothing(&mut talk);
}

#[test]
fn a_call_made_again_with_its_answers_counts_as_one_picture() {
    let (stage, app) = stage();
    let mut talk = of_one_picture(&stage).speaking_modern(&json!({ "sampling": {} }));
    let first = talk.ask("tools/call", find(&app))["result"].clone();
    assert_eq!(first["resultType"], "input_required", "{first}");
    let mut again = find(&app);
    again["requestState"] = first["requestState"].clone();
    again["inputResponses"] =
        json!({ "screen": text("Four buttons."), "next": text("Press the first.") });
    let answer = talk.ask("tools/call", again);
    assert!(answer.to_string().contains("Four buttons"), "{answer}");

    let refused = talk.ask("tools/call", find(&app));
    assert_told(&refused);
    assert!(refused.get("result").is_none(), "nothing is asked: {refused}");
    assert_asked_nothing(&mut talk);
}

#[test]
fn a_client_without_a_model_is_shown_as_many_pictures_as_it_asks_for() {
    let (stage, app) = stage();
    let mut talk = of_one_picture(&stage);
    talk.initialize("2025-06-18", json!({}));
    talk.notify("notifications/initialized", json!({}));
    for _ in 0..2 {
        let answer = talk.ask("tools/call", find(&app));
        assert_eq!(answer["result"]["content"][0]["type"], "image", "{answer}");
    }
}

/// Once a later request is answered, nothing has come that wants an answer.
fn assert_asked_nothing(talk: &mut Talk) {
    talk.ask("tools/list", json!({}));
    while let Some(message) = talk.within(Duration::ZERO) {
        assert!(message.get("id").is_none(), "{message}");
    }
}

/// A refusal says by how much too early it came.
fn assert_told(answer: &Value) {
    assert_eq!(answer["error"]["code"], -32000, "{answer}");
    assert!(answer["error"]["data"]["retry_after_ms"].as_u64().unwrap() > 0, "{answer}");
}
