//! Rate limits: excess calls are refused with a retry time, excess writes are delayed and the reply
//! states the delay.

use std::time::Duration;

use harness::{
    App, TestDesktop,
    mcp::{Elicitation, McpClient},
};
use serde_json::{Value, json};

const READ_TOOL: &str = "ax_list_apps";

fn read_call() -> Value {
    json!({ "name": READ_TOOL, "arguments": {} })
}

/// Calls until one is refused. Returns the number of successful calls and the error.
fn until_refused(agent: &mut McpClient) -> (usize, Value) {
    for passed in 0..50 {
        let response = agent.request("tools/call", &read_call());
        if response.get("error").is_some() {
            return (passed, response["error"].clone());
        }
    }
    panic!("no call was refused");
}

fn wait_retry_after(error: &Value) {
    let wait = error["data"]["retry_after_ms"].as_u64().unwrap();
    assert!(wait > 0, "{error}");
    std::thread::sleep(Duration::from_millis(wait));
}

#[test]
fn excess_calls_are_refused_until_the_retry_time() {
    let stage = TestDesktop::new();
    for (variable, limit, description) in [
        ("AXTERMINATOR_RATE_LIMIT_RPS", 2, "2 calls per second"),
        ("AXTERMINATOR_RATE_LIMIT_RPM", 30, "30 calls per minute"),
    ] {
        let variables = [(variable, limit.to_string())];
        let variables: Vec<(&str, &str)> =
            variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let mut agent = McpClient::start_with_env(&stage, Elicitation::Unsupported, &variables);
        let (passed, error) = until_refused(&mut agent);
        assert!((limit..limit + 3).contains(&passed), "{variable}: {passed}");
        assert_eq!(error["code"], -32000, "{error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.starts_with("Rate limit exceeded"), "{message}");
        assert!(message.contains(description), "{message}");
        wait_retry_after(&error);
        agent.ok(READ_TOOL, json!({}));
    }
}

#[test]
fn excess_concurrent_calls_are_refused() {
    let stage = TestDesktop::new();
    let app = stage.start(App::Mousepad);
    let variables = [("AXTERMINATOR_CONCURRENCY", "2")];
    let mut agent = McpClient::start_with_env(&stage, Elicitation::Unsupported, &variables);
    let wait = json!({
        "name": "ax_wait_idle",
        "arguments": { "app": app.pid_text(), "timeout_ms": 60_000, "poll_ms": 10_000 },
    });
    let mut pending: Vec<u64> = (0..5).map(|_| agent.begin("tools/call", &wait)).collect();
    for _ in 0..3 {
        let refused = agent.first_response(&pending);
        let error = &refused["error"];
        assert_eq!(error["code"], -32000, "{refused}");
        assert!(error["message"].as_str().unwrap().contains("2 concurrent calls"), "{error}");
        assert!(error["data"]["retry_after_ms"].as_u64().unwrap() > 0, "{error}");
        pending.retain(|id| refused["id"] != *id);
    }
    pending.iter().for_each(|id| agent.cancel(*id));
    // After the cancelled calls have ended, new calls are accepted.
    while agent.request("tools/call", &read_call()).get("error").is_some() {}
}

#[test]
fn excess_writes_are_delayed_and_the_delay_is_reported() {
    let stage = TestDesktop::new();
    let variables = [("ACCESSIBILITY_MCP_RATE_LIMIT", "2")];
    let mut agent = McpClient::start_with_env(&stage, Elicitation::Unsupported, &variables);
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
    assert!(read.to_string().contains('4'), "the last write must win: {read}");
}
