//! Sampling: a failed find may ask the model of the client, with or without tools. A client without
//! sampling gets the screenshot.

use harness::{App, Program, TestDesktop};
use serde_json::{Value, json};

use super::stdio_client::StdioClient;

/// A find that fails and requests an explanation.
pub(crate) fn find(app: &Program) -> Value {
    let arguments = json!({ "app": app.pid_text(), "query": "Erase the lot", "explain": true });
    json!({ "name": "ax_find", "arguments": arguments })
}

/// A text reply of a model.
pub(crate) fn text(words: &str) -> Value {
    json!({ "role": "assistant", "model": "m", "content": { "type": "text", "text": words } })
}

/// Answers a request of the server.
pub(crate) fn reply(client: &mut StdioClient, request: &Value, result: Value) {
    client.send(&json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }));
}

/// The next sampling request.
pub(crate) fn next_sampling_request(client: &mut StdioClient) -> Value {
    client.first_message(|message| message["method"] == "sampling/createMessage")
}

/// A desktop with an app.
pub(crate) fn stage() -> (TestDesktop, Program) {
    let stage = TestDesktop::new();
    let app = stage.start(App::Fixture("gtk3_settings.py", &[]));
    (stage, app)
}

/// Returns `true` if a request contains a PNG image.
fn contains_image(request: &Value) -> bool {
    let content = &request["params"]["messages"][0]["content"];
    content["type"] == "image" && content["mimeType"] == "image/png"
}

#[test]
fn model_with_tools_suggests_a_locator() {
    let (stage, app) = stage();
    let capabilities = json!({ "sampling": { "tools": {} } });
    let mut client = StdioClient::start_initialized(&stage, &[], "2025-11-25", capabilities);
    let call = client.send_request("tools/call", find(&app));
    let first = next_sampling_request(&mut client);
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
    reply(&mut client, &first, uses);
    let second = next_sampling_request(&mut client);
    let messages = second["params"]["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 3, "{second}");
    let tool_results = &messages[2]["content"];
    assert_eq!(
        (&tool_results[0]["toolUseId"], &tool_results[1]["toolUseId"]),
        (&json!("a"), &json!("b"))
    );
    assert!(tool_results[0].to_string().contains("AXButton"), "{second}");
    assert!(tool_results[1].to_string().contains("matches nothing"), "{second}");
    reply(&mut client, &second, text("It is called Delete All Data."));

    let answer = client.response(call)["result"].clone();
    assert_eq!(answer["isError"], true, "{answer}");
    let found = &answer["structuredContent"];
    assert_eq!(found["found"], false, "{answer}");
    assert_eq!(found["suggestions"], json!(["Delete All Data"]), "{answer}");
    assert!(found["explanation"].as_str().unwrap().contains("It is called"), "{answer}");
}

#[test]
fn model_without_tools_describes_the_image_and_plans() {
    let (stage, app) = stage();
    let mut client =
        StdioClient::start_initialized(&stage, &[], "2025-06-18", json!({ "sampling": {} }));
    client.call("ax_click", json!({ "app": app.pid_text(), "query": "Keep everything" }));
    let call = client.send_request("tools/call", find(&app));
    let picture = next_sampling_request(&mut client);
    assert!(contains_image(&picture), "{}", picture["params"]["systemPrompt"]);
    assert_eq!(picture["params"]["maxTokens"], 1000);
    let preferences = &picture["params"]["modelPreferences"];
    let is_close =
        |name: &str, value: f64| (preferences[name].as_f64().unwrap() - value).abs() < 1e-6;
    assert!(
        is_close("intelligencePriority", 0.8) && is_close("costPriority", 0.3),
        "{preferences}"
    );
    assert!(is_close("speedPriority", 0.5), "{preferences}");
    reply(&mut client, &picture, text("A window with four buttons."));
    let plan = next_sampling_request(&mut client);
    assert_eq!(plan["params"]["maxTokens"], 500);
    let words = plan["params"]["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(
        words.contains("ax_click \"Keep everything\""),
        "the request must list earlier actions: {words}"
    );
    reply(&mut client, &plan, text("Press Delete All Data."));
    let answer = client.response(call);
    let words = answer["result"]["structuredContent"]["explanation"].as_str().unwrap();
    assert!(words.contains("four buttons") && words.contains("Press Delete"), "{answer}");
    assert_eq!(
        answer["result"]["content"].as_array().unwrap().len(),
        1,
        "the result must not contain the image"
    );
}

#[test]
fn client_without_sampling_gets_image_and_text() {
    let (stage, app) = stage();
    let old = StdioClient::start_initialized(&stage, &[], "2025-11-25", json!({}));
    let new = StdioClient::start_modern(&stage, &[], &json!({}));
    for mut client in [old, new] {
        let answer = client.request("tools/call", find(&app));
        let content = &answer["result"]["content"];
        assert_eq!(content[0]["type"], "image", "{answer}");
        assert!(content[1]["text"].as_str().unwrap().contains("Look at the picture"), "{content}");
        assert_eq!(answer["result"]["isError"], true);
        let mut plain = find(&app);
        plain["arguments"].as_object_mut().unwrap().remove("explain");
        let answer = client.request("tools/call", plain);
        assert_eq!(answer["result"]["content"].as_array().unwrap().len(), 1, "{answer}");
    }
}

#[test]
fn client_that_refuses_sampling_gets_the_image() {
    let (stage, app) = stage();
    let mut client =
        StdioClient::start_initialized(&stage, &[], "2025-11-25", json!({ "sampling": {} }));
    let call = client.send_request("tools/call", find(&app));
    for _ in 0..2 {
        let request = next_sampling_request(&mut client);
        let error = json!({ "code": -1, "message": "the user declined" });
        client.send(&json!({ "jsonrpc": "2.0", "id": request["id"], "error": error }));
    }
    let answer = client.response(call);
    assert_eq!(answer["result"]["content"][0]["type"], "image");
}

#[test]
fn modern_client_gets_sampling_in_input_required_results() {
    let (stage, app) = stage();
    let mut client = StdioClient::start_modern(&stage, &[], &json!({ "sampling": {} }));
    let first = client.request("tools/call", find(&app))["result"].clone();
    assert_eq!(first["resultType"], "input_required");
    let requests = first["inputRequests"].as_object().unwrap();
    assert_eq!(
        requests.keys().collect::<Vec<_>>(),
        ["next", "screen"],
        "one result must contain both requests"
    );
    assert!(contains_image(&requests["screen"]));
    let mut again = find(&app);
    again["requestState"] = first["requestState"].clone();
    again["inputResponses"] =
        json!({ "screen": text("Four buttons."), "next": text("Press the first.") });
    let answer = client.request("tools/call", again);
    let words = answer["result"]["structuredContent"]["explanation"].as_str().unwrap();
    assert!(words.contains("Four buttons") && words.contains("Press the first"), "{answer}");

    let capabilities = json!({ "sampling": { "tools": {} } });
    let mut client = StdioClient::start_modern(&stage, &[], &capabilities);
    let first = client.request("tools/call", find(&app))["result"].clone();
    assert!(first["inputRequests"]["locate"].is_object(), "{first}");
    let used = json!({ "type": "tool_use", "id": "a", "name": "suggest_locator",
        "input": { "query": "Delete All Data" } });
    let uses = json!({ "role": "assistant", "model": "m", "content": [used] });
    let mut again = find(&app);
    again["requestState"] = first["requestState"].clone();
    again["inputResponses"] = json!({ "locate": uses });
    let second = client.request("tools/call", again.clone())["result"].clone();
    let next_sampling_request = &second["inputRequests"]["locate_2"]["params"]["messages"];
    assert_eq!(next_sampling_request.as_array().unwrap().len(), 3, "{second}");
    again["requestState"] = second["requestState"].clone();
    again["inputResponses"] = json!({ "locate_2": text("Use Delete All Data.") });
    let third = client.request("tools/call", again);
    let found = &third["result"]["structuredContent"];
    assert_eq!(found["suggestions"], json!(["Delete All Data"]), "{third}");
}
