//! Roots: the server requests the folders of the client, and folders with a `.deskhand` folder are
//! recognized.

use std::path::Path;

use harness::TestDesktop;
use serde_json::{Value, json};

use super::stdio_client::StdioClient;

/// Answers the `roots/list` request. Returns what the server reports about the roots.
fn send_roots(client: &mut StdioClient, roots: &Value) -> Value {
    let request = client.first_message(|message| message["method"] == "roots/list");
    let result = json!({ "roots": roots });
    client.send(&json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }));
    let found = client.first_message(|message| !message["params"]["data"]["deskhand"].is_null());
    assert_eq!(found["params"]["logger"], "deskhand.server", "{found}");
    found["params"]["data"].clone()
}

fn root(path: &Path) -> Value {
    json!({ "uri": format!("file://{}", path.display().to_string().replace(' ', "%20")) })
}

#[test]
fn deskhand_folders_in_roots_are_found_and_updated() {
    let stage = TestDesktop::new();
    let workspace = tempfile::tempdir().unwrap();
    let (one, two) = (workspace.path().join("one project"), workspace.path().join("two"));
    std::fs::create_dir_all(one.join(".deskhand/macros")).unwrap();
    std::fs::create_dir_all(&two).unwrap();
    let capabilities = json!({ "roots": { "listChanged": true } });
    let mut client = StdioClient::start_initialized(&stage, &[], "2025-11-25", capabilities);
    let remote = json!({ "uri": "https://example.org/project" });
    let found = send_roots(&mut client, &json!([root(&one), root(&two), remote]));
    assert_eq!(found["folders"], 3, "{found}");
    assert_eq!(found["deskhand"], json!([one.join(".deskhand")]), "{found}");

    std::fs::create_dir(two.join(".deskhand")).unwrap();
    client.notify("notifications/roots/list_changed", json!({}));
    let found = send_roots(&mut client, &json!([root(&two)]));
    assert_eq!(found["deskhand"], json!([two.join(".deskhand")]), "{found}");
    let status = client.request("resources/read", json!({ "uri": "deskhand://system/status" }));
    let text = status["result"]["contents"][0]["text"].as_str().unwrap_or_default();
    assert!(text.contains(&two.join(".deskhand").display().to_string()), "{status}");
    let entries: Vec<_> = std::fs::read_dir(&two).unwrap().collect();
    assert_eq!(entries.len(), 1, "the server wrote into the root");
}

#[test]
fn client_without_roots_or_on_2026_07_28_is_not_asked() {
    let stage = TestDesktop::new();
    let mut client = StdioClient::start_initialized(&stage, &[], "2025-11-25", json!({}));
    client.notify("notifications/roots/list_changed", json!({}));
    client.assert_no_pending_messages();
    let mut client = StdioClient::start_modern(&stage, &[], &json!({ "roots": {} }));
    client.assert_no_pending_messages();
}

#[test]
fn client_that_refuses_roots_is_served() {
    let stage = TestDesktop::new();
    let mut client =
        StdioClient::start_initialized(&stage, &[], "2025-06-18", json!({ "roots": {} }));
    let request = client.first_message(|message| message["method"] == "roots/list");
    assert!(client.request("tools/list", json!({}))["result"]["tools"].is_array());
    let error = json!({ "code": -32603, "message": "no" });
    client.send(&json!({ "jsonrpc": "2.0", "id": request["id"], "error": error }));
    client.assert_no_pending_messages();
}
