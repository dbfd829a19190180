//! Closing windows: normally, with a save dialog, and by force.

use harness::desk::{runs, until};
use harness::{App, Program, Stage};

use crate::{id, start_with_window};

/// Starts an editor with unsaved text.
fn editor_with_unsaved_text(stage: &Stage) -> (Program, u32) {
    let (program, window) = start_with_window(stage, App::Mousepad);
    stage.effect("window_focus", &[&id(window)], "confirmed");
    // The editor accepts keys shortly after its window gets the focus.
    std::thread::sleep(std::time::Duration::from_millis(300));
    stage.hand().type_text("unsaved");
    let desk = stage.desk();
    let is_edited = || desk.property(window, "_NET_WM_NAME").contains("\"*");
    assert!(until(is_edited), "{}", desk.property(window, "_NET_WM_NAME"));
    (program, window)
}

#[test]
fn closed_window_is_gone() {
    let stage = Stage::new();
    let desk = stage.desk();
    for app in [App::Mousepad, App::GnomeCalculator, App::Kcalc, App::Xterm] {
        let (program, window) = start_with_window(&stage, app);
        stage.effect("window_close", &[&id(window)], "confirmed");
        // A program unmaps a window before it destroys it.
        assert!(until(|| !desk.exists(window)), "{}", app.name());
        assert!(until(|| !runs(program.pid())), "{} did not end with its last window", app.name());
    }
}

#[test]
fn save_dialog_is_reported_and_force_closes_the_window() {
    let stage = Stage::new();
    let desk = stage.desk();
    let (program, window) = editor_with_unsaved_text(&stage);
    let answer = stage.effect("window_close", &[&id(window)], "partial");
    let evidence = answer["evidence"].to_string();
    assert!(evidence.contains("Save Changes"), "{answer}");
    let dialog = desk.windows_of(program.pid()).into_iter().find(|one| *one != window).unwrap();
    assert!(evidence.contains(&id(dialog)), "{answer}");
    assert!(answer["escalation"].as_str().unwrap().contains("--force"), "{answer}");
    assert!(desk.exists(window) && runs(program.pid()));
    let state = stage.call("window_state", &[&id(dialog)]).json();
    assert_eq!(state["kind"], "dialog", "{state}");
    assert_eq!(state["parent"], window, "{state}");

    stage.effect("window_close", &[&id(window), "--force"], "confirmed");
    assert!(!desk.exists(window) && !runs(program.pid()));
}

#[test]
fn force_ends_only_the_program_of_the_window() {
    let stage = Stage::new();
    let desk = stage.desk();
    let (first, one) = start_with_window(&stage, App::Xterm);
    let (second, two) = start_with_window(&stage, App::Xterm);
    stage.effect("window_close", &[&id(one), "--force"], "confirmed");
    assert!(!desk.exists(one) && !runs(first.pid()));
    assert!(desk.exists(two) && runs(second.pid()));
}
