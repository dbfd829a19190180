//! Runs the platform conformance suite against real apps of three toolkits on Linux.
#![allow(clippy::unwrap_used, reason = "a panic is how a test reports")]

use std::collections::HashSet;

use deskhand_platform::conformance::{self, Capability, ConformanceCheck};
use harness::{Outcome, TestDesktop};

/// Platform parts that a Linux desktop does not have.
const ABSENT: [Capability; 3] =
    [Capability::Permissions, Capability::Dictionaries, Capability::TextRecognizer];

/// Runs the suite against an app on a new desktop. Returns the names of the passed checks.
fn passed_checks(app: &str) -> HashSet<String> {
    let stage = TestDesktop::new();
    let outcome = Outcome::of(stage.command(env!("CARGO_BIN_EXE_conformance")).arg(app));
    let lines = outcome.text();
    assert_eq!(outcome.code, Some(0), "{lines}{}", outcome.stderr);
    assert_eq!(lines.lines().count(), conformance::checks().count(), "{lines}");
    let passed_checks = lines.lines().filter_map(|line| line.strip_prefix("passed "));
    passed_checks.filter_map(|line| Some(line.split_once(' ')?.0.to_owned())).collect()
}

/// The checks that did not pass, without those that need an absent part.
fn not_passed(passed_checks: &HashSet<String>) -> Vec<&'static str> {
    let is_applicable =
        |check: &&ConformanceCheck| !check.requires.iter().any(|part| ABSENT.contains(part));
    let names = conformance::checks().filter(is_applicable).map(|check| check.name);
    names.filter(|name| !passed_checks.contains(*name)).collect()
}

#[test]
fn gtk3_editor_passes_all_checks_but_password_and_button() {
    let not_passed = not_passed(&passed_checks("mousepad"));
    assert_eq!(not_passed, ["a_password_is_never_returned", "a_press_has_a_visible_effect"]);
}

#[test]
fn qt5_editor_passes_all_checks_it_supports() {
    let not_passed = not_passed(&passed_checks("featherpad"));
    let expected = [
        "an_element_of_a_closed_window_is_gone_and_its_app_is_not",
        "a_password_is_never_returned",
        "a_press_has_a_visible_effect",
        "background_keys_do_not_move_the_pointer",
    ];
    assert_eq!(not_passed, expected);
}

/// Fails unless the app shows the effect of a button press and passes most other checks.
fn check_button_app(app: &str) {
    let passed_checks = passed_checks(app);
    assert!(passed_checks.contains("a_press_has_a_visible_effect"), "{app}: {passed_checks:?}");
    assert!(passed_checks.len() > 35, "{app}: {passed_checks:?}");
}

#[test]
fn gtk4_calculator_passes_the_button_check() {
    check_button_app("gnome-calculator");
}

#[test]
fn qt5_calculator_passes_the_button_check() {
    check_button_app("kcalc");
}

#[test]
fn password_field_value_is_not_exposed() {
    let passed_checks = passed_checks("gtk3_passwords");
    assert!(passed_checks.contains("a_password_is_never_returned"), "{passed_checks:?}");
}

#[test]
fn window_hidden_on_close_counts_as_closed() {
    let stage = TestDesktop::new();
    let mut command = stage.command(env!("CARGO_BIN_EXE_conformance"));
    let outcome = Outcome::of(command.args(["gtk3_hides", "a_closed_window_is_gone"]));
    assert_eq!(outcome.code, Some(0), "{}{}", outcome.text(), outcome.stderr);
    assert!(outcome.text().starts_with("passed "), "{}", outcome.text());
}

#[test]
fn no_op_desktop_fails_every_effect_check() {
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
    let stage = TestDesktop::new();
    let mut command = stage.command(env!("CARGO_BIN_EXE_conformance"));
    let outcome = Outcome::of(command.args(["mousepad", "--pretend"]).args(checks));
    let lines = outcome.text();
    assert_eq!(outcome.code, Some(1), "{lines}");
    let failed = lines.lines().filter_map(|line| line.strip_prefix("FAILED "));
    let failed: Vec<&str> = failed.filter_map(|line| Some(line.split_once(':')?.0)).collect();
    assert_eq!(failed, checks, "{lines}");
}
