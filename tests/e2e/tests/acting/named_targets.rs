//! Queries as people write them: the app's own output shows which element an action reached.

use std::time::{Duration, Instant};

use harness::{App, Program, TestDesktop};

const GTK3: App = App::Fixture("nested_dialogs.py", &["gtk3"]);
const QT6: App = App::Fixture("nested_dialogs.py", &["qt6"]);

/// Clicks an element and waits until the app reports the effect.
#[track_caller]
fn click(stage: &TestDesktop, app: &Program, query: &str, expected: &str) {
    let outcome = stage.deskhand(&["click", query, "--app", &app.pid_text()]);
    let line = app.next_line(Duration::from_secs(5));
    assert_eq!(line.as_deref(), Some(expected), "{query}: {outcome}");
}

/// Fails if a click is not refused because of a dialog with this title.
#[track_caller]
fn expect_blocked(stage: &TestDesktop, app: &Program, query: &str, dialog: &str) {
    let outcome = stage.deskhand(&["click", query, "--app", &app.pid_text()]);
    assert!(outcome.code != Some(0) && outcome.stderr.contains(dialog), "{query}: {outcome}");
    assert_eq!(app.next_line(Duration::from_millis(200)), None, "{query}");
}

#[test]
fn nested_modal_dialogs_are_answered_from_the_topmost_down() {
    let stage = TestDesktop::new();
    for fixture in [GTK3, QT6] {
        let app = stage.start(fixture);
        click(&stage, &app, "Sites", "sites opened");
        // The main window has a `Save` button as well, which the dialog blocks.
        click(&stage, &app, "Save", "sites save");
        click(&stage, &app, "OK", "remember opened");
        click(&stage, &app, "Save", "remember save");
        expect_blocked(&stage, &app, "Sites", "Remember passwords?");
        click(&stage, &app, "OK", "remember closed");
        app.wait_for("sites closed");
        click(&stage, &app, "Save", "main save");
    }
}

#[test]
fn menu_paths_reach_items_of_closed_menus() {
    let stage = TestDesktop::new();
    for fixture in [GTK3, QT6] {
        let app = stage.start(fixture);
        for query in ["File > Save As", "File → save as...", "Save As menu item"] {
            click(&stage, &app, query, "menu Save As");
        }
        click(&stage, &app, "File > Save", "menu Save");
        click(&stage, &app, "Tools > Convert > To PDF", "menu To PDF");
        click(&stage, &app, "the Save button", "main save");
    }
}

#[test]
fn text_for_an_editable_combo_box_goes_into_its_field() {
    let stage = TestDesktop::new();
    for fixture in [GTK3, QT6] {
        let mut app = stage.start(fixture);
        let arguments = ["type", "gamma", "--into", "Search for", "--app", &app.pid_text()];
        let typed = stage.deskhand(&arguments);
        assert!(typed.code == Some(0), "{typed}");
        app.write_line("text");
        app.wait_for("text gamma");
    }
}

#[test]
fn a_query_without_a_match_is_answered_while_the_app_is_idle() {
    let stage = TestDesktop::new();
    let app = stage.start(GTK3);
    for command in ["click", "type"] {
        let mut arguments = vec![command, "No such thing", "--app"];
        if command == "type" {
            arguments = vec![command, "text", "--into", "No such thing", "--app"];
        }
        let pid = app.pid_text();
        arguments.push(&pid);
        let started = Instant::now();
        let outcome = stage.deskhand(&arguments);
        assert!(outcome.code != Some(0), "{outcome}");
        // The timeout of an action is 5 s.
        assert!(started.elapsed() < Duration::from_secs(2), "{:?}: {outcome}", started.elapsed());
    }
}
