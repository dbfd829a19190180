//! Tools come and go with their files, and every client is told.

use std::{fs, time::Duration};

use harness::Stage;
use serde_json::{Value, json};

use super::{Scope, talk};
use crate::talk::Talk;

fn definition(name: &str, about: &str) -> Value {
    json!({
        "name": name, "description": about, "command": "echo", "synchronous": true,
        "subcommand": [{ "name": "hello", "description": about }],
    })
}

/// The tools of a name, by name and description.
fn listed(talk: &mut Talk, beginning: &str) -> Vec<(String, String)> {
    let answer = talk.ask("tools/list", json!({}));
    let tools = answer["result"]["tools"].as_array().unwrap();
    let word = |tool: &Value, field: &str| tool[field].as_str().unwrap_or_default().to_owned();
    let all = tools.iter().map(|tool| (word(tool, "name"), word(tool, "description")));
    all.filter(|(name, _)| name.starts_with(beginning)).collect()
}

fn is_news(message: &Value) -> bool {
    message["method"] == "notifications/tools/list_changed"
}

#[test]
fn clients_of_both_eras_hear_of_tools_that_come_and_go() {
    let stage = Stage::new();
    let scope = Scope::new();
    scope.define(&definition("early", "First"));
    let mut old = talk(&stage, &scope, &[]);
    let mut new = Talk::begin_changed(&stage, &["--toolsets", "cli"], |command| {
        command.current_dir(scope.path());
    })
    .speaking_modern(&json!({}));
    let filter = json!({ "notifications": { "toolsListChanged": true } });
    new.request("subscriptions/listen", filter);
    new.first(|message| message["method"] == "notifications/subscriptions/acknowledged");
    assert_eq!(listed(&mut old, "early").len(), 1);
    scope.define(&definition("late", "Second"));
    for client in [&mut old, &mut new] {
        client.first(is_news);
        assert_eq!(listed(client, "late").len(), 1);
        let said = client.call("late_hello", json!({}));
        assert_eq!(said["structuredContent"]["output"], "hello\n", "{said}");
    }
    fs::remove_file(scope.path().join(".deskhand/tools/early.json")).unwrap();
    for client in [&mut old, &mut new] {
        client.first(is_news);
        assert!(listed(client, "early").is_empty());
        let gone = client.ask("tools/call", json!({ "name": "early_hello", "arguments": {} }));
        assert_eq!(gone["error"]["code"], -32602, "{gone}");
    }
}

#[test]
fn a_thousand_edits_in_a_row_end_in_the_right_list() {
    let stage = Stage::new();
    let scope = Scope::new();
    scope.define(&definition("tool", "0"));
    let mut talk = talk(&stage, &scope, &[]);
    let folder = scope.path().join(".deskhand/tools");
    let behind = super::begin(&mut talk, "sleep 1; echo undisturbed");
    for turn in 1..=1000 {
        let text = definition("tool", &format!("{turn}")).to_string();
        match turn % 4 {
            // As editors save: a new file in the place of the old one.
            0 => {
                fs::write(folder.join("tool.json~"), &text).unwrap();
                fs::rename(folder.join("tool.json~"), folder.join("tool.json")).unwrap();
            }
            1 => fs::write(folder.join("tool.json"), &text[..text.len() / 2]).unwrap(),
            2 => scope.define(&definition(&format!("other{}", turn % 7), "x")),
            _ => {
                fs::write(folder.join("tool.json"), &text).unwrap();
                let _ = fs::remove_file(folder.join(format!("other{}.json", turn % 7)));
            }
        }
    }
    for name in 0..7 {
        let _ = fs::remove_file(folder.join(format!("other{name}.json")));
    }
    scope.define(&definition("tool", "the last"));
    let is_right = |talk: &mut Talk| {
        let tools = listed(talk, "tool");
        tools.len() == 1 && tools[0].1.contains("the last") && listed(talk, "other").is_empty()
    };
    let mut news = 0;
    while !is_right(&mut talk) {
        let message = talk.within(Duration::from_secs(20)).expect("the list stays wrong");
        news += usize::from(is_news(&message));
    }
    while let Some(message) = talk.within(Duration::from_secs(1)) {
        news += usize::from(is_news(&message));
    }
    assert!((1..100).contains(&news), "told {news} times");
    let awaited = talk.call("await", json!({ "operation_id": behind }));
    assert_eq!(awaited["structuredContent"]["ended"][0]["output"], "undisturbed\n", "{awaited}");
}
