//! Problems in a file are reported with their position and a suggestion.

use serde_json::json;

use super::{diagnostics, loaded, names, read};

const SOUND: &str = r#"{ "name": "git", "description": "Git.", "command": "git" }"#;

#[test]
fn valid_file_is_accepted() {
    let loaded = read(SOUND);
    assert_eq!(names(&loaded), ["git"]);
    assert!(loaded.refused.is_empty() && loaded.warnings.is_empty());
}

#[test]
fn unknown_field_is_reported_with_its_position_and_a_suggestion() {
    let text = "{\n  \"name\": \"git\",\n  \"discription\": \"Git.\",\n  \"command\": \"git\"\n}";
    assert_eq!(
        diagnostics(&read(text)),
        [
            "1:1: a tool has no `description`",
            "3:3: `discription` is not a field of a tool (did you mean `description`?)",
        ]
    );
}

#[test]
fn all_problems_of_a_file_are_reported_at_once() {
    let text = r#"{
  "name": 5,
  "description": "x",
  "command": "x",
  "subcommand": [
    { "name": "a", "descr": "x", "options": [
      { "name": "o", "type": "bool" },
      { "name": "p", "type": "string", "require": true }
    ] }
  ],
  "timeout_seconds": 86401,
  "synchronous": "yes"
}"#;
    assert_eq!(
        diagnostics(&read(text)),
        [
            "2:11: `name` must be text, not a number",
            "6:5: a subcommand has no `description`",
            "6:20: `descr` is not a field of a subcommand",
            "7:30: unknown `type` `bool`; allowed: `string`, `boolean`, `integer`, `number`, `array` \
             (did you mean `boolean`?)",
            "8:40: `require` is not a field of an option (did you mean `required`?)",
            "11:22: `timeout_seconds` must be at most 86400",
            "12:18: `synchronous` must be true or false, not text",
        ]
    );
}

#[test]
fn invalid_json_is_reported_at_its_position() {
    let cases = [
        ("", "the file is empty"),
        ("{\n \"name\": \"a\",\n}", "2:13: invalid JSON: nothing follows this comma"),
        ("{\n \"name\": \"a\"", "this object is not closed"),
        ("{ // note\n}", "1:3: invalid JSON: comments are not allowed"),
        ("{ 'name': 1 }", "1:3: invalid JSON"),
        ("{\"a\": 1 \"b\": 2}", "a comma is missing"),
        ("[]", "a tool must be an object, not an array"),
        ("null", "a tool must be an object, not null"),
        ("{} {}", "1:4"),
    ];
    for (text, part) in cases {
        let diagnostics = diagnostics(&read(text)).join("\n");
        assert!(diagnostics.contains(part), "{text:?}: {diagnostics:?}");
    }
}

#[test]
fn duplicate_field_is_refused() {
    let text =
        "{ \"name\": \"a\",\n  \"name\": \"b\", \"description\": \"d\", \"command\": \"c\" }";
    assert_eq!(diagnostics(&read(text)), ["2:3: duplicate field `name` (keep one of them)"]);
}

#[test]
fn unusual_files_are_refused() {
    let marked = format!("\u{feff}{SOUND}");
    assert!(diagnostics(&read(&marked))[0].contains("byte order mark"));
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(diagnostics(&read(&deep))[0].contains("nesting is too deep"));
    let wide = format!("{SOUND}{}", " ".repeat(1 << 20));
    assert!(diagnostics(&read(&wide))[0].contains("larger than 1 MB"));
    let binary = super::parse_text("x.json".as_ref(), b"{\n\"a\": \"\xff\"}", &[]);
    assert!(diagnostics(&binary)[0].contains("line 2 is not valid UTF-8"));
}

#[test]
fn broken_file_is_reported_and_the_others_load() {
    let success_codes = json!({ "name": "a", "description": "d", "command": "c" });
    let bad = json!({ "name": "b", "description": "d" });
    let loaded =
        loaded(&[("good.json", success_codes), ("bad.json", bad), ("note.txt", json!({}))]);
    assert_eq!(names(&loaded), ["a"]);
    assert_eq!(loaded.refused.len(), 1);
    assert!(loaded.refused[0].file.ends_with("bad.json"));
}

#[test]
fn links_and_pipes_are_refused() {
    use std::os::unix::fs::symlink;
    let folder = super::folder(&[("good.json", serde_json::from_str(SOUND).unwrap())]);
    symlink("good.json", folder.path().join("near.json")).unwrap();
    symlink("/dev/zero", folder.path().join("zero.json")).unwrap();
    std::fs::create_dir(folder.path().join("folder.json")).unwrap();
    let pipe = folder.path().join("pipe.json");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let loaded = super::load(folder.path(), &[]);
    assert_eq!(names(&loaded), ["git"]);
    assert_eq!(loaded.refused.len(), 4, "{:?}", diagnostics(&loaded));
}

#[test]
fn missing_folder_has_no_tools() {
    let folder = tempfile::tempdir().unwrap();
    let loaded = super::load(&folder.path().join("none"), &[]);
    assert_eq!(loaded, super::LoadedTools::default());
}

#[test]
fn conflicting_fields_are_refused() {
    let option = |option: serde_json::Value| {
        json!({ "name": "t", "description": "d", "command": "c", "subcommand": [
            { "name": "s", "description": "d", "options": [option] }
        ] })
    };
    let text = |extra: serde_json::Value| {
        let mut it = json!({ "name": "o", "type": "string" });
        it.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        option(it)
    };
    let cases = [
        (text(json!({ "items": { "type": "string" } })), "only an array has items"),
        (text(json!({ "file_flag": "-F" })), "this flag has no effect"),
        (text(json!({ "file_flag": "F", "file_arg": true })), "`F` is not a flag"),
        (text(json!({ "file_arg": true, "format": "path" })), "not a path"),
        (text(json!({ "default": 5 })), "invalid default"),
        (text(json!({ "enum": [] })), "the list of allowed values is empty"),
        (text(json!({ "enum": ["a"], "default": "b" })), "`o` cannot be `b`"),
        (text(json!({ "name": "a b" })), "cannot be the name of an option"),
        (text(json!({ "name": "timeout_seconds" })), "an argument of every tool"),
        (text(json!({ "alias": "m m" })), "cannot be an alias"),
        (text(json!({ "type": "integer", "format": "path" })), "only a string can be a path"),
        (json!({ "name": "t", "description": "d", "command": " " }), "the program is missing"),
        (json!({ "name": "t", "description": "d", "command": "sequence" }), "has no steps"),
        (
            json!({ "name": "t", "description": "d", "command": "c", "tool_type": "livelog" }),
            "unknown `tool_type` `livelog`",
        ),
    ];
    for (file, part) in cases {
        let diagnostics = diagnostics(&read(&file.to_string())).join("\n");
        assert!(diagnostics.contains(part), "{file}: {diagnostics}");
    }
}

#[test]
fn ignored_fields_are_warnings_and_the_file_loads() {
    let file = json!({
        "name": "t", "description": "d", "command": "c", "guidance_key": "k", "input_schema": {},
        "subcommand": [{ "name": "s", "description": "d", "options": [
            { "name": "manifest-path", "type": "string" },
            { "name": "url", "type": "string", "format": "uri" },
        ] }],
    });
    let loaded = read(&file.to_string());
    assert_eq!(names(&loaded), ["t_s"]);
    let warnings: Vec<&str> = loaded.warnings.iter().map(|one| one.message.as_str()).collect();
    assert_eq!(warnings.len(), 4, "{warnings:?}");
    assert!(warnings.iter().any(|reason| reason.contains("`manifest-path` looks like a path")));
}
