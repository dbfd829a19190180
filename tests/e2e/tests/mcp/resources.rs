//! Resources: listed with all their words, and each read of a real app says what others see.

use std::collections::HashSet;

use harness::{App, Outcome, Stage};
use serde_json::{Value, json};

use super::talk::Talk;

/// Looks that are not cut short on a busy machine.
pub(crate) const PATIENT: &[&str] = &["--timeout", "20"];

/// The newest version of the handshake.
fn handshake(stage: &Stage) -> Talk {
    Talk::initialized(stage, PATIENT, "2025-11-25", json!({}))
}

/// The contents of a resource that must be there.
fn contents(talk: &mut Talk, uri: &str) -> Value {
    let answer = talk.ask("resources/read", json!({ "uri": uri }));
    let contents = answer["result"]["contents"].as_array().unwrap_or_else(|| panic!("{answer}"));
    assert_eq!((contents.len(), &contents[0]["uri"]), (1, &json!(uri)), "{answer}");
    contents[0].clone()
}

/// The JSON a resource holds.
pub(crate) fn read(talk: &mut Talk, uri: &str) -> Value {
    let contents = contents(talk, uri);
    assert_eq!(contents["mimeType"], "application/json", "{contents}");
    serde_json::from_str(contents["text"].as_str().unwrap()).unwrap()
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|one| one["uri"].as_str().unwrap()).collect()
}

/// Puts text on the clipboard by another program.
pub(crate) fn copy(stage: &Stage, text: &str) {
    use std::io::Write as _;
    let mut command = stage.command("xclip");
    command.args(["-selection", "clipboard", "-i"]).stdin(std::process::Stdio::piped());
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    let mut xclip = command.spawn().unwrap();
    xclip.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert!(xclip.wait().unwrap().success());
}

#[test]
fn resources_are_listed_with_all_their_words_in_both_eras() {
    let stage = Stage::new();
    let _editor = stage.start(App::Mousepad);
    for mut talk in [handshake(&stage), Talk::modern(&stage, PATIENT, &json!({}))] {
        let list = talk.ask("resources/list", json!({}))["result"]["resources"].clone();
        let fixed = ["deskhand://apps", "deskhand://clipboard", "deskhand://system/status"];
        assert_eq!(names(&list), fixed, "{list}");
        let words = |one: &Value| {
            let annotations = &one["annotations"];
            let priority = (annotations["priority"].as_f64().unwrap() * 10.0).round();
            let audience = annotations["audience"].as_array().unwrap().len();
            json!([one["name"], one["title"], one["mimeType"], priority, audience])
        };
        let told: Vec<Value> = list.as_array().unwrap().iter().map(words).collect();
        assert_eq!(
            told,
            [
                json!(["running-apps", "Running Applications", "application/json", 7.0, 1]),
                json!(["clipboard", "System Clipboard", "application/json", 3.0, 1]),
                json!(["system-status", "System Accessibility Status", "application/json", 9.0, 2]),
            ]
        );
        let templates = talk.ask("resources/templates/list", json!({}));
        let templates = templates["result"]["resourceTemplates"].clone();
        let told: Vec<Value> = templates.as_array().unwrap().iter().map(words).collect();
        assert_eq!(
            told,
            [
                json!(["app-events", "Application Event Stream", "application/json", 6.0, 1]),
                json!(["app-screenshot", "Application Screenshot", "image/png", 5.0, 1]),
                json!(["app-ui-state", "Application UI State", "application/json", 8.0, 1]),
                json!(["app-element-tree", "Application Element Tree", "application/json", 8.0, 1]),
                json!(["window-element-tree", "Window Element Tree", "application/json", 7.0, 1]),
            ]
        );
        talk.call("ax_connect", json!({ "app": "mousepad" }));
        let list = talk.ask("resources/list", json!({}))["result"]["resources"].clone();
        let own = ["events", "screenshot", "state", "tree"]
            .map(|view| format!("deskhand://app/mousepad/{view}"));
        assert_eq!(names(&list)[..4], own, "{list}");
        assert_eq!(names(&list)[4..], fixed, "{list}");
        for uri in own {
            contents(&mut talk, &uri);
        }
    }
}

#[test]
fn an_app_is_read_as_others_see_it() {
    let stage = Stage::new();
    let editor = stage.start(App::Mousepad);
    let desk = stage.desk();
    let window = desk.window_of(editor.pid());
    let title = desk.property(window, "_NET_WM_NAME");
    let title = title.split('"').nth(1).unwrap();
    let mut talk = handshake(&stage);
    talk.call("ax_connect", json!({ "app": "mousepad", "alias": "ed" }));

    let state = read(&mut talk, "deskhand://app/mousepad/state");
    assert_eq!((&state["app"], &state["pid"]), (&json!("mousepad"), &json!(editor.pid())));
    assert_eq!(state["windows"][0]["title"], title, "{state}");
    assert_eq!(state["focused_element"]["role"], "AXTextArea", "{state}");
    assert_eq!(state["detected_state"], "idle", "{state}");
    let menus = state["menu_bar"].as_array().unwrap();
    assert!(menus.contains(&json!("File")) && menus.contains(&json!("Help")), "{state}");

    let walk = stage.plain_walk(editor.pid());
    let tree = read(&mut talk, "deskhand://app/ed/tree");
    let mut ids = HashSet::new();
    gather(&tree, &mut ids);
    let others: HashSet<String> = walk.keys().cloned().collect();
    assert_eq!(ids, others, "another reader sees the same elements");
    let own = read(&mut talk, "deskhand://app/mousepad/window/0/tree");
    assert_eq!((&own["role"], &own["title"]), (&json!("AXWindow"), &json!(title)));
    let mut of_window = HashSet::new();
    gather(&own, &mut of_window);
    assert_eq!(of_window.len() + 1, ids.len(), "all but the app itself");

    let picture = contents(&mut talk, "deskhand://app/mousepad/screenshot");
    assert_eq!(picture["mimeType"], "image/png");
    let frame = desk.frame(window);
    let drawn = png_size(picture["blob"].as_str().unwrap());
    assert_eq!(drawn, (frame.width, frame.height), "a window is shown with its frame");
    let size = &state["windows"][0]["size"];
    let geometry = Outcome::of(stage.command("xwininfo").args(["-id", &window.to_string()])).text();
    assert!(geometry.contains(&format!("Width: {}", size[0])), "{geometry}");

    let apps = read(&mut talk, "deskhand://apps");
    let of_editor = apps["apps"].as_array().unwrap().iter().find(|app| app["pid"] == editor.pid());
    let of_editor = of_editor.unwrap_or_else(|| panic!("{apps}"));
    assert_eq!(of_editor["name"], "mousepad");
    assert_eq!((&of_editor["connected"], &of_editor["state"]), (&json!(true), &json!("idle")));
    assert_eq!(of_editor["focused_window"], title, "{apps}");

    let status = read(&mut talk, "deskhand://system/status");
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

fn gather(node: &Value, into: &mut HashSet<String>) {
    into.insert(node["id"].as_str().unwrap().to_owned());
    for child in node["children"].as_array().into_iter().flatten() {
        gather(child, into);
    }
}

/// Width and height of a PNG file in Base64: the 16th to the 24th byte are in its first 32 letters.
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
fn a_dialog_is_told_as_the_state_of_its_app() {
    let stage = Stage::new();
    let app = stage.start(App::Mousepad);
    let mut talk = handshake(&stage);
    talk.call("ax_key_press", json!({ "app": "mousepad", "key": "o", "modifiers": ["ctrl"] }));
    stage.until(&app, "the dialog", |tree| tree.find(|one| one.kind == "file-chooser").is_some());
    let state = read(&mut talk, "deskhand://app/mousepad/state");
    assert_eq!(state["detected_state"], "modal_dialog", "{state}");
    assert_eq!(state["windows"].as_array().unwrap().len(), 2, "{state}");
    let front = read(&mut talk, "deskhand://app/mousepad/window/0/tree");
    assert_eq!(front["title"], state["windows"][0]["title"], "{}", front["kind"]);
    assert_eq!(front["kind"], "file-chooser");
}

#[test]
fn what_another_program_copied_is_read_under_either_name() {
    let stage = Stage::new();
    let mut talk = handshake(&stage);
    assert_eq!(read(&mut talk, "deskhand://clipboard"), json!({ "forms": [] }));
    copy(&stage, "Grüße von xclip");
    for uri in ["deskhand://clipboard", "axterminator://clipboard"] {
        let copied = read(&mut talk, uri);
        assert_eq!(copied["text"], "Grüße von xclip", "{copied}");
        assert!(copied["forms"].as_array().unwrap().contains(&json!("text/plain")), "{copied}");
    }
}

#[test]
fn what_is_not_there_is_refused_with_its_address_and_a_way_on() {
    let stage = Stage::new();
    let _editor = stage.start(App::Mousepad);
    for (mut talk, code) in
        [(handshake(&stage), -32002), (Talk::modern(&stage, PATIENT, &json!({})), -32602)]
    {
        for (uri, hint) in [
            ("deskhand://nothing", "resources/list"),
            ("https://example.org/", "resources/list"),
            ("deskhand://app/nobody/tree", "mousepad"),
            ("deskhand://app/nobody/events", "mousepad"),
            ("deskhand://app/mousepad/window/7/tree", "number 7"),
            ("deskhand://result/0000", "no longer kept"),
        ] {
            let refused = talk.ask("resources/read", json!({ "uri": uri }))["error"].clone();
            assert_eq!((&refused["code"], &refused["data"]["uri"]), (&json!(code), &json!(uri)));
            assert!(refused["message"].as_str().unwrap().contains(hint), "{refused}");
        }
        let uri = "deskhand://app/mousepad/tree?cursor=e99999";
        let refused = talk.ask("resources/read", json!({ "uri": uri }))["error"].clone();
        assert_eq!(refused["code"], -32602, "{refused}");
    }
}

#[test]
fn a_large_tree_comes_in_pages_that_lose_nothing() {
    let stage = Stage::new();
    let app = stage.start(App::Fixture("gtk3_mutations.py", &["--rows", "120"]));
    let mut talk = handshake(&stage);
    let first = format!("deskhand://app/{}/tree", app.pid());
    let (mut uri, mut pages, mut ids) = (first.clone(), 0, HashSet::new());
    loop {
        let text = contents(&mut talk, &uri)["text"].as_str().unwrap().to_owned();
        assert!(text.len() < 130_000, "{}", text.len());
        let page: Value = serde_json::from_str(&text).unwrap();
        pages += 1;
        match page["elements"].as_array() {
            None => gather(&page, &mut ids),
            Some(all) => all.iter().for_each(|one| gather(one, &mut ids)),
        }
        let Some(cursor) = page["nextCursor"].as_str() else { break };
        uri = format!("{first}?cursor={cursor}");
    }
    assert!(pages > 1, "{pages}");
    let others: HashSet<String> = stage.plain_walk(app.pid()).keys().cloned().collect();
    assert_eq!(ids, others);
}

#[test]
fn a_result_too_large_for_clients_is_kept_and_linked() {
    let stage = Stage::new();
    let _editor = stage.start(App::Mousepad);
    let words = "All work and no play. ".repeat(6_000);
    for mut talk in [handshake(&stage), Talk::modern(&stage, PATIENT, &json!({}))] {
        let written = json!({ "app": "mousepad", "query": "role:textarea", "value": words });
        talk.call("ax_set_value", written);
        let asked = json!({ "app": "mousepad", "query": "role:textarea" });
        let result = talk.call("ax_get_value", asked);
        assert!(result.to_string().len() < 60_000, "{}", result.to_string().len());
        let link = &result["content"][1];
        assert_eq!(link["type"], "resource_link", "{link}");
        let data = &result["structuredContent"];
        assert_eq!((&data["found"], &data["role"]), (&json!(true), &json!("AXTextArea")));
        assert!(data["value"].as_str().unwrap().ends_with('…'));
        let uri = link["uri"].as_str().unwrap();
        assert!(result["content"][0]["text"].as_str().unwrap().ends_with(uri));
        let told =
            talk.ask("resources/read", json!({ "uri": uri }))["result"]["contents"][0].take();
        assert_eq!(told["_meta"]["dev.deskhand/from-apps"]["all"], true, "{}", told["_meta"]);
        let whole = read(&mut talk, uri);
        assert_eq!(whole["value"], words.trim_end_matches('\n'), "nothing is lost");
        assert_eq!(link["size"], whole.to_string().len(), "{link}");
    }
}

#[test]
fn what_resources_are_made_of_cannot_be_called_by_name() {
    let stage = Stage::new();
    let mut talk = handshake(&stage);
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
        let refused = talk.ask("tools/call", json!({ "name": tool, "arguments": {} }));
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
}
