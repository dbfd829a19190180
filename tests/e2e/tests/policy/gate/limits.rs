//! Limits as a client meets them: too many calls are refused with the time to come again, too many
//! changes wait and say so.

use std::time::Duration;

use harness::{
    App, Stage,
    mcp::{Agent, Manner},
};
use serde_json::{Value, json};

const LOOK: &str = "ax_list_apps";

fn look() -> Value {
    json!({ "name": LOOK, "arguments": {} })
}

/// Calls until one is refused: how many were not, and the error.
fn until_refused(agent: &mut Agent) -> (usize, Value) {
    for passed in 0..50 {
        let response = agent.request("tools/call", &look());
        if response.get("error").is_some() {
            return (passed, response["error"].clone());
        }
    }
    panic!("never refused");
}

fn wait_as_told(error: &Value) {
    let wait = error["data"]["retry_after_ms"].as_u64().unwrap();
    assert!(wait > 0, "{error}");
    std::thread::sleep(Duration::from_millis(wait));
}

#[test]
fn too_many_calls_are_refused_until_the_time_that_is_told_has_passed() {
    let stage = Stage::new();
    for (variable, most, words) in [
        ("AXTERMINATOR_RATE_LIMIT_RPS", 2, "2 calls a second"),
        ("AXTERMINATOR_RATE_LIMIT_RPM", 30, "30 calls a minute"),
    ] {
        let set = [(variable, most.to_string())];
        let set: Vec<(&str, &str)> =
            set.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let mut agent = Agent::set(&stage, Manner::Silent, &set);
        let (passed, error) = until_refused(&mut agent);
        assert!((most..most + 3).contains(&passed), "{variable}: {passed}");
        assert_eq!(error["code"], -32000, "{error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.starts_with("Rate limit exceeded"), "{message}");
        assert!(message.contains(words), "{message}");
        wait_as_told(&error);
        agent.ok(LOOK, json!({}));
    }
}

#[test]
fn too_many_calls_at_once_are_refused_and_the_others_are_answered() {
    let stage = Stage::new();
    let app = stage.start(App::Mousepad);
    let set = [("AXTERMINATOR_CONCURRENCY", "2")];
    let mut agent = Agent::set(&stage, Manner::Silent, &set);
    let wait = json!({
        "name": "ax_wait_idle",
        "arguments": { "app": app.pid_text(), "timeout_ms": 60_000, "poll_ms": 10_000 },
    });
    let mut under_way: Vec<u64> = (0..5).map(|_| agent.begin("tools/call", &wait)).collect();
    for _ in 0..3 {
        let refused = agent.first_response(&under_way);
        let error = &refused["error"];
        assert_eq!(error["code"], -32000, "{refused}");
        assert!(error["message"].as_str().unwrap().contains("2 calls at once"), "{error}");
        assert!(error["data"]["retry_after_ms"].as_u64().unwrap() > 0, "{error}");
        under_way.retain(|id| refused["id"] != *id);
    }
    under_way.iter().for_each(|id| agent.cancel(*id));
    // Once they have let go there is room again.
    while agent.request("tools/call", &look()).get("error").is_some() {}
}

#[test]
fn too_many_changes_wait_for_their_turn_and_say_how_long() {
    let stage = Stage::new();
    let set = [("ACCESSIBILITY_MCP_RATE_LIMIT", "2")];
    let mut agent = Agent::set(&stage, Manner::Silent, &set);
    let warnings: Vec<String> = (0..5)
        .map(|number| {
            let text = number.to_string();
            let called = agent.call("ax_clipboard", json!({ "action": "write", "text": text }));
            assert!(!called.failed, "{}", called.text);
            called.text
        })
        .filter(|text| text.contains("Warning"))
        .collect();
    assert!((1..=3).contains(&warnings.len()), "{warnings:?}");
    for text in &warnings {
        let delay = text.split("Rate limit reached. Delayed ").nth(1).unwrap();
        let seconds: f64 = delay.split('s').next().unwrap().parse().unwrap();
        assert!(seconds > 0.0 && seconds <= 0.5, "{text}");
    }
    let read = agent.ok("ax_clipboard", json!({ "action": "read" }));
    assert!(read.to_string().contains('4'), "the last one came last: {read}");
}
