//! Tools of remote servers as a client sees them: listed with the built-in tools and subject to the
//! same policy.

use std::{
    collections::HashMap,
    process::Stdio,
    time::{Duration, Instant},
};

use harness::{
    TestDesktop, interop,
    mcp::{Elicitation, McpClient},
};
use serde_json::{Value, json};

use super::fixtures::{ServerProcess, TIMEOUT};

/// An untrusted server, and a desktop that is configured to use it.
struct UntrustedServer {
    stage: TestDesktop,
    _scripts: tempfile::TempDir,
    _running: ServerProcess,
}

impl UntrustedServer {
    fn new(options: Value) -> Self {
        let scripts = interop::beside_packages();
        let mut command = interop::node();
        command.arg(scripts.path().join("untrusted_server.mjs")).stderr(Stdio::null());
        let (running, url) = ServerProcess::start_on_stdout(&mut command, "http://");
        let mut server = json!({ "url": url });
        server.as_object_mut().unwrap().extend(options.as_object().unwrap().clone());
        let stage = TestDesktop::new();
        let file = stage.info().folders.config.join("mcp.json");
        std::fs::write(file, json!({ "servers": { "odd": server } }).to_string()).unwrap();
        Self { stage, _scripts: scripts, _running: running }
    }
}

fn list_tools(agent: &mut McpClient) -> Vec<Value> {
    agent.request("tools/list", &json!({}))["result"]["tools"].as_array().unwrap().clone()
}

/// Waits until a tool is listed.
fn wait_for_tool(agent: &mut McpClient, name: &str) -> Value {
    let end = Instant::now() + TIMEOUT;
    loop {
        let tools = list_tools(agent);
        if let Some(tool) = tools.iter().find(|tool| tool["name"] == name) {
            return tool.clone();
        }
        assert!(Instant::now() < end, "no {name}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn untrusted_tools_are_sanitized_and_subject_to_the_policy() {
    let untrusted = UntrustedServer::new(json!({}));
    // The client declines every prompt.
    let mut agent = McpClient::start(&untrusted.stage, Elicitation::Answers(HashMap::new()));
    let tell_tool = wait_for_tool(&mut agent, "odd_tell");
    assert_eq!(tell_tool["description"], "as you see (from the server odd)");
    assert!(!tell_tool["inputSchema"].to_string().contains('$'), "{tell_tool}");
    assert!(tell_tool["inputSchema"].get("anyOf").is_none());
    let look_tool = wait_for_tool(&mut agent, "odd_look");
    assert_eq!(
        look_tool["annotations"]["readOnlyHint"], false,
        "the annotation of an untrusted server was used"
    );

    let called = agent.call("odd_tell", json!({}));
    assert_eq!(called.data, json!({ "server": "odd", "text": "tell: as you see" }));
    assert!(!called.failed && called.text.contains("tell: as you see"));
    assert!(agent.elicitations.is_empty());
    let wipe = agent.call("odd_wipe", json!({}));
    assert!(wipe.failed && !wipe.text.contains("wipe: "), "{wipe:?}");
    assert_eq!(agent.elicitations.len(), 1, "a destructive tool needs one prompt");
    // New tools of the server appear in the list.
    assert!(!agent.call("odd_grow", json!({})).failed);
    wait_for_tool(&mut agent, "odd_grown");
    let end = Instant::now() + TIMEOUT;
    let is_list_changed = |note: &Value| note["method"] == "notifications/tools/list_changed";
    while !agent.notifications.iter().any(is_list_changed) {
        assert!(Instant::now() < end, "no list_changed notification was sent");
        list_tools(&mut agent);
    }
}

#[test]
fn read_only_mode_offers_only_trusted_read_only_tools() {
    let untrusted = UntrustedServer::new(json!({ "trust_annotations": true, "prefix": "o" }));
    let variables = [("DESKHAND_SECURITY_MODE", "sandboxed")];
    let mut agent =
        McpClient::start_with_env(&untrusted.stage, Elicitation::Unsupported, &variables);
    wait_for_tool(&mut agent, "o_look");
    let names: Vec<_> = list_tools(&mut agent).iter().map(|tool| tool["name"].clone()).collect();
    assert!(!names.iter().any(|name| name == "o_tell" || name == "o_wipe"), "{names:?}");
    assert!(!agent.call("o_look", json!({})).failed);
}
