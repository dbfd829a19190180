//! Scripts of an agent: read by the person first, run in the sandbox, bounded in time and number.

use std::fs;

use harness::{Stage, outcome};
use serde_json::{Value, json};

use crate::gate::wire::Wire;

const SCRIPT: &str = "ax_run_script";

fn yes() -> Value {
    json!({ "action": "accept", "content": { "approve": true } })
}

fn code(answer: &Value) -> &Value {
    &answer["result"]["_meta"]["dev.deskhand/error"]["code"]
}

#[test]
fn a_script_runs_after_a_person_has_read_all_of_it() {
    let stage = Stage::new();
    let scope = tempfile::tempdir().unwrap();
    let place = scope.path().to_str().unwrap();
    let mut wire = Wire::with_person(&stage, &["--sandbox-scope", place]);
    let script = format!("echo made > made; echo {}; exit 3", "x".repeat(6_000));
    for no in [
        json!({ "action": "decline" }),
        json!({ "action": "accept", "content": { "approve": false } }),
    ] {
        let (asked, answer) = wire.answering(SCRIPT, &json!({ "script": script }), &no);
        let message = asked[0]["message"].as_str().unwrap();
        assert!(message.contains("shell") && message.ends_with(&script), "{message}");
        let schema = &asked[0]["requestedSchema"]["properties"];
        assert_eq!(schema["approve"]["default"], false, "{schema}");
        assert_eq!(schema["timeout_seconds"]["default"], 10, "{schema}");
        assert_eq!(*code(&answer), "consent_required", "{answer}");
        assert!(!scope.path().join("made").exists());
    }
    let (asked, answer) = wire.answering(SCRIPT, &json!({ "script": script }), &yes());
    let data = &answer["result"]["structuredContent"];
    assert_eq!((asked.len(), &data["exit_code"]), (1, &json!(3)), "{answer}");
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert_eq!(fs::read_to_string(scope.path().join("made")).unwrap(), "made\n");
    // What a person cannot see is not run.
    let hidden = json!({ "script": "echo a\u{202e}b" });
    let (asked, answer) = wire.answering(SCRIPT, &hidden, &yes());
    assert_eq!((asked.len(), code(&answer)), (0, &json!("invalid_parameter")), "{answer}");
    let log = fs::read_to_string(stage.info().folders.data.join("audit.jsonl")).unwrap();
    assert!(log.contains("echo made > made") && log.contains("elicitation_declined"), "{log}");
}

#[test]
fn a_script_that_cannot_be_read_is_refused_before_anybody_is_asked() {
    let stage = Stage::new();
    let scope = tempfile::tempdir().unwrap();
    let place = scope.path().to_str().unwrap();
    let mut wire = Wire::with_person(&stage, &["--sandbox-scope", place]);
    let shell = json!({ "script": "echo made > made\nif true; then\n  echo never" });
    let javascript = json!({ "script": "let a = 1;\n print(a+)", "language": "javascript" });
    for (script, at) in [(shell, "line "), (javascript, "line 2, column 10: ")] {
        let (asked, answer) = wire.answering(SCRIPT, &script, &yes());
        assert_eq!((asked.len(), code(&answer)), (0, &json!("invalid_parameter")), "{answer}");
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(&format!("syntax error: {at}")), "{text}");
        assert!(text.contains("the user was not asked"), "{text}");
    }
    assert!(!scope.path().join("made").exists());
}

#[test]
fn a_script_reaches_no_display_and_nothing_outside_and_ends_in_time() {
    let stage = Stage::new();
    let mut wire = Wire::with_person(&stage, &[]);
    let outside = stage.info().home.join("outside");
    fs::write(&outside, "kept").unwrap();
    let script = format!(
        "echo \"display=$DISPLAY\"; ls /tmp/.X11-unix; cat {0}; echo gone > {0}; echo own > own; cat own",
        outside.display()
    );
    let (_, answer) = wire.answering(SCRIPT, &json!({ "script": script }), &yes());
    let output = answer["result"]["structuredContent"]["output"].as_str().unwrap().to_owned();
    assert!(output.contains("display=\n") && output.ends_with("own\n"), "{output}");
    assert!(!output.contains("kept") && !output.contains("\nX"), "{output}");
    assert_eq!(fs::read_to_string(&outside).unwrap(), "kept");

    let slow = json!({ "script": "sleep 600 & sleep 600", "timeout_ms": 600_000 });
    let quick = json!({ "action": "accept", "content": { "approve": true, "timeout_seconds": 1 } });
    let (asked, answer) = wire.answering(SCRIPT, &slow, &quick);
    assert_eq!(asked[0]["requestedSchema"]["properties"]["timeout_seconds"]["default"], 60);
    let data = &answer["result"]["structuredContent"];
    assert_eq!(
        (&data["status"], &answer["result"]["isError"]),
        (&json!("timed_out"), &json!(true))
    );

    let sum =
        json!({ "script": "print([1, 2, 3].reduce((a, b) => a + b))", "language": "javascript" });
    let (_, answer) = wire.answering(SCRIPT, &sum, &yes());
    assert_eq!(answer["result"]["structuredContent"]["output"], "6\n", "{answer}");

    let (asked, answer) =
        wire.answering(SCRIPT, &json!({ "script": "beep", "language": "applescript" }), &yes());
    assert_eq!((asked.len(), code(&answer)), (0, &json!("unimplemented")), "{answer}");
    let text = answer["result"]["content"].to_string();
    assert!(text.contains("shell, javascript"), "{text}");
}

#[test]
fn without_a_person_the_mode_decides_and_only_so_many_run() {
    let stage = Stage::new();
    let names = |options: &[&str]| {
        let mut wire = Wire::with(&stage, options);
        let listed = wire.request("tools/list", &json!({}));
        let tools = listed["result"]["tools"].as_array().unwrap().clone();
        let offered = tools.iter().any(|tool| tool["name"] == SCRIPT);
        (offered, wire.tool(SCRIPT, &json!({ "script": "echo ran" })))
    };
    let (offered, answer) = names(&[]);
    assert!(offered && answer["result"].to_string().contains("cannot ask"), "{answer}");
    assert_eq!(answer["result"]["structuredContent"]["output"], "ran\n", "{answer}");
    for mode in ["safe", "sandboxed"] {
        let (_, answer) = names(&["--security-mode", mode]);
        assert!(!answer.to_string().contains("ran\\n"), "{mode}: {answer}");
    }
    assert!(!names(&["--security-mode", "sandboxed"]).0);

    let mut command = stage.command(outcome::binary());
    command.args(["mcp", "tools", "--format", "json"]).env("MCP_SHELL_COMMANDS_ENABLED", "false");
    let listed = String::from_utf8(command.output().unwrap().stdout).unwrap();
    assert!(listed.contains("ax_click") && !listed.contains(SCRIPT), "{listed}");

    let mut wire = Wire::start(&stage);
    let quick = json!({ "script": "true" });
    let all: Vec<String> = (0..6).map(|_| wire.tool(SCRIPT, &quick).to_string()).collect();
    let limited = all.iter().filter(|one| one.contains("5 scripts a minute")).count();
    assert_eq!(limited, 1, "the sixth in a minute is too many: {all:?}");
}
