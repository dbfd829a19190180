//! Window tools. Their output and effects match the state of the X server.
#![allow(clippy::unwrap_used, reason = "tests")]

pub(crate) mod close;
pub(crate) mod move_resize;
pub(crate) mod no_window_manager;

use harness::inspect::{WindowInspector, wait_until};
use harness::{App, Program, TestDesktop};
use serde_json::Value;

/// Starts an app and returns it with its window.
pub(crate) fn start_with_window(stage: &TestDesktop, app: App) -> (Program, u32) {
    let program = stage.launch(app);
    let desk = stage.window_inspector();
    let window = desk.window_of(program.pid());
    // Programs still change their size after their window appears.
    let mut last = None;
    let is_stable = wait_until(|| {
        std::thread::sleep(std::time::Duration::from_millis(300));
        last.replace(desk.frame(window)) == Some(desk.frame(window))
    });
    assert!(is_stable, "the size of {} does not settle", app.name());
    (program, window)
}

/// Formats a window id as an argument.
pub(crate) fn id(window: u32) -> String {
    format!("{window:#x}")
}

/// Returns the `before` and `after` values of one evidence entry.
pub(crate) fn evidence(answer: &Value, what: &str) -> (String, String) {
    let all = answer["evidence"].as_array().unwrap();
    let found = all.iter().find(|one| one["what"] == what);
    let found = found.unwrap_or_else(|| panic!("no evidence about {what}: {answer}"));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    (text(&found["before"]), text(&found["after"]))
}

fn is_hidden(desk: &WindowInspector<'_>, window: u32) -> bool {
    desk.property(window, "_NET_WM_STATE").contains("_NET_WM_STATE_HIDDEN")
}

#[test]
fn window_properties_match_the_x_server() {
    let stage = TestDesktop::new();
    let desk = stage.window_inspector();
    let (program, window) = start_with_window(&stage, App::Mousepad);
    let window_info = stage.call("window_get", &["mousepad"]).json();
    assert_eq!(window_info["id"], window);
    assert_eq!(window_info["pid"], program.pid());
    let frame = desk.frame(window);
    let corner = (window_info["frame"]["x"].as_i64(), window_info["frame"]["y"].as_i64());
    assert_eq!(corner, (Some(frame.x.into()), Some(frame.y.into())));
    assert_eq!(window_info["frame"]["width"], frame.width);
    assert_eq!(window_info["frame"]["height"], frame.height);
    assert_eq!(window_info["focused"], desk.active() == window);
    assert!(desk.property(window, "_NET_WM_NAME").contains(window_info["title"].as_str().unwrap()));

    let state = stage.call("window_state", &[&id(window)]).json();
    assert_eq!(state["kind"], "normal");
    assert_eq!(state["closable"], true);
    assert_eq!(state["workspace"], 0);
    assert!(desk.property(window, "_NET_WM_WINDOW_TYPE").contains("_NORMAL"));
    assert!(desk.property(window, "WM_PROTOCOLS").contains("WM_DELETE_WINDOW"));
}

#[test]
fn minimized_window_is_hidden_and_restored_in_place() {
    let stage = TestDesktop::new();
    let desk = stage.window_inspector();
    for app in [App::Mousepad, App::Gtk4Demo, App::Kcalc, App::Xterm] {
        let (_program, window) = start_with_window(&stage, app);
        let before = desk.frame(window);
        let answer = stage.effect("window_minimize", &[&id(window)], "confirmed");
        assert_eq!(evidence(&answer, "minimized"), ("no".to_owned(), "yes".to_owned()));
        assert!(!desk.is_shown(window) && is_hidden(&desk, window), "{}", app.name());
        let listed = stage.call("window_get", &[&id(window)]).json();
        assert_eq!(listed["minimized"], true, "a minimized window must stay in the list");
        stage.effect("window_restore", &[&id(window)], "confirmed");
        assert!(desk.is_shown(window) && !is_hidden(&desk, window), "{}", app.name());
        assert_eq!(desk.frame(window), before, "{}", app.name());
    }
}

#[test]
fn window_is_maximized_made_fullscreen_and_restored() {
    let stage = TestDesktop::new();
    let desk = stage.window_inspector();
    for app in [App::Mousepad, App::Gtk4Demo] {
        let (_program, window) = start_with_window(&stage, app);
        let before = desk.frame(window);
        let states = |word: &str| desk.property(window, "_NET_WM_STATE").contains(word);
        stage.effect("window_maximize", &[&id(window)], "confirmed");
        assert!(states("MAXIMIZED_VERT") && states("MAXIMIZED_HORZ"), "{}", app.name());
        assert!(desk.frame(window).width >= 1900, "{:?}", desk.frame(window));
        let state = stage.call("window_state", &[&id(window)]).json();
        assert!(state["states"].as_array().unwrap().contains(&"maximized".into()), "{state}");
        let refused = stage.effect("window_move", &[&id(window), "50", "50"], "no_effect");
        let advice = refused["escalation"].as_str().unwrap();
        assert!(advice.contains("maximized"), "{refused}");
        stage.effect("window_restore", &[&id(window)], "confirmed");
        assert!(!states("MAXIMIZED"), "{}", app.name());
        assert_eq!(desk.frame(window), before, "{}", app.name());

        stage.effect("window_fullscreen", &[&id(window)], "confirmed");
        assert!(states("FULLSCREEN"));
        let full = desk.frame(window);
        assert_eq!((full.x, full.y, full.width, full.height), (0, 0, 1920, 1080));
        stage.effect("window_fullscreen", &[&id(window), "--off"], "confirmed");
        assert!(!states("FULLSCREEN"));
        assert_eq!(desk.frame(window), before, "{}", app.name());
    }
}

#[test]
fn focus_activates_a_window_even_if_minimized() {
    let stage = TestDesktop::new();
    let desk = stage.window_inspector();
    let (_first, mousepad) = start_with_window(&stage, App::Mousepad);
    let (_second, kcalc) = start_with_window(&stage, App::Kcalc);
    for window in [mousepad, kcalc, mousepad] {
        stage.effect("window_focus", &[&id(window)], "confirmed");
        assert_eq!(desk.active(), window);
    }
    stage.effect("window_minimize", &[&id(kcalc)], "confirmed");
    let answer = stage.effect("window_focus", &["kcalc"], "confirmed");
    assert!(evidence(&answer, "keyboard").1.contains(&id(kcalc)), "{answer}");
    assert_eq!(desk.active(), kcalc);
    assert!(desk.is_shown(kcalc));
}

#[test]
fn changes_to_a_background_window_keep_focus_and_pointer() {
    let stage = TestDesktop::new();
    let desk = stage.window_inspector();
    let (_behind, behind) = start_with_window(&stage, App::Kcalc);
    let (_front, front) = start_with_window(&stage, App::Mousepad);
    stage.effect("window_focus", &[&id(front)], "confirmed");
    stage.real_input().move_to((777, 555));
    stage.effect("window_move", &[&id(behind), "30", "40"], "confirmed");
    stage.effect("window_resize", &[&id(behind), "500", "480"], "confirmed");
    stage.effect("window_minimize", &[&id(behind)], "confirmed");
    assert_eq!(desk.active(), front);
    assert_eq!(desk.pointer(), (777, 555));
}

#[test]
fn window_is_selected_by_id_pid_name_or_title_and_ambiguity_is_refused() {
    let stage = TestDesktop::new();
    let (first, one) = start_with_window(&stage, App::Xterm);
    let (_second, two) = start_with_window(&stage, App::Xterm);
    let id_of = |target: &str| stage.call("window_get", &[target]).json()["id"].clone();
    assert_eq!(id_of(&id(one)), one);
    assert_eq!(id_of(&two.to_string()), two);
    assert_eq!(id_of(&first.pid_text()), one);
    let error = stage.call("window_move", &["xterm", "5", "5"]).expect_error("ambiguous_window");
    let hint = error["hint"].as_str().unwrap();
    assert!(hint.contains(&id(one)) && hint.contains(&id(two)), "{error}");
    assert!(hint.contains("A terminal"), "{error}");
    assert_eq!(error["delivery"], "not_sent", "{error}");

    stage.call("window_get", &["0x7fffffff"]).expect_error("window_not_found");
    stage.call("window_close", &["no-such-app"]).expect_error("app_not_running");
    let (_editor, editor) = start_with_window(&stage, App::Mousepad);
    let titled = stage.call("window_get", &["mousepad", "--title", "untitled"]).json();
    assert_eq!(titled["id"], editor);
    stage.call("window_get", &["mousepad", "--title", "zebra"]).expect_error("window_not_found");
}

#[test]
fn window_of_a_frozen_app_can_be_moved() {
    let stage = TestDesktop::new();
    let desk = stage.window_inspector();
    let (program, window) = start_with_window(&stage, App::Mousepad);
    program.signal(rustix::process::Signal::STOP);
    stage.effect("window_move", &[&id(window), "200", "150"], "confirmed");
    let frame = desk.frame(window);
    assert_eq!((frame.x, frame.y), (200, 150));
    let answer = stage.effect("window_close", &[&id(window)], "no_effect");
    assert!(answer["escalation"].as_str().unwrap().contains("--force"), "{answer}");
    assert!(desk.exists(window));
    program.signal(rustix::process::Signal::CONT);
    assert!(
        wait_until(|| !desk.exists(window)),
        "the window did not close after the app was resumed"
    );
}
