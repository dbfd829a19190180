//! The apps that the conformance suite runs against: apps of three toolkits and test fixtures.

use deskhand_model::Role;
use deskhand_platform::{
    Key, NamedKey,
    conformance::{ElementPattern, PressTarget, TestApp},
};

/// Names of the apps, as given on the command line.
pub(crate) const NAMES: [&str; 6] =
    ["mousepad", "featherpad", "gnome-calculator", "kcalc", "gtk3_passwords", "gtk3_hides"];

/// Returns the description of an app, or `None` if the name is unknown.
pub(crate) fn by_name(name: &str) -> Option<TestApp> {
    Some(match name {
        "mousepad" => TestApp {
            program: "mousepad".to_owned(),
            title: "Mousepad".to_owned(),
            elements: vec![ElementPattern::with_name(Role::Menu, "File"), any_text()],
            text_field: Some(any_text()),
            new_window_keys: Some(vec![
                Key::Named(NamedKey::Control),
                Key::Named(NamedKey::Shift),
                Key::Char('n'),
            ]),
            misspelled: Some(("mousepa".to_owned(), "Mousepad".to_owned())),
            resizable: true,
            background_keys: true,
            exits_on_request: true,
            ..TestApp::default()
        },
        "featherpad" => TestApp {
            program: "featherpad".to_owned(),
            arguments: vec!["--standalone".to_owned()],
            title: "Untitled".to_owned(),
            elements: vec![ElementPattern::with_name(Role::MenuItem, "File"), any_text()],
            text_field: Some(any_text()),
            resizable: true,
            exits_on_request: true,
            ..TestApp::default()
        },
        "gnome-calculator" => TestApp {
            program: "gnome-calculator".to_owned(),
            title: "Calculator".to_owned(),
            elements: vec![ElementPattern::with_name(Role::Button, "7")],
            press_target: Some(press_twice("7", "click", "77")),
            exits_on_request: true,
            ..TestApp::default()
        },
        "kcalc" => TestApp {
            program: "kcalc".to_owned(),
            title: "KCalc".to_owned(),
            elements: vec![ElementPattern::with_name(Role::Button, "7")],
            press_target: Some(press_twice("7", "Press", "77")),
            exits_on_request: true,
            ..TestApp::default()
        },
        "gtk3_passwords" => TestApp {
            title: "GTK3 passwords".to_owned(),
            elements: vec![ElementPattern::with_name(Role::CheckBox, "Remember me")],
            text_field: Some(ElementPattern::with_name(Role::Entry, "Plain entry")),
            password_field: Some((
                ElementPattern::with_name(Role::Password, "Password"),
                "hunter2-secret".to_owned(),
            )),
            ..fixture(name)
        },
        "gtk3_hides" => TestApp {
            title: "Hides".to_owned(),
            elements: vec![ElementPattern::with_name(Role::Button, "Stay")],
            ..fixture(name)
        },
        _ => return None,
    })
}

/// A subject that runs a Python fixture of this repository.
fn fixture(name: &str) -> TestApp {
    let file = harness::app::fixtures().join(name).with_extension("py");
    TestApp {
        program: "/usr/bin/python3".to_owned(),
        arguments: vec![file.display().to_string()],
        ..TestApp::default()
    }
}

fn any_text() -> ElementPattern {
    ElementPattern::with_roles(&[Role::Text])
}

fn press_twice(name: &str, action: &str, shows: &str) -> PressTarget {
    PressTarget {
        element: ElementPattern::with_name(Role::Button, name),
        action: action.to_owned(),
        times: 2,
        expected_text: shows.to_owned(),
    }
}
