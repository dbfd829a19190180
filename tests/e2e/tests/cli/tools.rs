//! `deskhand tools`: definitions are checked with file, line and column, listed, and other servers
//! are asked for theirs. No desktop is needed for any of it.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use harness::{Outcome, outcome};
use serde_json::{Value, json};

fn deskhand(folder: &Path, words: &[&str]) -> Outcome {
    let mut command = Command::new(outcome::binary());
    for name in ["DISPLAY", "WAYLAND_DISPLAY", "DESKHAND_TOOLS_DIR", "AHMA_TOOLS_DIR"] {
        command.env_remove(name);
    }
    Outcome::of(command.args(words).current_dir(folder).env("HOME", folder))
}

/// A project with these definitions.
fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join(".deskhand/tools")).unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(".deskhand/tools").join(name), text).unwrap();
    }
    folder
}

const GOOD: &str = r#"{
  "name": "todo", "description": "Tasks.", "command": "task",
  "subcommand": [{ "name": "add", "description": "Add a task.", "synchronous": true }]
}"#;

const BAD: &str = r#"{
  "name": "todo",
  "description": "Tasks.",
  "comand": "task",
  "subcommand": [
    { "name": "add", "description": "Add.", "options": [{ "name": "due", "type": "bool" }] }
  ]
}"#;

fn ready_made() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools").canonicalize().unwrap()
}

#[test]
fn a_mistake_is_told_with_its_place_and_what_was_meant() {
    let place = project(&[("bad.json", BAD), ("good.json", GOOD)]);
    let told = deskhand(place.path(), &["tools", "validate"]);
    assert_eq!(told.code, Some(1), "{told}");
    let text = told.text();
    for part in [
        "error: .deskhand/tools/bad.json:1:1: a tool has no `command`",
        "error: .deskhand/tools/bad.json:4:3: `comand` is not a field of a tool\n  next: did you mean `command`?",
        ".deskhand/tools/bad.json:6:82: unknown `type` `bool`",
        "next: did you mean `boolean`?",
        "1 file with errors, 1 tool OK",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let told = deskhand(place.path(), &["tools", "validate", "--format", "json"]);
    let told: Value = serde_json::from_slice(&told.stdout).unwrap();
    assert_eq!(told["tools"], json!(["todo_add"]));
    let second = &told["refused"][1];
    assert_eq!((&second["line"], &second["column"]), (&json!(4), &json!(3)));
    let alone = deskhand(place.path(), &["tools", "validate", ".deskhand/tools/good.json"]);
    assert_eq!(alone.expect_ok().text(), "OK: 1 tool\n");
}

#[test]
fn a_name_the_server_has_itself_is_refused() {
    let file = r#"{ "name": "ax_click", "description": "d", "command": "c" }"#;
    let place = project(&[("mine.json", file)]);
    let told = deskhand(place.path(), &["tools", "validate"]);
    assert_eq!(told.code, Some(1));
    assert!(told.text().contains("`ax_click` is a tool of the server itself"), "{told}");
}

#[test]
fn what_is_not_there_is_said() {
    let place = tempfile::tempdir().unwrap();
    for (words, code) in [
        (&["tools", "validate", "--format", "json"][..], "no_tools_folder"),
        (&["tools", "list", "--format", "json"], "no_tools_folder"),
        (&["tools", "validate", "nothing.json", "--format", "json"], "unreadable"),
        (&["tools", "list", "--server", "'open", "--format", "json"], "invalid_parameter"),
    ] {
        deskhand(place.path(), words).expect_error(code);
    }
}

#[test]
fn the_definitions_that_come_with_it_are_sound_and_listed() {
    let folder = ready_made();
    let path = folder.to_str().unwrap();
    let told = deskhand(&folder, &["tools", "validate", path, "--format", "json"]).json();
    assert_eq!((&told["refused"], &told["warnings"]), (&json!([]), &json!([])));
    let listed = deskhand(&folder, &["tools", "list", "--tools-dir", path]).expect_ok().text();
    assert!(listed.starts_with("NAME"), "{listed}");
    assert!(listed.contains("git_commit"), "{listed}");
    let listed =
        deskhand(&folder, &["tools", "list", "--tools-dir", path, "--format", "json"]).json();
    let all = listed.as_array().unwrap();
    assert_eq!(all.len(), told["tools"].as_array().unwrap().len());
    let commit = all.iter().find(|tool| tool["name"] == "git_commit").unwrap();
    assert_eq!(commit["synchronous"], true);
    assert_eq!(commit["inputSchema"]["required"], json!(["message"]));
}

#[test]
fn the_older_folder_is_found_too_and_a_chosen_one_comes_first() {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir_all(place.path().join(".ahma/tools")).unwrap();
    fs::write(place.path().join(".ahma/tools/todo.json"), GOOD).unwrap();
    let listed = deskhand(place.path(), &["tools", "list"]).expect_ok().text();
    assert!(listed.contains("todo_add"), "{listed}");
    fs::create_dir(place.path().join("empty")).unwrap();
    let listed = deskhand(place.path(), &["tools", "list", "--tools-dir", "empty"]);
    assert_eq!(listed.expect_ok().text(), "no file defines a tool\n");
}

#[test]
fn a_folder_that_is_a_link_out_of_the_project_is_not_read() {
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("config.json"), r#"{ "auths": {} }"#).unwrap();
    let place = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join(".deskhand")).unwrap();
    let link = place.path().join(".deskhand/tools");
    std::os::unix::fs::symlink(elsewhere.path(), &link).unwrap();
    let told = deskhand(place.path(), &["tools", "validate"]);
    assert_eq!(told.code, Some(1), "{told}");
    let text = told.text();
    assert!(text.contains("a link that leads out of the working folder"), "{text}");
    assert!(!text.contains("auths"), "{text}");
    // Whoever names the folder itself means it.
    let named = deskhand(place.path(), &["tools", "validate", elsewhere.path().to_str().unwrap()]);
    assert!(named.text().contains("`auths` is not a field of a tool"), "{named}");
}

#[test]
fn another_server_is_asked_over_its_standard_streams() {
    let place = tempfile::tempdir().unwrap();
    // A server in a few lines: it answers what it is asked, and says more than it should.
    let server = r#"
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    answers = {
        "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                       "serverInfo": {"name": "small", "version": "1"}},
        "tools/list": {"tools": [
            {"name": "b", "description": "Second.\nMore.", "inputSchema": {"type": "object"}},
            {"name": "a", "description": "First \u001b[31mred", "inputSchema":
                {"type": "object", "properties": {"x": {"type": "string"}}}}]},
    }
    said = {"jsonrpc": "2.0", "id": asked["id"]}
    if asked["method"] in answers:
        said["result"] = answers[asked["method"]]
    else:
        said["error"] = {"code": -32601, "message": "no such method"}
    print(json.dumps(said), flush=True)
"#;
    let file = place.path().join("small server.py");
    fs::write(&file, server).unwrap();
    let command = format!("python3 '{}'", file.display());
    let told = deskhand(place.path(), &["tools", "list", "--server", &command]);
    let told = told.expect_ok().text();
    assert_eq!(told, "NAME  DESCRIPTION\na     First ?[31mred [x]\nb     Second.\n");
    let told =
        deskhand(place.path(), &["tools", "list", "--server", &command, "--format", "json"]).json();
    assert_eq!(told[1]["description"], "Second.\nMore.");
    assert_eq!(told[0]["inputSchema"]["properties"]["x"]["type"], "string");
    let none = deskhand(place.path(), &["tools", "list", "--server", "/no/such/program"]);
    assert_eq!(none.code, Some(1), "{none}");
}
