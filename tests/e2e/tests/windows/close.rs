//! Closing: politely, with a question in between, and by force.

use harness::desk::{runs, until};
use harness::{App, Program, Stage};

use crate::{id, shown};

/// An editor with text that is not saved.
fn edited(stage: &Stage) -> (Program, u32) {
    let (program, window) = shown(stage, App::Mousepad);
    stage.effect("window_focus", &[&id(window)], "confirmed");
    // The editor takes keys a moment after its window has the keyboard.
    std::thread::sleep(std::time::Duration::from_millis(300));
    stage.hand().type_text("unsaved");
    let desk = stage.desk();
    let is_edited = || desk.property(window, "_NET_WM_NAME").contains("\"*");
    assert!(until(is_edited), "{}", desk.property(window, "_NET_WM_NAME"));
    (program, window)
}

#[test]
fn a_window_that_is_closed_is_gone() {
    let stage = Stage::new();
    let desk = stage.desk();
    for app in [App::Mousepad, App::GnomeCalculator, App::Kcalc, App::Xterm] {
        let (program, window) = shown(&stage, app);
        stage.effect("window_close", &[&id(window)], "confirmed");
        // A program takes a window off the screen before it destroys it.
        assert!(until(|| !desk.exists(window)), "{}", app.name());
        assert!(until(|| !runs(program.pid())), "{} ends with its last window", app.name());
    }
}

#[test]
fn a_question_about_unsaved_work_is_told_and_force_ends_it() {
    let stage = Stage::new();
    let desk = stage.desk();
    let (program, window) = edited(&stage);
    let answer = stage.effect("window_close", &[&id(window)], "partial");
    let told = answer["evidence"].to_string();
    assert!(told.contains("Save Changes"), "{answer}");
    let dialog = desk.windows_of(program.pid()).into_iter().find(|one| *one != window).unwrap();
    assert!(told.contains(&id(dialog)), "{answer}");
    assert!(answer["escalation"].as_str().unwrap().contains("--force"), "{answer}");
    assert!(desk.exists(window) && runs(program.pid()));
    let state = stage.call("window_state", &[&id(dialog)]).json();
    assert_eq!(state["kind"], "dialog", "{state}");
    assert_eq!(state["parent"], window, "{state}");

    stage.effect("window_close", &[&id(window), "--force"], "confirmed");
    assert!(!desk.exists(window) && !runs(program.pid()));
}

#[test]
fn force_ends_one_program_and_not_its_neighbour() {
    let stage = Stage::new();
    let desk = stage.desk();
    let (first, one) = shown(&stage, App::Xterm);
    let (second, two) = shown(&stage, App::Xterm);
    stage.effect("window_close", &[&id(one), "--force"], "confirmed");
    assert!(!desk.exists(one) && !runs(first.pid()));
    assert!(desk.exists(two) && runs(second.pid()));
}
