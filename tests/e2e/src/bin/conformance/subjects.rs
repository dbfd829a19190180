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
pub(crate) fn by_name(name: &str) -> Option<Subject> {
    Some(match name {
        "mousepad" => Subject {
            program: "mousepad".to_owned(),
            title: "Mousepad".to_owned(),
            elements: vec![Wanted::named(Role::Menu, "File"), any_text()],
            text: Some(any_text()),
            new_window: Some(vec![
                Key::Named(Named::Control),
                Key::Named(Named::Shift),
                Key::Char('n'),
            ]),
            near: Some(("mousepa".to_owned(), "Mousepad".to_owned())),
            resizable: true,
            aside: true,
            ends_when_asked: true,
            ..Subject::default()
        },
        "featherpad" => Subject {
            program: "featherpad".to_owned(),
            arguments: vec!["--standalone".to_owned()],
            title: "Untitled".to_owned(),
            elements: vec![Wanted::named(Role::MenuItem, "File"), any_text()],
            text: Some(any_text()),
            resizable: true,
            ends_when_asked: true,
            ..Subject::default()
        },
        "gnome-calculator" => Subject {
            program: "gnome-calculator".to_owned(),
            title: "Calculator".to_owned(),
            elements: vec![Wanted::named(Role::Button, "7")],
            press: Some(press_twice("7", "click", "77")),
            ends_when_asked: true,
            ..Subject::default()
        },
        "kcalc" => Subject {
            program: "kcalc".to_owned(),
            title: "KCalc".to_owned(),
            elements: vec![Wanted::named(Role::Button, "7")],
            press: Some(press_twice("7", "Press", "77")),
            ends_when_asked: true,
            ..Subject::default()
        },
        "gtk3_passwords" => Subject {
            title: "GTK3 passwords".to_owned(),
            elements: vec![Wanted::named(Role::CheckBox, "Remember me")],
            text: Some(Wanted::named(Role::Entry, "Plain entry")),
            password: Some((
                Wanted::named(Role::Password, "Password"),
                "hunter2-secret".to_owned(),
            )),
            ..fixture(name)
        },
        "gtk3_hides" => Subject {
            title: "Hides".to_owned(),
            elements: vec![Wanted::named(Role::Button, "Stay")],
            ..fixture(name)
        },
        _ => return None,
    })
}

/// A subject that runs a Python fixture of this repository.
fn fixture(name: &str) -> Subject {
    let file = harness::app::fixtures().join(name).with_extension("py");
    Subject {
        program: "/usr/bin/python3".to_owned(),
        arguments: vec![file.display().to_string()],
        ..Subject::default()
    }
}

fn any_text() -> Wanted {
    Wanted::any_of(&[Role::Text])
}

fn press_twice(name: &str, action: &str, shows: &str) -> Pressing {
    Pressing {
        what: Wanted::named(Role::Button, name),
        action: action.to_owned(),
        times: 2,
        shows: shows.to_owned(),
    }
}
