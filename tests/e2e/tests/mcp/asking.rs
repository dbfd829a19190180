//! Questions to the person: a request to one era, a round to the other; nothing is pressed before
//! the answer.

use harness::{App, Stage};
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

/// The nine questions, and an answer to each; those answered on a page take none.
fn nine() -> [(&'static str, Option<Value>); 9] {
    [
        ("app", Some(json!({ "app": "9" }))),
        ("clarify", Some(json!({ "description": "the blue one" }))),
        ("confirm", Some(json!({ "confirm": true }))),
        ("permission", Some(json!({ "action": "show_instructions" }))),
        ("review", Some(json!({ "approve": true, "timeout_seconds": 30 }))),
        ("elevation", Some(json!({ "proceed": true }))),
        ("service_key", None),
        ("consent", None),
        ("sign_in", None),
    ]
}

fn put(key: &str) -> Value {
    json!({ "name": "test_question", "arguments": { "key": key } })
}

/// The ways a person can answer, and what the tool is told then.
fn ways(content: Option<&Value>) -> Vec<(Value, String)> {
    let accept = match content {
        Some(content) => json!({ "action": "accept", "content": content }),
        None => json!({ "action": "accept" }),
    };
    let given = format!("given {}", content.unwrap_or(&json!({})));
    vec![
        (accept, given),
        (json!({ "action": "decline" }), "declined".to_owned()),
        (json!({ "action": "cancel" }), "cancelled".to_owned()),
    ]
}

fn assert_question(question: &Value, content: Option<&Value>) {
    assert!(!question["message"].as_str().unwrap().is_empty(), "{question}");
    match content {
        Some(content) => {
            let schema = &question["requestedSchema"];
            assert_eq!(schema["type"], "object", "{question}");
            for name in content.as_object().unwrap().keys() {
                let kind = schema["properties"][name]["type"].as_str().unwrap();
                assert!(["string", "boolean", "integer"].contains(&kind), "{question}");
            }
        }
        None => {
            assert_eq!(question["mode"], "url", "{question}");
            assert_eq!(question["url"], "https://deskhand.example/page?of=test", "{question}");
            assert!(question["message"].as_str().unwrap().contains("deskhand.example"));
        }
    }
}

#[test]
fn all_nine_questions_are_put_to_clients_of_the_handshake() {
    let stage = Stage::new();
    let can = json!({ "elicitation": { "form": {}, "url": {} } });
    let mut talk = Talk::initialized(&stage, &["--conformance"], "2025-11-25", can);
    for (key, content) in nine() {
        for (reply, heard) in ways(content.as_ref()) {
            let call = talk.request("tools/call", put(key));
            let question = talk.first(|message| message["method"] == "elicitation/create");
            assert_question(&question["params"], content.as_ref());
            talk.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": reply }));
            let answer = talk.answer(call);
            assert_eq!(answer["result"]["content"][0]["text"], heard, "{key}: {answer}");
        }
    }
}

#[test]
fn all_nine_questions_are_put_in_rounds_to_clients_of_the_later_era() {
    let stage = Stage::new();
    let can = json!({ "elicitation": { "form": {}, "url": {} } });
    let mut talk = Talk::modern(&stage, &["--conformance"], &can);
    for (key, content) in nine() {
        for (reply, heard) in ways(content.as_ref()) {
            let asked = talk.ask("tools/call", put(key))["result"].clone();
            assert_eq!(asked["resultType"], "input_required", "{asked}");
            assert_question(&asked["inputRequests"][key]["params"], content.as_ref());
            let mut again = put(key);
            again["requestState"] = asked["requestState"].clone();
            again["inputResponses"] = json!({ (key): reply });
            let answer = talk.ask("tools/call", again);
            assert_eq!(answer["result"]["content"][0]["text"], heard, "{key}: {answer}");
        }
    }
}

#[test]
fn who_cannot_be_asked_is_not_asked() {
    let stage = Stage::new();
    let forms = json!({ "elicitation": { "form": {} } });
    let old =
        |can: &Value| Talk::initialized(&stage, &["--conformance"], "2025-11-25", can.clone());
    let new = |can: &Value| Talk::modern(&stage, &["--conformance"], can);
    for mut talk in [old(&json!({})), new(&json!({}))] {
        for (key, _) in nine() {
            let answer = talk.ask("tools/call", put(key));
            assert_eq!(answer["result"]["content"][0]["text"], "nobody", "{key}: {answer}");
        }
    }
    for mut talk in [old(&forms), new(&forms)] {
        for (key, _) in nine().into_iter().filter(|(_, content)| content.is_none()) {
            let answer = talk.ask("tools/call", put(key));
            assert_eq!(answer["result"]["content"][0]["text"], "nobody", "{key}: {answer}");
        }
    }
}

#[test]
fn an_element_that_is_not_found_is_described_by_the_person() {
    let stage = Stage::new();
    let app = stage.start(App::Fixture("gtk3_settings.py", &[]));
    let find = json!({
        "name": "ax_find", "arguments": { "app": app.pid_text(), "query": "Wipe out" },
    });
    let better = json!({ "action": "accept", "content": { "description": "Delete All Data" } });
    let mut talk = Talk::initialized(&stage, &[], "2025-11-25", form());
    let call = talk.request("tools/call", find.clone());
    let question = talk.first(|message| message["method"] == "elicitation/create");
    talk.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": better }));
    let answer = talk.answer(call);
    assert_eq!(answer["result"]["structuredContent"]["title"], "Delete All Data", "{answer}");
    for reply in ["decline", "cancel"] {
        let call = talk.request("tools/call", find.clone());
        let question = talk.first(|message| message["method"] == "elicitation/create");
        let reply = json!({ "action": reply });
        talk.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": reply }));
        let answer = talk.answer(call);
        assert_eq!(answer["result"]["_meta"]["dev.deskhand/error"]["code"], "no_match", "{answer}");
    }
    let mut talk = Talk::modern(&stage, &[], &form());
    let asked = talk.ask("tools/call", find.clone())["result"].clone();
    let mut again = find;
    again["requestState"] = asked["requestState"].clone();
    again["inputResponses"] = json!({ "clarify": better });
    let answer = talk.ask("tools/call", again);
    assert_eq!(answer["result"]["structuredContent"]["title"], "Delete All Data", "{answer}");
}

/// Calls a tool on a thing that warns and gives an answer; whether the app says it was done.
fn after(talk: &mut Talk, tool: &str, arguments: Value, reply: Value) -> Value {
    let call = talk.request("tools/call", json!({ "name": tool, "arguments": arguments }));
    let question = talk.first(|message| message["method"] == "elicitation/create");
    let message = question["params"]["message"].as_str().unwrap();
    assert!(message.contains("may be lost"), "{question}");
    talk.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": reply }));
    talk.answer(call)["result"]["structuredContent"].clone()
}

#[test]
fn nothing_is_pressed_switched_or_struck_before_the_person_said_yes() {
    let stage = Stage::new();
    let app = stage.start(App::Fixture("gtk3_settings.py", &[]));
    let mut talk = Talk::initialized(&stage, &[], "2025-11-25", form());
    let pid = app.pid_text();
    let yes = || json!({ "action": "accept", "content": { "confirm": true } });
    let no = [
        json!({ "action": "accept", "content": { "confirm": false } }),
        json!({ "action": "decline" }),
        json!({ "action": "cancel" }),
    ];
    let acts = [
        ("ax_click", json!({ "app": pid, "query": "Delete All Data" }), r#"{"did": "delete"}"#),
        (
            "ax_set_value",
            json!({ "app": pid, "query": "Reset on exit", "value": "true" }),
            r#"{"did": "reset", "on": true}"#,
        ),
        ("ax_key_press", json!({ "app": pid, "key": "space" }), r#"{"did": "delete"}"#),
    ];
    for (tool, arguments, did) in acts {
        for reply in &no {
            let done = after(&mut talk, tool, arguments.clone(), reply.clone());
            assert_eq!(done["effect"], "refused", "{tool}: {done}");
        }
        assert_eq!(app.line(std::time::Duration::from_millis(300)), None, "{tool}");
        let done = after(&mut talk, tool, arguments, yes());
        assert_ne!(done["effect"], "refused", "{tool}: {done}");
        app.wait_for(did);
    }
    let harmless = [
        ("ax_click", json!({ "app": pid, "query": "Keep everything" })),
        ("ax_type", json!({ "app": pid, "query": "Close date", "text": "soon" })),
        ("ax_key_press", json!({ "app": pid, "key": "tab" })),
    ];
    for (tool, arguments) in harmless {
        let answer = talk.ask("tools/call", json!({ "name": tool, "arguments": arguments }));
        assert!(answer["result"]["structuredContent"]["effect"].is_string(), "{tool}: {answer}");
    }
}

#[test]
fn a_person_who_thinks_long_is_waited_for_and_the_client_sees_that() {
    let stage = Stage::new();
    let app = stage.start(App::Fixture("gtk3_settings.py", &[]));
    let mut talk = Talk::initialized(&stage, &[], "2025-11-25", form());
    let arguments = json!({ "app": app.pid_text(), "query": "Delete All Data" });
    let meta = json!({ "progressToken": "t" });
    let params = json!({ "name": "ax_click", "arguments": arguments, "_meta": meta });
    let call = talk.request("tools/call", params);
    let question = talk.first(|message| message["method"] == "elicitation/create");
    let mut last = -1.0;
    for _ in 0..2 {
        let step = talk.first(|message| message["method"] == "notifications/progress");
        let done = step["params"]["progress"].as_f64().unwrap();
        assert!(done > last, "{step}");
        last = done;
    }
    let yes = json!({ "action": "accept", "content": { "confirm": true } });
    talk.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": yes }));
    let answer = talk.answer(call);
    assert_eq!(answer["result"]["structuredContent"]["effect"], "confirmed", "{answer}");
    app.wait_for(r#"{"did": "delete"}"#);
}

#[test]
fn who_has_accessibility_switched_off_is_asked_what_to_do() {
    let stage = Stage::new();
    let cut_off = |command: &mut std::process::Command| {
        command.env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent");
        command.env_remove("AT_SPI_BUS_ADDRESS");
    };
    let check = json!({ "name": "ax_is_accessible", "arguments": {} });
    let told = |answer: &Value| {
        let said = &answer["result"]["structuredContent"];
        assert_eq!(said["enabled"], false, "{answer}");
        assert!(said["suggestion"].as_str().unwrap().contains("accessibility"), "{answer}");
    };
    let mut mute = Talk::begin_changed(&stage, &[], cut_off);
    mute.initialize("2025-11-25", json!({}));
    told(&mute.ask("tools/call", check.clone()));

    let mut talk = Talk::begin_changed(&stage, &[], cut_off);
    talk.initialize("2025-11-25", form());
    let replies = [
        json!({ "action": "accept", "content": { "action": "show_instructions" } }),
        json!({ "action": "accept", "content": { "action": "open_settings" } }),
        json!({ "action": "decline" }),
        json!({ "action": "cancel" }),
    ];
    for reply in replies {
        let call = talk.request("tools/call", check.clone());
        let question = talk.first(|message| message["method"] == "elicitation/create");
        let choices = question["params"]["requestedSchema"]["properties"]["action"].to_string();
        for choice in ["open_settings", "show_instructions", "cancel"] {
            assert!(choices.contains(choice), "{question}");
        }
        talk.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": reply }));
        told(&talk.answer(call));
    }
    let mut talk = Talk::begin_changed(&stage, &[], cut_off).speaking_modern(&form());
    let asked = talk.ask("tools/call", check.clone())["result"].clone();
    assert!(asked["inputRequests"]["permission"].is_object(), "{asked}");
    let mut again = check;
    again["requestState"] = asked["requestState"].clone();
    again["inputResponses"] = json!({ "permission": { "action": "decline" } });
    told(&talk.ask("tools/call", again));
}
