//! Predictions on small trees.

use deskhand_model::NodeId;

use super::*;
use crate::testing::app;

/// The focused element of the sample.
#[derive(Clone, Copy, PartialEq)]
enum Focused {
    Entry,
    Page,
    Harmless,
    Delete,
    Nothing,
}

/// Builds a window with an entry, a multi-line text and two buttons.
fn sample(role: Role, focused: Focused, more: &[(&str, State)]) -> Snapshot {
    let node = |id: &str, role, name: &str, states: &[State]| {
        let more = more.iter().filter(|(whose, _)| *whose == id).map(|(_, state)| *state);
        let states = states.iter().copied().chain([State::Showing]).chain(more).collect();
        Node { name: name.to_owned(), states, ..Node::new(NodeId::new(id), role) }
    };
    let focus = |whose: Focused| if whose == focused { State::Focused } else { State::Enabled };
    let nodes = vec![
        node("app", Role::Application, "sample", &[]),
        node("window", role, "Sample", &[State::Active]),
        node("entry", Role::Entry, "Name", &[State::Editable, focus(Focused::Entry)]),
        node(
            "page",
            Role::Text,
            "Notes",
            &[State::Editable, State::MultiLine, focus(Focused::Page)],
        ),
        node("save", Role::Button, "Save", &[focus(Focused::Harmless)]),
        node("delete", Role::Button, "Delete all", &[focus(Focused::Delete)]),
    ];
    let children = [vec![1], vec![2, 3, 4, 5], vec![], vec![], vec![], vec![]];
    Snapshot::assemble(app("app"), nodes, &children)
}

fn combos(all: &str) -> Vec<KeyCombo> {
    all.split(' ').map(|one| crate::input::keys::parse_combo(one).unwrap()).collect()
}

fn harm(snapshot: &Snapshot, keys: &str) -> Option<String> {
    first_harm(Some(snapshot), &combos(keys)).map(|harm| match harm {
        Harm::Key(key) => key,
        Harm::Element(node) => node.name,
    })
}

#[test]
fn keys_that_close_or_delete_are_risks_by_themselves() {
    let entry = sample(Role::Window, Focused::Entry, &[]);
    const CLOSING: &str = "alt+F4 ctrl+q ctrl+w ctrl+shift+w ctrl+F4 alt+space super+q cmd+q cmd+w \
                           cmd+shift+q ctrl+cmd+q cmd+alt+w cmd+shift+backspace cmd+alt+backspace";
    for keys in CLOSING.split_whitespace() {
        assert!(harm(&entry, keys).is_some(), "{keys}");
        assert!(first_harm(None, &combos(keys)).is_some(), "{keys} without a tree");
    }
    for keys in
        ["ctrl+s", "a", "tab", "escape", "ctrl+c", "F5", "down", "ctrl+space", "cmd+s", "cmd+space"]
    {
        assert_eq!(harm(&entry, keys), None, "{keys}");
    }
}

#[test]
fn deleting_is_risky_outside_text() {
    let (entry, button) =
        (sample(Role::Window, Focused::Entry, &[]), sample(Role::Window, Focused::Harmless, &[]));
    for keys in ["delete", "shift+delete", "backspace"] {
        assert_eq!(harm(&entry, keys), None, "{keys}");
        assert!(harm(&button, keys).is_some(), "{keys}");
    }
    assert_eq!(harm(&entry, "ctrl+a delete"), None, "the focus stays in the text");
    assert!(harm(&entry, "tab delete").is_some(), "the focus has moved by then");
    let unfocused = sample(Role::Window, Focused::Nothing, &[]);
    assert!(harm(&unfocused, "delete").is_some() && harm(&unfocused, "backspace").is_none());
    assert_eq!(harm(&entry, "cmd+a cmd+backspace"), None, "in a text it deletes a line");
    assert!(harm(&unfocused, "cmd+backspace").is_some(), "the Finder deletes files with it");
}

#[test]
fn return_and_space_press_the_focused_element() {
    let on = |focused| sample(Role::Window, focused, &[]);
    for keys in ["return", "space", "shift+return"] {
        assert_eq!(harm(&on(Focused::Delete), keys).as_deref(), Some("Delete all"), "{keys}");
        assert_eq!(harm(&on(Focused::Harmless), keys), None, "{keys}");
        assert_eq!(harm(&on(Focused::Nothing), keys).as_deref(), Some("Delete all"), "{keys}");
    }
    assert_eq!(harm(&on(Focused::Harmless), "tab space").as_deref(), Some("Delete all"));
    assert_eq!(harm(&on(Focused::Entry), "space"), None, "it is text");
}

#[test]
fn return_in_a_field_presses_the_default_button() {
    let window = sample(Role::Window, Focused::Entry, &[]);
    assert_eq!(harm(&window, "return"), None, "no button is marked as the default");
    let default = sample(Role::Window, Focused::Entry, &[("delete", State::Default)]);
    assert_eq!(harm(&default, "return").as_deref(), Some("Delete all"));
    let dialog = sample(Role::Dialog, Focused::Entry, &[]);
    assert_eq!(harm(&dialog, "return").as_deref(), Some("Delete all"));
    let harmless = sample(Role::Dialog, Focused::Entry, &[("save", State::Default)]);
    assert_eq!(harm(&harmless, "return"), None);
    let page = sample(Role::Dialog, Focused::Page, &[("delete", State::Default)]);
    assert_eq!(harm(&page, "return"), None, "a line end is text in a multi-line field");
}

#[test]
fn any_letter_of_a_name_may_be_its_mnemonic() {
    let entry = sample(Role::Window, Focused::Entry, &[]);
    assert_eq!(harm(&entry, "alt+d").as_deref(), Some("Delete all"));
    assert_eq!(harm(&entry, "alt+a").as_deref(), Some("Delete all"));
    assert_eq!(harm(&entry, "alt+s"), None);
}

#[test]
fn a_letter_presses_only_in_an_open_menu() {
    let node = |id: &str, role, name: &str, states: &[State]| Node {
        name: name.to_owned(),
        states: states.iter().copied().chain([State::Showing]).collect(),
        ..Node::new(NodeId::new(id), role)
    };
    let nodes = vec![
        node("app", Role::Application, "sample", &[]),
        node("menu", Role::PopupMenu, "", &[]),
        node("open", Role::MenuItem, "Open", &[State::Selected]),
        node("delete", Role::MenuItem, "Delete", &[]),
    ];
    let children = [vec![1], vec![2, 3], vec![], vec![]];
    let menu = Snapshot::assemble(app("app"), nodes, &children);
    assert_eq!(harm(&menu, "d").as_deref(), Some("Delete"));
    assert_eq!(harm(&menu, "o"), None);
    assert_eq!(harm(&sample(Role::Window, Focused::Delete, &[]), "d"), None);
}

#[test]
fn text_that_leaves_its_field_may_press_risky_buttons() {
    let harm = |snapshot: &Snapshot, field: &str, text: &str| {
        let at = snapshot.position(&NodeId::new(field)).unwrap();
        text_harm(snapshot, at, text).is_some()
    };
    let window = sample(Role::Window, Focused::Entry, &[]);
    for text in ["\t ", "Ann\t\t\n", "x\n ", "\n\n"] {
        assert!(harm(&window, "entry", text), "{text:?}");
    }
    for text in ["Ann Lee", "Ann\tLee", "Ann\n", "Ann"] {
        assert!(!harm(&window, "entry", text), "{text:?}");
    }
    assert!(!harm(&window, "page", "two\nlines of text\n"));
    assert!(harm(&window, "page", "\t\n"), "the tab may leave the field");
    let dialog = sample(Role::Dialog, Focused::Entry, &[]);
    assert!(harm(&dialog, "entry", "Ann\n"));
}
