//! Resource subscriptions: each change in a real app is reported once, and a client that leaves
//! frees all listeners.

use std::{
    fs,
    time::{Duration, Instant},
};

use harness::{App, Program, TestDesktop};
use serde_json::{Value, json};

use super::{
    http_server::HttpServer,
    resources::{LONG_TIMEOUT, copy_with_xclip, read},
    stdio_client::StdioClient,
};

/// Time without messages after which no more are expected.
const QUIET_PERIOD: Duration = Duration::from_millis(2_500);

/// Starts a client on protocol 2025-11-25.
fn start_initialized(stage: &TestDesktop) -> StdioClient {
    StdioClient::start_initialized(stage, LONG_TIMEOUT, "2025-11-25", json!({}))
}

fn subscribe(client: &mut StdioClient, uri: &str) {
    let answer = client.request("resources/subscribe", json!({ "uri": uri }));
    assert_eq!(answer["result"], json!({}), "{answer}");
}

fn unsubscribe(client: &mut StdioClient, uri: &str) {
    let answer = client.request("resources/unsubscribe", json!({ "uri": uri }));
    assert_eq!(answer["result"], json!({}), "{answer}");
}

/// The URI of a changed resource, `list` for a changed resource list, or `None` for other messages.
fn changed_resource(message: &Value) -> Option<String> {
    match message["method"].as_str()? {
        "notifications/resources/updated" => {
            Some(message["params"]["uri"].as_str().unwrap().to_owned())
        }
        "notifications/resources/list_changed" => Some("list".to_owned()),
        _ => None,
    }
}

/// Collects all changes until no more arrive, sorted. Waits for `first` if it is given.
fn collect_changes(client: &mut StdioClient, first: Option<&str>) -> Vec<String> {
    let mut all = Vec::new();
    if let Some(first) = first {
        let message =
            client.first_message(|message| changed_resource(message).as_deref() == Some(first));
        all.extend(changed_resource(&message));
    }
    let mut end = Instant::now() + QUIET_PERIOD;
    while let Some(message) = client.next_within(end.saturating_duration_since(Instant::now())) {
        if let Some(uri) = changed_resource(&message) {
            all.push(uri);
            end = Instant::now() + QUIET_PERIOD;
        }
    }
    all.sort();
    all
}

/// Names of the listener threads of a server.
fn listener_threads(pid: u32) -> Vec<String> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let name = |task: fs::DirEntry| fs::read_to_string(task.path().join("comm")).ok();
    let all = tasks.filter_map(|task| name(task.ok()?));
    let mut all: Vec<String> =
        all.filter_map(|name| Some(name.trim().strip_prefix("watch:")?.to_owned())).collect();
    all.sort();
    all
}

/// Waits until exactly these threads listen.
fn wait_for_listeners(pid: u32, expected: &[&str]) {
    let reached = harness::inspect::wait_until(|| listener_threads(pid) == expected);
    assert!(reached, "listeners are {:?} instead of {expected:?}", listener_threads(pid));
}

fn start_app(stage: &TestDesktop) -> Program {
    stage.start(App::Fixture("gtk3_mutations.py", &["--rows", "3"]))
}

#[test]
fn changed_tree_is_reported_once_and_unchanged_tree_never() {
    let stage = TestDesktop::new();
    let mut app = start_app(&stage);
    let pid = app.pid();
    let mut client = start_initialized(&stage);
    let tree = format!("deskhand://app/{pid}/tree");
    let window = format!("axterminator://app/{pid}/window/0/tree");
    subscribe(&mut client, &tree);
    subscribe(&mut client, &window);
    subscribe(&mut client, &tree);
    assert_eq!(collect_changes(&mut client, None), [""; 0]);
    app.write_line(r#"{"do": "insert", "at": 0}"#);
    assert_eq!(collect_changes(&mut client, Some(&tree)), [window.clone(), tree.clone()]);
    // A change that is undone before the next read is not reported.
    app.write_line(r#"{"do": "batch", "commands": [{"do": "move", "from": 0, "to": 1}, {"do": "move", "from": 1, "to": 0}]}"#);
    assert_eq!(collect_changes(&mut client, None), [""; 0]);
    app.write_line(r#"{"do": "list"}"#);
    assert_eq!(collect_changes(&mut client, None), [""; 0]);
    unsubscribe(&mut client, &tree);
    app.write_line(r#"{"do": "insert", "at": 0}"#);
    assert_eq!(collect_changes(&mut client, Some(&window)), std::slice::from_ref(&window));
    unsubscribe(&mut client, &window);
    wait_for_listeners(client.pid(), &["desk"]);
    app.write_line(r#"{"do": "insert", "at": 0}"#);
    assert_eq!(
        collect_changes(&mut client, None),
        [""; 0],
        "a change was reported after the last unsubscribe"
    );
}

#[test]
fn focus_and_state_changes_are_reported_as_events() {
    let stage = TestDesktop::new();
    let app = stage.start(App::Fixture("gtk3_passwords.py", &[]));
    let tree = stage.tree(&app);
    let centre = |name: &str| tree.named("textbox", name).bounds.unwrap().centre();
    let hand = stage.real_input();
    hand.click(centre("Plain entry"));
    let mut client = start_initialized(&stage);
    let state = format!("deskhand://app/{}/state", app.pid());
    let events = format!("deskhand://app/{}/events", app.pid());
    subscribe(&mut client, &state);
    subscribe(&mut client, &events);
    assert_eq!(read(&mut client, &events), json!({ "events": [], "listening": true }));

    hand.type_text("a");
    let changes = collect_changes(&mut client, Some(&events));
    assert!(!changes.contains(&state), "typing must not change the state resource: {changes:?}");
    let event_list = read(&mut client, &events)["events"].clone();
    let typed = &event_list[0];
    assert_eq!(
        (&typed["type"], &typed["element"]),
        (&json!("value_changed"), &json!("AXTextField 'Plain entry'")),
        "{event_list}"
    );
    assert!(typed["timestamp"].as_str().unwrap().ends_with('Z'), "{typed}");

    let at = tree.named("checkbox", "Remember me").bounds.unwrap().centre();
    hand.click(at);
    let changes = collect_changes(&mut client, Some(&state));
    assert_eq!(changes.iter().filter(|uri| **uri == state).count(), 1, "{changes:?}");
    assert!(changes.contains(&events), "{changes:?}");
    let now = read(&mut client, &state);
    assert_eq!(now["focused_element"]["title"], "Remember me", "{now}");
    let event_list = read(&mut client, &events)["events"].clone();
    let of = |kind: &str| {
        event_list.as_array().unwrap().iter().find(|one| one["type"] == kind).cloned().unwrap()
    };
    assert_eq!(of("focus_changed")["element"], "AXCheckBox 'Remember me'", "{event_list}");
    assert_eq!(of("state_changed")["state"], "checked", "{event_list}");
}

#[test]
fn dialog_opened_by_the_user_is_reported_with_its_title() {
    let stage = TestDesktop::new();
    let app = stage.start(App::Mousepad);
    let desk = stage.window_inspector();
    desk.window_of(app.pid());
    let mut client = start_initialized(&stage);
    let events = "deskhand://app/mousepad/events";
    subscribe(&mut client, events);
    assert!(stage.command("xdotool").args(["key", "ctrl+o"]).status().unwrap().success());
    client.first_message(|message| changed_resource(message).as_deref() == Some(events));
    collect_changes(&mut client, None);
    let event_list = read(&mut client, events)["events"].clone();
    let all = event_list.as_array().unwrap();
    let title = |kind: &str| all.iter().find(|one| one["type"] == kind).map(|one| &one["title"]);
    assert_eq!(title("dialog_appeared"), title("window_opened"), "{event_list}");
    assert!(title("dialog_appeared").unwrap().as_str().unwrap().contains("Open"), "{event_list}");
    assert!(stage.command("xdotool").args(["key", "Escape"]).status().unwrap().success());
    client.first_message(|message| changed_resource(message).as_deref() == Some(events));
    collect_changes(&mut client, None);
    let event_list = read(&mut client, events)["events"].clone();
    let closed = event_list.as_array().unwrap().iter().find(|one| one["type"] == "window_closed");
    assert_eq!(closed.unwrap()["title"], *title("dialog_appeared").unwrap(), "{event_list}");
}

#[test]
fn clipboard_change_is_reported_only_if_the_content_differs() {
    let stage = TestDesktop::new();
    let mut client = start_initialized(&stage);
    subscribe(&mut client, "axterminator://clipboard");
    copy_with_xclip(&stage, "one");
    let uri = "axterminator://clipboard";
    assert_eq!(collect_changes(&mut client, Some(uri)), [uri], "the subscribed URI must be used");
    assert_eq!(read(&mut client, uri)["text"], "one");
    copy_with_xclip(&stage, "one");
    assert_eq!(collect_changes(&mut client, None), [""; 0]);
    copy_with_xclip(&stage, "two");
    assert_eq!(collect_changes(&mut client, Some(uri)), [uri]);
    unsubscribe(&mut client, uri);
    copy_with_xclip(&stage, "three");
    assert_eq!(collect_changes(&mut client, None), [""; 0]);
    wait_for_listeners(client.pid(), &["desk"]);
}

#[test]
fn app_start_and_exit_change_apps_and_resource_list() {
    let stage = TestDesktop::new();
    let mut client = start_initialized(&stage);
    let apps = "deskhand://apps";
    client.request("resources/list", json!({}));
    subscribe(&mut client, apps);
    let mut editor = stage.start_unread(App::Mousepad);
    assert_eq!(collect_changes(&mut client, Some(apps)), [apps, "list"]);
    let listed = read(&mut client, apps);
    assert_eq!(listed["apps"][0]["pid"], editor.pid(), "{listed}");
    client.call("ax_connect", json!({ "app": "mousepad" }));
    assert_eq!(
        collect_changes(&mut client, Some("list")),
        ["list"],
        "connecting must change the resource list"
    );
    let list = client.request("resources/list", json!({}))["result"]["resources"].clone();
    assert_eq!(list.as_array().unwrap().len(), 7, "{list}");
    client.call("ax_connect", json!({ "app": "mousepad" }));
    assert_eq!(
        collect_changes(&mut client, None),
        [""; 0],
        "connecting again must not change the list"
    );
    editor.end();
    assert_eq!(collect_changes(&mut client, Some(apps)), [apps, "list"]);
    assert_eq!(read(&mut client, apps), json!({ "apps": [] }));
    let list = client.request("resources/list", json!({}))["result"]["resources"].clone();
    assert_eq!(list.as_array().unwrap().len(), 3, "{list}");
}

#[test]
fn subscription_survives_an_app_restart() {
    let stage = TestDesktop::new();
    let mut editor = stage.start(App::Mousepad);
    let mut client = start_initialized(&stage);
    let state = "deskhand://app/mousepad/state";
    subscribe(&mut client, state);
    editor.end();
    assert_eq!(collect_changes(&mut client, Some(state)), [state, "list"]);
    wait_for_listeners(client.pid(), &["desk"]);
    let gone = client.request("resources/read", json!({ "uri": state }));
    assert_eq!(gone["error"]["code"], -32002, "{gone}");
    let editor = stage.start(App::Mousepad);
    client.first_message(|message| changed_resource(message).as_deref() == Some(state));
    collect_changes(&mut client, None);
    assert_eq!(read(&mut client, state)["pid"], editor.pid());
    wait_for_listeners(client.pid(), &[&editor.pid_text(), "desk"]);
    assert!(stage.command("xdotool").args(["key", "ctrl+o"]).status().unwrap().success());
    assert!(collect_changes(&mut client, Some(state)).contains(&state.to_owned()));
}

#[test]
fn change_without_event_is_found_by_polling() {
    let stage = TestDesktop::new();
    let app = stage.start(App::Mousepad);
    let mut client = start_initialized(&stage);
    let tree = "deskhand://app/mousepad/tree";
    subscribe(&mut client, tree);
    // A changed value is not among the events that the tree subscription listens to.
    stage.window_inspector().window_of(app.pid());
    let warning = client.first_message(|message| message["params"]["logger"] == "deskhand.watch");
    assert_eq!(warning["params"]["level"], "warning", "{warning}");
    assert_eq!(warning["params"]["data"]["uri"], tree, "{warning}");
    assert!(stage.command("xdotool").args(["type", "words"]).status().unwrap().success());
    client.first_message(|message| changed_resource(message).as_deref() == Some(tree));
    let end = Instant::now() + QUIET_PERIOD;
    while let Some(message) = client.next_within(end.saturating_duration_since(Instant::now())) {
        assert_ne!(
            message["params"]["logger"], "deskhand.watch",
            "the warning must be sent only once"
        );
    }
}

#[test]
fn unsupported_subscriptions_are_refused_with_a_reason() {
    let stage = TestDesktop::new();
    let app = start_app(&stage);
    let mut client = start_initialized(&stage);
    let refused = |client: &mut StdioClient, uri: &str| {
        let answer = client.request("resources/subscribe", json!({ "uri": uri }));
        assert!(answer["error"].is_object(), "{answer}");
        answer["error"].clone()
    };
    for uri in ["deskhand://system/status", "deskhand://app/1/screenshot", "deskhand://result/1"] {
        assert_eq!(refused(&mut client, uri)["code"], -32602);
    }
    assert_eq!(refused(&mut client, "deskhand://nothing")["code"], -32002);
    let absent = refused(&mut client, "deskhand://app/no-such-app/tree");
    assert_eq!(absent["code"], -32002, "{absent}");
    assert!(absent["message"].as_str().unwrap().contains("running:"), "{absent}");
    for index in 0..100 {
        subscribe(&mut client, &format!("deskhand://app/{}/window/{index}/tree", app.pid()));
    }
    let many = refused(&mut client, "deskhand://apps");
    assert!(many["message"].as_str().unwrap().contains("100 subscriptions"), "{many}");
    let info = client.call("ax_session_info", json!({}))["structuredContent"].clone();
    assert_eq!(info["subscriptions"], 100, "{info}");
    wait_for_listeners(client.pid(), &[&app.pid_text(), "desk"]);
}

/// Starts a `subscriptions/listen` request (2026-07-28) and returns its id.
fn listen(client: &mut StdioClient, filter: &Value) -> i64 {
    let id = client.send_request("subscriptions/listen", json!({ "notifications": filter }));
    let acknowledged = client
        .first_message(|message| message["method"] == "notifications/subscriptions/acknowledged");
    assert_eq!(
        acknowledged["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], id,
        "{acknowledged}"
    );
    id
}

#[test]
fn modern_listener_gets_requested_changes_until_cancelled() {
    let stage = TestDesktop::new();
    let mut app = start_app(&stage);
    let mut client = StdioClient::start_modern(&stage, LONG_TIMEOUT, &json!({}));
    let tree = format!("deskhand://app/{}/tree", app.pid());
    let status = "deskhand://system/status";
    let filter = json!({
        "resourcesListChanged": true,
        "resourceSubscriptions": [tree, status, "deskhand://app/mousepad/state"],
    });
    let id = client.send_request("subscriptions/listen", json!({ "notifications": filter }));
    let acknowledged = client
        .first_message(|message| message["method"] == "notifications/subscriptions/acknowledged");
    let accepted = &acknowledged["params"]["notifications"];
    assert_eq!(accepted["resourcesListChanged"], true, "{acknowledged}");
    assert_eq!(
        accepted["resourceSubscriptions"],
        json!([tree, "deskhand://app/mousepad/state"]),
        "unsupported resources must be omitted"
    );
    wait_for_listeners(client.pid(), &[&app.pid_text(), "desk"]);
    // Subscriptions are started in order: if the second is counted, the first is active.
    let mut wait_for_count = |count: u64| {
        let of = |client: &mut StdioClient| {
            client.call("ax_session_info", json!({}))["structuredContent"].clone()
        };
        assert!(
            harness::inspect::wait_until(|| of(&mut client)["subscriptions"] == count),
            "{}",
            of(&mut client)
        );
    };
    wait_for_count(2);
    app.write_line(r#"{"do": "insert", "at": 0}"#);
    let update =
        client.first_message(|message| changed_resource(message).as_deref() == Some(tree.as_str()));
    assert_eq!(update["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], id, "{update}");
    let editor = stage.start(App::Mousepad);
    client.first_message(|message| {
        changed_resource(message).as_deref() == Some("deskhand://app/mousepad/state")
    });
    client.first_message(|message| changed_resource(message).as_deref() == Some("list"));
    wait_for_listeners(client.pid(), &sorted(&[&app.pid_text(), &editor.pid_text(), "desk"]));
    client.notify("notifications/cancelled", json!({ "requestId": id }));
    wait_for_listeners(client.pid(), &[]);
    let info = client.call("ax_session_info", json!({}))["structuredContent"].clone();
    assert_eq!(info["subscriptions"], 0, "{info}");
    // Read the notifications that were already sent.
    collect_changes(&mut client, None);
    app.write_line(r#"{"do": "insert", "at": 0}"#);
    assert_eq!(collect_changes(&mut client, None), [""; 0]);
    let clipboard = "deskhand://clipboard";
    listen(&mut client, &json!({ "resourceSubscriptions": [clipboard, tree] }));
    wait_for_listeners(client.pid(), &[&app.pid_text(), "clipboard", "desk"]);
    copy_with_xclip(&stage, "words");
    assert_eq!(collect_changes(&mut client, Some(clipboard)), [clipboard]);
}

fn sorted<'a>(names: &[&'a str]) -> Vec<&'a str> {
    let mut names = names.to_vec();
    names.sort_unstable();
    names
}

#[test]
fn http_client_frees_all_listeners() {
    let stage = TestDesktop::new();
    let mut app = start_app(&stage);
    let server = HttpServer::start(&stage, LONG_TIMEOUT);
    let tree = format!("deskhand://app/{}/tree", app.pid());
    let session = server.session();
    let headers = [("Accept", "text/event-stream"), ("Mcp-Session-Id", session.as_str())];
    let mut open = server.send("GET", "/mcp", &headers, b"");
    let mut reply =
        server.request(Some(&session), 1, "resources/subscribe", json!({ "uri": tree }));
    let answer = reply.first_message(|message| message["id"] == 1).unwrap();
    assert_eq!(answer["result"], json!({}), "{answer}");
    app.write_line(r#"{"do": "insert", "at": 0}"#);
    open.first_message(|message| changed_resource(message).as_deref() == Some(tree.as_str()))
        .unwrap();
    wait_for_listeners(server.pid(), &[&app.pid_text(), "desk"]);
    server.send("DELETE", "/mcp", &[("Mcp-Session-Id", session.as_str())], b"");
    wait_for_listeners(server.pid(), &[]);

    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "web", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let both = json!([tree, "deskhand://clipboard"]);
    let filter = json!({ "resourceSubscriptions": both });
    let params = json!({ "_meta": meta, "notifications": filter });
    let body =
        json!({ "jsonrpc": "2.0", "id": 5, "method": "subscriptions/listen", "params": params });
    let headers = [
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("Mcp-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "subscriptions/listen"),
    ];
    let mut stream = server.send("POST", "/mcp", &headers, body.to_string().as_bytes());
    let acknowledged =
        stream.first_message(|it| it["method"] == "notifications/subscriptions/acknowledged");
    assert_eq!(acknowledged.unwrap()["params"]["notifications"]["resourceSubscriptions"], both);
    // Subscriptions are started in order: if the second is active, so is the first.
    wait_for_listeners(server.pid(), &[&app.pid_text(), "clipboard", "desk"]);
    app.write_line(r#"{"do": "insert", "at": 0}"#);
    let changes = stream.first_message(|message| changed_resource(message).is_some());
    assert_eq!(
        changes.as_ref().and_then(changed_resource).as_deref(),
        Some(tree.as_str()),
        "{changes:?}"
    );
    drop(stream);
    wait_for_listeners(server.pid(), &[]);
}
