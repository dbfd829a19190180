//! Roots: a client of the handshake is asked for its folders, and those with a `.deskhand` folder are
//! known.

use std::path::Path;

use harness::Stage;
use serde_json::{Value, json};

use super::talk::Talk;

/// Answers the question for folders, and returns what the server says it found in them.
fn answered(talk: &mut Talk, roots: &Value) -> Value {
    let question = talk.first(|message| message["method"] == "roots/list");
    let result = json!({ "roots": roots });
    talk.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": result }));
    let found = talk.first(|message| !message["params"]["data"]["deskhand"].is_null());
    assert_eq!(found["params"]["logger"], "deskhand.server", "{found}");
    found["params"]["data"].clone()
}

fn root(path: &Path) -> Value {
    json!({ "uri": format!("file://{}", path.display().to_string().replace(' ', "%20")) })
}

#[test]
fn folders_with_one_of_ours_are_found_at_the_start_and_when_they_change() {
    let stage = Stage::new();
    let here = tempfile::tempdir().unwrap();
    let (one, two) = (here.path().join("one project"), here.path().join("two"));
    std::fs::create_dir_all(one.join(".deskhand/macros")).unwrap();
    std::fs::create_dir_all(&two).unwrap();
    let can = json!({ "roots": { "listChanged": true } });
    let mut talk = Talk::initialized(&stage, &[], "2025-11-25", can);
    let elsewhere = json!({ "uri": "https://example.org/project" });
    let found = answered(&mut talk, &json!([root(&one), root(&two), elsewhere]));
    assert_eq!(found["folders"], 3, "{found}");
    assert_eq!(found["deskhand"], json!([one.join(".deskhand")]), "{found}");

    std::fs::create_dir(two.join(".deskhand")).unwrap();
    talk.notify("notifications/roots/list_changed", json!({}));
    let found = answered(&mut talk, &json!([root(&two)]));
    assert_eq!(found["deskhand"], json!([two.join(".deskhand")]), "{found}");
    let status = talk.ask("resources/read", json!({ "uri": "deskhand://system/status" }));
    let text = status["result"]["contents"][0]["text"].as_str().unwrap_or_default();
    assert!(text.contains(&two.join(".deskhand").display().to_string()), "{status}");
    let left: Vec<_> = std::fs::read_dir(&two).unwrap().collect();
    assert_eq!(left.len(), 1, "nothing is written there");
}

#[test]
fn a_client_without_folders_or_of_the_later_era_is_not_asked() {
    let stage = Stage::new();
    let mut talk = Talk::initialized(&stage, &[], "2025-11-25", json!({}));
    talk.notify("notifications/roots/list_changed", json!({}));
    talk.assert_quiet();
    let mut talk = Talk::modern(&stage, &[], &json!({ "roots": {} }));
    talk.assert_quiet();
}

#[test]
fn a_client_that_does_not_answer_is_served_all_the_same() {
    let stage = Stage::new();
    let mut talk = Talk::initialized(&stage, &[], "2025-06-18", json!({ "roots": {} }));
    let question = talk.first(|message| message["method"] == "roots/list");
    assert!(talk.ask("tools/list", json!({}))["result"]["tools"].is_array());
    let error = json!({ "code": -32603, "message": "no" });
    talk.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "error": error }));
    talk.assert_quiet();
}
