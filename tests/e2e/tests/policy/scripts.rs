//! Scripts of an agent are approved by the user, run in the sandbox, and are limited in time and
//! number.

use std::fs;

use harness::{TestDesktop, outcome};
use serde_json::{Value, json};

use crate::recording_clients::StdioClient;

const SCRIPT: &str = "ax_run_script";

fn approve() -> Value {
    json!({ "action": "accept", "content": { "approve": true } })
}

fn code(answer: &Value) -> &Value {
    &answer["result"]["_meta"]["dev.deskhand/error"]["code"]
}

#[test]
fn script_runs_after_approval_of_its_full_text() {
    let stage = TestDesktop::new();
    let scope = tempfile::tempdir().unwrap();
    let scope_arg = scope.path().to_str().unwrap();
    let mut client = StdioClient::with_elicitation(&stage, &["--sandbox-scope", scope_arg]);
    let script = format!("echo made > made; echo {}; exit 3", "x".repeat(6_000));
    for denial in [
        json!({ "action": "decline" }),
        json!({ "action": "accept", "content": { "approve": false } }),
    ] {
        let (prompts, answer) =
            client.call_with_reply(SCRIPT, &json!({ "script": script }), &denial);
        let message = prompts[0]["message"].as_str().unwrap();
        assert!(message.contains("shell") && message.ends_with(&script), "{message}");
        let schema = &prompts[0]["requestedSchema"]["properties"];
        assert_eq!(schema["approve"]["default"], false, "{schema}");
        assert_eq!(schema["timeout_seconds"]["default"], 10, "{schema}");
        assert_eq!(*code(&answer), "consent_required", "{answer}");
        assert!(!scope.path().join("made").exists());
    }
    let (prompts, answer) =
        client.call_with_reply(SCRIPT, &json!({ "script": script }), &approve());
    let data = &answer["result"]["structuredContent"];
    assert_eq!((prompts.len(), &data["exit_code"]), (1, &json!(3)), "{answer}");
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert_eq!(fs::read_to_string(scope.path().join("made")).unwrap(), "made\n");
    // A script with invisible characters is not run.
    let hidden = json!({ "script": "echo a\u{202e}b" });
    let (prompts, answer) = client.call_with_reply(SCRIPT, &hidden, &approve());
    assert_eq!((prompts.len(), code(&answer)), (0, &json!("invalid_parameter")), "{answer}");
    let log = fs::read_to_string(stage.info().folders.data.join("audit.jsonl")).unwrap();
    assert!(log.contains("echo made > made") && log.contains("elicitation_declined"), "{log}");
}

#[test]
fn script_with_a_syntax_error_is_refused_without_a_prompt() {
    let stage = TestDesktop::new();
    let scope = tempfile::tempdir().unwrap();
    let scope_arg = scope.path().to_str().unwrap();
    let mut client = StdioClient::with_elicitation(&stage, &["--sandbox-scope", scope_arg]);
    let shell = json!({ "script": "echo made > made\nif true; then\n  echo never" });
    let javascript = json!({ "script": "let a = 1;\n print(a+)", "language": "javascript" });
    for (script, position) in [(shell, "line "), (javascript, "line 2, column 10: ")] {
        let (prompts, answer) = client.call_with_reply(SCRIPT, &script, &approve());
        assert_eq!((prompts.len(), code(&answer)), (0, &json!("invalid_parameter")), "{answer}");
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(&format!("syntax error: {position}")), "{text}");
        assert!(text.contains("the user was not asked"), "{text}");
    }
    assert!(!scope.path().join("made").exists());
}

#[test]
fn script_is_sandboxed_and_ends_at_its_timeout() {
    let stage = TestDesktop::new();
    let mut client = StdioClient::with_elicitation(&stage, &[]);
    let outside = stage.info().home.join("outside");
    fs::write(&outside, "kept").unwrap();
    let script = format!(
        "echo \"display=$DISPLAY\"; ls /tmp/.X11-unix; cat {0}; echo gone > {0}; echo own > own; cat own",
        outside.display()
    );
    let (_, answer) = client.call_with_reply(SCRIPT, &json!({ "script": script }), &approve());
    let output = answer["result"]["structuredContent"]["output"].as_str().unwrap().to_owned();
    assert!(output.contains("display=\n") && output.ends_with("own\n"), "{output}");
    assert!(!output.contains("kept") && !output.contains("\nX"), "{output}");
    assert_eq!(fs::read_to_string(&outside).unwrap(), "kept");

    let slow = json!({ "script": "sleep 600 & sleep 600", "timeout_ms": 600_000 });
    let quick = json!({ "action": "accept", "content": { "approve": true, "timeout_seconds": 1 } });
    let (prompts, answer) = client.call_with_reply(SCRIPT, &slow, &quick);
    assert_eq!(prompts[0]["requestedSchema"]["properties"]["timeout_seconds"]["default"], 60);
    let data = &answer["result"]["structuredContent"];
    assert_eq!(
        (&data["status"], &answer["result"]["isError"]),
        (&json!("timed_out"), &json!(true))
    );

    let sum =
        json!({ "script": "print([1, 2, 3].reduce((a, b) => a + b))", "language": "javascript" });
    let (_, answer) = client.call_with_reply(SCRIPT, &sum, &approve());
    assert_eq!(answer["result"]["structuredContent"]["output"], "6\n", "{answer}");

    let (prompts, answer) = client.call_with_reply(
        SCRIPT,
        &json!({ "script": "beep", "language": "applescript" }),
        &approve(),
    );
    assert_eq!((prompts.len(), code(&answer)), (0, &json!("unimplemented")), "{answer}");
    let text = answer["result"]["content"].to_string();
    assert!(text.contains("shell, javascript"), "{text}");
}

#[test]
fn without_elicitation_the_mode_decides_and_scripts_are_rate_limited() {
    let stage = TestDesktop::new();
    let offered_and_run = |options: &[&str]| {
        let mut client = StdioClient::with_options(&stage, options);
        let listed = client.request("tools/list", &json!({}));
        let tools = listed["result"]["tools"].as_array().unwrap().clone();
        let offered = tools.iter().any(|tool| tool["name"] == SCRIPT);
        (offered, client.tool(SCRIPT, &json!({ "script": "echo ran" })))
    };
    let (offered, answer) = offered_and_run(&[]);
    assert!(offered && answer["result"].to_string().contains("cannot ask"), "{answer}");
    assert_eq!(answer["result"]["structuredContent"]["output"], "ran\n", "{answer}");
    for mode in ["safe", "sandboxed"] {
        let (_, answer) = offered_and_run(&["--security-mode", mode]);
        assert!(!answer.to_string().contains("ran\\n"), "{mode}: {answer}");
    }
    assert!(!offered_and_run(&["--security-mode", "sandboxed"]).0);

    let mut command = stage.command(outcome::binary());
    command.args(["mcp", "tools", "--format", "json"]).env("MCP_SHELL_COMMANDS_ENABLED", "false");
    let listed = String::from_utf8(command.output().unwrap().stdout).unwrap();
    assert!(listed.contains("ax_click") && !listed.contains(SCRIPT), "{listed}");

    let mut client = StdioClient::start(&stage);
    let quick = json!({ "script": "true" });
    let all: Vec<String> = (0..6).map(|_| client.tool(SCRIPT, &quick).to_string()).collect();
    let limited = all.iter().filter(|one| one.contains("5 scripts per minute")).count();
    assert_eq!(limited, 1, "exactly the sixth script must be refused: {all:?}");
}
