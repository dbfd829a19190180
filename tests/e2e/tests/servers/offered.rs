//! Tools of other servers as an agent meets them: among our own, and behind the same gate.

use std::{
    collections::HashMap,
    process::Stdio,
    time::{Duration, Instant},
};

use harness::{
    Stage, interop,
    mcp::{Agent, Manner},
};
use serde_json::{Value, json};

use super::scene::{PATIENCE, Running};

/// The server nobody should trust, on a desktop whose person has set it up.
struct Strange {
    stage: Stage,
    _scripts: tempfile::TempDir,
    _running: Running,
}

impl Strange {
    fn new(more: Value) -> Self {
        let scripts = interop::beside_packages();
        let mut command = interop::node();
        command.arg(scripts.path().join("stranger.mjs")).stderr(Stdio::null());
        let (running, url) = Running::speaking(&mut command, "http://");
        let mut server = json!({ "url": url });
        server.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let stage = Stage::new();
        let file = stage.info().folders.config.join("mcp.json");
        std::fs::write(file, json!({ "servers": { "odd": server } }).to_string()).unwrap();
        Self { stage, _scripts: scripts, _running: running }
    }
}

fn listed(agent: &mut Agent) -> Vec<Value> {
    agent.request("tools/list", &json!({}))["result"]["tools"].as_array().unwrap().clone()
}

/// Waits until a tool is listed.
fn until(agent: &mut Agent, name: &str) -> Value {
    let end = Instant::now() + PATIENCE;
    loop {
        let tools = listed(agent);
        if let Some(tool) = tools.iter().find(|tool| tool["name"] == name) {
            return tool.clone();
        }
        assert!(Instant::now() < end, "no {name}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn tools_of_a_stranger_are_offered_cleaned_and_called_through_the_gate() {
    let strange = Strange::new(json!({}));
    // Whatever the person is asked, the answer is no.
    let mut agent = Agent::start(&strange.stage, Manner::Answers(HashMap::new()));
    let tell = until(&mut agent, "odd_tell");
    assert_eq!(tell["description"], "as you see (from the server odd)");
    assert!(!tell["inputSchema"].to_string().contains('$'), "{tell}");
    assert!(tell["inputSchema"].get("anyOf").is_none());
    let look = until(&mut agent, "odd_look");
    assert_eq!(look["annotations"]["readOnlyHint"], false, "its word is not taken");

    let told = agent.call("odd_tell", json!({}));
    assert_eq!(told.data, json!({ "server": "odd", "text": "tell: as you see" }));
    assert!(!told.failed && told.text.contains("tell: as you see"));
    assert!(agent.asked.is_empty());
    let wipe = agent.call("odd_wipe", json!({}));
    assert!(wipe.failed && !wipe.text.contains("wipe: "), "{wipe:?}");
    assert_eq!(agent.asked.len(), 1, "it says itself that it destroys");
    // What appears at the server appears here.
    assert!(!agent.call("odd_grow", json!({})).failed);
    until(&mut agent, "odd_grown");
    let end = Instant::now() + PATIENCE;
    let is_news = |note: &Value| note["method"] == "notifications/tools/list_changed";
    while !agent.notes.iter().any(is_news) {
        assert!(Instant::now() < end, "nobody said that the list is another");
        listed(&mut agent);
    }
}

#[test]
fn who_may_only_look_is_offered_what_the_person_believes_to_look() {
    let strange = Strange::new(json!({ "trust_annotations": true, "prefix": "o" }));
    let only = [("DESKHAND_SECURITY_MODE", "sandboxed")];
    let mut agent = Agent::set(&strange.stage, Manner::Silent, &only);
    until(&mut agent, "o_look");
    let names: Vec<_> = listed(&mut agent).iter().map(|tool| tool["name"].clone()).collect();
    assert!(!names.iter().any(|name| name == "o_tell" || name == "o_wipe"), "{names:?}");
    assert!(!agent.call("o_look", json!({})).failed);
}
