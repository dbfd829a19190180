//! Replays transcripts against the built server and a real app.
//!
//! A transcript has one message per line:
//! - `-->` sends a message.
//! - `<--` waits for a message that contains at least the given fields.
//! - `!!!` clicks an element of the app.
//! - `~~~` waits until the events of the app contain this type.
//!
//! Placeholders: `$text`, `$number` and `$any` match any value of that kind. Any other `$word` must
//! have the same value each time. `${app}` is the pid of the app. An object at the place of a text
//! matches the text parsed as JSON.

use std::{collections::HashMap, path::Path, time::Duration};

use harness::{App, Program, TestDesktop};
use serde_json::{Value, json};

use super::stdio_client::StdioClient;

type Placeholders = HashMap<String, Value>;

/// Removes the delimiters around the content of an app.
fn without_delimiters(text: &str) -> &str {
    let inside = text.strip_prefix("<app:").and_then(|rest| rest.split_once(">\n"));
    inside.and_then(|(_, rest)| rest.rsplit_once("\n</app:")).map_or(text, |(inside, _)| inside)
}

/// Returns `true` if a message matches a pattern. New placeholders are stored in `known`.
fn matches(pattern: &Value, message: &Value, known: &mut Placeholders) -> bool {
    match (pattern, message) {
        (Value::String(word), _) if word.starts_with('$') => match word.as_str() {
            "$any" => !message.is_null(),
            "$text" => message.as_str().is_some_and(|text| !text.is_empty()),
            "$number" => message.is_number(),
            _ => known.entry(word.clone()).or_insert_with(|| message.clone()) == message,
        },
        (Value::Object(fields), Value::Object(has)) => fields.iter().all(|(name, value)| {
            has.get(name).is_some_and(|message| matches(value, message, known))
        }),
        (Value::Object(_), Value::String(text)) => {
            let text = without_delimiters(text);
            serde_json::from_str(text).is_ok_and(|read: Value| matches(pattern, &read, known))
        }
        // Each entry of the pattern must match one of the received entries.
        (Value::Array(entries), Value::Array(has)) => entries
            .iter()
            .all(|entry| has.iter().any(|message| matches(entry, message, &mut known.clone()))),
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (_, _) => pattern == message,
    }
}

/// Replaces the known placeholders in a message.
fn fill_placeholders(message: &mut Value, known: &Placeholders) {
    match message {
        Value::String(word) => {
            if let Some(value) = known.get(word.as_str()) {
                *message = value.clone();
            }
        }
        Value::Array(entries) => {
            entries.iter_mut().for_each(|entry| fill_placeholders(entry, known))
        }
        Value::Object(fields) => {
            fields.values_mut().for_each(|value| fill_placeholders(value, known))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn replay(name: &str, stage: &TestDesktop, app: &Program) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("transcripts").join(name);
    let text = std::fs::read_to_string(path).unwrap().replace("${app}", &app.pid_text());
    let mut client =
        StdioClient::start_initialized(stage, &[], "2025-11-25", json!({ "elicitation": {} }));
    let mut known = Placeholders::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (marker, rest) = line.split_at(4);
        match marker {
            "--> " => {
                let mut message: Value = serde_json::from_str(rest).unwrap();
                fill_placeholders(&mut message, &known);
                client.send(&message);
            }
            "<-- " => {
                let pattern: Value = serde_json::from_str(rest).unwrap();
                let received =
                    client.first_message(|message| matches(&pattern, message, &mut known.clone()));
                assert!(matches(&pattern, &received, &mut known));
            }
            "!!! " => {
                let clicked = stage.deskhand(&["click", rest, "--app", &app.pid_text()]);
                assert_eq!(clicked.code, Some(0), "{clicked}");
            }
            "~~~ " => {
                let uri = format!("deskhand://app/{}/events", app.pid_text());
                let has = |client: &mut StdioClient| {
                    client
                        .request("resources/read", json!({ "uri": uri }))
                        .to_string()
                        .contains(rest)
                };
                while !has(&mut client) {
                    std::thread::sleep(Duration::from_millis(100));
                }
            }
            other => panic!("unknown line marker: {other}"),
        }
    }
}

#[test]
fn find_with_progress_and_records_matches_transcript() {
    let stage = TestDesktop::new();
    let app = stage.start(App::Fixture("gtk3_settings.py", &[]));
    replay("find.txt", &stage, &app);
}

#[test]
fn subscription_to_a_dialog_matches_transcript() {
    let stage = TestDesktop::new();
    let app = stage.start(App::Fixture("gtk3_settings.py", &[]));
    replay("subscribe.txt", &stage, &app);
}

#[test]
fn confirmed_click_matches_transcript() {
    let stage = TestDesktop::new();
    let app = stage.start(App::Fixture("gtk3_settings.py", &[]));
    replay("confirm.txt", &stage, &app);
    app.wait_for(r#"{"did": "delete"}"#);
    let tree = stage.tree(&app);
    assert!(tree.find(|one| one.title == "no items").is_some(), "{}", tree.summary());
}

#[test]
fn task_matches_transcript() {
    let stage = TestDesktop::new();
    let app = stage.start(App::Fixture("gtk3_settings.py", &[]));
    replay("task.txt", &stage, &app);
}

#[test]
fn different_messages_do_not_match() {
    let matches = |pattern: Value, message: Value| {
        super::transcripts::matches(&pattern, &message, &mut Placeholders::new())
    };
    assert!(matches(json!({ "a": "$text" }), json!({ "a": "x", "b": 1 })));
    assert!(!matches(json!({ "a": "$text" }), json!({ "a": 1 })));
    assert!(matches(json!(["$x"]), json!([1, 2])) && !matches(json!([3]), json!([1, 2])));
    assert!(matches(json!({ "t": { "a": 1 } }), json!({ "t": "{\"a\":1.0}" })));
    assert!(!matches(json!({ "a": "$x", "b": "$x" }), json!({ "a": 1, "b": 2 })));
}
