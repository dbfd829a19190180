//! Cancellation stops the work: no more text is typed, no wait continues, and the next call is
//! served at once.

use std::time::Duration;

use harness::{App, TestDesktop};
use serde_json::{Value, json};

use super::stdio_client::StdioClient;

/// Number of characters in the editor.
fn text_length(stage: &TestDesktop, app: &harness::Program) -> usize {
    let tree = stage.tree(app);
    let text = tree.find(|one| one.kind == "text").expect("the editor has a text element");
    text.value.as_ref().and_then(Value::as_str).unwrap_or_default().chars().count()
}

#[test]
fn cancelled_typing_stops() {
    let stage = TestDesktop::new();
    let app = stage.start(App::Mousepad);
    let old = StdioClient::start_initialized(&stage, &[], "2025-11-25", json!({}));
    let new = StdioClient::start_modern(&stage, &[], &json!({}));
    for mut client in [old, new] {
        let long = "abcdefghi ".repeat(2_000);
        let arguments = json!({
            "app": app.pid_text(), "query": "role:textarea", "text": long, "mode": "focus",
        });
        let before = text_length(&stage, &app);
        let id =
            client.send_request("tools/call", json!({ "name": "ax_type", "arguments": arguments }));
        while text_length(&stage, &app) < before + 200 {
            std::thread::sleep(Duration::from_millis(20));
        }
        client.notify("notifications/cancelled", json!({ "requestId": id, "reason": "enough" }));
        // The next call is answered while the first would still be typing.
        let answer =
            client.request("tools/call", json!({ "name": "ax_session_info", "arguments": {} }));
        assert!(answer["result"]["structuredContent"].is_object(), "{answer}");
        let mut last = text_length(&stage, &app);
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let now = text_length(&stage, &app);
            if now == last {
                break;
            }
            last = now;
        }
        let typed = last - before;
        assert!(typed < 20_000, "the whole text was typed: {typed}");
        std::thread::sleep(Duration::from_secs(2));
        assert_eq!(text_length(&stage, &app), last, "typing continued after the cancellation");
    }
}

#[test]
fn cancelled_waits_end_and_free_their_slots() {
    let stage = TestDesktop::new();
    let app = stage.start(App::Fixture("gtk3_events.py", &[]));
    let mut client = StdioClient::start_initialized(&stage, &[], "2025-11-25", json!({}));
    let wait = json!({ "app": app.pid_text(), "timeout_ms": 600_000, "poll_ms": 10_000 });
    // More calls than the server runs at once. If cancelled calls kept their slots, no other call
    // could run.
    let ids: Vec<i64> = (0..20)
        .map(|_| {
            client.send_request("tools/call", json!({ "name": "ax_wait_idle", "arguments": wait }))
        })
        .collect();
    std::thread::sleep(Duration::from_millis(500));
    for id in &ids {
        client.notify("notifications/cancelled", json!({ "requestId": id }));
    }
    let answer = client.request("tools/call", json!({ "name": "ax_list_apps", "arguments": {} }));
    assert!(answer["result"]["structuredContent"]["apps"].is_array(), "{answer}");
    let is_cancelled_response = |message: &Value| ids.iter().any(|id| message["id"] == *id);
    while let Some(message) = client.next_within(Duration::from_millis(500)) {
        assert!(!is_cancelled_response(&message), "a cancelled call was answered: {message}");
    }
}

#[test]
fn long_wait_sends_increasing_progress() {
    let stage = TestDesktop::new();
    let app = stage.start(App::Fixture("gtk3_events.py", &[]));
    let mut client = StdioClient::start_initialized(&stage, &[], "2025-11-25", json!({}));
    let wait = json!({ "app": app.pid_text(), "timeout_ms": 600_000, "poll_ms": 10_000 });
    let meta = json!({ "progressToken": 7 });
    let params = json!({ "name": "ax_wait_idle", "arguments": wait, "_meta": meta });
    let id = client.send_request("tools/call", params);
    let mut last = -1.0;
    let mut steps = 0;
    let answer = loop {
        // Progress is sent at least every ten seconds; the rest is for a busy machine.
        let message =
            client.next_within(Duration::from_secs(15)).expect("no message for 15 seconds");
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
    assert!(steps >= 3, "only {steps} progress notifications in 20 s");
}
