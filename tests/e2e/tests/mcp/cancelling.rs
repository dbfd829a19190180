//! Cancellation really stops work: nothing more is typed, nothing is waited for, and the next call is
//! served at once.

use std::time::Duration;

use harness::{App, Stage};
use serde_json::{Value, json};

use super::talk::Talk;

/// How many characters the editor holds.
fn length(stage: &Stage, app: &harness::Program) -> usize {
    let tree = stage.tree(app);
    let text = tree.find(|one| one.kind == "text").expect("the editor has a text");
    text.value.as_ref().and_then(Value::as_str).unwrap_or_default().chars().count()
}

#[test]
fn a_cancelled_text_stops_growing() {
    let stage = Stage::new();
    let app = stage.start(App::Mousepad);
    let old = Talk::initialized(&stage, &[], "2025-11-25", json!({}));
    let new = Talk::modern(&stage, &[], &json!({}));
    for mut talk in [old, new] {
        let long = "abcdefghi ".repeat(2_000);
        let arguments = json!({
            "app": app.pid_text(), "query": "role:textarea", "text": long, "mode": "focus",
        });
        let before = length(&stage, &app);
        let id = talk.request("tools/call", json!({ "name": "ax_type", "arguments": arguments }));
        while length(&stage, &app) < before + 200 {
            std::thread::sleep(Duration::from_millis(20));
        }
        talk.notify("notifications/cancelled", json!({ "requestId": id, "reason": "enough" }));
        // The next call has its answer while the first would still be typing.
        let answer = talk.ask("tools/call", json!({ "name": "ax_session_info", "arguments": {} }));
        assert!(answer["result"]["structuredContent"].is_object(), "{answer}");
        let mut last = length(&stage, &app);
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let now = length(&stage, &app);
            if now == last {
                break;
            }
            last = now;
        }
        let typed = last - before;
        assert!(typed < 20_000, "everything was typed: {typed}");
        std::thread::sleep(Duration::from_secs(2));
        assert_eq!(length(&stage, &app), last, "it goes on typing");
    }
}

#[test]
fn a_cancelled_wait_ends_and_gives_its_turn_back() {
    let stage = Stage::new();
    let app = stage.start(App::Fixture("gtk3_events.py", &[]));
    let mut talk = Talk::initialized(&stage, &[], "2025-11-25", json!({}));
    let wait = json!({ "app": app.pid_text(), "timeout_ms": 600_000, "poll_ms": 10_000 });
    // More than the server runs at once: were the turns kept, nothing else could run.
    let ids: Vec<i64> = (0..20)
        .map(|_| talk.request("tools/call", json!({ "name": "ax_wait_idle", "arguments": wait })))
        .collect();
    std::thread::sleep(Duration::from_millis(500));
    for id in &ids {
        talk.notify("notifications/cancelled", json!({ "requestId": id }));
    }
    let answer = talk.ask("tools/call", json!({ "name": "ax_list_apps", "arguments": {} }));
    assert!(answer["result"]["structuredContent"]["apps"].is_array(), "{answer}");
    let answered = |message: &Value| ids.iter().any(|id| message["id"] == *id);
    while let Some(message) = talk.within(Duration::from_millis(500)) {
        assert!(!answered(&message), "a cancelled call was answered: {message}");
    }
}

#[test]
fn a_long_wait_shows_that_it_lives_and_progress_only_grows() {
    let stage = Stage::new();
    let app = stage.start(App::Fixture("gtk3_events.py", &[]));
    let mut talk = Talk::initialized(&stage, &[], "2025-11-25", json!({}));
    let wait = json!({ "app": app.pid_text(), "timeout_ms": 600_000, "poll_ms": 10_000 });
    let meta = json!({ "progressToken": 7 });
    let params = json!({ "name": "ax_wait_idle", "arguments": wait, "_meta": meta });
    let id = talk.request("tools/call", params);
    let mut last = -1.0;
    let mut steps = 0;
    let answer = loop {
        // The longest silence the design allows, with room for a busy machine.
        let message = talk.within(Duration::from_secs(15)).expect("ten seconds of silence");
        if message["id"] == id {
            break message;
        }
        if message["method"] == "notifications/progress" {
            let done = message["params"]["progress"].as_f64().unwrap();
            assert!(done > last, "{message}");
            assert_eq!(message["params"]["progressToken"], 7, "{message}");
            (last, steps) = (done, steps + 1);
        }
    };
    assert_eq!(answer["result"]["structuredContent"]["idle"], true, "{answer}");
    assert!(steps >= 3, "20 s with {steps} steps");
}
