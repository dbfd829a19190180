//! Subscriptions: what changes in real apps is told once, what does not is not, and whoever leaves
//! leaves nothing behind.

use std::{
    fs,
    time::{Duration, Instant},
};

use harness::{App, Program, Stage};
use serde_json::{Value, json};

use super::{
    resources::{PATIENT, copy, read},
    talk::Talk,
    web::Server,
};

/// How long nothing may come before it is sure that nothing more does.
const CALM: Duration = Duration::from_millis(2_500);

/// The newest version of the handshake.
fn handshake(stage: &Stage) -> Talk {
    Talk::initialized(stage, PATIENT, "2025-11-25", json!({}))
}

fn subscribe(talk: &mut Talk, uri: &str) {
    let answer = talk.ask("resources/subscribe", json!({ "uri": uri }));
    assert_eq!(answer["result"], json!({}), "{answer}");
}

fn unsubscribe(talk: &mut Talk, uri: &str) {
    let answer = talk.ask("resources/unsubscribe", json!({ "uri": uri }));
    assert_eq!(answer["result"], json!({}), "{answer}");
}

/// What resources a message says have changed; the list of them goes by its own name.
fn told(message: &Value) -> Option<String> {
    match message["method"].as_str()? {
        "notifications/resources/updated" => {
            Some(message["params"]["uri"].as_str().unwrap().to_owned())
        }
        "notifications/resources/list_changed" => Some("list".to_owned()),
        _ => None,
    }
}

/// Everything that is told until nothing more comes, sorted; waits for the first where one must.
fn all_told(talk: &mut Talk, first: Option<&str>) -> Vec<String> {
    let mut all = Vec::new();
    if let Some(first) = first {
        let message = talk.first(|message| told(message).as_deref() == Some(first));
        all.extend(told(&message));
    }
    let mut end = Instant::now() + CALM;
    while let Some(message) = talk.within(end.saturating_duration_since(Instant::now())) {
        if let Some(uri) = told(&message) {
            all.push(uri);
            end = Instant::now() + CALM;
        }
    }
    all.sort();
    all
}

/// The threads of a server that listen.
fn listening(pid: u32) -> Vec<String> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let name = |task: fs::DirEntry| fs::read_to_string(task.path().join("comm")).ok();
    let all = tasks.filter_map(|task| name(task.ok()?));
    let mut all: Vec<String> =
        all.filter_map(|name| Some(name.trim().strip_prefix("watch:")?.to_owned())).collect();
    all.sort();
    all
}

/// Waits until only these threads listen.
fn only_listens(pid: u32, expected: &[&str]) {
    let is_so = harness::desk::until(|| listening(pid) == expected);
    assert!(is_so, "{:?} listen instead of {expected:?}", listening(pid));
}

fn rows(stage: &Stage) -> Program {
    stage.start(App::Fixture("gtk3_mutations.py", &["--rows", "3"]))
}

#[test]
fn a_changed_tree_is_told_once_and_an_unchanged_one_never() {
    let stage = Stage::new();
    let mut app = rows(&stage);
    let pid = app.pid();
    let mut talk = handshake(&stage);
    let tree = format!("deskhand://app/{pid}/tree");
    let window = format!("axterminator://app/{pid}/window/0/tree");
    subscribe(&mut talk, &tree);
    subscribe(&mut talk, &window);
    subscribe(&mut talk, &tree);
    assert_eq!(all_told(&mut talk, None), [""; 0]);
    app.say(r#"{"do": "insert", "at": 0}"#);
    assert_eq!(all_told(&mut talk, Some(&tree)), [window.clone(), tree.clone()]);
    // What comes and goes again before anybody looks has changed nothing.
    app.say(r#"{"do": "batch", "commands": [{"do": "move", "from": 0, "to": 1}, {"do": "move", "from": 1, "to": 0}]}"#);
    assert_eq!(all_told(&mut talk, None), [""; 0]);
    app.say(r#"{"do": "list"}"#);
    assert_eq!(all_told(&mut talk, None), [""; 0]);
    unsubscribe(&mut talk, &tree);
    app.say(r#"{"do": "insert", "at": 0}"#);
    assert_eq!(all_told(&mut talk, Some(&window)), std::slice::from_ref(&window));
    unsubscribe(&mut talk, &window);
    only_listens(talk.pid(), &["desk"]);
    app.say(r#"{"do": "insert", "at": 0}"#);
    assert_eq!(all_told(&mut talk, None), [""; 0], "silence after the last goodbye");
}

#[test]
fn focus_and_dialogs_change_the_state_and_are_told_as_events() {
    let stage = Stage::new();
    let app = stage.start(App::Fixture("gtk3_passwords.py", &[]));
    let tree = stage.tree(&app);
    let centre = |name: &str| tree.named("textbox", name).bounds.unwrap().centre();
    let hand = stage.hand();
    hand.click(centre("Plain entry"));
    let mut talk = handshake(&stage);
    let state = format!("deskhand://app/{}/state", app.pid());
    let events = format!("deskhand://app/{}/events", app.pid());
    subscribe(&mut talk, &state);
    subscribe(&mut talk, &events);
    assert_eq!(read(&mut talk, &events), json!({ "events": [], "listening": true }));

    hand.type_text("a");
    let heard = all_told(&mut talk, Some(&events));
    assert!(!heard.contains(&state), "typing changes nothing of the state: {heard:?}");
    let happened = read(&mut talk, &events)["events"].clone();
    let typed = &happened[0];
    assert_eq!(
        (&typed["type"], &typed["element"]),
        (&json!("value_changed"), &json!("AXTextField 'Plain entry'")),
        "{happened}"
    );
    assert!(typed["timestamp"].as_str().unwrap().ends_with('Z'), "{typed}");

    let at = tree.named("checkbox", "Remember me").bounds.unwrap().centre();
    hand.click(at);
    let heard = all_told(&mut talk, Some(&state));
    assert_eq!(heard.iter().filter(|uri| **uri == state).count(), 1, "{heard:?}");
    assert!(heard.contains(&events), "{heard:?}");
    let now = read(&mut talk, &state);
    assert_eq!(now["focused_element"]["title"], "Remember me", "{now}");
    let happened = read(&mut talk, &events)["events"].clone();
    let of = |kind: &str| {
        happened.as_array().unwrap().iter().find(|one| one["type"] == kind).cloned().unwrap()
    };
    assert_eq!(of("focus_changed")["element"], "AXCheckBox 'Remember me'", "{happened}");
    assert_eq!(of("state_changed")["state"], "checked", "{happened}");
}

#[test]
fn a_dialog_opened_by_hand_is_told_by_its_name() {
    let stage = Stage::new();
    let app = stage.start(App::Mousepad);
    let desk = stage.desk();
    desk.window_of(app.pid());
    let mut talk = handshake(&stage);
    let events = "deskhand://app/mousepad/events";
    subscribe(&mut talk, events);
    assert!(stage.command("xdotool").args(["key", "ctrl+o"]).status().unwrap().success());
    talk.first(|message| told(message).as_deref() == Some(events));
    all_told(&mut talk, None);
    let happened = read(&mut talk, events)["events"].clone();
    let all = happened.as_array().unwrap();
    let title = |kind: &str| all.iter().find(|one| one["type"] == kind).map(|one| &one["title"]);
    assert_eq!(title("dialog_appeared"), title("window_opened"), "{happened}");
    assert!(title("dialog_appeared").unwrap().as_str().unwrap().contains("Open"), "{happened}");
    assert!(stage.command("xdotool").args(["key", "Escape"]).status().unwrap().success());
    talk.first(|message| told(message).as_deref() == Some(events));
    all_told(&mut talk, None);
    let happened = read(&mut talk, events)["events"].clone();
    let closed = happened.as_array().unwrap().iter().find(|one| one["type"] == "window_closed");
    assert_eq!(closed.unwrap()["title"], *title("dialog_appeared").unwrap(), "{happened}");
}

#[test]
fn what_is_copied_is_told_and_the_same_again_is_not() {
    let stage = Stage::new();
    let mut talk = handshake(&stage);
    subscribe(&mut talk, "axterminator://clipboard");
    copy(&stage, "one");
    let uri = "axterminator://clipboard";
    assert_eq!(all_told(&mut talk, Some(uri)), [uri], "by the name it was subscribed to");
    assert_eq!(read(&mut talk, uri)["text"], "one");
    copy(&stage, "one");
    assert_eq!(all_told(&mut talk, None), [""; 0]);
    copy(&stage, "two");
    assert_eq!(all_told(&mut talk, Some(uri)), [uri]);
    unsubscribe(&mut talk, uri);
    copy(&stage, "three");
    assert_eq!(all_told(&mut talk, None), [""; 0]);
    only_listens(talk.pid(), &["desk"]);
}

#[test]
fn apps_that_come_and_go_are_told_and_so_is_the_list() {
    let stage = Stage::new();
    let mut talk = handshake(&stage);
    let apps = "deskhand://apps";
    talk.ask("resources/list", json!({}));
    subscribe(&mut talk, apps);
    let mut editor = stage.start_unseen(App::Mousepad);
    assert_eq!(all_told(&mut talk, Some(apps)), [apps, "list"]);
    let listed = read(&mut talk, apps);
    assert_eq!(listed["apps"][0]["pid"], editor.pid(), "{listed}");
    talk.call("ax_connect", json!({ "app": "mousepad" }));
    assert_eq!(all_told(&mut talk, Some("list")), ["list"], "what is connected is listed");
    let list = talk.ask("resources/list", json!({}))["result"]["resources"].clone();
    assert_eq!(list.as_array().unwrap().len(), 7, "{list}");
    talk.call("ax_connect", json!({ "app": "mousepad" }));
    assert_eq!(all_told(&mut talk, None), [""; 0], "it was connected already");
    editor.end();
    assert_eq!(all_told(&mut talk, Some(apps)), [apps, "list"]);
    assert_eq!(read(&mut talk, apps), json!({ "apps": [] }));
    let list = talk.ask("resources/list", json!({}))["result"]["resources"].clone();
    assert_eq!(list.as_array().unwrap().len(), 3, "{list}");
}

#[test]
fn an_app_that_comes_back_is_told_of_again() {
    let stage = Stage::new();
    let mut editor = stage.start(App::Mousepad);
    let mut talk = handshake(&stage);
    let state = "deskhand://app/mousepad/state";
    subscribe(&mut talk, state);
    editor.end();
    assert_eq!(all_told(&mut talk, Some(state)), [state, "list"]);
    only_listens(talk.pid(), &["desk"]);
    let gone = talk.ask("resources/read", json!({ "uri": state }));
    assert_eq!(gone["error"]["code"], -32002, "{gone}");
    let editor = stage.start(App::Mousepad);
    talk.first(|message| told(message).as_deref() == Some(state));
    all_told(&mut talk, None);
    assert_eq!(read(&mut talk, state)["pid"], editor.pid());
    only_listens(talk.pid(), &[&editor.pid_text(), "desk"]);
    assert!(stage.command("xdotool").args(["key", "ctrl+o"]).status().unwrap().success());
    assert!(all_told(&mut talk, Some(state)).contains(&state.to_owned()));
}

#[test]
fn what_an_app_forgets_to_tell_is_seen_after_a_silence() {
    let stage = Stage::new();
    let app = stage.start(App::Mousepad);
    let mut talk = handshake(&stage);
    let tree = "deskhand://app/mousepad/tree";
    subscribe(&mut talk, tree);
    // A changed value is none of the reports a tree is followed by.
    stage.desk().window_of(app.pid());
    let warning = talk.first(|message| message["params"]["logger"] == "deskhand.watch");
    assert_eq!(warning["params"]["level"], "warning", "{warning}");
    assert_eq!(warning["params"]["data"]["uri"], tree, "{warning}");
    assert!(stage.command("xdotool").args(["type", "words"]).status().unwrap().success());
    talk.first(|message| told(message).as_deref() == Some(tree));
    let end = Instant::now() + CALM;
    while let Some(message) = talk.within(end.saturating_duration_since(Instant::now())) {
        assert_ne!(message["params"]["logger"], "deskhand.watch", "it is said once");
    }
}

#[test]
fn what_cannot_be_watched_is_refused_and_says_why() {
    let stage = Stage::new();
    let app = rows(&stage);
    let mut talk = handshake(&stage);
    let refused = |talk: &mut Talk, uri: &str| {
        let answer = talk.ask("resources/subscribe", json!({ "uri": uri }));
        assert!(answer["error"].is_object(), "{answer}");
        answer["error"].clone()
    };
    for uri in ["deskhand://system/status", "deskhand://app/1/screenshot", "deskhand://result/1"] {
        assert_eq!(refused(&mut talk, uri)["code"], -32602);
    }
    assert_eq!(refused(&mut talk, "deskhand://nothing")["code"], -32002);
    let absent = refused(&mut talk, "deskhand://app/nobody/tree");
    assert_eq!(absent["code"], -32002, "{absent}");
    assert!(absent["message"].as_str().unwrap().contains("running:"), "{absent}");
    for index in 0..100 {
        subscribe(&mut talk, &format!("deskhand://app/{}/window/{index}/tree", app.pid()));
    }
    let many = refused(&mut talk, "deskhand://apps");
    assert!(many["message"].as_str().unwrap().contains("100 subscriptions"), "{many}");
    let info = talk.call("ax_session_info", json!({}))["structuredContent"].clone();
    assert_eq!(info["subscriptions"], 100, "{info}");
    only_listens(talk.pid(), &[&app.pid_text(), "desk"]);
}

/// Begins to listen as of 2026-07-28; the id of the request.
fn listen(talk: &mut Talk, filter: &Value) -> i64 {
    let id = talk.request("subscriptions/listen", json!({ "notifications": filter }));
    let said =
        talk.first(|message| message["method"] == "notifications/subscriptions/acknowledged");
    assert_eq!(said["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], id, "{said}");
    id
}

#[test]
fn a_listener_of_the_later_era_hears_what_it_asked_for_until_it_stops() {
    let stage = Stage::new();
    let mut app = rows(&stage);
    let mut talk = Talk::modern(&stage, PATIENT, &json!({}));
    let tree = format!("deskhand://app/{}/tree", app.pid());
    let status = "deskhand://system/status";
    let filter = json!({
        "resourcesListChanged": true,
        "resourceSubscriptions": [tree, status, "deskhand://app/mousepad/state"],
    });
    let id = talk.request("subscriptions/listen", json!({ "notifications": filter }));
    let said =
        talk.first(|message| message["method"] == "notifications/subscriptions/acknowledged");
    let accepted = &said["params"]["notifications"];
    assert_eq!(accepted["resourcesListChanged"], true, "{said}");
    assert_eq!(
        accepted["resourceSubscriptions"],
        json!([tree, "deskhand://app/mousepad/state"]),
        "what nobody tells of is left out"
    );
    only_listens(talk.pid(), &[&app.pid_text(), "desk"]);
    // They are taken up one after the other: when the second counts, the first is followed.
    let mut counted = |count: u64| {
        let of =
            |talk: &mut Talk| talk.call("ax_session_info", json!({}))["structuredContent"].clone();
        assert!(
            harness::desk::until(|| of(&mut talk)["subscriptions"] == count),
            "{}",
            of(&mut talk)
        );
    };
    counted(2);
    app.say(r#"{"do": "insert", "at": 0}"#);
    let update = talk.first(|message| told(message).as_deref() == Some(tree.as_str()));
    assert_eq!(update["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], id, "{update}");
    let editor = stage.start(App::Mousepad);
    talk.first(|message| told(message).as_deref() == Some("deskhand://app/mousepad/state"));
    talk.first(|message| told(message).as_deref() == Some("list"));
    only_listens(talk.pid(), &sorted(&[&app.pid_text(), &editor.pid_text(), "desk"]));
    talk.notify("notifications/cancelled", json!({ "requestId": id }));
    only_listens(talk.pid(), &[]);
    let info = talk.call("ax_session_info", json!({}))["structuredContent"].clone();
    assert_eq!(info["subscriptions"], 0, "{info}");
    // What was on its way is read first.
    all_told(&mut talk, None);
    app.say(r#"{"do": "insert", "at": 0}"#);
    assert_eq!(all_told(&mut talk, None), [""; 0]);
    let copied = "deskhand://clipboard";
    listen(&mut talk, &json!({ "resourceSubscriptions": [copied, tree] }));
    only_listens(talk.pid(), &[&app.pid_text(), "clipboard", "desk"]);
    copy(&stage, "words");
    assert_eq!(all_told(&mut talk, Some(copied)), [copied]);
}

fn sorted<'a>(names: &[&'a str]) -> Vec<&'a str> {
    let mut names = names.to_vec();
    names.sort_unstable();
    names
}

#[test]
fn a_client_of_http_leaves_nothing_behind() {
    let stage = Stage::new();
    let mut app = rows(&stage);
    let server = Server::real(&stage, PATIENT);
    let tree = format!("deskhand://app/{}/tree", app.pid());
    let session = server.session();
    let headers = [("Accept", "text/event-stream"), ("Mcp-Session-Id", session.as_str())];
    let mut open = server.send("GET", "/mcp", &headers, b"");
    let mut reply = server.ask(Some(&session), 1, "resources/subscribe", json!({ "uri": tree }));
    let answer = reply.first(|message| message["id"] == 1).unwrap();
    assert_eq!(answer["result"], json!({}), "{answer}");
    app.say(r#"{"do": "insert", "at": 0}"#);
    open.first(|message| told(message).as_deref() == Some(tree.as_str())).unwrap();
    only_listens(server.pid(), &[&app.pid_text(), "desk"]);
    server.send("DELETE", "/mcp", &[("Mcp-Session-Id", session.as_str())], b"");
    only_listens(server.pid(), &[]);

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
    let said = stream.first(|it| it["method"] == "notifications/subscriptions/acknowledged");
    assert_eq!(said.unwrap()["params"]["notifications"]["resourceSubscriptions"], both);
    // They are taken up one after the other: when the second is, the first is followed.
    only_listens(server.pid(), &[&app.pid_text(), "clipboard", "desk"]);
    app.say(r#"{"do": "insert", "at": 0}"#);
    let heard = stream.first(|message| told(message).is_some());
    assert_eq!(heard.as_ref().and_then(told).as_deref(), Some(tree.as_str()), "{heard:?}");
    drop(stream);
    only_listens(server.pid(), &[]);
}
