//! Tools follow changes of their definition files, and clients are notified.

use std::{fs, time::Duration};

use harness::TestDesktop;
use serde_json::{Value, json};

use super::{Scope, start_client};
use crate::stdio_client::StdioClient;

fn definition(name: &str, about: &str) -> Value {
    json!({
        "name": name, "description": about, "command": "echo", "synchronous": true,
        "subcommand": [{ "name": "hello", "description": about }],
    })
}

/// Names and descriptions of the tools whose names start with `prefix`.
fn list_tools(client: &mut StdioClient, prefix: &str) -> Vec<(String, String)> {
    let answer = client.request("tools/list", json!({}));
    let tools = answer["result"]["tools"].as_array().unwrap();
    let word = |tool: &Value, field: &str| tool[field].as_str().unwrap_or_default().to_owned();
    let all = tools.iter().map(|tool| (word(tool, "name"), word(tool, "description")));
    all.filter(|(name, _)| name.starts_with(prefix)).collect()
}

fn is_list_changed(message: &Value) -> bool {
    message["method"] == "notifications/tools/list_changed"
}

#[test]
fn clients_of_both_protocols_are_notified_of_tool_changes() {
    let stage = TestDesktop::new();
    let scope = Scope::new();
    scope.define(&definition("early", "First"));
    let mut old = start_client(&stage, &scope, &[]);
    let mut new = StdioClient::start_with(&stage, &["--toolsets", "cli"], |command| {
        command.current_dir(scope.path());
    })
    .with_modern_protocol(&json!({}));
    let filter = json!({ "notifications": { "toolsListChanged": true } });
    new.send_request("subscriptions/listen", filter);
    new.first_message(|message| message["method"] == "notifications/subscriptions/acknowledged");
    assert_eq!(list_tools(&mut old, "early").len(), 1);
    scope.define(&definition("late", "Second"));
    for client in [&mut old, &mut new] {
        client.first_message(is_list_changed);
        assert_eq!(list_tools(client, "late").len(), 1);
        let result = client.call("late_hello", json!({}));
        assert_eq!(result["structuredContent"]["output"], "hello\n", "{result}");
    }
    fs::remove_file(scope.path().join(".deskhand/tools/early.json")).unwrap();
    for client in [&mut old, &mut new] {
        client.first_message(is_list_changed);
        assert!(list_tools(client, "early").is_empty());
        let gone = client.request("tools/call", json!({ "name": "early_hello", "arguments": {} }));
        assert_eq!(gone["error"]["code"], -32602, "{gone}");
    }
}

#[test]
fn tool_list_is_correct_after_a_thousand_edits() {
    let stage = TestDesktop::new();
    let scope = Scope::new();
    scope.define(&definition("tool", "0"));
    let mut client = start_client(&stage, &scope, &[]);
    let folder = scope.path().join(".deskhand/tools");
    let operation = super::start_operation(&mut client, "sleep 1; echo undisturbed");
    for round in 1..=1000 {
        let text = definition("tool", &format!("{round}")).to_string();
        match round % 4 {
            // Editors save by renaming a new file over the old one.
            0 => {
                fs::write(folder.join("tool.json~"), &text).unwrap();
                fs::rename(folder.join("tool.json~"), folder.join("tool.json")).unwrap();
            }
            1 => fs::write(folder.join("tool.json"), &text[..text.len() / 2]).unwrap(),
            2 => scope.define(&definition(&format!("other{}", round % 7), "x")),
            _ => {
                fs::write(folder.join("tool.json"), &text).unwrap();
                let _ = fs::remove_file(folder.join(format!("other{}.json", round % 7)));
            }
        }
    }
    for name in 0..7 {
        let _ = fs::remove_file(folder.join(format!("other{name}.json")));
    }
    scope.define(&definition("tool", "the last"));
    let is_right = |client: &mut StdioClient| {
        let tools = list_tools(client, "tool");
        tools.len() == 1
            && tools[0].1.contains("the last")
            && list_tools(client, "other").is_empty()
    };
    let mut notifications = 0;
    while !is_right(&mut client) {
        let message = client
            .next_within(Duration::from_secs(20))
            .expect("the tool list did not become correct");
        notifications += usize::from(is_list_changed(&message));
    }
    while let Some(message) = client.next_within(Duration::from_secs(1)) {
        notifications += usize::from(is_list_changed(&message));
    }
    assert!((1..100).contains(&notifications), "{notifications} notifications");
    let awaited = client.call("await", json!({ "operation_id": operation }));
    assert_eq!(awaited["structuredContent"]["ended"][0]["output"], "undisturbed\n", "{awaited}");
}
