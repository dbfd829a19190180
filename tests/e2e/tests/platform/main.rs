//! The conformance suite of the seam, on real apps of three toolkits: everything a backend must do, the
//! Linux backend does.
#![allow(clippy::unwrap_used, reason = "a panic is how a test reports")]

use std::collections::HashSet;

use deskhand_platform::conformance::{self, Check, Part};
use harness::{Outcome, Stage};

/// What a Linux desktop does not have.
const ABSENT: [Part; 3] = [Part::Permissions, Part::Dictionaries, Part::Reader];

/// Runs the suite against an app on a desktop of its own; the names of the checks that passed.
fn passed(app: &str) -> HashSet<String> {
    let stage = Stage::new();
    let outcome = Outcome::of(stage.command(env!("CARGO_BIN_EXE_conformance")).arg(app));
    let lines = outcome.text();
    assert_eq!(outcome.code, Some(0), "{lines}{}", outcome.stderr);
    assert_eq!(lines.lines().count(), conformance::checks().count(), "{lines}");
    let passed = lines.lines().filter_map(|line| line.strip_prefix("passed "));
    passed.filter_map(|line| Some(line.split_once(' ')?.0.to_owned())).collect()
}

/// The checks that did not pass, of those that are for a desktop such as this.
fn left_out(passed: &HashSet<String>) -> Vec<&'static str> {
    let here = |check: &&Check| !check.needs.iter().any(|part| ABSENT.contains(part));
    let names = conformance::checks().filter(here).map(|check| check.name);
    names.filter(|name| !passed.contains(*name)).collect()
}

#[test]
fn a_gtk3_editor_shows_everything_but_passwords_and_buttons() {
    let left_out = left_out(&passed("mousepad"));
    assert_eq!(left_out, ["a_password_is_never_returned", "a_press_has_a_visible_effect"]);
}

#[test]
fn a_qt5_editor_shows_all_it_has() {
    let left_out = left_out(&passed("featherpad"));
    let expected = [
        "an_element_of_a_closed_window_is_gone_and_its_app_is_not",
        "a_password_is_never_returned",
        "a_press_has_a_visible_effect",
        "background_keys_do_not_move_the_pointer",
    ];
    assert_eq!(left_out, expected);
}

/// Fails unless an app of buttons shows what is pressed, and most of the rest.
fn shows_what_is_pressed(app: &str) {
    let passed = passed(app);
    assert!(passed.contains("a_press_has_a_visible_effect"), "{app}: {passed:?}");
    assert!(passed.len() > 35, "{app}: {passed:?}");
}

#[test]
fn a_gtk4_calculator_shows_what_is_pressed() {
    shows_what_is_pressed("gnome-calculator");
}

#[test]
fn a_qt5_calculator_shows_what_is_pressed() {
    shows_what_is_pressed("kcalc");
}

#[test]
fn a_window_with_a_password_keeps_it() {
    let passed = passed("gtk3_passwords");
    assert!(passed.contains("a_password_is_never_returned"), "{passed:?}");
}

#[test]
fn a_window_its_program_hides_when_it_is_closed_is_gone() {
    let stage = Stage::new();
    let mut command = stage.command(env!("CARGO_BIN_EXE_conformance"));
    let outcome = Outcome::of(command.args(["gtk3_hides", "a_closed_window_is_gone"]));
    assert_eq!(outcome.code, Some(0), "{}{}", outcome.text(), outcome.stderr);
    assert!(outcome.text().starts_with("passed "), "{}", outcome.text());
}

#[test]
fn a_desktop_that_says_yes_and_does_nothing_fails() {
    let checks = [
        "a_window_moves",
        "a_window_is_resized",
        "a_window_is_minimized_and_restored",
        "a_closed_window_is_gone",
        "displays_have_a_valid_frame_and_scale",
        "a_screenshot_of_a_window_shows_it",
        "written_content_can_be_read_in_every_format",
        "a_secret_is_marked_as_concealed",
        "a_clipboard_change_is_reported",
    ];
    let stage = Stage::new();
    let mut command = stage.command(env!("CARGO_BIN_EXE_conformance"));
    let outcome = Outcome::of(command.args(["mousepad", "--pretend"]).args(checks));
    let lines = outcome.text();
    assert_eq!(outcome.code, Some(1), "{lines}");
    let failed = lines.lines().filter_map(|line| line.strip_prefix("FAILED "));
    let failed: Vec<&str> = failed.filter_map(|line| Some(line.split_once(':')?.0)).collect();
    assert_eq!(failed, checks, "{lines}");
}
