//! For every test app, the tree of deskhand equals the result of an independent accessibility walk.
#![allow(clippy::unwrap_used, reason = "tests")]

pub(crate) mod compare;
pub(crate) mod roles;

use compare::assert_same;
use harness::{App, TestDesktop};

/// Starts an app and compares the tree of deskhand with independent walks before and after it.
fn check_tree(app: App) {
    let stage = TestDesktop::new();
    let program = stage.start(app);
    let before = stage.plain_walk(program.pid());
    let tree = stage.tree(&program);
    let after = stage.plain_walk(program.pid());
    assert!(tree.elements.len() >= app.at_least(), "{}", tree.summary());
    assert_same(&before, &tree, &after);
}

#[test]
fn mousepad_tree_is_complete() {
    check_tree(App::Mousepad);
}

#[test]
fn gtk3_widget_factory_tree_is_complete() {
    check_tree(App::Gtk3WidgetFactory);
}

#[test]
fn gtk3_demo_tree_is_complete() {
    check_tree(App::Gtk3Demo);
}

#[test]
fn gtk4_demo_tree_is_complete() {
    check_tree(App::Gtk4Demo);
}

#[test]
fn gtk4_widget_factory_tree_is_complete() {
    check_tree(App::Gtk4WidgetFactory);
}

#[test]
fn gnome_calculator_tree_is_complete() {
    check_tree(App::GnomeCalculator);
}

#[test]
fn qt5_kcalc_tree_is_complete() {
    check_tree(App::Kcalc);
}

#[test]
fn qt5_featherpad_tree_is_complete() {
    check_tree(App::Featherpad);
}

#[test]
fn qt6_designer_tree_is_complete() {
    check_tree(App::Designer);
}

#[test]
fn chromium_tree_of_five_thousand_elements_is_complete() {
    check_tree(App::Chromium("five_thousand.html"));
}

#[test]
fn chromium_form_tree_is_complete() {
    check_tree(App::Chromium("form.html"));
}

#[test]
fn firefox_tree_of_five_thousand_elements_is_complete() {
    check_tree(App::Firefox("five_thousand.html"));
}

#[test]
fn firefox_form_tree_is_complete() {
    check_tree(App::Firefox("form.html"));
}

#[test]
fn libreoffice_writer_tree_is_complete() {
    check_tree(App::Writer);
}

#[test]
fn libreoffice_calc_tree_is_complete() {
    check_tree(App::Calc);
}

#[test]
fn swing_tree_is_complete() {
    check_tree(App::SwingForm);
}

#[test]
fn password_fixture_trees_are_complete() {
    check_tree(App::Fixture("gtk3_passwords.py", &[]));
    check_tree(App::Fixture("gtk4_passwords.py", &[]));
    check_tree(App::Fixture("qt6_dialog.py", &["20"]));
}

#[test]
fn app_without_a_tree_is_reported_and_its_window_is_listed() {
    let stage = TestDesktop::new();
    let mut xterm = stage.launch(App::Xterm);
    let find_window = |stage: &TestDesktop| {
        stage.windows().into_iter().find(|window| window["title"] == "A terminal")
    };
    let end = std::time::Instant::now() + std::time::Duration::from_secs(20);
    let window = loop {
        if let Some(window) = find_window(&stage) {
            break window;
        }
        assert!(std::time::Instant::now() < end, "no window of xterm: {:?}", stage.windows());
    };
    assert_eq!(window["pid"], xterm.pid());
    assert!(window["bounds"]["width"].as_u64() > Some(100), "{window}");
    let answer = stage.deskhand(&["tree", "--app", "xterm", "--format", "json"]).json();
    let note = answer["note"].as_str().unwrap_or_default();
    assert!(
        note.contains("no accessibility tree"),
        "the answer must say why it is empty: {answer}"
    );
    assert_eq!(answer["windows"][0]["id"], window["id"], "{answer}");
    assert!(xterm.is_alive());
}
