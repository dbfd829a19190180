//! Resources: listing and content, compared with independent readers.

use std::collections::HashSet;

use harness::{App, Outcome, TestDesktop};
use serde_json::{Value, json};

use super::stdio_client::StdioClient;

/// A long timeout, so that reads are complete on a busy machine.
pub(crate) const LONG_TIMEOUT: &[&str] = &["--timeout", "20"];

/// Starts a client on protocol 2025-11-25.
fn start_initialized(stage: &TestDesktop) -> StdioClient {
    StdioClient::start_initialized(stage, LONG_TIMEOUT, "2025-11-25", json!({}))
}

/// Reads a resource that must exist.
fn read_contents(client: &mut StdioClient, uri: &str) -> Value {
    let answer = client.request("resources/read", json!({ "uri": uri }));
    let read_contents =
        answer["result"]["contents"].as_array().unwrap_or_else(|| panic!("{answer}"));
    assert_eq!((read_contents.len(), &read_contents[0]["uri"]), (1, &json!(uri)), "{answer}");
    read_contents[0].clone()
}

/// Reads a resource as JSON.
pub(crate) fn read(client: &mut StdioClient, uri: &str) -> Value {
    let contents = read_contents(client, uri);
    assert_eq!(contents["mimeType"], "application/json", "{contents}");
    serde_json::from_str(contents["text"].as_str().unwrap()).unwrap()
}

fn uris(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|one| one["uri"].as_str().unwrap()).collect()
}

/// Puts text on the clipboard with `xclip`.
pub(crate) fn copy_with_xclip(stage: &TestDesktop, text: &str) {
    use std::io::Write as _;
    let mut command = stage.command("xclip");
    command.args(["-selection", "clipboard", "-i"]).stdin(std::process::Stdio::piped());
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    let mut xclip = command.spawn().unwrap();
    xclip.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert!(xclip.wait().unwrap().success());
}

#[test]
fn resources_are_listed_with_metadata_on_both_protocols() {
    let stage = TestDesktop::new();
    let _editor = stage.start(App::Mousepad);
    for mut client in
        [start_initialized(&stage), StdioClient::start_modern(&stage, LONG_TIMEOUT, &json!({}))]
    {
        let list = client.request("resources/list", json!({}))["result"]["resources"].clone();
        let fixed = ["deskhand://apps", "deskhand://clipboard", "deskhand://system/status"];
        assert_eq!(uris(&list), fixed, "{list}");
        let metadata = |one: &Value| {
            let annotations = &one["annotations"];
            let priority = (annotations["priority"].as_f64().unwrap() * 10.0).round();
            let audience = annotations["audience"].as_array().unwrap().len();
            json!([one["name"], one["title"], one["mimeType"], priority, audience])
        };
        let listed: Vec<Value> = list.as_array().unwrap().iter().map(metadata).collect();
        assert_eq!(
            listed,
            [
                json!(["running-apps", "Running Applications", "application/json", 7.0, 1]),
                json!(["clipboard", "System Clipboard", "application/json", 3.0, 1]),
                json!(["system-status", "System Accessibility Status", "application/json", 9.0, 2]),
            ]
        );
        let templates = client.request("resources/templates/list", json!({}));
        let templates = templates["result"]["resourceTemplates"].clone();
        let listed: Vec<Value> = templates.as_array().unwrap().iter().map(metadata).collect();
        assert_eq!(
            listed,
            [
                json!(["app-events", "Application Event Stream", "application/json", 6.0, 1]),
                json!(["app-screenshot", "Application Screenshot", "image/png", 5.0, 1]),
                json!(["app-ui-state", "Application UI State", "application/json", 8.0, 1]),
                json!(["app-element-tree", "Application Element Tree", "application/json", 8.0, 1]),
                json!(["window-element-tree", "Window Element Tree", "application/json", 7.0, 1]),
            ]
        );
        client.call("ax_connect", json!({ "app": "mousepad" }));
        let list = client.request("resources/list", json!({}))["result"]["resources"].clone();
        let own = ["events", "screenshot", "state", "tree"]
            .map(|view| format!("deskhand://app/mousepad/{view}"));
        assert_eq!(uris(&list)[..4], own, "{list}");
        assert_eq!(uris(&list)[4..], fixed, "{list}");
        for uri in own {
            read_contents(&mut client, &uri);
        }
    }
}

#[test]
fn app_resources_match_independent_readers() {
    let stage = TestDesktop::new();
    let editor = stage.start(App::Mousepad);
    let desk = stage.window_inspector();
    let window = desk.window_of(editor.pid());
    let title = desk.property(window, "_NET_WM_NAME");
    let title = title.split('"').nth(1).unwrap();
    let mut client = start_initialized(&stage);
    client.call("ax_connect", json!({ "app": "mousepad", "alias": "ed" }));

    let state = read(&mut client, "deskhand://app/mousepad/state");
    assert_eq!((&state["app"], &state["pid"]), (&json!("mousepad"), &json!(editor.pid())));
    assert_eq!(state["windows"][0]["title"], title, "{state}");
    assert_eq!(state["focused_element"]["role"], "AXTextArea", "{state}");
    assert_eq!(state["detected_state"], "idle", "{state}");
    let menus = state["menu_bar"].as_array().unwrap();
    assert!(menus.contains(&json!("File")) && menus.contains(&json!("Help")), "{state}");

    let walk = stage.plain_walk(editor.pid());
    let tree = read(&mut client, "deskhand://app/ed/tree");
    let mut ids = HashSet::new();
    collect_ids(&tree, &mut ids);
    let independent_ids: HashSet<String> = walk.keys().cloned().collect();
    assert_eq!(ids, independent_ids, "an independent reader found different elements");
    let own = read(&mut client, "deskhand://app/mousepad/window/0/tree");
    assert_eq!((&own["role"], &own["title"]), (&json!("AXWindow"), &json!(title)));
    let mut of_window = HashSet::new();
    collect_ids(&own, &mut of_window);
    assert_eq!(
        of_window.len() + 1,
        ids.len(),
        "the window tree must contain all elements except the app"
    );

    let picture = read_contents(&mut client, "deskhand://app/mousepad/screenshot");
    assert_eq!(picture["mimeType"], "image/png");
    let frame = desk.frame(window);
    let drawn = png_size(picture["blob"].as_str().unwrap());
    assert_eq!(drawn, (frame.width, frame.height), "the image must include the window frame");
    let size = &state["windows"][0]["size"];
    let geometry = Outcome::of(stage.command("xwininfo").args(["-id", &window.to_string()])).text();
    assert!(geometry.contains(&format!("Width: {}", size[0])), "{geometry}");

    let apps = read(&mut client, "deskhand://apps");
    let of_editor = apps["apps"].as_array().unwrap().iter().find(|app| app["pid"] == editor.pid());
    let of_editor = of_editor.unwrap_or_else(|| panic!("{apps}"));
    assert_eq!(of_editor["name"], "mousepad");
    assert_eq!((&of_editor["connected"], &of_editor["state"]), (&json!(true), &json!("idle")));
    assert_eq!(of_editor["focused_window"], title, "{apps}");

    let status = read(&mut client, "deskhand://system/status");
    let version = Outcome::of(stage.command(harness::outcome::binary()).arg("--version")).text();
    assert!(version.contains(status["server_version"].as_str().unwrap()), "{status}");
    assert_eq!(status["accessibility_enabled"], true);
    assert_eq!(status["protocol_version"], "2025-11-25");
    assert_eq!(status["connected_apps"], json!(["mousepad"]));
    assert_eq!(
        (&status["security_mode"], &status["vlm_available"]),
        (&json!("normal"), &json!(false))
    );
    assert!(status["platform"].is_string() && status["uptime_seconds"].is_number(), "{status}");
}

fn collect_ids(node: &Value, into: &mut HashSet<String>) {
    into.insert(node["id"].as_str().unwrap().to_owned());
    for child in node["children"].as_array().into_iter().flatten() {
        collect_ids(child, into);
    }
}

/// Width and height of a PNG image in Base64. Bytes 16 to 23 are within the first 32 characters.
fn png_size(blob: &str) -> (i32, i32) {
    let letter = |c: u8| {
        let all = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        all.iter().position(|one| *one == c).unwrap() as u32
    };
    let bytes: Vec<u8> = blob.as_bytes()[..32]
        .chunks(4)
        .flat_map(|four| {
            let bits = four.iter().fold(0, |bits, c| bits << 6 | letter(*c));
            bits.to_be_bytes()[1..].to_vec()
        })
        .collect();
    assert_eq!(&bytes[1..4], b"PNG");
    let number = |at: usize| i32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

#[test]
fn dialog_is_reported_in_the_app_state() {
    let stage = TestDesktop::new();
    let app = stage.start(App::Mousepad);
    let mut client = start_initialized(&stage);
    client.call("ax_key_press", json!({ "app": "mousepad", "key": "o", "modifiers": ["ctrl"] }));
    stage.until(&app, "the dialog", |tree| tree.find(|one| one.kind == "file-chooser").is_some());
    let state = read(&mut client, "deskhand://app/mousepad/state");
    assert_eq!(state["detected_state"], "modal_dialog", "{state}");
    assert_eq!(state["windows"].as_array().unwrap().len(), 2, "{state}");
    let front = read(&mut client, "deskhand://app/mousepad/window/0/tree");
    assert_eq!(front["title"], state["windows"][0]["title"], "{}", front["kind"]);
    assert_eq!(front["kind"], "file-chooser");
}

#[test]
fn clipboard_resource_has_two_uris() {
    let stage = TestDesktop::new();
    let mut client = start_initialized(&stage);
    assert_eq!(read(&mut client, "deskhand://clipboard"), json!({ "forms": [] }));
    copy_with_xclip(&stage, "Grüße von xclip");
    for uri in ["deskhand://clipboard", "axterminator://clipboard"] {
        let copied = read(&mut client, uri);
        assert_eq!(copied["text"], "Grüße von xclip", "{copied}");
        assert!(copied["forms"].as_array().unwrap().contains(&json!("text/plain")), "{copied}");
    }
}

#[test]
fn missing_resource_error_has_uri_and_hint() {
    let stage = TestDesktop::new();
    let _editor = stage.start(App::Mousepad);
    for (mut client, code) in [
        (start_initialized(&stage), -32002),
        (StdioClient::start_modern(&stage, LONG_TIMEOUT, &json!({})), -32602),
    ] {
        for (uri, hint) in [
            ("deskhand://nothing", "resources/list"),
            ("https://example.org/", "resources/list"),
            ("deskhand://app/no-such-app/tree", "mousepad"),
            ("deskhand://app/no-such-app/events", "mousepad"),
            ("deskhand://app/mousepad/window/7/tree", "window 7"),
            ("deskhand://result/0000", "has expired"),
        ] {
            let refused = client.request("resources/read", json!({ "uri": uri }))["error"].clone();
            assert_eq!((&refused["code"], &refused["data"]["uri"]), (&json!(code), &json!(uri)));
            assert!(refused["message"].as_str().unwrap().contains(hint), "{refused}");
        }
        let uri = "deskhand://app/mousepad/tree?cursor=e99999";
        let refused = client.request("resources/read", json!({ "uri": uri }))["error"].clone();
        assert_eq!(refused["code"], -32602, "{refused}");
    }
}

#[test]
fn large_tree_is_paged_completely() {
    let stage = TestDesktop::new();
    let app = stage.start(App::Fixture("gtk3_mutations.py", &["--rows", "120"]));
    let mut client = start_initialized(&stage);
    let first = format!("deskhand://app/{}/tree", app.pid());
    let (mut uri, mut pages, mut ids) = (first.clone(), 0, HashSet::new());
    loop {
        let text = read_contents(&mut client, &uri)["text"].as_str().unwrap().to_owned();
        assert!(text.len() < 130_000, "{}", text.len());
        let page: Value = serde_json::from_str(&text).unwrap();
        pages += 1;
        match page["elements"].as_array() {
            None => collect_ids(&page, &mut ids),
            Some(all) => all.iter().for_each(|one| collect_ids(one, &mut ids)),
        }
        let Some(cursor) = page["nextCursor"].as_str() else { break };
        uri = format!("{first}?cursor={cursor}");
    }
    assert!(pages > 1, "{pages}");
    let independent_ids: HashSet<String> = stage.plain_walk(app.pid()).keys().cloned().collect();
    assert_eq!(ids, independent_ids);
}

#[test]
fn oversized_result_is_stored_and_linked() {
    let stage = TestDesktop::new();
    let _editor = stage.start(App::Mousepad);
    let text = "All work and no play. ".repeat(6_000);
    for mut client in
        [start_initialized(&stage), StdioClient::start_modern(&stage, LONG_TIMEOUT, &json!({}))]
    {
        let set_value = json!({ "app": "mousepad", "query": "role:textarea", "value": text });
        client.call("ax_set_value", set_value);
        let get_value = json!({ "app": "mousepad", "query": "role:textarea" });
        let result = client.call("ax_get_value", get_value);
        assert!(result.to_string().len() < 60_000, "{}", result.to_string().len());
        let link = &result["content"][1];
        assert_eq!(link["type"], "resource_link", "{link}");
        let data = &result["structuredContent"];
        assert_eq!((&data["found"], &data["role"]), (&json!(true), &json!("AXTextArea")));
        assert!(data["value"].as_str().unwrap().ends_with('…'));
        let uri = link["uri"].as_str().unwrap();
        assert!(result["content"][0]["text"].as_str().unwrap().ends_with(uri));
        let listed =
            client.request("resources/read", json!({ "uri": uri }))["result"]["contents"][0].take();
        assert_eq!(listed["_meta"]["dev.deskhand/from-apps"]["all"], true, "{}", listed["_meta"]);
        let full_result = read(&mut client, uri);
        assert_eq!(
            full_result["value"],
            text.trim_end_matches('\n'),
            "the stored result is incomplete"
        );
        assert_eq!(link["size"], full_result.to_string().len(), "{link}");
    }
}

#[test]
fn internal_view_tools_cannot_be_called() {
    let stage = TestDesktop::new();
    let mut client = start_initialized(&stage);
    for tool in [
        "view_app",
        "view_apps",
        "view_clipboard",
        "view_elements",
        "view_names",
        "view_state",
        "view_status",
        "view_tree",
    ] {
        let refused = client.request("tools/call", json!({ "name": tool, "arguments": {} }));
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
}
