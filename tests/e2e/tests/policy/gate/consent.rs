//! A person is asked, answers, and is heard: in both eras, proven by what the app says was pressed.

use std::time::Duration;

use harness::hostile::{Caller, Door, Era};
use harness::{App, Program, Stage, outcome};
use serde_json::{Value, json};

use crate::gate::wire::Wire;

const SAFE: [&str; 2] = ["--security-mode", "safe"];

/// How long a press may take to be told, and how long none is waited for.
const TOLD: Duration = Duration::from_secs(5);
const NOTHING: Duration = Duration::from_millis(300);

fn page(stage: &Stage) -> Program {
    let program = stage.start_unseen(App::Fixture("gtk3_hidden.py", &[]));
    let there =
        |tree: &harness::Tree| tree.find(|one| one.title == "Plainly seen button").is_some();
    stage.until(&program, "the button", there);
    program
}

fn is_pressed(program: &Program, within: Duration) -> bool {
    let begun = std::time::Instant::now();
    while begun.elapsed() < within {
        if program.line(Duration::from_millis(20)).is_some_and(|line| line.contains("pressed")) {
            return true;
        }
    }
    false
}

fn yes(field: &str) -> Value {
    json!({ "action": "accept", "content": { (field): true } })
}

#[test]
fn after_words_nobody_sees_a_person_decides_while_the_call_waits() {
    let stage = Stage::new();
    let program = page(&stage);
    let look = json!({ "app": program.pid_text(), "max_depth": 100 });
    let press = json!({ "app": program.pid_text(), "query": "Plainly seen button" });
    let mut wire = Wire::with_person(&stage, &SAFE);
    wire.tool("ax_get_tree", &look);
    for no in [
        json!({ "action": "decline" }),
        json!({ "action": "accept", "content": { "proceed": false } }),
    ] {
        let (asked, answer) = wire.answering("ax_click", &press, &no);
        assert!(asked[0]["message"].as_str().unwrap().contains("users cannot see"), "{asked:?}");
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert!(!is_pressed(&program, NOTHING), "{no}");
    }
    let (asked, answer) = wire.answering("ax_click", &press, &yes("proceed"));
    assert_eq!((asked.len(), &answer["result"]["isError"]), (1, &json!(false)), "{answer}");
    assert!(is_pressed(&program, TOLD));
    let (asked, answer) = wire.answering("ax_click", &press, &json!({ "action": "decline" }));
    assert!(asked.is_empty(), "nothing was read since: {asked:?} {answer}");
    assert!(is_pressed(&program, TOLD));
}

#[test]
fn after_words_nobody_sees_a_person_decides_between_two_rounds() {
    let stage = Stage::new();
    let program = page(&stage);
    let mut command = stage.command(outcome::binary());
    command.args(["mcp", "serve"]).args(SAFE);
    let mut caller = Caller::start(command, Door::Stdio, Era::Later, &json!({}));
    let mut call = |params: &Value| -> Value {
        serde_json::from_str(&caller.ask("tools/call", &params.to_string())).unwrap()
    };
    let look = json!({ "app": program.pid_text(), "max_depth": 100 });
    let press = json!({
        "name": "ax_click",
        "arguments": { "app": program.pid_text(), "query": "Plainly seen button" },
    });
    for (answer, pressed) in [(json!({ "action": "decline" }), false), (yes("proceed"), true)] {
        call(&json!({ "name": "ax_get_tree", "arguments": look }));
        let asked = call(&press);
        assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
        let requests = asked["result"]["inputRequests"].as_object().unwrap();
        let key = requests.keys().next().unwrap();
        assert!(!is_pressed(&program, NOTHING), "before the answer");
        let mut again = press.clone();
        again["requestState"] = asked["result"]["requestState"].clone();
        again["inputResponses"] = json!({ (key): answer });
        let came = call(&again);
        assert_eq!(is_pressed(&program, if pressed { TOLD } else { NOTHING }), pressed, "{came}");
    }
}

#[test]
fn a_yes_to_be_remembered_is_listed_and_holds_until_it_is_revoked() {
    let stage = Stage::new();
    let mut vault = stage.start(App::Fixture("gtk3_vault.py", &[]));
    vault.say("begin");
    let press = json!({ "app": vault.pid_text(), "query": "Delete everything" });
    let mut wire = Wire::with_person(&stage, &SAFE);
    let always = json!({ "action": "accept", "content": { "confirm": true, "remember": true } });
    let no = json!({ "action": "decline" });
    let approvals = |words: &[&str]| {
        stage.deskhand(&[&["approvals"], words, &["--format", "json"]].concat()).json()
    };

    let (asked, answer) = wire.answering("ax_click", &press, &always);
    assert_eq!(asked.len(), 1, "{answer}");
    assert!(is_pressed(&vault, TOLD), "{answer}");
    let (asked, answer) = wire.answering("ax_click", &press, &no);
    assert!(asked.is_empty(), "asked again: {asked:?}");
    assert!(is_pressed(&vault, TOLD), "{answer}");

    let listed = approvals(&["list"]);
    assert!(listed.to_string().contains("ax_click"), "{listed}");
    approvals(&["revoke", "--all"]);
    let listed = approvals(&["list"]);
    assert!(!listed.to_string().contains("ax_click"), "{listed}");

    let (asked, answer) = wire.answering("ax_click", &press, &no);
    assert_eq!(asked.len(), 1, "{answer}");
    assert!(!is_pressed(&vault, NOTHING), "{answer}");
}

/// What nobody was asked about in the usual mode is told in the answer.
#[test]
fn what_is_done_without_asking_is_said_in_the_answer() {
    let stage = Stage::new();
    let mut vault = stage.start(App::Fixture("gtk3_vault.py", &[]));
    vault.say("begin");
    let mut wire = Wire::start(&stage);
    let press = json!({ "app": vault.pid_text(), "query": "Delete everything" });
    let answer = wire.tool("ax_click", &press);
    assert!(answer["result"].to_string().contains("without confirmation"), "{answer}");
    assert!(is_pressed(&vault, TOLD), "{answer}");
}

/// Text that goes from field to field is typed as ever; what it presses on its way is harmless.
#[test]
fn text_may_go_on_to_the_next_fields() {
    let stage = Stage::new();
    let form = stage.start(App::Fixture("gtk3_passwords.py", &[]));
    let mut wire = Wire::with(&stage, &SAFE);
    let text = "x\ttwo words\t ";
    let typing = json!({
        "app": form.pid_text(), "query": "Hidden entry", "text": text, "mode": "focus",
    });
    let answer = wire.tool("ax_type", &typing);
    let tree = stage.until(&form, "both", |tree| {
        tree.find(|one| one.title == "Plain entry")
            .is_some_and(|one| one.value == Some(json!("two words")))
            && tree.find(|one| one.title == "Remember me").is_some_and(|one| one.is("checked"))
    });
    assert!(!tree.elements.is_empty(), "{answer}");
}

/// What comes to light only while text is typed is not pressed either.
#[test]
fn typing_stops_before_what_a_person_must_agree_to() {
    let stage = Stage::new();
    let mut vault = stage.start(App::Fixture("gtk3_vault.py", &[]));
    vault.say("surprise");
    vault.say("begin");
    let mut wire = Wire::with(&stage, &SAFE);
    let typing = json!({
        "app": vault.pid_text(), "query": "Ledger", "text": "\t  ", "mode": "focus",
    });
    let answer = wire.tool("ax_type", &typing);
    let error = &answer["result"]["_meta"]["dev.deskhand/error"];
    assert_eq!(error["code"], "consent_required", "{answer}");
    assert_eq!(error["delivery"], "sent", "{answer}");
    let lines: Vec<String> = std::iter::from_fn(|| vault.line(NOTHING)).collect();
    assert!(lines.iter().any(|line| line.contains("Press me")), "{lines:?}");
    assert!(!lines.iter().any(|line| line.contains("Delete everything")), "{lines:?}");
}
