//! A stricter security mode in the configuration file takes effect while a server runs.

use harness::TestDesktop;
use serde_json::{Value, json};

use super::stdio_client::StdioClient;

fn tool_names(agent: &mut StdioClient) -> Vec<String> {
    let list = agent.request("tools/list", json!({}));
    let name = |tool: &Value| tool["name"].as_str().unwrap().to_owned();
    list["result"]["tools"].as_array().unwrap().iter().map(name).collect()
}

fn click_error(agent: &mut StdioClient) -> String {
    let result = agent.call("ax_click", json!({ "app": "any", "query": "OK" }));
    assert_eq!(result["isError"], true, "{result}");
    result.to_string()
}

#[test]
fn a_stricter_mode_takes_effect_at_once_and_a_less_strict_one_does_not() {
    let stage = TestDesktop::new();
    let config = tempfile::tempdir().unwrap();
    let write = |mode: &str| {
        let text = format!("[server]\nsecurity_mode = \"{mode}\"\n");
        std::fs::write(config.path().join("config.toml"), text).unwrap();
    };
    let mut agent = StdioClient::start_with(&stage, &[], |command| {
        command.env("DESKHAND_CONFIG_DIR", config.path());
    });
    agent.initialize("2025-11-25", json!({}));
    agent.notify("notifications/initialized", json!({}));
    assert!(tool_names(&mut agent).contains(&"ax_click".to_owned()));
    write("sandboxed");
    agent.first_message(|message| message["method"] == "notifications/tools/list_changed");
    let names = tool_names(&mut agent);
    assert!(names.contains(&"ax_get_tree".to_owned()), "{names:?}");
    assert!(!names.contains(&"ax_click".to_owned()), "{names:?}");
    assert!(click_error(&mut agent).contains("sandboxed"));
    write("normal");
    // Time for the server to read the file.
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(click_error(&mut agent).contains("sandboxed"));
}
