//! Questions to the person: a request to one era, a round to the other; nothing is pressed before
//! the answer.

use e2e::{App, Stage};
use serde_json::{Value, json};

use super::talk::Talk;

fn form() -> Value {
    json!({ "elicitation": {} })
}

#[test]
fn a_client_of_the_handshake_is_asked_while_the_call_waits() {
    let stage = Stage::new();
    let mut talk = Talk::initialized(&stage, &["--conformance"], "2025-11-25", form());
    let params = json!({ "name": "test_elicitation", "arguments": { "message": "Who?" } });
    let call = talk.request("tools/call", params);
    let question = talk.first(|message| message["method"] == "elicitation/create");
    assert_eq!(question["params"]["message"], "Who?", "{question}");
    assert!(talk.ask("ping", json!({}))["result"].is_object(), "others are served meanwhile");
    talk.send(
        &json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": "decline" } }),
    );
    let answer = talk.answer(call);
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("action=decline"), "{answer}");
}

#[test]
fn a_client_of_the_later_era_is_asked_in_rounds() {
    let stage = Stage::new();
    let mut talk = Talk::modern(&stage, &["--conformance"], &form());
    let name = "test_input_required_result_multi_round";
    let first = talk.call(name, json!({}));
    assert_eq!(first["resultType"], "input_required", "{first}");
    assert!(first["inputRequests"]["step1"].is_object(), "{first}");
    let given =
        |field: &str, value: &str| json!({ "action": "accept", "content": { (field): value } });
    let again = |talk: &mut Talk, answers: Value, state: &Value| {
        let params = json!({
            "name": name, "arguments": {}, "inputResponses": answers, "requestState": state,
        });
        talk.ask("tools/call", params)
    };
    let answers = json!({ "step1": given("name", "Ann") });
    let second = again(&mut talk, answers, &first["requestState"]);
    assert!(second["result"]["inputRequests"]["step2"].is_object(), "{second}");
    assert_ne!(second["result"]["requestState"], first["requestState"]);
    let answers = json!({ "step2": given("color", "green") });
    let third = again(&mut talk, answers.clone(), &second["result"]["requestState"]);
    assert_eq!(third["result"]["resultType"], "complete", "{third}");
    let forged = json!(format!("{}x", second["result"]["requestState"].as_str().unwrap()));
    assert_eq!(again(&mut talk, answers, &forged)["error"]["code"], -32602);
}

#[test]
fn two_apps_of_one_name_become_a_question() {
    let stage = Stage::new();
    let first = stage.start_unseen(App::Fixture("gtk3_passwords.py", &[]));
    let second = stage.start_unseen(App::Fixture("gtk3_passwords.py", &[]));
    let name = stage.apps()[0]["name"].as_str().unwrap().to_owned();
    let connect = json!({ "name": "ax_connect", "arguments": { "app": name } });

    let mut mute = Talk::initialized(&stage, &[], "2025-11-25", json!({}));
    let refused = mute.ask("tools/call", connect.clone());
    assert_eq!(
        refused["result"]["_meta"]["dev.deskhand/error"]["code"], "ambiguous_app",
        "{refused}"
    );

    let mut talk = Talk::initialized(&stage, &[], "2025-11-25", form());
    let call = talk.request("tools/call", connect.clone());
    let question = talk.first(|message| message["method"] == "elicitation/create");
    let choices = question["params"]["requestedSchema"]["properties"]["app"].to_string();
    for app in [&first, &second] {
        assert!(choices.contains(&app.pid_text()), "{question}");
    }
    let chosen = json!({ "action": "accept", "content": { "app": second.pid_text() } });
    talk.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": chosen }));
    let answer = talk.answer(call);
    assert_eq!(answer["result"]["structuredContent"]["pid"], second.pid(), "{answer}");

    let mut talk = Talk::modern(&stage, &[], &form());
    let asked = talk.ask("tools/call", connect.clone());
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let (key, _) = asked["result"]["inputRequests"].as_object().unwrap().iter().next().unwrap();
    let mut again = connect;
    again["requestState"] = asked["result"]["requestState"].clone();
    again["inputResponses"] =
        json!({ (key): { "action": "accept", "content": { "app": first.pid_text() } } });
    let answer = talk.ask("tools/call", again);
    assert_eq!(answer["result"]["structuredContent"]["pid"], first.pid(), "{answer}");
}
