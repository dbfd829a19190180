//! Outlines show what is on the screen, and refs of rows that Qt creates for each read last.
#![allow(clippy::unwrap_used, reason = "tests")]

use harness::{App, TestDesktop};

/// Returns the outline of an app without a token budget.
fn outline(stage: &TestDesktop, pid: &str) -> String {
    stage.deskhand(&["tree", "--app", pid, "--max-tokens", "0"]).expect_ok().text()
}

/// GTK 4.8 reports all pages of a stack as visible. Pages that were current before keep their size.
#[test]
fn gtk4_pages_that_are_not_current_are_not_shown() {
    let stage = TestDesktop::new();
    let program = stage.start(App::Gtk4WidgetFactory);
    let pid = program.pid_text();
    let (first, second) = ("checkbox \"radiobutton\"", "\"All systems are operating normally.\"");
    let before = outline(&stage, &pid);
    assert!(before.contains(first) && !before.contains(second), "{before}");
    stage.deskhand(&["click", "role:tab title:\"Page 2\"", "--app", &pid]).expect_ok();
    let switched = outline(&stage, &pid);
    assert!(switched.contains(second) && !switched.contains(first), "{switched}");
    stage.deskhand(&["click", "role:tab title:\"Page 1\"", "--app", &pid]).expect_ok();
    let back = outline(&stage, &pid);
    assert!(back.contains(first) && !back.contains(second), "{back}");
    assert!(back.contains("window \"GTK Widget Factory\""), "{back}");
}

/// Qt places tabbed docks outside of their window, and reports the items of closed combo boxes and
/// the rows of hidden trees as showing. The cells of its trees have a new id in each read.
#[test]
fn qt_docks_behind_others_are_not_shown_and_refs_of_rows_last() {
    let stage = TestDesktop::new();
    let program = stage.start(App::Designer);
    let pid = program.pid_text();
    let text = outline(&stage, &pid);
    assert!(!text.contains("window \"Signal/Slot Editor\""), "{text}");
    assert!(!text.contains("VGA portrait (480x640)"), "an item of a closed combo box: {text}");
    let row = text.lines().find(|line| line.contains("\"Layouts\"")).unwrap();
    let reference = row.split_whitespace().nth(1).unwrap().trim_end_matches(':').to_owned();
    let again = outline(&stage, &pid);
    assert!(again.lines().any(|line| line == row), "{row} is not in {again}");
    let found = stage.deskhand(&["find", &reference, "--app", &pid, "--format", "json"]);
    found.expect_ok();
    assert!(found.text().contains("Layouts"), "{found}");
}
