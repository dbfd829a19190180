//! Windows: what a tool says about them and does to them is what the X server shows.
#![allow(clippy::unwrap_used, reason = "tests")]

pub(crate) mod close;
pub(crate) mod place;
pub(crate) mod unmanaged;

use harness::desk::{Desk, until};
use harness::{App, Program, Stage};
use serde_json::Value;

/// A program on a stage and its window.
pub(crate) fn shown(stage: &Stage, app: App) -> (Program, u32) {
    let program = stage.launch(app);
    let desk = stage.desk();
    let window = desk.window_of(program.pid());
    // Programs settle on their size after their window is there.
    let mut last = None;
    let rests = until(|| {
        std::thread::sleep(std::time::Duration::from_millis(300));
        last.replace(desk.frame(window)) == Some(desk.frame(window))
    });
    assert!(rests, "{} does not keep its size", app.name());
    (program, window)
}

/// A window as an argument.
pub(crate) fn id(window: u32) -> String {
    format!("{window:#x}")
}

/// One piece of evidence, as before and after.
pub(crate) fn evidence(answer: &Value, what: &str) -> (String, String) {
    let all = answer["evidence"].as_array().unwrap();
    let found = all.iter().find(|one| one["what"] == what);
    let found = found.unwrap_or_else(|| panic!("nothing about {what}: {answer}"));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    (text(&found["before"]), text(&found["after"]))
}

fn is_hidden(desk: &Desk<'_>, window: u32) -> bool {
    desk.property(window, "_NET_WM_STATE").contains("_NET_WM_STATE_HIDDEN")
}

#[test]
fn a_window_is_told_as_others_see_it() {
    let stage = Stage::new();
    let desk = stage.desk();
    let (program, window) = shown(&stage, App::Mousepad);
    let told = stage.call("window_get", &["mousepad"]).json();
    assert_eq!(told["id"], window);
    assert_eq!(told["pid"], program.pid());
    let frame = desk.frame(window);
    let corner = (told["frame"]["x"].as_i64(), told["frame"]["y"].as_i64());
    assert_eq!(corner, (Some(frame.x.into()), Some(frame.y.into())));
    assert_eq!(told["frame"]["width"], frame.width);
    assert_eq!(told["frame"]["height"], frame.height);
    assert_eq!(told["focused"], desk.active() == window);
    assert!(desk.property(window, "_NET_WM_NAME").contains(told["title"].as_str().unwrap()));

    let state = stage.call("window_state", &[&id(window)]).json();
    assert_eq!(state["kind"], "normal");
    assert_eq!(state["closable"], true);
    assert_eq!(state["workspace"], 0);
    assert!(desk.property(window, "_NET_WM_WINDOW_TYPE").contains("_NORMAL"));
    assert!(desk.property(window, "WM_PROTOCOLS").contains("WM_DELETE_WINDOW"));
}

#[test]
fn a_minimized_window_leaves_the_screen_and_comes_back_where_it_was() {
    let stage = Stage::new();
    let desk = stage.desk();
    for app in [App::Mousepad, App::Gtk4Demo, App::Kcalc, App::Xterm] {
        let (_program, window) = shown(&stage, app);
        let before = desk.frame(window);
        let answer = stage.effect("window_minimize", &[&id(window)], "confirmed");
        assert_eq!(evidence(&answer, "minimized"), ("no".to_owned(), "yes".to_owned()));
        assert!(!desk.is_shown(window) && is_hidden(&desk, window), "{}", app.name());
        let listed = stage.call("window_get", &[&id(window)]).json();
        assert_eq!(listed["minimized"], true, "a minimized window stays in the list");
        stage.effect("window_restore", &[&id(window)], "confirmed");
        assert!(desk.is_shown(window) && !is_hidden(&desk, window), "{}", app.name());
        assert_eq!(desk.frame(window), before, "{}", app.name());
    }
}

#[test]
fn a_window_fills_the_work_area_or_the_screen_and_shrinks_again() {
    let stage = Stage::new();
    let desk = stage.desk();
    for app in [App::Mousepad, App::Gtk4Demo] {
        let (_program, window) = shown(&stage, app);
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
fn a_focused_window_has_the_keyboard_even_when_it_was_minimized() {
    let stage = Stage::new();
    let desk = stage.desk();
    let (_first, mousepad) = shown(&stage, App::Mousepad);
    let (_second, kcalc) = shown(&stage, App::Kcalc);
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
fn changes_to_a_window_behind_leave_keyboard_and_pointer_alone() {
    let stage = Stage::new();
    let desk = stage.desk();
    let (_behind, behind) = shown(&stage, App::Kcalc);
    let (_front, front) = shown(&stage, App::Mousepad);
    stage.effect("window_focus", &[&id(front)], "confirmed");
    stage.hand().move_to((777, 555));
    stage.effect("window_move", &[&id(behind), "30", "40"], "confirmed");
    stage.effect("window_resize", &[&id(behind), "500", "480"], "confirmed");
    stage.effect("window_minimize", &[&id(behind)], "confirmed");
    assert_eq!(desk.active(), front);
    assert_eq!(desk.pointer(), (777, 555));
}

#[test]
fn a_window_is_meant_by_id_pid_name_or_title_and_never_guessed() {
    let stage = Stage::new();
    let (first, one) = shown(&stage, App::Xterm);
    let (_second, two) = shown(&stage, App::Xterm);
    let told = |target: &str| stage.call("window_get", &[target]).json()["id"].clone();
    assert_eq!(told(&id(one)), one);
    assert_eq!(told(&two.to_string()), two);
    assert_eq!(told(&first.pid_text()), one);
    let error = stage.call("window_move", &["xterm", "5", "5"]).expect_error("ambiguous_window");
    let hint = error["hint"].as_str().unwrap();
    assert!(hint.contains(&id(one)) && hint.contains(&id(two)), "{error}");
    assert!(hint.contains("A terminal"), "{error}");
    assert_eq!(error["delivery"], "not_sent", "{error}");

    stage.call("window_get", &["0x7fffffff"]).expect_error("window_not_found");
    stage.call("window_close", &["nobody"]).expect_error("app_not_running");
    let (_editor, editor) = shown(&stage, App::Mousepad);
    let titled = stage.call("window_get", &["mousepad", "--title", "untitled"]).json();
    assert_eq!(titled["id"], editor);
    stage.call("window_get", &["mousepad", "--title", "zebra"]).expect_error("window_not_found");
}

#[test]
fn a_window_of_a_frozen_app_is_still_moved() {
    let stage = Stage::new();
    let desk = stage.desk();
    let (program, window) = shown(&stage, App::Mousepad);
    program.signal(rustix::process::Signal::STOP);
    stage.effect("window_move", &[&id(window), "200", "150"], "confirmed");
    let frame = desk.frame(window);
    assert_eq!((frame.x, frame.y), (200, 150));
    let answer = stage.effect("window_close", &[&id(window)], "no_effect");
    assert!(answer["escalation"].as_str().unwrap().contains("--force"), "{answer}");
    assert!(desk.exists(window));
    program.signal(rustix::process::Signal::CONT);
    assert!(until(|| !desk.exists(window)), "it closes once it is awake");
}
