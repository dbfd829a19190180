//! Sequences of steps within one tool and across tools.

use std::{path::Path, time::Duration};

use serde_json::{Value, json};

use super::{diagnostics, loaded, names};
use crate::operation::Skip;

fn cargo() -> (&'static str, Value) {
    let sub = |name: &str| {
        json!({ "name": name, "description": "d", "options": [
        { "name": "release", "type": "boolean" },
        { "name": "manifest", "type": "string", "format": "path" },
    ] })
    };
    let mut check = json!({ "name": "check", "description": "d", "step_delay_ms": 300 });
    check["sequence"] = json!([
        { "subcommand": "build", "args": { "release": true } },
        { "subcommand": "test", "description": "the tests" },
    ]);
    let file = json!({
        "name": "cargo", "description": "d", "command": "cargo",
        "subcommand": [sub("build"), sub("test"), check],
    });
    ("cargo.json", file)
}

fn all(steps: Value) -> (&'static str, Value) {
    let file = json!({
        "name": "all", "description": "d", "command": "sequence", "step_delay_ms": 500,
        "sequence": steps,
    });
    ("all.json", file)
}

fn lines(tool: &super::CommandTool, arguments: Value, scope: &Path) -> Vec<String> {
    let planned = tool.plan(&arguments, scope).unwrap();
    let line = |step: &crate::operation::ProgramStep| {
        let words = [vec![step.program.clone()], step.arguments.clone()].concat().join(" ");
        format!("{} [{}ms] {words}", step.title, step.delay_before.as_millis())
    };
    planned.steps.iter().map(line).collect()
}

#[test]
fn subcommand_runs_steps_of_its_own_tool() {
    let loaded = loaded(&[cargo()]);
    assert_eq!(names(&loaded), ["cargo_build", "cargo_check", "cargo_test"]);
    let scope = tempfile::tempdir().unwrap();
    assert_eq!(
        lines(&loaded.tools[1], json!({}), scope.path()),
        ["cargo build [0ms] cargo build --release", "the tests [300ms] cargo test"]
    );
}

#[test]
fn sequence_calls_other_tools_the_shell_and_other_sequences() {
    let loaded = loaded(&[
        cargo(),
        all(json!([
            { "tool": "sandboxed_shell", "subcommand": "default", "args": { "command": "echo a | cat" } },
            { "tool": "cargo", "subcommand": "check" },
        ])),
    ]);
    assert!(loaded.refused.is_empty(), "{:?}", diagnostics(&loaded));
    let scope = tempfile::tempdir().unwrap();
    assert_eq!(
        lines(&loaded.tools[0], json!({}), scope.path()),
        [
            "sh [0ms] sh -c echo a | cat",
            "cargo build [500ms] cargo build --release",
            "the tests [300ms] cargo test",
        ]
    );
}

#[test]
fn working_directory_applies_to_every_step_without_its_own() {
    let loaded = loaded(&[
        cargo(),
        all(json!([
            { "tool": "cargo", "subcommand": "check" },
            { "tool": "cargo", "subcommand": "build", "args": { "working_directory": "other" } },
        ])),
    ]);
    let scope = tempfile::tempdir().unwrap();
    for name in ["one", "other"] {
        std::fs::create_dir(scope.path().join(name)).unwrap();
    }
    let planned =
        loaded.tools[0].plan(&json!({ "working_directory": "one" }), scope.path()).unwrap();
    let root = scope.path().canonicalize().unwrap();
    let folders: Vec<&Path> =
        planned.steps.iter().map(|step| step.folder.strip_prefix(&root).unwrap()).collect();
    assert_eq!(folders, ["one", "one", "other"].map(Path::new));
    assert!(planned.steps.iter().all(|step| !step.arguments.iter().any(|it| it.contains("one"))));
    assert!(loaded.tools[0].plan(&json!({ "release": true }), scope.path()).is_err());
}

#[test]
fn step_is_skipped_depending_on_a_file_inside_the_scope() {
    let steps = |path: &str| {
        json!([
            { "tool": "cargo", "subcommand": "build", "skip_if_file_exists": path },
            { "tool": "cargo", "subcommand": "test", "skip_if_file_missing": "Cargo.toml" },
        ])
    };
    let scope = tempfile::tempdir().unwrap();
    let root = scope.path().canonicalize().unwrap();
    let loaded_with = |path: &str| loaded(&[cargo(), all(steps(path))]);
    let planned = loaded_with("target/done").tools[0].plan(&json!({}), scope.path()).unwrap();
    let skips: Vec<_> = planned.steps.iter().map(|step| step.skip.clone().unwrap()).collect();
    assert_eq!(
        skips,
        [Skip::IfExists(root.join("target/done")), Skip::IfMissing(root.join("Cargo.toml"))]
    );
    assert!(loaded_with("../x").tools[0].plan(&json!({}), scope.path()).is_err());
}

#[test]
fn invalid_steps_are_refused_with_their_position() {
    for (steps, part) in [
        (json!([{ "tool": "cargo", "subcommand": "biuld" }]), "did you mean `cargo_build`?"),
        (json!([{ "tool": "make", "subcommand": "x" }]), "there is no tool `make_x`"),
        (json!([{ "subcommand": "x" }]), "this step has no `tool`"),
        (
            json!([{ "tool": "cargo", "subcommand": "build", "args": { "relese": true } }]),
            "did you mean `release`?",
        ),
        (
            json!([{ "tool": "cargo", "subcommand": "build", "args": { "release": "yes" } }]),
            "`release` must be true or false",
        ),
        (json!([{ "tool": "sandboxed_shell", "args": {} }]), "`sandboxed_shell` needs `command`"),
        (
            json!([{ "tool": "cargo", "subcommand": "build", "args": { "timeout_seconds": 5 } }]),
            "a step cannot have its own timeout",
        ),
        (json!([{ "tool": "all" }]), "`all` calls itself in a cycle"),
        (json!([]), "the sequence has no steps"),
        (
            json!([{ "tool": "cargo", "subcommand": "build", "skip_if_file_exists": "a",
                     "skip_if_file_missing": "b" }]),
            "only one skip condition",
        ),
    ] {
        let loaded = loaded(&[cargo(), all(steps.clone())]);
        let diagnostics = diagnostics(&loaded).join("\n");
        assert!(diagnostics.contains(part), "{steps}: {diagnostics}");
        assert_eq!(loaded.tools.len(), 3, "the other tools load");
    }
}

#[test]
fn sequence_is_refused_with_the_file_it_needs() {
    let mut broken = cargo();
    broken.1["surprise"] = json!(1);
    let other = ("b.json", json!({ "name": "b", "description": "d", "command": "b" }));
    let step = json!([{ "tool": "cargo", "subcommand": "build" }]);
    let loaded = loaded(&[broken, all(step), other]);
    assert_eq!(names(&loaded), ["b"]);
    assert_eq!(loaded.refused.len(), 2);
}

#[test]
fn cycles_and_huge_sequences_are_refused() {
    let sequence = |name: &str, steps: Value| json!({ "name": name, "description": "d", "command": "sequence", "sequence": steps });
    let circle = loaded(&[
        ("a.json", sequence("a", json!([{ "tool": "b" }]))),
        ("b.json", sequence("b", json!([{ "tool": "a" }]))),
    ]);
    assert_eq!((circle.tools.len(), circle.refused.len()), (0, 2));
    let names: Vec<String> = (0..20).map(|level| format!("s{level:02}.json")).collect();
    let mut files = vec![("base.json", json!({ "name": "s", "description": "d", "command": "c" }))];
    for (level, name) in names.iter().enumerate() {
        let below = if level == 0 { "s".to_owned() } else { format!("s{}", level - 1) };
        let step = json!({ "tool": below });
        files.push((name, sequence(&format!("s{level}"), json!([step, step, step]))));
    }
    let avalanche = loaded(&files);
    assert!(diagnostics(&avalanche)[0].contains("has 243 steps"), "{:?}", diagnostics(&avalanche));
    assert_eq!(avalanche.tools.len(), 5);
}

#[test]
fn first_step_has_no_delay() {
    let loaded = loaded(&[cargo(), all(json!([{ "tool": "cargo", "subcommand": "check" }]))]);
    let scope = tempfile::tempdir().unwrap();
    let planned = loaded.tools[0].plan(&json!({}), scope.path()).unwrap();
    assert_eq!(planned.steps[0].delay_before, Duration::ZERO);
}
