//! Terminal tools: interactive programs, full-screen programs and cleanup.

use harness::TestDesktop;
use serde_json::{Value, json};

use super::{Scope, start_client, unique_marker, wait_for_processes, wait_until_gone};
use crate::stdio_client::StdioClient;

/// Calls a tool that must succeed and returns its structured result.
fn call_ok(client: &mut StdioClient, tool: &str, arguments: Value) -> Value {
    let result = client.call(tool, arguments);
    assert_eq!(result["isError"], false, "{tool}: {result}");
    result["structuredContent"].clone()
}

#[test]
fn interactive_program_can_be_used() {
    let stage = TestDesktop::new();
    let scope = Scope::new();
    let mut client = start_client(&stage, &scope, &[]);
    let start = json!({ "command": "python3 -q", "wait_for": ">>> $", "timeout_seconds": 60 });
    let started = call_ok(&mut client, "terminal_start", start);
    let id = started["terminal_id"].as_str().unwrap().to_owned();
    assert_eq!((&started["text"], &started["read_because"]), (&json!(">>> "), &json!("seen")));
    // The prompt alone is ambiguous, because readline redraws it after a resize.
    let send_line = |text: &str, until: &str| {
        json!({
            "terminal_id": id, "text": text, "keys": ["Enter"], "wait_for": until,
            "timeout_seconds": 60,
        })
    };
    let write_file = send_line("open('made', 'w').write('by hand')", "^7\\r?\\n>>> $");
    let answer = call_ok(&mut client, "terminal_send", write_file);
    assert!(answer["text"].as_str().unwrap().contains("\n7\n"), "{answer}");
    assert_eq!(scope.read("made"), "by hand");
    let size = "import os; print(os.get_terminal_size().columns, end='!\\n')";
    let resize = json!({ "terminal_id": id, "rows": 30, "columns": 99 });
    let resized = call_ok(&mut client, "terminal_resize", resize);
    assert_eq!(resized["screen"]["columns"], 99, "{resized}");
    let answer = call_ok(&mut client, "terminal_send", send_line(size, "^99!\\r?\\n>>> $"));
    assert!(answer["text"].as_str().unwrap().contains("99!"), "{answer}");
    let all = call_ok(&mut client, "terminal_read", json!({ "terminal_id": id, "form": "all" }));
    assert!(all["text"].as_str().unwrap().contains("by hand"), "{all}");
    let closed = call_ok(&mut client, "terminal_close", json!({ "terminal_id": id }));
    assert_eq!(closed["signal"], 9, "{closed}");
    let gone = client.call("terminal_read", json!({ "terminal_id": id }));
    assert_eq!(gone["isError"], true, "{gone}");
    assert!(gone.to_string().contains("unknown_terminal"), "{gone}");
}

#[test]
fn typed_secret_is_neither_shown_nor_recorded() {
    let stage = TestDesktop::new();
    let scope = Scope::new();
    let mut client = start_client(&stage, &scope, &[]);
    let shell = call_ok(&mut client, "terminal_start", json!({}));
    let visible_line =
        json!({ "terminal_id": shell["terminal_id"], "text": "echo open-line", "keys": ["Enter"] });
    call_ok(&mut client, "terminal_send", visible_line);
    let command =
        "python3 -c \"import getpass; open('got', 'w').write(getpass.getpass('Secret: '))\"";
    let start = json!({ "command": command, "wait_for": "Secret: $", "timeout_seconds": 60 });
    let started = call_ok(&mut client, "terminal_start", start);
    assert_eq!(started["echo"], "hidden", "{started}");
    let id = started["terminal_id"].clone();
    let secret =
        json!({ "terminal_id": id, "text": "hunter2", "keys": ["Enter"], "quiet_ms": 60_000 });
    let ended = call_ok(&mut client, "terminal_send", secret);
    assert_eq!(
        (&ended["read_because"], &ended["exit_code"]),
        (&json!("ended"), &json!(0)),
        "{ended}"
    );
    assert_eq!(scope.read("got"), "hunter2");
    let all = call_ok(&mut client, "terminal_read", json!({ "terminal_id": id, "form": "all" }));
    assert!(!all.to_string().contains("hunter2"), "{all}");
    let records = stage.deskhand(&["audit-log", "show", "--format", "json"]).text();
    assert!(records.contains("open-line") && !records.contains("hunter2"), "{records}");
}

#[test]
fn pager_shows_a_screen_and_terminals_end_with_the_server() {
    let stage = TestDesktop::new();
    let scope = Scope::new();
    let lines: String = (1..=90).map(|line| format!("line {line}\n")).collect();
    std::fs::write(scope.path().join("long"), lines).unwrap();
    let marker = unique_marker();
    let mut client = start_client(&stage, &scope, &[]);
    let command = format!("(setsid sleep {marker} &); less long");
    let start = json!({ "command": command, "wait_for": "line 23", "timeout_seconds": 60 });
    let started = call_ok(&mut client, "terminal_start", start);
    assert_eq!(started["screen"]["lines"][0], "line 1", "{started}");
    let down =
        json!({ "terminal_id": started["terminal_id"], "keys": ["End"], "wait_for": "line 90" });
    let moved = call_ok(&mut client, "terminal_send", down);
    assert_eq!(moved["screen"]["lines"][22], "line 90", "{moved}");
    wait_for_processes(&marker, 1);
    drop(client);
    wait_until_gone(&marker);
}
