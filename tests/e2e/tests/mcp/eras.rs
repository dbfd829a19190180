//! The same tools for clients of every version: listed, called, seen to work in a real app.

use std::time::Duration;

use harness::{App, Stage};
use serde_json::{Value, json};

use super::talk::Talk;

const HANDSHAKE: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

fn tools(talk: &mut Talk) -> Vec<Value> {
    let answer = talk.ask("tools/list", json!({}));
    answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("{answer}")).clone()
}

#[test]
fn every_version_of_the_handshake_lists_the_same_tools() {
    let stage = Stage::new();
    let mut names: Vec<Vec<String>> = Vec::new();
    for version in HANDSHAKE {
        let mut talk = Talk::initialized(&stage, &[], version, json!({}));
        let tools = tools(&mut talk);
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
    let told = stage.deskhand(&["mcp", "tools", "--format", "json"]).json();
    let told: Vec<&str> =
        told.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(told, names[0], "`mcp tools` lists what is served");
    assert!(names[0].is_sorted() && names[0].contains(&"ax_click".to_owned()), "{names:?}");
}

#[test]
fn a_version_nobody_knows_is_answered_with_the_newest_of_the_handshake() {
    let stage = Stage::new();
    let mut talk = Talk::begin(&stage, &[]);
    let answer = talk.initialize("1999-01-01", json!({}));
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
    assert_eq!(answer["result"]["capabilities"]["tasks"]["list"], json!({}), "{answer}");
    assert!(answer["result"]["instructions"].as_str().unwrap().len() < 2000);
}

/// Looks, writes, and looks again, by whatever era the line speaks.
fn writes_into(talk: &mut Talk, app: &str, words: &str) {
    let apps = talk.call("ax_list_apps", json!({}));
    let listed = &apps["structuredContent"]["apps"];
    assert!(
        listed
            .as_array()
            .unwrap()
            .iter()
            .any(|one| one["pid"] == json!(app.parse::<u32>().unwrap())),
        "{apps}"
    );
    let connected = talk.call("ax_connect", json!({ "app": app, "alias": "editor" }));
    assert_eq!(connected["structuredContent"]["connected"], true, "{connected}");
    let arguments = json!({
        "app": "editor", "query": "role:textarea", "text": words, "clear_first": true,
    });
    let typed = talk.call("ax_type", arguments);
    assert_eq!(typed["structuredContent"]["effect"], "confirmed", "{typed}");
    assert_eq!(typed["isError"], false, "{typed}");
    let value = talk.call("ax_get_value", json!({ "app": "editor", "query": "role:textarea" }));
    assert_eq!(value["structuredContent"]["value"], words, "{value}");
    let shot = talk.call("ax_screenshot", json!({ "app": "editor" }));
    assert_eq!(shot["content"][0]["type"], "image", "{}", shot["structuredContent"]);
}

#[test]
fn a_client_of_each_era_works_a_real_app() {
    let stage = Stage::new();
    let app = stage.start(App::Mousepad);
    let pid = app.pid_text();
    for version in ["2024-11-05", "2025-11-25"] {
        let mut talk = Talk::initialized(&stage, &[], version, json!({}));
        writes_into(&mut talk, &pid, &format!("Written by {version}"));
    }
    let mut talk = Talk::modern(&stage, &[], &json!({}));
    let found = talk.ask("server/discover", json!({}));
    let versions = &found["result"]["supportedVersions"];
    assert!(versions.as_array().unwrap().contains(&json!("2026-07-28")), "{found}");
    writes_into(&mut talk, &pid, "Written by 2026-07-28");
    let listed = talk.ask("tools/list", json!({}));
    assert_eq!(listed["result"]["resultType"], "complete", "{listed}");
    assert!(listed["result"]["ttlMs"].is_u64(), "{listed}");
    let tree = stage.tree(&app);
    assert!(tree.find(|one| one.value == Some(json!("Written by 2026-07-28"))).is_some());
}

#[test]
fn a_request_of_the_later_era_without_its_parts_is_refused() {
    let stage = Stage::new();
    let mut talk = Talk::modern(&stage, &[], &json!({}));
    assert!(talk.ask("tools/list", json!({}))["result"].is_object());
    talk.send(&json!({ "jsonrpc": "2.0", "id": 700, "method": "tools/list" }));
    assert_eq!(talk.answer(700)["error"]["code"], -32602);
    let unknown = json!({ "_meta": { "io.modelcontextprotocol/protocolVersion": "2031-01-01" } });
    let refused = talk.ask("tools/list", unknown);
    assert_eq!(refused["error"]["code"], -32022, "{refused}");
    assert_eq!(talk.ask("ping", json!({}))["error"]["code"], -32601);
}

#[test]
fn only_what_is_asked_for_is_offered() {
    let stage = Stage::new();
    let of = |options: &[&str]| {
        let mut talk = Talk::initialized(&stage, options, "2025-11-25", json!({}));
        let names = tools(&mut talk).iter().map(|tool| tool["name"].clone()).collect::<Vec<_>>();
        (talk, names)
    };
    let (mut talk, names) = of(&["--tools", "ax_find,ax_get_tree"]);
    assert_eq!(names, [json!("ax_find"), json!("ax_get_tree")]);
    let hidden = talk.ask("tools/call", json!({ "name": "ax_click", "arguments": {} }));
    assert_eq!(hidden["error"]["code"], -32602, "{hidden}");
    let (_, names) = of(&["--read-only", "--exclude-tools", "ax_find"]);
    assert!(names.contains(&json!("ax_get_tree")) && !names.contains(&json!("ax_find")));
    assert!(!names.contains(&json!("ax_click")) && !names.contains(&json!("ax_type")));
    let wrong = stage.deskhand(&["mcp", "serve", "--tools", "ax_clik", "--format", "json"]);
    let hint = wrong.expect_error("unknown_tool")["hint"].to_string();
    assert!(hint.contains("did you mean: ax_click,"), "{hint}");
}

#[test]
fn records_come_from_the_level_a_client_has_set() {
    let stage = Stage::new();
    let mut talk = Talk::initialized(&stage, &["--conformance"], "2025-11-25", json!({}));
    let is_record = |message: &Value| message["method"] == "notifications/message";
    talk.call("test_tool_with_logging", json!({}));
    for words in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        let record = talk.first(is_record);
        assert_eq!(
            (&record["params"]["level"], &record["params"]["data"]),
            (&json!("info"), &json!(words))
        );
    }
    talk.ask("logging/setLevel", json!({ "level": "warning" }));
    talk.call("test_tool_with_logging", json!({}));
    assert!(talk.within(Duration::from_millis(300)).is_none());
    let mut talk = Talk::modern(&stage, &["--conformance"], &json!({}));
    talk.call("test_tool_with_logging", json!({}));
    assert!(
        talk.within(Duration::from_millis(300)).is_none(),
        "silent where no level is asked for"
    );
    let wish = json!({ "io.modelcontextprotocol/logLevel": "debug" });
    let params = json!({ "name": "test_tool_with_logging", "arguments": {}, "_meta": wish });
    talk.ask("tools/call", params);
    assert_eq!(talk.first(is_record)["params"]["data"], "Tool execution started");
}

#[test]
fn progress_is_told_to_whom_asks_for_it() {
    let stage = Stage::new();
    let mut talk = Talk::initialized(&stage, &["--conformance"], "2025-11-25", json!({}));
    talk.call("test_tool_with_progress", json!({}));
    assert!(talk.within(Duration::from_millis(300)).is_none());
    let params = json!({
        "name": "test_tool_with_progress", "arguments": {}, "_meta": { "progressToken": "t" },
    });
    talk.ask("tools/call", params);
    for done in [0.0, 50.0, 100.0] {
        let step = talk.next();
        assert_eq!(step["method"], "notifications/progress", "{step}");
        assert_eq!(step["params"]["progress"].as_f64(), Some(done), "{step}");
        assert_eq!(step["params"]["progressToken"], "t", "{step}");
    }
}

#[test]
fn a_cancelled_call_is_not_answered_and_its_work_stops() {
    let stage = Stage::new();
    let app = stage.start(App::Fixture("gtk3_events.py", &[]));
    let mut talk = Talk::initialized(&stage, &[], "2025-11-25", json!({}));
    talk.ask("logging/setLevel", json!({ "level": "info" }));
    let wait = json!({ "app": app.pid_text(), "timeout_ms": 60_000, "poll_ms": 10_000 });
    let id = talk.request("tools/call", json!({ "name": "ax_wait_idle", "arguments": wait }));
    std::thread::sleep(Duration::from_millis(500));
    let begun = std::time::Instant::now();
    talk.notify("notifications/cancelled", json!({ "requestId": id }));
    // The call's own record says when its work has really ended.
    let record = talk.first(|message| message["params"]["data"]["tool"] == "ax_wait_idle");
    assert_eq!(record["params"]["data"]["code"], "cancelled", "{record}");
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    talk.assert_quiet();
}
