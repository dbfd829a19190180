//! Predicates on the elements of a snapshot: visible, blocked, editable, focused.

pub(crate) use deskhand_locate::visibility::{is_shown, window_index};
use deskhand_model::{Index, Node, Role, Snapshot, State};

use super::action_names;

/// Returns `true` if elements of this kind report whether they are enabled. Labels and panels do
/// not.
pub(crate) fn reports_enabled(node: &Node) -> bool {
    node.role.is_control()
}

/// Returns `true` if the user can type into the element. A terminal passes keys to its program,
/// although it does not report that its text can be edited.
pub(crate) fn is_editable(node: &Node) -> bool {
    (node.states.has(State::Editable) || node.role == Role::Terminal)
        && !node.states.has(State::ReadOnly)
}

/// Returns the focused element, preferably of the active window. Some toolkits report the focus of
/// windows that do not have the keyboard, and Qt that of the current tab or item of every list.
pub(crate) fn focused_index(snapshot: &Snapshot) -> Option<Index> {
    let is_qt = snapshot.app().toolkit.name.starts_with("Qt");
    let is_only_current = |at: Index| {
        let node = snapshot.node(at);
        is_qt && (node.role == Role::Tab || action_names::is_item(node))
    };
    let is_active =
        |at: Index| snapshot.ancestors(at).any(|up| snapshot.node(up).states.has(State::Active));
    // Windows and documents report the focus of an element inside them as their own.
    snapshot
        .iter()
        .filter(|(_, node)| node.states.has(State::Focused) && !node.role.is_window())
        .map(|(at, _)| at)
        .max_by_key(|at| (is_active(*at), !is_only_current(*at), at.get()))
}

/// Returns `true` if a text looks like a time of day or a duration, which changes by itself.
pub(crate) fn looks_like_time(text: &str) -> bool {
    let mut digits_before = false;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == ':' && digits_before && letters.peek().is_some_and(char::is_ascii_digit) {
            return true;
        }
        digits_before = letter.is_ascii_digit();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{app, element};

    #[test]
    fn the_current_tab_of_qt_does_not_have_the_focus_of_the_editor() {
        let focused = |id: &str, role| {
            let mut node = element(id, role);
            node.states = node.states.with(State::Focused);
            node
        };
        let mut window = element("window", Role::Window);
        window.states = window.states.with(State::Active);
        let nodes = vec![window, focused("editor", Role::Text), focused("tab", Role::Tab)];
        let children = [vec![1, 2], Vec::new(), Vec::new()];
        for (toolkit, expected) in [("Qt", "editor"), ("gtk", "tab")] {
            let mut app = app("app");
            toolkit.clone_into(&mut app.toolkit.name);
            let snapshot = Snapshot::assemble(app, nodes.clone(), &children);
            let found = focused_index(&snapshot).map(|at| snapshot.node(at).id.as_str());
            assert_eq!(found, Some(expected));
        }
    }

    #[test]
    fn clocks_are_recognized_by_their_text() {
        assert!(looks_like_time("12:05") && looks_like_time("Now: 7:00:01 pm"));
        assert!(
            !looks_like_time("Clicked: 3")
                && !looks_like_time("1+1")
                && !looks_like_time("a:1")
                && !looks_like_time("3: x")
        );
    }
}
