//! Whole conversations, replayed against the built server and a real app.
//!
//! A transcript has one message a line: `-->` is sent, `<--` must come. What must come may say more
//! than is written there. `$text`, `$number` and `$any` stand for whatever is there, another `$word` for
//! the same thing each time, `${app}` for the app's process; an object in the place of a text is what
//! the text must read as. `!!!` is what a person clicks meanwhile, `~~~` waits until the app's events
//! have one of that type.

use std::{collections::HashMap, path::Path, time::Duration};

use harness::{App, Program, Stage};
use serde_json::{Value, json};

use super::talk::Talk;

type Known = HashMap<String, Value>;

/// A text without the marks around what an app says.
fn unmarked(text: &str) -> &str {
    let inside = text.strip_prefix("<app:").and_then(|rest| rest.split_once(">\n"));
    inside.and_then(|(_, rest)| rest.rsplit_once("\n</app:")).map_or(text, |(inside, _)| inside)
}

/// Whether a message says what is written; what it says of unknown words is noted.
fn fits(written: &Value, message: &Value, known: &mut Known) -> bool {
    match (written, message) {
        (Value::String(word), _) if word.starts_with('$') => match word.as_str() {
            "$any" => !message.is_null(),
            "$text" => message.as_str().is_some_and(|text| !text.is_empty()),
            "$number" => message.is_number(),
            _ => known.entry(word.clone()).or_insert_with(|| message.clone()) == message,
        },
        (Value::Object(fields), Value::Object(has)) => fields
            .iter()
            .all(|(name, value)| has.get(name).is_some_and(|message| fits(value, message, known))),
        (Value::Object(_), Value::String(text)) => {
            let text = unmarked(text);
            serde_json::from_str(text).is_ok_and(|read: Value| fits(written, &read, known))
        }
        // Each entry that is written is among those that came.
        (Value::Array(entries), Value::Array(has)) => entries
            .iter()
            .all(|entry| has.iter().any(|message| fits(entry, message, &mut known.clone()))),
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (_, _) => written == message,
    }
}

/// A message to send, with what is known in the place of its words.
fn filled(message: &mut Value, known: &Known) {
    match message {
        Value::String(word) => {
            if let Some(value) = known.get(word.as_str()) {
                *message = value.clone();
            }
        }
        Value::Array(entries) => entries.iter_mut().for_each(|entry| filled(entry, known)),
        Value::Object(fields) => fields.values_mut().for_each(|value| filled(value, known)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn replayed(name: &str, stage: &Stage, app: &Program) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("transcripts").join(name);
    let text = std::fs::read_to_string(path).unwrap().replace("${app}", &app.pid_text());
    let mut talk = Talk::initialized(stage, &[], "2025-11-25", json!({ "elicitation": {} }));
    let mut known = Known::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (mark, rest) = line.split_at(4);
        match mark {
            "--> " => {
                let mut message: Value = serde_json::from_str(rest).unwrap();
                filled(&mut message, &known);
                talk.send(&message);
            }
            "<-- " => {
                let written: Value = serde_json::from_str(rest).unwrap();
                let came = talk.first(|message| fits(&written, message, &mut known.clone()));
                assert!(fits(&written, &came, &mut known));
            }
            "!!! " => {
                let clicked = stage.deskhand(&["click", rest, "--app", &app.pid_text()]);
                assert_eq!(clicked.code, Some(0), "{clicked}");
            }
            "~~~ " => {
                let uri = format!("deskhand://app/{}/events", app.pid_text());
                let has = |talk: &mut Talk| {
                    talk.ask("resources/read", json!({ "uri": uri })).to_string().contains(rest)
                };
                while !has(&mut talk) {
                    std::thread::sleep(Duration::from_millis(100));
                }
            }
            other => panic!("no such mark: {other}"),
        }
    }
}

#[test]
fn a_find_with_progress_and_records() {
    let stage = Stage::new();
    let app = stage.start(App::Fixture("gtk3_settings.py", &[]));
    replayed("find.txt", &stage, &app);
}

#[test]
fn a_subscription_that_hears_of_a_dialog() {
    let stage = Stage::new();
    let app = stage.start(App::Fixture("gtk3_settings.py", &[]));
    replayed("subscribe.txt", &stage, &app);
}

#[test]
fn a_click_that_is_confirmed() {
    let stage = Stage::new();
    let app = stage.start(App::Fixture("gtk3_settings.py", &[]));
    replayed("confirm.txt", &stage, &app);
    app.wait_for(r#"{"did": "delete"}"#);
    let tree = stage.tree(&app);
    assert!(tree.find(|one| one.title == "no items").is_some(), "{}", tree.summary());
}

#[test]
fn a_task_from_its_beginning_to_its_result() {
    let stage = Stage::new();
    let app = stage.start(App::Fixture("gtk3_settings.py", &[]));
    replayed("task.txt", &stage, &app);
}

#[test]
fn a_message_that_says_something_else_does_not_fit() {
    let fits = |written: Value, message: Value| {
        super::transcripts::fits(&written, &message, &mut Known::new())
    };
    assert!(fits(json!({ "a": "$text" }), json!({ "a": "x", "b": 1 })));
    assert!(!fits(json!({ "a": "$text" }), json!({ "a": 1 })));
    assert!(fits(json!(["$x"]), json!([1, 2])) && !fits(json!([3]), json!([1, 2])));
    assert!(fits(json!({ "t": { "a": 1 } }), json!({ "t": "{\"a\":1.0}" })));
    assert!(!fits(json!({ "a": "$x", "b": "$x" }), json!({ "a": 1, "b": 2 })));
}
