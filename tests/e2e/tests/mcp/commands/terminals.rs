//! Terminals: a program that asks is answered, a screen is seen, and nothing of it is left.

use harness::Stage;
use serde_json::{Value, json};

use super::{Scope, are_gone, come_to, mark, talk};
use crate::talk::Talk;

/// Calls a tool that answers; what it shows.
fn shown(talk: &mut Talk, tool: &str, arguments: Value) -> Value {
    let result = talk.call(tool, arguments);
    assert_eq!(result["isError"], false, "{tool}: {result}");
    result["structuredContent"].clone()
}

#[test]
fn a_conversation_with_a_program_that_asks() {
    let stage = Stage::new();
    let scope = Scope::new();
    let mut talk = talk(&stage, &scope, &[]);
    let start = json!({ "command": "python3 -q", "wait_for": ">>> $", "timeout_seconds": 60 });
    let started = shown(&mut talk, "terminal_start", start);
    let id = started["terminal_id"].as_str().unwrap().to_owned();
    assert_eq!((&started["text"], &started["read_because"]), (&json!(">>> "), &json!("seen")));
    // The prompt alone tells nothing: readline draws it anew when the terminal gets another size.
    let say = |text: &str, until: &str| {
        json!({
            "terminal_id": id, "text": text, "keys": ["Enter"], "wait_for": until,
            "timeout_seconds": 60,
        })
    };
    let make = say("open('made', 'w').write('by hand')", "^7\\r?\\n>>> $");
    let answer = shown(&mut talk, "terminal_send", make);
    assert!(answer["text"].as_str().unwrap().contains("\n7\n"), "{answer}");
    assert_eq!(scope.read("made"), "by hand");
    let size = "import os; print(os.get_terminal_size().columns, end='!\\n')";
    let resize = json!({ "terminal_id": id, "rows": 30, "columns": 99 });
    let resized = shown(&mut talk, "terminal_resize", resize);
    assert_eq!(resized["screen"]["columns"], 99, "{resized}");
    let answer = shown(&mut talk, "terminal_send", say(size, "^99!\\r?\\n>>> $"));
    assert!(answer["text"].as_str().unwrap().contains("99!"), "{answer}");
    let all = shown(&mut talk, "terminal_read", json!({ "terminal_id": id, "form": "all" }));
    assert!(all["text"].as_str().unwrap().contains("by hand"), "{all}");
    let closed = shown(&mut talk, "terminal_close", json!({ "terminal_id": id }));
    assert_eq!(closed["signal"], 9, "{closed}");
    let gone = talk.call("terminal_read", json!({ "terminal_id": id }));
    assert_eq!(gone["isError"], true, "{gone}");
    assert!(gone.to_string().contains("unknown_terminal"), "{gone}");
}

#[test]
fn a_secret_that_is_typed_is_neither_shown_nor_recorded() {
    let stage = Stage::new();
    let scope = Scope::new();
    let mut talk = talk(&stage, &scope, &[]);
    let shell = shown(&mut talk, "terminal_start", json!({}));
    let seen =
        json!({ "terminal_id": shell["terminal_id"], "text": "echo open-line", "keys": ["Enter"] });
    shown(&mut talk, "terminal_send", seen);
    let ask = "python3 -c \"import getpass; open('got', 'w').write(getpass.getpass('Secret: '))\"";
    let start = json!({ "command": ask, "wait_for": "Secret: $", "timeout_seconds": 60 });
    let started = shown(&mut talk, "terminal_start", start);
    assert_eq!(started["echo"], "hidden", "{started}");
    let id = started["terminal_id"].clone();
    let secret =
        json!({ "terminal_id": id, "text": "hunter2", "keys": ["Enter"], "quiet_ms": 60_000 });
    let ended = shown(&mut talk, "terminal_send", secret);
    assert_eq!(
        (&ended["read_because"], &ended["exit_code"]),
        (&json!("ended"), &json!(0)),
        "{ended}"
    );
    assert_eq!(scope.read("got"), "hunter2");
    let all = shown(&mut talk, "terminal_read", json!({ "terminal_id": id, "form": "all" }));
    assert!(!all.to_string().contains("hunter2"), "{all}");
    let records = stage.deskhand(&["audit-log", "show", "--format", "json"]).text();
    assert!(records.contains("open-line") && !records.contains("hunter2"), "{records}");
}

#[test]
fn a_pager_is_a_screen_and_all_ends_with_the_server() {
    let stage = Stage::new();
    let scope = Scope::new();
    let lines: String = (1..=90).map(|line| format!("line {line}\n")).collect();
    std::fs::write(scope.path().join("long"), lines).unwrap();
    let mark = mark();
    let mut talk = talk(&stage, &scope, &[]);
    let command = format!("(setsid sleep {mark} &); less long");
    let start = json!({ "command": command, "wait_for": "line 23", "timeout_seconds": 60 });
    let started = shown(&mut talk, "terminal_start", start);
    assert_eq!(started["screen"]["lines"][0], "line 1", "{started}");
    let down =
        json!({ "terminal_id": started["terminal_id"], "keys": ["End"], "wait_for": "line 90" });
    let moved = shown(&mut talk, "terminal_send", down);
    assert_eq!(moved["screen"]["lines"][22], "line 90", "{moved}");
    come_to(&mark, 1);
    drop(talk);
    are_gone(&mark);
}
