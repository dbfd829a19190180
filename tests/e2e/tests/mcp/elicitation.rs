//! Elicitation: prompts to the user as requests (up to 2025-11-25) and as `input_required` results
//! (2026-07-28). Actions happen only after the answer.

use harness::{App, TestDesktop};
use serde_json::{Value, json};

use super::stdio_client::StdioClient;

fn form_capability() -> Value {
    json!({ "elicitation": {} })
}

#[test]
fn initialized_client_gets_an_elicitation_request_during_the_call() {
    let stage = TestDesktop::new();
    let mut client =
        StdioClient::start_initialized(&stage, &["--conformance"], "2025-11-25", form_capability());
    let params = json!({ "name": "test_elicitation", "arguments": { "message": "Who?" } });
    let call = client.send_request("tools/call", params);
    let prompt = client.first_message(|message| message["method"] == "elicitation/create");
    assert_eq!(prompt["params"]["message"], "Who?", "{prompt}");
    assert!(
        client.request("ping", json!({}))["result"].is_object(),
        "other requests must be served during the prompt"
    );
    client
        .send(&json!({ "jsonrpc": "2.0", "id": prompt["id"], "result": { "action": "decline" } }));
    let answer = client.response(call);
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("action=decline"), "{answer}");
}

#[test]
fn modern_client_gets_input_required_results() {
    let stage = TestDesktop::new();
    let mut client = StdioClient::start_modern(&stage, &["--conformance"], &form_capability());
    let name = "test_input_required_result_multi_round";
    let first = client.call(name, json!({}));
    assert_eq!(first["resultType"], "input_required", "{first}");
    assert!(first["inputRequests"]["step1"].is_object(), "{first}");
    let accept =
        |field: &str, value: &str| json!({ "action": "accept", "content": { (field): value } });
    let again = |client: &mut StdioClient, answers: Value, state: &Value| {
        let params = json!({
            "name": name, "arguments": {}, "inputResponses": answers, "requestState": state,
        });
        client.request("tools/call", params)
    };
    let answers = json!({ "step1": accept("name", "Ann") });
    let second = again(&mut client, answers, &first["requestState"]);
    assert!(second["result"]["inputRequests"]["step2"].is_object(), "{second}");
    assert_ne!(second["result"]["requestState"], first["requestState"]);
    let answers = json!({ "step2": accept("color", "green") });
    let third = again(&mut client, answers.clone(), &second["result"]["requestState"]);
    assert_eq!(third["result"]["resultType"], "complete", "{third}");
    let forged = json!(format!("{}x", second["result"]["requestState"].as_str().unwrap()));
    assert_eq!(again(&mut client, answers, &forged)["error"]["code"], -32602);
}

#[test]
fn ambiguous_app_name_causes_a_prompt() {
    let stage = TestDesktop::new();
    let first = stage.start_unread(App::Fixture("gtk3_passwords.py", &[]));
    let second = stage.start_unread(App::Fixture("gtk3_passwords.py", &[]));
    let name = stage.apps()[0]["name"].as_str().unwrap().to_owned();
    let connect = json!({ "name": "ax_connect", "arguments": { "app": name } });

    let mut silent = StdioClient::start_initialized(&stage, &[], "2025-11-25", json!({}));
    let refused = silent.request("tools/call", connect.clone());
    assert_eq!(
        refused["result"]["_meta"]["dev.deskhand/error"]["code"], "ambiguous_app",
        "{refused}"
    );

    let mut client = StdioClient::start_initialized(&stage, &[], "2025-11-25", form_capability());
    let call = client.send_request("tools/call", connect.clone());
    let prompt = client.first_message(|message| message["method"] == "elicitation/create");
    let choices = prompt["params"]["requestedSchema"]["properties"]["app"].to_string();
    for app in [&first, &second] {
        assert!(choices.contains(&app.pid_text()), "{prompt}");
    }
    let chosen = json!({ "action": "accept", "content": { "app": second.pid_text() } });
    client.send(&json!({ "jsonrpc": "2.0", "id": prompt["id"], "result": chosen }));
    let answer = client.response(call);
    assert_eq!(answer["result"]["structuredContent"]["pid"], second.pid(), "{answer}");

    let mut client = StdioClient::start_modern(&stage, &[], &form_capability());
    let first_result = client.request("tools/call", connect.clone());
    assert_eq!(first_result["result"]["resultType"], "input_required", "{first_result}");
    let (key, _) =
        first_result["result"]["inputRequests"].as_object().unwrap().iter().next().unwrap();
    let mut again = connect;
    again["requestState"] = first_result["result"]["requestState"].clone();
    again["inputResponses"] =
        json!({ (key): { "action": "accept", "content": { "app": first.pid_text() } } });
    let answer = client.request("tools/call", again);
    assert_eq!(answer["result"]["structuredContent"]["pid"], first.pid(), "{answer}");
}

/// The nine prompts with an answer to each. Prompts that are answered on a web page have none.
fn nine_prompts() -> [(&'static str, Option<Value>); 9] {
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

fn prompt_call(key: &str) -> Value {
    json!({ "name": "test_question", "arguments": { "key": key } })
}

/// The possible replies to a prompt, and the result text of the test tool for each.
fn replies(content: Option<&Value>) -> Vec<(Value, String)> {
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

fn assert_prompt(prompt: &Value, content: Option<&Value>) {
    assert!(!prompt["message"].as_str().unwrap().is_empty(), "{prompt}");
    match content {
        Some(content) => {
            let schema = &prompt["requestedSchema"];
            assert_eq!(schema["type"], "object", "{prompt}");
            for name in content.as_object().unwrap().keys() {
                let kind = schema["properties"][name]["type"].as_str().unwrap();
                assert!(["string", "boolean", "integer"].contains(&kind), "{prompt}");
            }
        }
        None => {
            assert_eq!(prompt["mode"], "url", "{prompt}");
            assert_eq!(prompt["url"], "https://deskhand.example/page?of=test", "{prompt}");
            assert!(prompt["message"].as_str().unwrap().contains("deskhand.example"));
        }
    }
}

#[test]
fn all_nine_prompts_are_sent_to_initialized_clients() {
    let stage = TestDesktop::new();
    let capabilities = json!({ "elicitation": { "form": {}, "url": {} } });
    let mut client =
        StdioClient::start_initialized(&stage, &["--conformance"], "2025-11-25", capabilities);
    for (key, content) in nine_prompts() {
        for (reply, expected) in replies(content.as_ref()) {
            let call = client.send_request("tools/call", prompt_call(key));
            let prompt = client.first_message(|message| message["method"] == "elicitation/create");
            assert_prompt(&prompt["params"], content.as_ref());
            client.send(&json!({ "jsonrpc": "2.0", "id": prompt["id"], "result": reply }));
            let answer = client.response(call);
            assert_eq!(answer["result"]["content"][0]["text"], expected, "{key}: {answer}");
        }
    }
}

#[test]
fn all_nine_prompts_are_sent_to_modern_clients() {
    let stage = TestDesktop::new();
    let capabilities = json!({ "elicitation": { "form": {}, "url": {} } });
    let mut client = StdioClient::start_modern(&stage, &["--conformance"], &capabilities);
    for (key, content) in nine_prompts() {
        for (reply, expected) in replies(content.as_ref()) {
            let first_result = client.request("tools/call", prompt_call(key))["result"].clone();
            assert_eq!(first_result["resultType"], "input_required", "{first_result}");
            assert_prompt(&first_result["inputRequests"][key]["params"], content.as_ref());
            let mut again = prompt_call(key);
            again["requestState"] = first_result["requestState"].clone();
            again["inputResponses"] = json!({ (key): reply });
            let answer = client.request("tools/call", again);
            assert_eq!(answer["result"]["content"][0]["text"], expected, "{key}: {answer}");
        }
    }
}

#[test]
fn client_without_elicitation_is_not_prompted() {
    let stage = TestDesktop::new();
    let forms = json!({ "elicitation": { "form": {} } });
    let old = |capabilities: &Value| {
        StdioClient::start_initialized(
            &stage,
            &["--conformance"],
            "2025-11-25",
            capabilities.clone(),
        )
    };
    let new =
        |capabilities: &Value| StdioClient::start_modern(&stage, &["--conformance"], capabilities);
    for mut client in [old(&json!({})), new(&json!({}))] {
        for (key, _) in nine_prompts() {
            let answer = client.request("tools/call", prompt_call(key));
            assert_eq!(answer["result"]["content"][0]["text"], "nobody", "{key}: {answer}");
        }
    }
    for mut client in [old(&forms), new(&forms)] {
        for (key, _) in nine_prompts().into_iter().filter(|(_, content)| content.is_none()) {
            let answer = client.request("tools/call", prompt_call(key));
            assert_eq!(answer["result"]["content"][0]["text"], "nobody", "{key}: {answer}");
        }
    }
}

#[test]
fn element_that_is_not_found_can_be_described_by_the_user() {
    let stage = TestDesktop::new();
    let app = stage.start(App::Fixture("gtk3_settings.py", &[]));
    let find = json!({
        "name": "ax_find", "arguments": { "app": app.pid_text(), "query": "Wipe out" },
    });
    let description =
        json!({ "action": "accept", "content": { "description": "Delete All Data" } });
    let mut client = StdioClient::start_initialized(&stage, &[], "2025-11-25", form_capability());
    let call = client.send_request("tools/call", find.clone());
    let prompt = client.first_message(|message| message["method"] == "elicitation/create");
    client.send(&json!({ "jsonrpc": "2.0", "id": prompt["id"], "result": description }));
    let answer = client.response(call);
    assert_eq!(answer["result"]["structuredContent"]["title"], "Delete All Data", "{answer}");
    for reply in ["decline", "cancel"] {
        let call = client.send_request("tools/call", find.clone());
        let prompt = client.first_message(|message| message["method"] == "elicitation/create");
        let reply = json!({ "action": reply });
        client.send(&json!({ "jsonrpc": "2.0", "id": prompt["id"], "result": reply }));
        let answer = client.response(call);
        assert_eq!(answer["result"]["_meta"]["dev.deskhand/error"]["code"], "no_match", "{answer}");
    }
    let mut client = StdioClient::start_modern(&stage, &[], &form_capability());
    let first_result = client.request("tools/call", find.clone())["result"].clone();
    let mut again = find;
    again["requestState"] = first_result["requestState"].clone();
    again["inputResponses"] = json!({ "clarify": description });
    let answer = client.request("tools/call", again);
    assert_eq!(answer["result"]["structuredContent"]["title"], "Delete All Data", "{answer}");
}

/// Calls a tool on an element that needs consent and sends a reply. Returns the structured result.
fn call_with_reply(client: &mut StdioClient, tool: &str, arguments: Value, reply: Value) -> Value {
    let call = client.send_request("tools/call", json!({ "name": tool, "arguments": arguments }));
    let prompt = client.first_message(|message| message["method"] == "elicitation/create");
    let message = prompt["params"]["message"].as_str().unwrap();
    assert!(message.contains("may be lost"), "{prompt}");
    client.send(&json!({ "jsonrpc": "2.0", "id": prompt["id"], "result": reply }));
    client.response(call)["result"]["structuredContent"].clone()
}

#[test]
fn destructive_actions_happen_only_after_approval() {
    let stage = TestDesktop::new();
    let app = stage.start(App::Fixture("gtk3_settings.py", &[]));
    let mut client = StdioClient::start_initialized(&stage, &[], "2025-11-25", form_capability());
    let pid = app.pid_text();
    let approve = || json!({ "action": "accept", "content": { "confirm": true } });
    let denials = [
        json!({ "action": "accept", "content": { "confirm": false } }),
        json!({ "action": "decline" }),
        json!({ "action": "cancel" }),
    ];
    let actions = [
        ("ax_click", json!({ "app": pid, "query": "Delete All Data" }), r#"{"did": "delete"}"#),
        (
            "ax_set_value",
            json!({ "app": pid, "query": "Reset on exit", "value": "true" }),
            r#"{"did": "reset", "on": true}"#,
        ),
        ("ax_key_press", json!({ "app": pid, "key": "space" }), r#"{"did": "delete"}"#),
    ];
    for (tool, arguments, event) in actions {
        for reply in &denials {
            let done = call_with_reply(&mut client, tool, arguments.clone(), reply.clone());
            assert_eq!(done["effect"], "refused", "{tool}: {done}");
        }
        assert_eq!(app.next_line(std::time::Duration::from_millis(300)), None, "{tool}");
        let done = call_with_reply(&mut client, tool, arguments, approve());
        assert_ne!(done["effect"], "refused", "{tool}: {done}");
        app.wait_for(event);
    }
    let harmless = [
        ("ax_click", json!({ "app": pid, "query": "Keep everything" })),
        ("ax_type", json!({ "app": pid, "query": "Close date", "text": "soon" })),
        ("ax_key_press", json!({ "app": pid, "key": "tab" })),
    ];
    for (tool, arguments) in harmless {
        let answer = client.request("tools/call", json!({ "name": tool, "arguments": arguments }));
        assert!(answer["result"]["structuredContent"]["effect"].is_string(), "{tool}: {answer}");
    }
}

#[test]
fn slow_answer_is_awaited_with_progress_notifications() {
    let stage = TestDesktop::new();
    let app = stage.start(App::Fixture("gtk3_settings.py", &[]));
    let mut client = StdioClient::start_initialized(&stage, &[], "2025-11-25", form_capability());
    let arguments = json!({ "app": app.pid_text(), "query": "Delete All Data" });
    let meta = json!({ "progressToken": "t" });
    let params = json!({ "name": "ax_click", "arguments": arguments, "_meta": meta });
    let call = client.send_request("tools/call", params);
    let prompt = client.first_message(|message| message["method"] == "elicitation/create");
    let mut last = -1.0;
    for _ in 0..2 {
        let step = client.first_message(|message| message["method"] == "notifications/progress");
        let done = step["params"]["progress"].as_f64().unwrap();
        assert!(done > last, "{step}");
        last = done;
    }
    let approve = json!({ "action": "accept", "content": { "confirm": true } });
    client.send(&json!({ "jsonrpc": "2.0", "id": prompt["id"], "result": approve }));
    let answer = client.response(call);
    assert_eq!(answer["result"]["structuredContent"]["effect"], "confirmed", "{answer}");
    app.wait_for(r#"{"did": "delete"}"#);
}

#[test]
fn disabled_accessibility_causes_a_prompt() {
    let stage = TestDesktop::new();
    let without_accessibility = |command: &mut std::process::Command| {
        command.env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent");
        command.env_remove("AT_SPI_BUS_ADDRESS");
    };
    let check = json!({ "name": "ax_is_accessible", "arguments": {} });
    let assert_disabled = |answer: &Value| {
        let result = &answer["result"]["structuredContent"];
        assert_eq!(result["enabled"], false, "{answer}");
        assert!(result["suggestion"].as_str().unwrap().contains("accessibility"), "{answer}");
    };
    let mut silent = StdioClient::start_with(&stage, &[], without_accessibility);
    silent.initialize("2025-11-25", json!({}));
    assert_disabled(&silent.request("tools/call", check.clone()));

    let mut client = StdioClient::start_with(&stage, &[], without_accessibility);
    client.initialize("2025-11-25", form_capability());
    let replies = [
        json!({ "action": "accept", "content": { "action": "show_instructions" } }),
        json!({ "action": "accept", "content": { "action": "open_settings" } }),
        json!({ "action": "decline" }),
        json!({ "action": "cancel" }),
    ];
    for reply in replies {
        let call = client.send_request("tools/call", check.clone());
        let prompt = client.first_message(|message| message["method"] == "elicitation/create");
        let choices = prompt["params"]["requestedSchema"]["properties"]["action"].to_string();
        for choice in ["open_settings", "show_instructions", "cancel"] {
            assert!(choices.contains(choice), "{prompt}");
        }
        client.send(&json!({ "jsonrpc": "2.0", "id": prompt["id"], "result": reply }));
        assert_disabled(&client.response(call));
    }
    let mut client = StdioClient::start_with(&stage, &[], without_accessibility)
        .with_modern_protocol(&form_capability());
    let first_result = client.request("tools/call", check.clone())["result"].clone();
    assert!(first_result["inputRequests"]["permission"].is_object(), "{first_result}");
    let mut again = check;
    again["requestState"] = first_result["requestState"].clone();
    again["inputResponses"] = json!({ "permission": { "action": "decline" } });
    assert_disabled(&client.request("tools/call", again));
}
