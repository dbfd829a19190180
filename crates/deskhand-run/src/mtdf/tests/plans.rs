//! The plan of a call, and calls that are refused before anything runs.

use std::{path::Path, time::Duration};

use deskhand_model::Explain;
use serde_json::json;

use super::{super::Error, super::ExecutionMode, go, with, words};

fn here() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("src")).unwrap();
    folder
}

#[test]
fn options_keep_the_order_of_the_file_and_positionals_follow() {
    let tool = go(
        json!([
            { "name": "release", "type": "boolean" },
            { "name": "message", "type": "string", "alias": "m" },
            { "name": "jobs", "type": "integer" },
            { "name": "ratio", "type": "number" },
            { "name": "features", "type": "array", "items": { "type": "string" } },
            { "name": "-x", "type": "boolean" },
            { "name": "all", "type": "boolean", "alias": "a" },
        ]),
        json!([
            { "name": "first", "type": "string" },
            { "name": "rest", "type": "array" },
        ]),
    );
    let scope = here();
    let words = |arguments| words(&tool, arguments, scope.path()).unwrap();
    assert_eq!(words(json!({})), ["it", "go"]);
    assert_eq!(words(json!(null)), ["it", "go"]);
    let given = json!({
        "rest": ["b", "c"], "first": "a; rm -rf $HOME", "features": ["x", "y"], "jobs": 4,
        "ratio": 0.5, "message": "two words", "release": true, "-x": true, "all": false,
    });
    assert_eq!(
        words(given),
        [
            "it",
            "go",
            "--release",
            "-m",
            "two words",
            "--jobs",
            "4",
            "--ratio",
            "0.5",
            "--features",
            "x",
            "--features",
            "y",
            "-x",
            "a; rm -rf $HOME",
            "b",
            "c",
        ]
    );
    assert_eq!(words(json!({ "message": "", "first": null, "release": false })), ["it", "go"]);
}

#[test]
fn positionals_come_first_if_requested() {
    let tool = with(json!({
        "name": "default", "description": "d", "positional_args_first": true,
        "options": [{ "name": "-name", "type": "string" }],
        "positional_args": [{ "name": "where", "type": "string", "format": "path" }],
    }));
    let scope = here();
    let words = words(&tool, json!({ "-name": "*.rs", "where": "src" }), scope.path()).unwrap();
    assert_eq!(words, ["it", "src", "-name", "*.rs"]);
}

#[test]
fn value_never_becomes_an_option() {
    let scope = here();
    let option = |option| go(json!([option]), json!([]));
    let long = option(json!({ "name": "to", "type": "string" }));
    assert_eq!(words(&long, json!({ "to": "-x" }), scope.path()).unwrap(), ["it", "go", "--to=-x"]);
    let negative = option(json!({ "name": "count", "type": "integer" }));
    let line = words(&negative, json!({ "count": -3 }), scope.path()).unwrap();
    assert_eq!(line, ["it", "go", "--count=-3"]);
    let short = option(json!({ "name": "message", "type": "string", "alias": "m" }));
    let line = words(&short, json!({ "message": "--amend" }), scope.path()).unwrap();
    assert_eq!(line, ["it", "go", "-m--amend"]);
    let single = option(json!({ "name": "-name", "type": "string" }));
    let refused = words(&single, json!({ "-name": "-delete" }), scope.path());
    assert!(matches!(refused, Err(Error::LooksLikeOption { .. })));
    let positional = go(json!([]), json!([{ "name": "what", "type": "string" }]));
    let refused = words(&positional, json!({ "what": "--upload-pack=x" }), scope.path());
    assert!(matches!(refused, Err(Error::LooksLikeOption { .. })));
    let path = go(json!([]), json!([{ "name": "file", "type": "string", "format": "path" }]));
    let line = words(&path, json!({ "file": "-rf" }), scope.path()).unwrap();
    assert_eq!(line, ["it", "go", "./-rf"]);
    let dashed = with(json!({
        "name": "go", "description": "d", "end_of_options": true,
        "options": [{ "name": "v", "type": "boolean" }],
        "positional_args": [{ "name": "what", "type": "string" }],
    }));
    let line = words(&dashed, json!({ "what": "-x", "v": true }), scope.path()).unwrap();
    assert_eq!(line, ["it", "go", "--v", "--", "-x"]);
    assert_eq!(words(&dashed, json!({}), scope.path()).unwrap(), ["it", "go"]);
}

#[test]
fn wrong_types_are_refused() {
    let tool = go(
        json!([
            { "name": "yes", "type": "boolean" },
            { "name": "text", "type": "string" },
            { "name": "count", "type": "integer" },
            { "name": "list", "type": "array", "items": { "type": "integer" } },
            { "name": "colour", "type": "string", "enum": ["red", "green"] },
        ]),
        json!([]),
    );
    let scope = here();
    for arguments in [
        json!({ "yes": "true" }),
        json!({ "text": 5 }),
        json!({ "count": "5" }),
        json!({ "count": 5.5 }),
        json!({ "list": [1, "2"] }),
        json!({ "list": 1 }),
        json!({ "colour": "blue" }),
        json!({ "text": "a\u{0}b" }),
        json!({ "text": { "a": 1 } }),
        json!([]),
        json!("text"),
    ] {
        let error = words(&tool, arguments.clone(), scope.path()).unwrap_err();
        assert_eq!(error.code(), "invalid_parameter", "{arguments}");
        assert!(error.advice().is_some());
    }
}

#[test]
fn unknown_argument_is_refused_with_a_suggestion() {
    let tool = go(json!([{ "name": "message", "type": "string", "alias": "m" }]), json!([]));
    let scope = here();
    for (name, hint) in [
        ("mesage", "did you mean `message`?"),
        ("m", "did you mean `message`?"),
        ("working_dir", "did you mean `working_directory`?"),
        ("zzz", "it takes message"),
    ] {
        let error = words(&tool, json!({ name: "x" }), scope.path()).unwrap_err();
        assert!(matches!(error, Error::Unknown { .. }));
        assert_eq!(error.advice(), Some(hint.into()));
    }
}

#[test]
fn required_arguments_are_checked_and_defaults_apply() {
    let tool = go(
        json!([
            { "name": "message", "type": "string", "required": true },
            { "name": "colour", "type": "string", "default": "never" },
            { "name": "quiet", "type": "boolean", "default": true },
        ]),
        json!([]),
    );
    let scope = here();
    let error = words(&tool, json!({ "message": null }), scope.path()).unwrap_err();
    assert_eq!(error.to_string(), "`it_go` needs `message`");
    let line = words(&tool, json!({ "message": "x" }), scope.path()).unwrap();
    assert_eq!(line, ["it", "go", "--message", "x", "--colour", "never", "--quiet"]);
    let line = words(&tool, json!({ "message": "", "quiet": false }), scope.path()).unwrap();
    assert_eq!(line, ["it", "go", "--message", "", "--colour", "never"]);
}

#[test]
fn paths_stay_inside_the_scope() {
    let tool = go(
        json!([{ "name": "files", "type": "array", "items": { "type": "string", "format": "path" } }]),
        json!([{ "name": "file", "type": "string", "format": "path", "required": true }]),
    );
    let scope = here();
    let line = words(&tool, json!({ "file": "src/new.rs", "files": ["a", "src"] }), scope.path());
    assert_eq!(line.unwrap(), ["it", "go", "--files", "a", "--files", "src", "src/new.rs"]);
    for arguments in [
        json!({ "file": "../x" }),
        json!({ "file": "/etc/passwd" }),
        json!({ "file": "x", "files": ["ok", "/etc/passwd"] }),
        json!({ "file": "x", "working_directory": ".." }),
        json!({ "file": "../x", "working_directory": "src/.." }),
    ] {
        let error = words(&tool, arguments, scope.path()).unwrap_err();
        assert_eq!(error.code(), "outside_scope");
    }
    // Relative paths start at the working directory.
    let line = words(&tool, json!({ "file": "../x", "working_directory": "src" }), scope.path());
    assert_eq!(line.unwrap(), ["it", "go", "../x"]);
}

#[test]
fn meta_arguments_are_not_passed_to_the_command() {
    let tool = go(json!([]), json!([]));
    let scope = here();
    let arguments = json!({ "working_directory": "src", "execution_mode": "synchronous", "timeout_seconds": 7 });
    let planned = tool.plan(&arguments, scope.path()).unwrap();
    assert_eq!(planned.steps[0].arguments, ["go"]);
    assert_eq!(planned.steps[0].folder, scope.path().canonicalize().unwrap().join("src"));
    assert_eq!(planned.timeout, Some(Duration::from_secs(7)));
    assert_eq!(planned.mode, Some(ExecutionMode::Synchronous));
    for arguments in [
        json!({ "execution_mode": "later" }),
        json!({ "timeout_seconds": 0 }),
        json!({ "timeout_seconds": 86_401 }),
        json!({ "timeout_seconds": "7" }),
        json!({ "working_directory": 5 }),
        json!({ "working_directory": "nowhere" }),
    ] {
        let error = tool.plan(&arguments, scope.path()).unwrap_err();
        assert_eq!(error.code(), "invalid_parameter", "{arguments}");
    }
}

#[test]
fn file_argument_is_a_private_file_that_is_removed_with_its_step() {
    use std::os::unix::fs::PermissionsExt;
    let tool = go(
        json!([
            { "name": "message", "type": "string", "file_arg": true, "file_flag": "-F" },
            { "name": "notes", "type": "string", "file_arg": true },
        ]),
        json!([]),
    );
    let scope = here();
    let planned =
        tool.plan(&json!({ "message": "-a\n\"b\"", "notes": "n" }), scope.path()).unwrap();
    let step = &planned.steps[0];
    assert_eq!([&step.arguments[1], &step.arguments[3]], ["-F", "--notes"]);
    let file = Path::new(&step.arguments[2]).to_owned();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "-a\n\"b\"");
    assert!(file.starts_with(scope.path().canonicalize().unwrap()));
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let copy = planned.clone();
    drop(planned);
    assert!(file.exists());
    drop(copy);
    assert!(!file.exists());
}

#[test]
fn input_schema_is_flat() {
    let tool = go(
        json!([{ "name": "list", "type": "array", "items": { "type": "string", "format": "path" } }]),
        json!([{ "name": "file", "type": "string", "format": "path", "required": true,
                 "description": "Which file." }]),
    );
    let schema = tool.schema();
    assert_eq!(schema["required"], json!(["file"]));
    assert_eq!(schema["additionalProperties"], json!(false));
    let properties = &schema["properties"];
    assert_eq!(
        properties["file"],
        json!({ "type": "string", "description": "Which file.", "format": "path" })
    );
    assert_eq!(
        properties["list"],
        json!({ "type": "array", "items": { "type": "string", "format": "path" } })
    );
    for name in ["working_directory", "execution_mode", "timeout_seconds"] {
        assert!(properties[name].is_object(), "{name}");
    }
    assert!(!schema.to_string().contains("$ref"));
}
