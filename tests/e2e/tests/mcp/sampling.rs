//! Sampling: a find that fails may ask the client's model to look, with tools or without; a client
//! that lends none gets the picture itself.

use harness::{App, Program, Stage};
use serde_json::{Value, json};

use super::talk::Talk;

/// A find that fails and asks for an explanation.
pub(crate) fn find(app: &Program) -> Value {
    let arguments = json!({ "app": app.pid_text(), "query": "Erase the lot", "explain": true });
    json!({ "name": "ax_find", "arguments": arguments })
}

/// What a model says.
pub(crate) fn text(words: &str) -> Value {
    json!({ "role": "assistant", "model": "m", "content": { "type": "text", "text": words } })
}

/// Answers a question of the server.
pub(crate) fn reply(talk: &mut Talk, question: &Value, result: Value) {
    talk.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": result }));
}

/// The next question to the model.
pub(crate) fn asked(talk: &mut Talk) -> Value {
    talk.first(|message| message["method"] == "sampling/createMessage")
}

/// A stage with an app on it.
pub(crate) fn stage() -> (Stage, Program) {
    let stage = Stage::new();
    let app = stage.start(App::Fixture("gtk3_settings.py", &[]));
    (stage, app)
}

/// Whether a request is the one that reads a picture.
fn shows_picture(request: &Value) -> bool {
    let content = &request["params"]["messages"][0]["content"];
    content["type"] == "image" && content["mimeType"] == "image/png"
}

#[test]
fn a_model_with_tools_looks_tries_and_answers() {
    let (stage, app) = stage();
    let can = json!({ "sampling": { "tools": {} } });
    let mut talk = Talk::initialized(&stage, &[], "2025-11-25", can);
    let call = talk.request("tools/call", find(&app));
    let first = asked(&mut talk);
    let params = &first["params"];
    assert_eq!(
        (&params["maxTokens"], &params["toolChoice"]["mode"]),
        (&json!(2000), &json!("auto"))
    );
    let names: Vec<&Value> =
        params["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["describe_element", "suggest_locator"], "{first}");
    let outline = params["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(outline.contains("Delete All Data") && outline.contains("Erase the lot"), "{first}");

    let uses = json!({ "role": "assistant", "model": "m", "stopReason": "toolUse", "content": [
        { "type": "tool_use", "id": "a", "name": "suggest_locator",
          "input": { "query": "Delete All Data" } },
        { "type": "tool_use", "id": "b", "name": "suggest_locator",
          "input": { "query": "Burn it" } },
    ] });
    reply(&mut talk, &first, uses);
    let second = asked(&mut talk);
    let messages = second["params"]["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 3, "{second}");
    let came = &messages[2]["content"];
    assert_eq!((&came[0]["toolUseId"], &came[1]["toolUseId"]), (&json!("a"), &json!("b")));
    assert!(came[0].to_string().contains("AXButton"), "{second}");
    assert!(came[1].to_string().contains("matches nothing"), "{second}");
    reply(&mut talk, &second, text("It is called Delete All Data."));

    let answer = talk.answer(call)["result"].clone();
    assert_eq!(answer["isError"], true, "{answer}");
    let found = &answer["structuredContent"];
    assert_eq!(found["found"], false, "{answer}");
    assert_eq!(found["suggestions"], json!(["Delete All Data"]), "{answer}");
    assert!(found["explanation"].as_str().unwrap().contains("It is called"), "{answer}");
}

#[test]
fn a_model_without_tools_reads_the_picture_and_plans_the_next_action() {
    let (stage, app) = stage();
    let mut talk = Talk::initialized(&stage, &[], "2025-06-18", json!({ "sampling": {} }));
    talk.call("ax_click", json!({ "app": app.pid_text(), "query": "Keep everything" }));
    let call = talk.request("tools/call", find(&app));
    let picture = asked(&mut talk);
    assert!(shows_picture(&picture), "{}", picture["params"]["systemPrompt"]);
    assert_eq!(picture["params"]["maxTokens"], 1000);
    let wish = &picture["params"]["modelPreferences"];
    let close = |name: &str, value: f64| (wish[name].as_f64().unwrap() - value).abs() < 1e-6;
    assert!(close("intelligencePriority", 0.8) && close("costPriority", 0.3), "{wish}");
    assert!(close("speedPriority", 0.5), "{wish}");
    reply(&mut talk, &picture, text("A window with four buttons."));
    let plan = asked(&mut talk);
    assert_eq!(plan["params"]["maxTokens"], 500);
    let words = plan["params"]["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(words.contains("ax_click \"Keep everything\""), "what was done before: {words}");
    reply(&mut talk, &plan, text("Press Delete All Data."));
    let answer = talk.answer(call);
    let words = answer["result"]["structuredContent"]["explanation"].as_str().unwrap();
    assert!(words.contains("four buttons") && words.contains("Press Delete"), "{answer}");
    assert_eq!(answer["result"]["content"].as_array().unwrap().len(), 1, "no picture is needed");
}

#[test]
fn a_client_without_a_model_gets_the_picture_and_the_words() {
    let (stage, app) = stage();
    let old = Talk::initialized(&stage, &[], "2025-11-25", json!({}));
    let new = Talk::modern(&stage, &[], &json!({}));
    for mut talk in [old, new] {
        let answer = talk.ask("tools/call", find(&app));
        let content = &answer["result"]["content"];
        assert_eq!(content[0]["type"], "image", "{answer}");
        assert!(content[1]["text"].as_str().unwrap().contains("Look at the picture"), "{content}");
        assert_eq!(answer["result"]["isError"], true);
        let mut plain = find(&app);
        plain["arguments"].as_object_mut().unwrap().remove("explain");
        let answer = talk.ask("tools/call", plain);
        assert_eq!(answer["result"]["content"].as_array().unwrap().len(), 1, "{answer}");
    }
}

#[test]
fn a_client_that_refuses_to_ask_its_model_gets_the_picture() {
    let (stage, app) = stage();
    let mut talk = Talk::initialized(&stage, &[], "2025-11-25", json!({ "sampling": {} }));
    let call = talk.request("tools/call", find(&app));
    for _ in 0..2 {
        let question = asked(&mut talk);
        let error = json!({ "code": -1, "message": "the person said no" });
        talk.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "error": error }));
    }
    let answer = talk.answer(call);
    assert_eq!(answer["result"]["content"][0]["type"], "image");
}

#[test]
fn a_client_of_the_later_era_is_asked_in_rounds() {
    let (stage, app) = stage();
    let mut talk = Talk::modern(&stage, &[], &json!({ "sampling": {} }));
    let first = talk.ask("tools/call", find(&app))["result"].clone();
    assert_eq!(first["resultType"], "input_required");
    let requests = first["inputRequests"].as_object().unwrap();
    assert_eq!(requests.keys().collect::<Vec<_>>(), ["next", "screen"], "one round asks both");
    assert!(shows_picture(&requests["screen"]));
    let mut again = find(&app);
    again["requestState"] = first["requestState"].clone();
    again["inputResponses"] =
        json!({ "screen": text("Four buttons."), "next": text("Press the first.") });
    let answer = talk.ask("tools/call", again);
    let words = answer["result"]["structuredContent"]["explanation"].as_str().unwrap();
    assert!(words.contains("Four buttons") && words.contains("Press the first"), "{answer}");

    let can = json!({ "sampling": { "tools": {} } });
    let mut talk = Talk::modern(&stage, &[], &can);
    let first = talk.ask("tools/call", find(&app))["result"].clone();
    assert!(first["inputRequests"]["locate"].is_object(), "{first}");
    let used = json!({ "type": "tool_use", "id": "a", "name": "suggest_locator",
        "input": { "query": "Delete All Data" } });
    let uses = json!({ "role": "assistant", "model": "m", "content": [used] });
    let mut again = find(&app);
    again["requestState"] = first["requestState"].clone();
    again["inputResponses"] = json!({ "locate": uses });
    let second = talk.ask("tools/call", again.clone())["result"].clone();
    let asked = &second["inputRequests"]["locate_2"]["params"]["messages"];
    assert_eq!(asked.as_array().unwrap().len(), 3, "{second}");
    again["requestState"] = second["requestState"].clone();
    again["inputResponses"] = json!({ "locate_2": text("Use Delete All Data.") });
    let third = talk.ask("tools/call", again);
    let found = &third["result"]["structuredContent"];
    assert_eq!(found["suggestions"], json!(["Delete All Data"]), "{third}");
}
