//! Closing windows: normally, with a save dialog, and by force.

use harness::inspect::{is_running, wait_until};
use harness::{App, Program, TestDesktop};

use crate::{id, start_with_window};

/// Starts an editor with unsaved text.
fn editor_with_unsaved_text(stage: &TestDesktop) -> (Program, u32) {
    let (program, window) = start_with_window(stage, App::Mousepad);
    stage.effect("window_focus", &[&id(window)], "confirmed");
    // The editor accepts keys shortly after its window gets the focus.
    std::thread::sleep(std::time::Duration::from_millis(300));
    stage.real_input().type_text("unsaved");
    let desk = stage.window_inspector();
    let is_edited = || desk.property(window, "_NET_WM_NAME").contains("\"*");
    assert!(wait_until(is_edited), "{}", desk.property(window, "_NET_WM_NAME"));
    (program, window)
}

#[test]
fn closed_window_is_gone() {
    let stage = TestDesktop::new();
    let desk = stage.window_inspector();
    for app in [App::Mousepad, App::GnomeCalculator, App::Kcalc, App::Xterm] {
        let (program, window) = start_with_window(&stage, app);
        stage.effect("window_close", &[&id(window)], "confirmed");
        // A program unmaps a window before it destroys it.
        assert!(wait_until(|| !desk.exists(window)), "{}", app.name());
        assert!(
            wait_until(|| !is_running(program.pid())),
            "{} did not end with its last window",
            app.name()
        );
    }
}

#[test]
fn save_dialog_is_reported_and_force_closes_the_window() {
    let stage = TestDesktop::new();
    let desk = stage.window_inspector();
    let (program, window) = editor_with_unsaved_text(&stage);
    let answer = stage.effect("window_close", &[&id(window)], "partial");
    let evidence = answer["evidence"].to_string();
    assert!(evidence.contains("Save Changes"), "{answer}");
    let dialog = desk.windows_of(program.pid()).into_iter().find(|one| *one != window).unwrap();
    assert!(evidence.contains(&id(dialog)), "{answer}");
    assert!(answer["escalation"].as_str().unwrap().contains("--force"), "{answer}");
    assert!(desk.exists(window) && is_running(program.pid()));
    let state = stage.call("window_state", &[&id(dialog)]).json();
    assert_eq!(state["kind"], "dialog", "{state}");
    assert_eq!(state["parent"], window, "{state}");

    stage.effect("window_close", &[&id(window), "--force"], "confirmed");
    assert!(!desk.exists(window) && !is_running(program.pid()));
}

#[test]
fn force_ends_only_the_program_of_the_window() {
    let stage = TestDesktop::new();
    let desk = stage.window_inspector();
    let (first, one) = start_with_window(&stage, App::Xterm);
    let (second, two) = start_with_window(&stage, App::Xterm);
    stage.effect("window_close", &[&id(one), "--force"], "confirmed");
    assert!(!desk.exists(one) && !is_running(first.pid()));
    assert!(desk.exists(two) && is_running(second.pid()));
}
