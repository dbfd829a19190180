//! The definitions in `tools/` are valid, complete, and match the programs they describe.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

use deskhand_run::mtdf::{CommandTool, LoadedTools, load};
use serde_json::{Map, Value, json};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools")
}

fn all() -> LoadedTools {
    let loaded = load(&folder(), &[]);
    assert!(loaded.refused.is_empty(), "{:#?}", loaded.refused);
    assert!(loaded.warnings.is_empty(), "{:#?}", loaded.warnings);
    loaded
}

fn tool(name: &str) -> Arc<CommandTool> {
    let found = all().tools.into_iter().find(|tool| tool.name == name);
    found.unwrap_or_else(|| panic!("no {name}"))
}

/// A sample value of a parameter.
fn sample(schema: &Value) -> Value {
    if let Some(choices) = schema["enum"].as_array() {
        return choices[0].clone();
    }
    match schema["type"].as_str().unwrap() {
        "string" => json!("word"),
        "boolean" => json!(true),
        "integer" => json!(3),
        "array" => json!([sample(&schema["items"])]),
        other => panic!("{other}"),
    }
}

#[test]
fn every_tool_can_be_called_with_all_and_with_required_arguments() {
    let scope = tempfile::tempdir().unwrap();
    let loaded = all();
    assert!(loaded.tools.len() > 60, "{}", loaded.tools.len());
    for tool in &loaded.tools {
        let schema = tool.schema();
        let fields = schema["properties"].as_object().unwrap();
        let meta = ["working_directory", "execution_mode", "timeout_seconds"];
        let own = fields.iter().filter(|(name, _)| !meta.contains(&name.as_str()));
        let whole: Map<String, Value> =
            own.map(|(name, field)| (name.clone(), sample(field))).collect();
        let count = whole.len();
        let planned = tool.plan(&Value::Object(whole.clone()), scope.path()).unwrap();
        assert!(!planned.steps.is_empty(), "{}", tool.name);
        assert!(planned.steps[0].arguments.len() >= count, "{}", tool.name);
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        let needed: Map<String, Value> =
            whole.into_iter().filter(|(name, _)| required.contains(&json!(name))).collect();
        tool.plan(&Value::Object(needed), scope.path()).unwrap();
        for (name, field) in fields {
            assert!(field["description"].is_string(), "{} {name}", tool.name);
        }
        assert!(
            tool.install_instructions.is_some() && tool.availability.is_some(),
            "{}",
            tool.name
        );
    }
}

#[test]
fn all_expected_programs_have_tools() {
    let loaded = all();
    for program in ["git", "cargo", "npm", "python3", "make", "rg"] {
        let runs = |tool: &&Arc<CommandTool>| tool.title.split(' ').next() == Some(program);
        assert!(loaded.tools.iter().any(|tool| runs(&tool)), "{program}");
    }
}

#[test]
fn tools_that_change_project_files_are_synchronous() {
    for name in [
        "cargo_add",
        "cargo_remove",
        "cargo_update",
        "cargo_fmt",
        "cargo_new",
        "cargo_init",
        "npm_install",
        "npm_uninstall",
        "npm_update",
        "npm_ci",
        "npm_init",
        "npm_pkg_set",
        "git_add",
        "git_commit",
        "git_merge",
        "git_rebase",
        "git_reset",
        "git_restore",
        "git_pull",
        "git_switch",
        "git_mv",
        "git_rm",
        "git_stash_push",
        "git_stash_pop",
        "python_module_pip_install",
        "python_module_pip_uninstall",
        "python_module_venv",
    ] {
        assert_eq!(tool(name).synchronous, Some(true), "{name}");
    }
    for name in ["cargo_build", "cargo_test", "npm_test", "make", "git_clone"] {
        assert_ne!(tool(name).synchronous, Some(true), "{name}");
        assert!(tool(name).description.contains("Runs in the background"));
    }
}

/// Runs a call without a sandbox and returns its output.
fn run(name: &str, arguments: Value, scope: &Path) -> String {
    let planned = tool(name).plan(&arguments, scope).unwrap();
    let mut printed = String::new();
    for step in &planned.steps {
        let out = Command::new(&step.program)
            .args(&step.arguments)
            .current_dir(&step.folder)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_AUTHOR_NAME", "A")
            .env("GIT_AUTHOR_EMAIL", "a@example.org")
            .env("GIT_COMMITTER_NAME", "A")
            .env("GIT_COMMITTER_EMAIL", "a@example.org")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        assert!(out.status.success(), "{step:?}: {text}{}", String::from_utf8_lossy(&out.stderr));
        printed += &text;
    }
    printed
}

#[test]
fn git_commit_keeps_special_characters_in_the_message() {
    let scope = tempfile::tempdir().unwrap();
    let at = scope.path();
    run("git_init", json!({ "initial-branch": "main" }), at);
    fs::write(at.join("-odd name.txt"), "one\n").unwrap();
    run("git_add", json!({ "paths": ["-odd name.txt"] }), at);
    let message = "--amend; rm -rf $HOME `id` \"quoted\"\n\nA second line.";
    run("git_commit", json!({ "message": message }), at);
    let output = run("git_log", json!({ "oneline": false }), at);
    for line in message.lines() {
        assert!(output.contains(line), "{output}");
    }
    fs::write(at.join("-odd name.txt"), "two\n").unwrap();
    assert!(run("git_diff", json!({}), at).contains("+two"));
    assert!(run("git_status", json!({}), at).contains("odd name.txt"));
    run("git_switch", json!({ "create": "side" }), at);
    assert_eq!(run("git_branch", json!({ "show-current": true }), at).trim(), "side");
    let left: Vec<_> = fs::read_dir(at).unwrap().map(|one| one.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "temporary files are left: {left:?}");
}

#[test]
fn python_make_and_npm_match_their_definitions() {
    let scope = tempfile::tempdir().unwrap();
    let at = scope.path();
    fs::write(at.join("say.py"), "import sys; print(sys.argv[1:])").unwrap();
    let output_text = run("python", json!({ "script": "say.py", "args": ["-x", "a b"] }), at);
    assert_eq!(output_text.trim(), "['-x', 'a b']");
    let output_text = run("python_code", json!({ "code": "print('''a\n'b' \"c\"''')" }), at);
    assert_eq!(output_text, "a\n'b' \"c\"\n");
    fs::write(at.join("Makefile"), "all:\n\t@echo $(WORD)\n").unwrap();
    assert_eq!(run("make", json!({ "targets": ["all", "WORD=hello"], "jobs": 2 }), at), "hello\n");
    fs::write(
        at.join("package.json"),
        r#"{"name":"x","version":"1.2.3","scripts":{"say":"echo"}}"#,
    )
    .unwrap();
    assert!(run("npm_run", json!({ "script": "say", "args": ["--loud"] }), at).contains("--loud"));
    assert_eq!(run("npm_pkg_get", json!({ "fields": ["version"] }), at).trim(), "\"1.2.3\"");
}

#[test]
fn cargo_creates_a_project() {
    let scope = tempfile::tempdir().unwrap();
    let at = scope.path();
    run("cargo_new", json!({ "path": "small", "lib": true, "vcs": "none" }), at);
    let output =
        run("cargo_metadata", json!({ "no-deps": true, "working_directory": "small" }), at);
    let output: Value = serde_json::from_str(&output).unwrap();
    assert_eq!(output["packages"][0]["name"], "small");
    run("cargo_fmt", json!({ "check": true, "working_directory": "small" }), at);
}
