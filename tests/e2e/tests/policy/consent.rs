//! Consent prompts over both protocol eras. The app reports whether its button was pressed.

use std::time::Duration;

use harness::hostile::{Era, RawClient, Transport};
use harness::{App, Program, TestDesktop, outcome};
use serde_json::{Value, json};

use crate::recording_clients::StdioClient;

const SAFE: [&str; 2] = ["--security-mode", "safe"];

/// Maximum wait for a press, and wait to be sure that none happens.
const PRESS_TIMEOUT: Duration = Duration::from_secs(5);
const NO_PRESS_WAIT: Duration = Duration::from_millis(300);

fn start_app(stage: &TestDesktop) -> Program {
    let program = stage.start_unread(App::Fixture("gtk3_hidden.py", &[]));
    let has_button =
        |tree: &harness::Tree| tree.find(|one| one.title == "Plainly seen button").is_some();
    stage.until(&program, "the button", has_button);
    program
}

fn is_pressed(program: &Program, within: Duration) -> bool {
    let started = std::time::Instant::now();
    while started.elapsed() < within {
        if program.next_line(Duration::from_millis(20)).is_some_and(|line| line.contains("pressed"))
        {
            return true;
        }
    }
    false
}

fn accept(field: &str) -> Value {
    json!({ "action": "accept", "content": { (field): true } })
}

#[test]
fn hidden_text_requires_consent_by_elicitation_request() {
    let stage = TestDesktop::new();
    let program = start_app(&stage);
    let tree_args = json!({ "app": program.pid_text(), "max_depth": 100 });
    let click_args = json!({ "app": program.pid_text(), "query": "Plainly seen button" });
    let mut client = StdioClient::with_elicitation(&stage, &SAFE);
    client.tool("ax_get_tree", &tree_args);
    for denial in [
        json!({ "action": "decline" }),
        json!({ "action": "accept", "content": { "proceed": false } }),
    ] {
        let (prompts, answer) = client.call_with_reply("ax_click", &click_args, &denial);
        assert!(
            prompts[0]["message"].as_str().unwrap().contains("users cannot see"),
            "{prompts:?}"
        );
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert!(!is_pressed(&program, NO_PRESS_WAIT), "{denial}");
    }
    let (prompts, answer) = client.call_with_reply("ax_click", &click_args, &accept("proceed"));
    assert_eq!((prompts.len(), &answer["result"]["isError"]), (1, &json!(false)), "{answer}");
    assert!(is_pressed(&program, PRESS_TIMEOUT));
    let (prompts, answer) =
        client.call_with_reply("ax_click", &click_args, &json!({ "action": "decline" }));
    assert!(prompts.is_empty(), "no hidden text was read since: {prompts:?} {answer}");
    assert!(is_pressed(&program, PRESS_TIMEOUT));
}

#[test]
fn hidden_text_requires_consent_by_input_required_result() {
    let stage = TestDesktop::new();
    let program = start_app(&stage);
    let mut command = stage.command(outcome::binary());
    command.args(["mcp", "serve"]).args(SAFE);
    let mut caller = RawClient::start(command, Transport::Stdio, Era::PerRequest, &json!({}));
    let mut call = |params: &Value| -> Value {
        serde_json::from_str(&caller.request("tools/call", &params.to_string())).unwrap()
    };
    let tree_args = json!({ "app": program.pid_text(), "max_depth": 100 });
    let click_args = json!({
        "name": "ax_click",
        "arguments": { "app": program.pid_text(), "query": "Plainly seen button" },
    });
    for (answer, pressed) in [(json!({ "action": "decline" }), false), (accept("proceed"), true)] {
        call(&json!({ "name": "ax_get_tree", "arguments": tree_args }));
        let prompts = call(&click_args);
        assert_eq!(prompts["result"]["resultType"], "input_required", "{prompts}");
        let requests = prompts["result"]["inputRequests"].as_object().unwrap();
        let key = requests.keys().next().unwrap();
        assert!(!is_pressed(&program, NO_PRESS_WAIT), "the button was pressed before the answer");
        let mut again = click_args.clone();
        again["requestState"] = prompts["result"]["requestState"].clone();
        again["inputResponses"] = json!({ (key): answer });
        let reply = call(&again);
        assert_eq!(
            is_pressed(&program, if pressed { PRESS_TIMEOUT } else { NO_PRESS_WAIT }),
            pressed,
            "{reply}"
        );
    }
}

#[test]
fn remembered_approval_is_listed_and_valid_until_revoked() {
    let stage = TestDesktop::new();
    let mut vault = stage.start(App::Fixture("gtk3_vault.py", &[]));
    vault.write_line("begin");
    let click_args = json!({ "app": vault.pid_text(), "query": "Delete everything" });
    let mut client = StdioClient::with_elicitation(&stage, &SAFE);
    let always = json!({ "action": "accept", "content": { "confirm": true, "remember": true } });
    let denial = json!({ "action": "decline" });
    let approvals = |words: &[&str]| {
        stage.deskhand(&[&["approvals"], words, &["--format", "json"]].concat()).json()
    };

    let (prompts, answer) = client.call_with_reply("ax_click", &click_args, &always);
    assert_eq!(prompts.len(), 1, "{answer}");
    assert!(is_pressed(&vault, PRESS_TIMEOUT), "{answer}");
    let (prompts, answer) = client.call_with_reply("ax_click", &click_args, &denial);
    assert!(prompts.is_empty(), "prompted again: {prompts:?}");
    assert!(is_pressed(&vault, PRESS_TIMEOUT), "{answer}");

    let listed = approvals(&["list"]);
    assert!(listed.to_string().contains("ax_click"), "{listed}");
    approvals(&["revoke", "--all"]);
    let listed = approvals(&["list"]);
    assert!(!listed.to_string().contains("ax_click"), "{listed}");

    let (prompts, answer) = client.call_with_reply("ax_click", &click_args, &denial);
    assert_eq!(prompts.len(), 1, "{answer}");
    assert!(!is_pressed(&vault, NO_PRESS_WAIT), "{answer}");
}

/// In normal mode an action that would need consent runs, and the reply states it.
#[test]
fn action_without_consent_is_reported_in_normal_mode() {
    let stage = TestDesktop::new();
    let mut vault = stage.start(App::Fixture("gtk3_vault.py", &[]));
    vault.write_line("begin");
    let mut client = StdioClient::start(&stage);
    let click_args = json!({ "app": vault.pid_text(), "query": "Delete everything" });
    let answer = client.tool("ax_click", &click_args);
    assert!(answer["result"].to_string().contains("without confirmation"), "{answer}");
    assert!(is_pressed(&vault, PRESS_TIMEOUT), "{answer}");
}

/// Text with tabs moves through several fields. The buttons that it presses are harmless.
#[test]
fn typing_may_continue_into_the_next_fields() {
    let stage = TestDesktop::new();
    let form = stage.start(App::Fixture("gtk3_passwords.py", &[]));
    let mut client = StdioClient::with_options(&stage, &SAFE);
    let text = "x\ttwo words\t ";
    let typing = json!({
        "app": form.pid_text(), "query": "Hidden entry", "text": text, "mode": "focus",
    });
    let answer = client.tool("ax_type", &typing);
    let tree = stage.until(&form, "both", |tree| {
        tree.find(|one| one.title == "Plain entry")
            .is_some_and(|one| one.value == Some(json!("two words")))
            && tree.find(|one| one.title == "Remember me").is_some_and(|one| one.is("checked"))
    });
    assert!(!tree.elements.is_empty(), "{answer}");
}

/// A risky button that appears during typing must not be pressed.
#[test]
fn typing_stops_before_an_action_that_needs_consent() {
    let stage = TestDesktop::new();
    let mut vault = stage.start(App::Fixture("gtk3_vault.py", &[]));
    vault.write_line("surprise");
    vault.write_line("begin");
    let mut client = StdioClient::with_options(&stage, &SAFE);
    let typing = json!({
        "app": vault.pid_text(), "query": "Ledger", "text": "\t  ", "mode": "focus",
    });
    let answer = client.tool("ax_type", &typing);
    let error = &answer["result"]["_meta"]["dev.deskhand/error"];
    assert_eq!(error["code"], "consent_required", "{answer}");
    assert_eq!(error["delivery"], "sent", "{answer}");
    let lines: Vec<String> = std::iter::from_fn(|| vault.next_line(NO_PRESS_WAIT)).collect();
    assert!(lines.iter().any(|line| line.contains("Press me")), "{lines:?}");
    assert!(!lines.iter().any(|line| line.contains("Delete everything")), "{lines:?}");
}
