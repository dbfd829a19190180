//! The seven MCP prompts: listed, filled in, validated, and consistent with the offered tools.

use harness::{App, TestDesktop};
use serde_json::{Value, json};

use super::stdio_client::StdioClient;

const NAMES: [&str; 7] = [
    "test-app",
    "navigate-to",
    "extract-data",
    "automate-workflow",
    "debug-ui",
    "accessibility-audit",
    "cross-app-copy",
];

fn example_arguments(prompt: &Value) -> Value {
    let arguments = prompt["arguments"].as_array().unwrap();
    let one = |argument: &Value| {
        let name = argument["name"].as_str().unwrap().to_owned();
        let value = match name.as_str() {
            "output_format" => "csv",
            "standard" => "AA",
            "dry_run" | "include_a11y_audit" => "true",
            _ => "something",
        };
        (name, json!(value))
    };
    Value::Object(arguments.iter().map(one).collect())
}

fn prompt_text(answer: &Value) -> String {
    assert!(answer.get("error").is_none(), "{answer}");
    answer["result"]["messages"][0]["content"]["text"].as_str().unwrap().to_owned()
}

#[test]
fn all_seven_prompts_are_listed_and_filled_in_on_both_protocols() {
    let stage = TestDesktop::new();
    let old = StdioClient::start_initialized(&stage, &[], "2025-11-25", json!({}));
    let new = StdioClient::start_modern(&stage, &[], &json!({}));
    for mut client in [old, new] {
        let listed = client.request("prompts/list", json!({}));
        let prompts = listed["result"]["prompts"].as_array().unwrap().clone();
        let names: Vec<&str> =
            prompts.iter().map(|prompt| prompt["name"].as_str().unwrap()).collect();
        assert_eq!(names, NAMES);
        for prompt in &prompts {
            assert!(prompt["title"].is_string() && prompt["description"].is_string(), "{prompt}");
            let params = json!({ "name": prompt["name"], "arguments": example_arguments(prompt) });
            let reply = client.request("prompts/get", params);
            assert_eq!(reply["result"]["messages"][0]["role"], "user", "{reply}");
            assert!(prompt_text(&reply).contains("something"), "{reply}");
        }
    }
}

#[test]
fn prompt_names_only_offered_tools() {
    let stage = TestDesktop::new();
    for options in [
        &["--read-only"][..],
        &["--tools", "ax_find,ax_click"],
        &["--exclude-tools", "ax_assert,ax_screenshot"],
        &[],
    ] {
        let mut client = StdioClient::start_initialized(&stage, options, "2025-06-18", json!({}));
        let listed = client.request("tools/list", json!({}))["result"]["tools"].clone();
        let offered: Vec<&str> =
            listed.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        let prompts = client.request("prompts/list", json!({}))["result"]["prompts"].clone();
        for prompt in prompts.as_array().unwrap() {
            let params = json!({ "name": prompt["name"], "arguments": example_arguments(prompt) });
            let text = prompt_text(&client.request("prompts/get", params));
            let named = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
            for tool in named.filter(|word| word.starts_with("ax_")) {
                assert!(offered.contains(&tool), "{options:?}: {tool} in {text}");
            }
        }
    }
}

#[test]
fn missing_and_unknown_arguments_are_named() {
    let stage = TestDesktop::new();
    let mut client = StdioClient::start_initialized(&stage, &[], "2025-11-25", json!({}));
    let assert_refused = |client: &mut StdioClient, params: Value, word: &str| {
        let answer = client.request("prompts/get", params);
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains(word), "{answer}");
    };
    assert_refused(&mut client, json!({ "name": "no-such" }), "no-such");
    assert_refused(&mut client, json!({ "name": "test-app" }), "app_name");
    let incomplete = json!({ "name": "navigate-to", "arguments": { "app_name": "x" } });
    assert_refused(&mut client, incomplete, "destination");
    let invalid = json!({
        "name": "accessibility-audit", "arguments": { "app_name": "x", "standard": "AAAA" },
    });
    assert_refused(&mut client, invalid, "A, AA, AAA");
    let answer = client.request("prompts/list", json!({ "cursor": "nonsense" }));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    client.assert_no_pending_messages();
}

#[test]
fn prompt_about_a_running_app_contains_its_tree() {
    let stage = TestDesktop::new();
    let app = stage.start(App::Fixture("gtk3_settings.py", &[]));
    let mut client = StdioClient::start_modern(&stage, &[], &json!({}));
    let arguments = json!({ "app_name": app.pid_text(), "focus_area": "toolbar Main" });
    let reply =
        client.request("prompts/get", json!({ "name": "test-app", "arguments": arguments }));
    assert!(prompt_text(&reply).contains("toolbar Main"), "{reply}");
    let embedded = &reply["result"]["messages"][1]["content"];
    assert_eq!(embedded["type"], "resource", "{reply}");
    let uri = embedded["resource"]["uri"].as_str().unwrap();
    assert_eq!(uri, format!("deskhand://app/{}/tree", app.pid_text()));
    let text = embedded["resource"]["text"].as_str().unwrap();
    assert!(text.contains("Delete All Data"), "{reply}");
    let marker = embedded["resource"]["_meta"]["dev.deskhand/from-apps"]["mark"].as_str().unwrap();
    let is_delimited =
        text.starts_with(&format!("<{marker}>\n")) && text.ends_with(&format!("</{marker}>"));
    assert!(is_delimited, "app content must be delimited from user text: {reply}");
    let arguments = json!({ "app_name": "not-running" });
    let reply =
        client.request("prompts/get", json!({ "name": "test-app", "arguments": arguments }));
    assert_eq!(reply["result"]["messages"].as_array().unwrap().len(), 1, "{reply}");
}

/// The description of the argument that takes an app.
fn app_argument(client: &mut StdioClient) -> String {
    let listed = client.request("prompts/list", json!({}));
    let argument = &listed["result"]["prompts"][0]["arguments"][0];
    assert_eq!(argument["name"], "app_name", "{listed}");
    argument["description"].as_str().unwrap().to_owned()
}

#[test]
fn prompt_list_names_connected_apps_and_reports_its_changes() {
    let stage = TestDesktop::new();
    for is_modern in [false, true] {
        let mut app = stage.start(App::Fixture("gtk3_settings.py", &[]));
        let mut client = if is_modern {
            StdioClient::start_modern(&stage, &[], &json!({}))
        } else {
            StdioClient::start_initialized(&stage, &[], "2025-11-25", json!({}))
        };
        assert!(!app_argument(&mut client).contains("connected"));
        if is_modern {
            let filter = json!({ "notifications": { "promptsListChanged": true } });
            client.send_request("subscriptions/listen", filter);
            client.first_message(|it| it["method"] == "notifications/subscriptions/acknowledged");
        }
        let changed = |message: &Value| message["method"] == "notifications/prompts/list_changed";
        let connect = json!({ "name": "ax_connect", "arguments": { "app": app.pid_text() } });
        client.request("tools/call", connect);
        client.first_message(changed);
        assert!(app_argument(&mut client).contains("connected: "));
        app.end();
        client.first_message(changed);
        assert!(!app_argument(&mut client).contains("connected"));
    }
}
