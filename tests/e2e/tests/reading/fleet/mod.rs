//! Every app of the fleet: what Deskhand sees is what the independent plain walk sees.
#![allow(clippy::unwrap_used, reason = "tests")]

pub(crate) mod compare;
pub(crate) mod roles;

use compare::assert_same;
use harness::{App, Stage};

/// Starts an app and compares Deskhand's look with a plain walk before it and one after it.
fn sees_what_a_plain_walk_sees(app: App) {
    let stage = Stage::new();
    let program = stage.start(app);
    let before = stage.plain_walk(program.pid());
    let ours = stage.tree(&program);
    let after = stage.plain_walk(program.pid());
    assert!(ours.elements.len() >= app.at_least(), "{}", ours.summary());
    assert_same(&before, &ours, &after);
}

#[test]
fn mousepad() {
    sees_what_a_plain_walk_sees(App::Mousepad);
}

#[test]
fn gtk3_widget_factory() {
    sees_what_a_plain_walk_sees(App::Gtk3WidgetFactory);
}

#[test]
fn gtk3_demo() {
    sees_what_a_plain_walk_sees(App::Gtk3Demo);
}

#[test]
fn gtk4_demo() {
    sees_what_a_plain_walk_sees(App::Gtk4Demo);
}

#[test]
fn gtk4_widget_factory() {
    sees_what_a_plain_walk_sees(App::Gtk4WidgetFactory);
}

#[test]
fn gnome_calculator() {
    sees_what_a_plain_walk_sees(App::GnomeCalculator);
}

#[test]
fn qt5_kcalc() {
    sees_what_a_plain_walk_sees(App::Kcalc);
}

#[test]
fn qt5_featherpad() {
    sees_what_a_plain_walk_sees(App::Featherpad);
}

#[test]
fn qt6_designer() {
    sees_what_a_plain_walk_sees(App::Designer);
}

#[test]
fn chromium_with_five_thousand_elements() {
    sees_what_a_plain_walk_sees(App::Chromium("five_thousand.html"));
}

#[test]
fn chromium_with_a_form() {
    sees_what_a_plain_walk_sees(App::Chromium("form.html"));
}

#[test]
fn firefox_with_five_thousand_elements() {
    sees_what_a_plain_walk_sees(App::Firefox("five_thousand.html"));
}

#[test]
fn firefox_with_a_form() {
    sees_what_a_plain_walk_sees(App::Firefox("form.html"));
}

#[test]
fn libreoffice_writer() {
    sees_what_a_plain_walk_sees(App::Writer);
}

#[test]
fn libreoffice_calc() {
    sees_what_a_plain_walk_sees(App::Calc);
}

#[test]
fn swing() {
    sees_what_a_plain_walk_sees(App::SwingForm);
}

#[test]
fn password_fixtures() {
    sees_what_a_plain_walk_sees(App::Fixture("gtk3_passwords.py", &[]));
    sees_what_a_plain_walk_sees(App::Fixture("gtk4_passwords.py", &[]));
    sees_what_a_plain_walk_sees(App::Fixture("qt6_dialog.py", &["20"]));
}

#[test]
fn an_app_without_a_tree_is_said_to_have_none_and_its_window_is_listed() {
    let stage = Stage::new();
    let mut xterm = stage.launch(App::Xterm);
    let titled =
        |stage: &Stage| stage.windows().into_iter().find(|window| window["title"] == "A terminal");
    let end = std::time::Instant::now() + std::time::Duration::from_secs(20);
    let window = loop {
        if let Some(window) = titled(&stage) {
            break window;
        }
        assert!(std::time::Instant::now() < end, "no window of xterm: {:?}", stage.windows());
    };
    assert_eq!(window["pid"], xterm.pid());
    assert!(window["bounds"]["width"].as_u64() > Some(100), "{window}");
    let outcome = stage.deskhand(&["tree", "--app", "xterm", "--format", "json"]);
    let error = outcome.error();
    let hint = error["hint"].as_str().unwrap_or_default();
    let told = format!("{} {hint}", error["message"].as_str().unwrap_or_default());
    assert!(told.contains("accessib"), "the answer says that it has no accessibility tree: {told}");
    assert_ne!(error["code"], "app_not_running", "it does run: {told}");
    assert!(xterm.is_alive());
}
