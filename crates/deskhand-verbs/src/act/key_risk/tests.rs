//! What keys would do, judged on small trees.

use deskhand_model::NodeId;

use super::*;
use crate::{keys, testing::app};

/// What has the keyboard in the sample.
#[derive(Clone, Copy, PartialEq)]
enum Has {
    Entry,
    Page,
    Harmless,
    Delete,
    Nobody,
}

/// A window with an entry, a text of several lines and two buttons.
fn sample(role: Role, has: Has, more: &[(&str, State)]) -> Snapshot {
    let node = |id: &str, role, name: &str, states: &[State]| {
        let more = more.iter().filter(|(whose, _)| *whose == id).map(|(_, state)| *state);
        let states = states.iter().copied().chain([State::Showing]).chain(more).collect();
        Node { name: name.to_owned(), states, ..Node::new(NodeId::new(id), role) }
    };
    let focus = |whose: Has| if whose == has { State::Focused } else { State::Enabled };
    let nodes = vec![
        node("app", Role::Application, "sample", &[]),
        node("window", role, "Sample", &[State::Active]),
        node("entry", Role::Entry, "Name", &[State::Editable, focus(Has::Entry)]),
        node("page", Role::Text, "Notes", &[State::Editable, State::MultiLine, focus(Has::Page)]),
        node("save", Role::Button, "Save", &[focus(Has::Harmless)]),
        node("delete", Role::Button, "Delete all", &[focus(Has::Delete)]),
    ];
    let children = [vec![1], vec![2, 3, 4, 5], vec![], vec![], vec![], vec![]];
    Snapshot::assemble(app("app"), nodes, &children)
}

fn combos(all: &str) -> Vec<Combo> {
    all.split(' ').map(|one| keys::parse(one).unwrap()).collect()
}

fn met(seen: &Snapshot, keys: &str) -> Option<String> {
    first(Some(seen), &combos(keys)).map(|met| match met {
        Met::Key(key) => key,
        Met::Element(node) => node.name,
    })
}

#[test]
fn keys_that_close_or_delete_are_risks_by_themselves() {
    let entry = sample(Role::Window, Has::Entry, &[]);
    const CLOSING: &str = "alt+F4 ctrl+q ctrl+w ctrl+shift+w ctrl+F4 alt+space super+q cmd+q cmd+w \
                           cmd+shift+q ctrl+cmd+q cmd+alt+w cmd+shift+backspace cmd+alt+backspace";
    for keys in CLOSING.split_whitespace() {
        assert!(met(&entry, keys).is_some(), "{keys}");
        assert!(first(None, &combos(keys)).is_some(), "{keys} without a tree");
    }
    for keys in
        ["ctrl+s", "a", "tab", "escape", "ctrl+c", "F5", "down", "ctrl+space", "cmd+s", "cmd+space"]
    {
        assert_eq!(met(&entry, keys), None, "{keys}");
    }
}

#[test]
fn deleting_is_a_risk_outside_of_text() {
    let (entry, button) =
        (sample(Role::Window, Has::Entry, &[]), sample(Role::Window, Has::Harmless, &[]));
    for keys in ["delete", "shift+delete", "backspace"] {
        assert_eq!(met(&entry, keys), None, "{keys}");
        assert!(met(&button, keys).is_some(), "{keys}");
    }
    assert_eq!(met(&entry, "ctrl+a delete"), None, "the keyboard stays in the text");
    assert!(met(&entry, "tab delete").is_some(), "the keyboard is elsewhere by then");
    let nobody = sample(Role::Window, Has::Nobody, &[]);
    assert!(met(&nobody, "delete").is_some() && met(&nobody, "backspace").is_none());
    assert_eq!(met(&entry, "cmd+a cmd+backspace"), None, "in a text it takes away a line");
    assert!(met(&nobody, "cmd+backspace").is_some(), "the Finder throws files away by it");
}

#[test]
fn return_and_space_press_what_has_the_keyboard() {
    let on = |has| sample(Role::Window, has, &[]);
    for keys in ["return", "space", "shift+return"] {
        assert_eq!(met(&on(Has::Delete), keys).as_deref(), Some("Delete all"), "{keys}");
        assert_eq!(met(&on(Has::Harmless), keys), None, "{keys}");
        assert_eq!(met(&on(Has::Nobody), keys).as_deref(), Some("Delete all"), "{keys}");
    }
    assert_eq!(met(&on(Has::Harmless), "tab space").as_deref(), Some("Delete all"));
    assert_eq!(met(&on(Has::Entry), "space"), None, "it is text");
}

#[test]
fn return_in_a_field_presses_the_default_button() {
    let window = sample(Role::Window, Has::Entry, &[]);
    assert_eq!(met(&window, "return"), None, "no button says that it is the default");
    let default = sample(Role::Window, Has::Entry, &[("delete", State::Default)]);
    assert_eq!(met(&default, "return").as_deref(), Some("Delete all"));
    let dialog = sample(Role::Dialog, Has::Entry, &[]);
    assert_eq!(met(&dialog, "return").as_deref(), Some("Delete all"));
    let harmless = sample(Role::Dialog, Has::Entry, &[("save", State::Default)]);
    assert_eq!(met(&harmless, "return"), None);
    let page = sample(Role::Dialog, Has::Page, &[("delete", State::Default)]);
    assert_eq!(met(&page, "return"), None, "a line end is text there");
}

#[test]
fn an_underlined_letter_may_be_any_of_the_name() {
    let entry = sample(Role::Window, Has::Entry, &[]);
    assert_eq!(met(&entry, "alt+d").as_deref(), Some("Delete all"));
    assert_eq!(met(&entry, "alt+a").as_deref(), Some("Delete all"));
    assert_eq!(met(&entry, "alt+s"), None);
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
    assert_eq!(met(&menu, "d").as_deref(), Some("Delete"));
    assert_eq!(met(&menu, "o"), None);
    assert_eq!(met(&sample(Role::Window, Has::Delete, &[]), "d"), None);
}

#[test]
fn text_that_leaves_its_field_is_judged_by_what_it_may_press() {
    let harm = |seen: &Snapshot, field: &str, text: &str| {
        let at = seen.position(&NodeId::new(field)).unwrap();
        by_text(seen, at, text).is_some()
    };
    let window = sample(Role::Window, Has::Entry, &[]);
    for text in ["\t ", "Ann\t\t\n", "x\n ", "\n\n"] {
        assert!(harm(&window, "entry", text), "{text:?}");
    }
    for text in ["Ann Lee", "Ann\tLee", "Ann\n", "Ann"] {
        assert!(!harm(&window, "entry", text), "{text:?}");
    }
    assert!(!harm(&window, "page", "two\nlines of text\n"));
    assert!(harm(&window, "page", "\t\n"), "the tab may leave it");
    let dialog = sample(Role::Dialog, Has::Entry, &[]);
    assert!(harm(&dialog, "entry", "Ann\n"));
}
