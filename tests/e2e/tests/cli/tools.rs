//! `deskhand tools` validates and lists tool definitions, and lists the tools of other servers. It
//! needs no desktop.
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

/// Creates a project folder with these tool definitions.
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

fn bundled_definitions() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools").canonicalize().unwrap()
}

#[test]
fn definition_error_has_a_position_and_a_suggestion() {
    let folder = project(&[("bad.json", BAD), ("good.json", GOOD)]);
    let output = deskhand(folder.path(), &["tools", "validate"]);
    assert_eq!(output.code, Some(1), "{output}");
    let text = output.text();
    for part in [
        "error: .deskhand/tools/bad.json:1:1: a tool has no `command`",
        "error: .deskhand/tools/bad.json:4:3: `comand` is not a field of a tool\n  next: did you mean `command`?",
        ".deskhand/tools/bad.json:6:82: unknown `type` `bool`",
        "next: did you mean `boolean`?",
        "1 file with errors, 1 tool OK",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let output = deskhand(folder.path(), &["tools", "validate", "--format", "json"]);
    let output: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output["tools"], json!(["todo_add"]));
    let second = &output["refused"][1];
    assert_eq!((&second["line"], &second["column"]), (&json!(4), &json!(3)));
    let one_file = deskhand(folder.path(), &["tools", "validate", ".deskhand/tools/good.json"]);
    assert_eq!(one_file.expect_ok().text(), "OK: 1 tool\n");
}

#[test]
fn builtin_tool_name_is_refused() {
    let file = r#"{ "name": "ax_click", "description": "d", "command": "c" }"#;
    let folder = project(&[("mine.json", file)]);
    let output = deskhand(folder.path(), &["tools", "validate"]);
    assert_eq!(output.code, Some(1));
    assert!(output.text().contains("`ax_click` is a tool of the server itself"), "{output}");
}

#[test]
fn missing_folders_and_files_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    for (words, code) in [
        (&["tools", "validate", "--format", "json"][..], "no_tools_folder"),
        (&["tools", "list", "--format", "json"], "no_tools_folder"),
        (&["tools", "validate", "nothing.json", "--format", "json"], "unreadable"),
        (&["tools", "list", "--server", "'open", "--format", "json"], "invalid_parameter"),
    ] {
        deskhand(folder.path(), words).expect_error(code);
    }
}

#[test]
fn bundled_definitions_are_valid_and_listed() {
    let folder = bundled_definitions();
    let path = folder.to_str().unwrap();
    let output = deskhand(&folder, &["tools", "validate", path, "--format", "json"]).json();
    assert_eq!((&output["refused"], &output["warnings"]), (&json!([]), &json!([])));
    let listing = deskhand(&folder, &["tools", "list", "--tools-dir", path]).expect_ok().text();
    assert!(listing.starts_with("NAME"), "{listing}");
    assert!(listing.contains("git_commit"), "{listing}");
    let listing =
        deskhand(&folder, &["tools", "list", "--tools-dir", path, "--format", "json"]).json();
    let all = listing.as_array().unwrap();
    assert_eq!(all.len(), output["tools"].as_array().unwrap().len());
    let commit = all.iter().find(|tool| tool["name"] == "git_commit").unwrap();
    assert_eq!(commit["synchronous"], true);
    assert_eq!(commit["inputSchema"]["required"], json!(["message"]));
}

#[test]
fn ahma_folder_is_found_and_tools_dir_takes_precedence() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join(".ahma/tools")).unwrap();
    fs::write(folder.path().join(".ahma/tools/todo.json"), GOOD).unwrap();
    let listing = deskhand(folder.path(), &["tools", "list"]).expect_ok().text();
    assert!(listing.contains("todo_add"), "{listing}");
    fs::create_dir(folder.path().join("empty")).unwrap();
    let listing = deskhand(folder.path(), &["tools", "list", "--tools-dir", "empty"]);
    assert_eq!(listing.expect_ok().text(), "no file defines a tool\n");
}

#[test]
fn folder_linked_from_outside_the_project_is_not_read() {
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("config.json"), r#"{ "auths": {} }"#).unwrap();
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(".deskhand")).unwrap();
    let link = folder.path().join(".deskhand/tools");
    std::os::unix::fs::symlink(elsewhere.path(), &link).unwrap();
    let output = deskhand(folder.path(), &["tools", "validate"]);
    assert_eq!(output.code, Some(1), "{output}");
    let text = output.text();
    assert!(text.contains("a link that leads out of the working folder"), "{text}");
    assert!(!text.contains("auths"), "{text}");
    // A folder given on the command line is read even if the project links to it.
    let named = deskhand(folder.path(), &["tools", "validate", elsewhere.path().to_str().unwrap()]);
    assert!(named.text().contains("`auths` is not a field of a tool"), "{named}");
}

#[test]
fn tools_of_another_server_are_listed_over_stdio() {
    let folder = tempfile::tempdir().unwrap();
    // A minimal MCP server. One description contains an escape sequence and one has two lines.
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
    let file = folder.path().join("small server.py");
    fs::write(&file, server).unwrap();
    let command = format!("python3 '{}'", file.display());
    let output = deskhand(folder.path(), &["tools", "list", "--server", &command]);
    let output = output.expect_ok().text();
    assert_eq!(output, "NAME  DESCRIPTION\na     First ?[31mred [x]\nb     Second.\n");
    let output =
        deskhand(folder.path(), &["tools", "list", "--server", &command, "--format", "json"])
            .json();
    assert_eq!(output[1]["description"], "Second.\nMore.");
    assert_eq!(output[0]["inputSchema"]["properties"]["x"]["type"], "string");
    let missing = deskhand(folder.path(), &["tools", "list", "--server", "/no/such/program"]);
    assert_eq!(missing.code, Some(1), "{missing}");
}
