//! The `ax_*` tools, called over MCP on real apps.
#![allow(clippy::unwrap_used, reason = "a panic is how a test reports")]

use std::collections::HashMap;
use std::time::{Duration, Instant};

use harness::mcp::{Elicitation, McpClient};
use harness::{App, TestDesktop};
use serde_json::{Value, json};

fn start_without_elicitation(stage: &TestDesktop) -> McpClient {
    McpClient::start(stage, Elicitation::Unsupported)
}

fn start_with_answers(stage: &TestDesktop, answers: &[(&str, Value)]) -> McpClient {
    let answers: HashMap<String, Value> =
        answers.iter().map(|(field, answer)| ((*field).to_owned(), answer.clone())).collect();
    McpClient::start(stage, Elicitation::Answers(answers))
}

#[test]
fn editor_is_read_typed_into_and_verified() {
    let stage = TestDesktop::new();
    let program = stage.start(App::Mousepad);
    let mut agent = start_without_elicitation(&stage);

    assert_eq!(agent.ok("ax_is_accessible", json!({}))["enabled"], true);
    let connected = agent.ok("ax_connect", json!({ "app": "mousepad", "alias": "ed" }));
    assert_eq!((&connected["pid"], &connected["alias"]), (&json!(program.pid()), &json!("ed")));
    let apps = agent.ok("ax_list_apps", json!({}));
    let own = apps["apps"].as_array().unwrap().iter().find(|app| app["pid"] == program.pid());
    assert_eq!(own.unwrap()["connected"], true, "{apps}");
    let windows = agent.ok("ax_list_windows", json!({ "app": "ed" }));
    assert_eq!(windows["windows"][0]["index"], 0, "{windows}");
    assert!(windows["windows"][0]["title"].as_str().unwrap().contains("Mousepad"), "{windows}");

    let tree = agent.call("ax_get_tree", json!({ "app": "ed" }));
    assert!(tree.text.contains("menu \"File\" e") && tree.text.contains("text e"), "{}", tree.text);
    let compact = agent.ok("ax_get_tree", json!({ "app": "ed", "compact": true }));
    assert!(compact["outline"].as_str().unwrap().contains("menu:File"), "{compact}");
    let shallow = agent.ok("ax_get_tree", json!({ "app": "ed", "max_depth": 1 }));
    assert!(shallow["cut"].is_string(), "{shallow}");

    let words = "Grüße, 日本語";
    let typed = agent.ok("ax_type", json!({ "app": "ed", "query": "role:text", "text": words }));
    assert_eq!(typed["effect"], "confirmed", "{typed}");
    let value = agent.ok("ax_get_value", json!({ "app": "ed", "query": "role:text" }));
    assert_eq!(value["value"], words);
    let found = agent.ok("ax_find", json!({ "app": "ed", "query": "role:text" }));
    assert_eq!((&found["found"], &found["value"]), (&json!(true), &json!(words)));
    let attributes =
        agent.ok("ax_get_attributes", json!({ "app": "ed", "query": found["element_ref"] }));
    assert!(attributes["states"].as_array().unwrap().contains(&json!("editable")), "{attributes}");
    let expectations = json!({ "contains_text": "日本語", "role": "AXTextArea", "visible": true });
    let verdict = agent
        .ok("ax_assert", json!({ "app": "ed", "query": "role:text", "assertions": expectations }));
    assert_eq!(verdict, json!({ "passed": true, "failures": [] }));
    let mismatch = json!({ "value": "something else" });
    let verdict =
        agent.ok("ax_assert", json!({ "app": "ed", "query": "role:text", "assertions": mismatch }));
    assert_eq!(verdict["failures"][0]["actual"], words, "{verdict}");
    let gone = json!({ "exists": false });
    let verdict =
        agent.ok("ax_assert", json!({ "app": "ed", "query": "No such thing", "assertions": gone }));
    assert_eq!(verdict["passed"], true, "{verdict}");

    assert_eq!(agent.ok("ax_wait_idle", json!({ "app": "ed" }))["idle"], true);
    let pressed =
        agent.ok("ax_key_press", json!({ "app": "ed", "key": "a", "modifiers": ["ctrl"] }));
    assert!(pressed["effect"].is_string(), "{pressed}");
    let copied = agent.ok("ax_clipboard", json!({ "action": "write", "text": words }));
    assert_eq!((&copied["success"], &copied["effect"]), (&json!(true), &json!("confirmed")));
    assert_eq!(agent.ok("ax_clipboard", json!({ "action": "read" }))["text"], words);
    let info = agent.ok("ax_session_info", json!({}));
    assert_eq!(info["connected_apps"], json!(["mousepad"]), "{info}");
    assert_eq!(info["action_count"], 2, "{info}");
}

#[test]
fn screenshots_are_image_content_with_their_rectangle() {
    let stage = TestDesktop::new();
    let program = stage.start(App::Mousepad);
    let mut agent = start_without_elicitation(&stage);
    let pid = program.pid_text();
    let whole = agent.call("ax_screenshot", json!({}));
    assert_eq!(whole.images, ["image/png"], "{}", whole.text);
    assert!(whole.data["width"].as_u64().unwrap() <= 1568, "{}", whole.data);
    assert_eq!(whole.data["rect"], json!([0, 0, 1920, 1080]), "{}", whole.data);
    let window = agent.call("ax_screenshot", json!({ "app": pid }));
    let place = window.data["rect"].as_array().unwrap().clone();
    let part = json!({ "x": 10, "y": 20, "w": 30, "h": 40 });
    let region = agent.call("ax_screenshot", json!({ "app": pid, "region": part }));
    let number = |value: &Value| value.as_i64().unwrap();
    assert_eq!(
        region.data["rect"],
        json!([number(&place[0]) + 10, number(&place[1]) + 20, 30, 40]),
        "{}",
        region.data
    );
    let outside = json!({ "x": 5000, "y": 0, "w": 10, "h": 10 });
    agent.refused("ax_screenshot", json!({ "app": pid, "region": outside }));
    agent.refused("ax_screenshot", json!({ "app": pid, "window_index": 7 }));
}

#[test]
fn widgets_are_set_clicked_scrolled_and_dragged() {
    let stage = TestDesktop::new();
    let program = stage.start(App::Gtk3WidgetFactory);
    let mut agent = start_without_elicitation(&stage);
    let pid = program.pid_text();
    let tree = agent.ok("ax_get_tree", json!({ "app": pid }))["outline"].clone();
    let reference = |fits: &dyn Fn(&str) -> bool| -> String {
        let line = tree.as_str().unwrap().lines().find(|line| fits(line));
        let line = line.unwrap_or_else(|| panic!("{tree}"));
        let is_ref = |word: &&str| {
            word.strip_prefix('e').is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()))
        };
        line.split([' ', ':']).find(|word| is_ref(word) && word.len() > 1).unwrap().to_owned()
    };
    let slider = reference(&|line| line.contains("slider") && line.contains("(1..100)"));
    let set = agent.ok("ax_set_value", json!({ "app": pid, "query": slider, "value": "30" }));
    assert_eq!(set["effect"], "confirmed", "{set}");
    let value = agent.ok("ax_get_value", json!({ "app": pid, "query": slider }));
    assert_eq!(value["value"], "30", "{value}");
    let check = reference(&|line| {
        line.trim_end().ends_with("checked")
            && line.contains("checkbox")
            && !line.contains("disabled")
    });
    let clicked = agent.ok("ax_click", json!({ "app": pid, "query": check }));
    assert_eq!(clicked["effect"], "confirmed", "{clicked}");
    let value = agent.ok("ax_get_value", json!({ "app": pid, "query": check }));
    assert_eq!(value["value"], "false", "{value}");
    let scrolled = agent.ok("ax_scroll", json!({ "app": pid, "direction": "down" }));
    assert!(scrolled["effect"].is_string(), "{scrolled}");
    let place = agent.ok("ax_find", json!({ "app": pid, "query": slider }));
    let (at, size) = (&place["position"], &place["size"]);
    let middle = |axis: usize| at[axis].as_i64().unwrap() + size[axis].as_i64().unwrap() / 2;
    let clicked = agent.ok("ax_click_at", json!({ "x": middle(0), "y": middle(1) }));
    assert_eq!(clicked["effect"], "unverified", "{clicked}");
    let dragged = agent.call(
        "ax_drag",
        json!({
            "app": pid, "from_query": slider, "duration_ms": 200,
            "to_x": middle(0) + 60, "to_y": middle(1),
        }),
    );
    assert!(dragged.data["effect"].is_string(), "{}", dragged.text);
}

#[test]
fn invalid_arguments_name_the_field_and_the_expected_value() {
    let stage = TestDesktop::new();
    let mut agent = start_without_elicitation(&stage);
    for (tool, arguments, words) in [
        ("ax_click", json!({ "app": "x" }), "`query`"),
        ("ax_click", json!({}), "`app`, `query`"),
        ("ax_click", json!({ "app": "x", "query": "y", "mode": "loud" }), "mode"),
        ("ax_click_at", json!({ "x": "1", "y": 2 }), "x: invalid type: string"),
        ("ax_get_tree", json!({ "app": "x", "max_depth": 1000 }), "1000 is not from 0 to 100"),
        ("ax_list_apps", json!({ "app": "x" }), "unknown field `app`"),
        (
            "ax_assert",
            json!({ "app": "x", "query": "y", "assertions": { "enabled": "yes" } }),
            "assertions.enabled: invalid type: string \"yes\", expected a boolean",
        ),
        ("ax_assert", json!({ "app": "x", "query": "y", "assertions": {} }), "at least one of"),
        ("ax_drag", json!({ "app": "x", "from_x": 1 }), "from_query, or from_x and from_y"),
        ("ax_clipboard", json!({ "action": "write" }), "text: required"),
        ("ax_connect", json!({ "app": "x", "alias": "12" }), "alias"),
        ("ax_scroll", json!({ "app": "x", "direction": "sideways" }), "direction"),
        ("ax_key_press", json!({ "key": "nokey" }), "no key is called"),
        ("ax_wait_idle", json!({ "app": "x", "poll_ms": 1 }), "poll_ms"),
        ("ax_find", json!({ "app": "x", "query": "y", "strategy": "luck" }), "strategy"),
    ] {
        let error = agent.refused(tool, arguments.clone());
        assert!(error.contains(words), "{tool} {arguments}: {error}");
    }
}

#[test]
fn user_is_prompted_for_the_app_and_before_destructive_actions() {
    let stage = TestDesktop::new();
    let first = stage.start(App::GnomeCalculator);
    let query = json!({ "app": "gnome-calculator", "query": "Close" });
    let mut agent = start_with_answers(&stage, &[]);
    let refused = agent.call("ax_click", query.clone());
    assert!(refused.failed && refused.data["effect"] == "refused", "{}", refused.text);
    assert_eq!(agent.elicitations.len(), 1, "{:?}", agent.elicitations);
    assert!(stage.windows().iter().any(|window| window["pid"] == first.pid()));
    drop(agent);
    let mut agent = start_with_answers(&stage, &[("confirm", json!(true))]);
    let clicked = agent.ok("ax_click", query);
    assert_eq!(clicked["effect"], "confirmed", "{clicked}");
    drop(agent);

    let one = stage.start(App::Fixture("gtk3_mutations.py", &[]));
    let two = stage.start(App::Fixture("gtk3_mutations.py", &[]));
    let name = stage.apps().iter().find(|app| app["pid"] == two.pid()).unwrap()["name"].clone();
    let error = start_without_elicitation(&stage).refused("ax_connect", json!({ "app": name }));
    assert!(error.contains(&one.pid_text()) && error.contains(&two.pid_text()), "{error}");
    let mut agent = start_with_answers(&stage, &[("app", json!(two.pid_text()))]);
    assert_eq!(agent.ok("ax_connect", json!({ "app": name }))["pid"], two.pid());
}

#[test]
fn cancelled_calls_stop() {
    let stage = TestDesktop::new();
    let program = stage.start(App::Mousepad);
    let mut agent = start_without_elicitation(&stage);
    let wait = json!({
        "name": "ax_wait_idle",
        "arguments": { "app": program.pid_text(), "timeout_ms": 60_000, "poll_ms": 10_000 },
    });
    // As many calls as the server runs at once. The next call has to wait for one of them.
    let ids: Vec<u64> = (0..10).map(|_| agent.begin("tools/call", &wait)).collect();
    std::thread::sleep(Duration::from_millis(500));
    for id in ids {
        agent.cancel(id);
    }
    let started = Instant::now();
    agent.ok("ax_session_info", json!({}));
    assert!(started.elapsed() < Duration::from_secs(8), "{:?}", started.elapsed());
}

#[test]
fn dialog_opened_by_a_menu_item_is_used_in_the_same_session() {
    let stage = TestDesktop::new();
    let _program = stage.start(App::Mousepad);
    let mut agent = start_without_elicitation(&stage);
    let file = stage.info().home.join("letter.txt");
    let in_editor = |query: &str| json!({ "app": "mousepad", "query": query });

    let typed = json!({ "app": "mousepad", "query": "role:text", "text": "one line\n" });
    assert_eq!(agent.ok("ax_type", typed)["effect"], "confirmed");
    let opened = agent.ok("ax_click", in_editor("role:menuitem title:\"Save As...\""));
    assert_eq!(opened["effect"], "confirmed", "{opened}");
    let name = json!({
        "app": "mousepad", "query": "//file-chooser//textbox", "value": file.display().to_string(),
    });
    assert_eq!(agent.ok("ax_set_value", name)["effect"], "confirmed");
    let saved = agent.ok("ax_click", in_editor("//file-chooser//button[@title='Save']"));
    assert_eq!(saved["effect"], "confirmed", "{saved}");
    let end = Instant::now() + Duration::from_secs(10);
    while std::fs::read_to_string(&file).unwrap_or_default() != "one line\n" {
        assert!(Instant::now() < end, "{} has another content", file.display());
        std::thread::sleep(Duration::from_millis(50));
    }
}
