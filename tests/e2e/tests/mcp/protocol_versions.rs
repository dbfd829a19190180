//! The same tools on every protocol version: listed, called, and effective in a real app.

use std::time::Duration;

use harness::{App, TestDesktop};
use serde_json::{Value, json};

use super::stdio_client::StdioClient;

const INITIALIZE_VERSIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

fn list_tools(client: &mut StdioClient) -> Vec<Value> {
    let answer = client.request("tools/list", json!({}));
    answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("{answer}")).clone()
}

#[test]
fn every_initialize_version_lists_the_same_tools() {
    let stage = TestDesktop::new();
    let mut names: Vec<Vec<String>> = Vec::new();
    for version in INITIALIZE_VERSIONS {
        let mut client = StdioClient::start_initialized(&stage, &[], version, json!({}));
        let tools = list_tools(&mut client);
        for tool in &tools {
            for field in ["name", "title", "description"] {
                assert!(tool[field].as_str().is_some_and(|it| !it.is_empty()), "{tool}");
            }
            assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
            assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
            assert!(tool["annotations"]["readOnlyHint"].is_boolean(), "{tool}");
            assert!(tool.get("_meta").is_none(), "{tool}");
        }
        let as_tasks = tools.iter().filter(|tool| tool.get("execution").is_some()).count();
        assert_eq!(as_tasks > 0, version == "2025-11-25", "{version}");
        let name = |tool: &Value| tool["name"].as_str().unwrap().to_owned();
        names.push(tools.iter().map(name).collect());
    }
    assert!(names.windows(2).all(|two| two[0] == two[1]), "{names:?}");
    let listed = stage.deskhand(&["mcp", "tools", "--format", "json"]).json();
    let listed: Vec<&str> =
        listed.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(listed, names[0], "`mcp tools` must list the served tools");
    assert!(names[0].is_sorted() && names[0].contains(&"ax_click".to_owned()), "{names:?}");
}

#[test]
fn unknown_version_is_answered_with_2025_11_25() {
    let stage = TestDesktop::new();
    let mut client = StdioClient::start(&stage, &[]);
    let answer = client.initialize("1999-01-01", json!({}));
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
    assert_eq!(answer["result"]["capabilities"]["tasks"]["list"], json!({}), "{answer}");
    assert!(answer["result"]["instructions"].as_str().unwrap().len() < 2000);
}

/// Reads, types and verifies with the protocol version of the client.
fn type_and_verify(client: &mut StdioClient, app: &str, words: &str) {
    let apps = client.call("ax_list_apps", json!({}));
    let listed = &apps["structuredContent"]["apps"];
    assert!(
        listed
            .as_array()
            .unwrap()
            .iter()
            .any(|one| one["pid"] == json!(app.parse::<u32>().unwrap())),
        "{apps}"
    );
    let connected = client.call("ax_connect", json!({ "app": app, "alias": "editor" }));
    assert_eq!(connected["structuredContent"]["connected"], true, "{connected}");
    let arguments = json!({
        "app": "editor", "query": "role:textarea", "text": words, "clear_first": true,
    });
    let typed = client.call("ax_type", arguments);
    assert_eq!(typed["structuredContent"]["effect"], "confirmed", "{typed}");
    assert_eq!(typed["isError"], false, "{typed}");
    let value = client.call("ax_get_value", json!({ "app": "editor", "query": "role:textarea" }));
    assert_eq!(value["structuredContent"]["value"], words, "{value}");
    let shot = client.call("ax_screenshot", json!({ "app": "editor" }));
    assert_eq!(shot["content"][0]["type"], "image", "{}", shot["structuredContent"]);
}

#[test]
fn client_of_each_version_operates_a_real_app() {
    let stage = TestDesktop::new();
    let app = stage.start(App::Mousepad);
    let pid = app.pid_text();
    for version in ["2024-11-05", "2025-11-25"] {
        let mut client = StdioClient::start_initialized(&stage, &[], version, json!({}));
        type_and_verify(&mut client, &pid, &format!("Written by {version}"));
    }
    let mut client = StdioClient::start_modern(&stage, &[], &json!({}));
    let found = client.request("server/discover", json!({}));
    let versions = &found["result"]["supportedVersions"];
    assert!(versions.as_array().unwrap().contains(&json!("2026-07-28")), "{found}");
    type_and_verify(&mut client, &pid, "Written by 2026-07-28");
    let listed = client.request("tools/list", json!({}));
    assert_eq!(listed["result"]["resultType"], "complete", "{listed}");
    assert!(listed["result"]["ttlMs"].is_u64(), "{listed}");
    let tree = stage.tree(&app);
    assert!(tree.find(|one| one.value == Some(json!("Written by 2026-07-28"))).is_some());
}

#[test]
fn modern_request_without_metadata_is_refused() {
    let stage = TestDesktop::new();
    let mut client = StdioClient::start_modern(&stage, &[], &json!({}));
    assert!(client.request("tools/list", json!({}))["result"].is_object());
    client.send(&json!({ "jsonrpc": "2.0", "id": 700, "method": "tools/list" }));
    assert_eq!(client.response(700)["error"]["code"], -32602);
    let unknown = json!({ "_meta": { "io.modelcontextprotocol/protocolVersion": "2031-01-01" } });
    let refused = client.request("tools/list", unknown);
    assert_eq!(refused["error"]["code"], -32022, "{refused}");
    assert_eq!(client.request("ping", json!({}))["error"]["code"], -32601);
}

#[test]
fn tool_filters_limit_the_offered_tools() {
    let stage = TestDesktop::new();
    let start_and_list = |options: &[&str]| {
        let mut client = StdioClient::start_initialized(&stage, options, "2025-11-25", json!({}));
        let names =
            list_tools(&mut client).iter().map(|tool| tool["name"].clone()).collect::<Vec<_>>();
        (client, names)
    };
    let (mut client, names) = start_and_list(&["--tools", "ax_find,ax_get_tree"]);
    assert_eq!(names, [json!("ax_find"), json!("ax_get_tree")]);
    let hidden = client.request("tools/call", json!({ "name": "ax_click", "arguments": {} }));
    assert_eq!(hidden["error"]["code"], -32602, "{hidden}");
    let (_, names) = start_and_list(&["--read-only", "--exclude-tools", "ax_find"]);
    assert!(names.contains(&json!("ax_get_tree")) && !names.contains(&json!("ax_find")));
    assert!(!names.contains(&json!("ax_click")) && !names.contains(&json!("ax_type")));
    let unknown = stage.deskhand(&["mcp", "serve", "--tools", "ax_clik", "--format", "json"]);
    let hint = unknown.expect_error("unknown_tool")["hint"].to_string();
    assert!(hint.contains("did you mean: ax_click,"), "{hint}");
}

#[test]
fn log_records_respect_the_level_of_the_client() {
    let stage = TestDesktop::new();
    let mut client =
        StdioClient::start_initialized(&stage, &["--conformance"], "2025-11-25", json!({}));
    let is_record = |message: &Value| message["method"] == "notifications/message";
    client.call("test_tool_with_logging", json!({}));
    for words in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        let record = client.first_message(is_record);
        assert_eq!(
            (&record["params"]["level"], &record["params"]["data"]),
            (&json!("info"), &json!(words))
        );
    }
    client.request("logging/setLevel", json!({ "level": "warning" }));
    client.call("test_tool_with_logging", json!({}));
    assert!(client.next_within(Duration::from_millis(300)).is_none());
    let mut client = StdioClient::start_modern(&stage, &["--conformance"], &json!({}));
    client.call("test_tool_with_logging", json!({}));
    assert!(
        client.next_within(Duration::from_millis(300)).is_none(),
        "without a level no record may be sent"
    );
    let meta = json!({ "io.modelcontextprotocol/logLevel": "debug" });
    let params = json!({ "name": "test_tool_with_logging", "arguments": {}, "_meta": meta });
    client.request("tools/call", params);
    assert_eq!(client.first_message(is_record)["params"]["data"], "Tool execution started");
}

#[test]
fn progress_is_sent_only_on_request() {
    let stage = TestDesktop::new();
    let mut client =
        StdioClient::start_initialized(&stage, &["--conformance"], "2025-11-25", json!({}));
    client.call("test_tool_with_progress", json!({}));
    assert!(client.next_within(Duration::from_millis(300)).is_none());
    let params = json!({
        "name": "test_tool_with_progress", "arguments": {}, "_meta": { "progressToken": "t" },
    });
    client.request("tools/call", params);
    for done in [0.0, 50.0, 100.0] {
        let step = client.next();
        assert_eq!(step["method"], "notifications/progress", "{step}");
        assert_eq!(step["params"]["progress"].as_f64(), Some(done), "{step}");
        assert_eq!(step["params"]["progressToken"], "t", "{step}");
    }
}

#[test]
fn cancelled_call_is_not_answered_and_its_work_stops() {
    let stage = TestDesktop::new();
    let app = stage.start(App::Fixture("gtk3_events.py", &[]));
    let mut client = StdioClient::start_initialized(&stage, &[], "2025-11-25", json!({}));
    client.request("logging/setLevel", json!({ "level": "info" }));
    let wait = json!({ "app": app.pid_text(), "timeout_ms": 60_000, "poll_ms": 10_000 });
    let id =
        client.send_request("tools/call", json!({ "name": "ax_wait_idle", "arguments": wait }));
    std::thread::sleep(Duration::from_millis(500));
    let started = std::time::Instant::now();
    client.notify("notifications/cancelled", json!({ "requestId": id }));
    // The log record of the call shows when its work has ended.
    let record =
        client.first_message(|message| message["params"]["data"]["tool"] == "ax_wait_idle");
    assert_eq!(record["params"]["data"]["code"], "cancelled", "{record}");
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    client.assert_no_pending_messages();
}
