//! `--toolsets all` offers every vocabulary, and each name once.
#![allow(clippy::unwrap_used, reason = "a panic is how a test reports")]

use std::collections::HashSet;

use harness::TestDesktop;
use harness::mcp::{Elicitation, McpClient};
use serde_json::json;

#[test]
fn all_toolsets_are_served_with_each_name_once() {
    let stage = TestDesktop::new();
    let mut agent = McpClient::start_with_env(
        &stage,
        Elicitation::Unsupported,
        &[("DESKHAND_TOOLSETS", "all")],
    );
    let reply = agent.request("tools/list", &json!({}));
    let tools = reply["result"]["tools"].as_array().unwrap_or_else(|| panic!("{reply}"));
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    for name in ["ax_click", "get_display", "get_focused_element", "await"] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    let unique: HashSet<&str> = names.iter().copied().collect();
    assert_eq!(unique.len(), names.len(), "{names:?}");
}
