//! What a person could see and use of a snapshot's elements.

use deskhand_model::{Index, Node, Role, Snapshot, State};

/// Whether an element is in sight, or only out of it because its whole window is, or because it
/// waits in a closed menu or list from which an app takes it without opening it.
pub(crate) fn is_shown(snapshot: &Snapshot, at: Index, node: &Node) -> bool {
    if node.states.has(State::Showing) {
        return true;
    }
    if in_closed_menu(snapshot, at) {
        return true;
    }
    // In a minimized window nothing is showing; what would be, is still visible.
    let window = super::target::window_of(snapshot, at).map(|at| snapshot.node(at));
    let hidden = window.is_some_and(|window| {
        !window.states.has(State::Showing) || window.states.has(State::Minimized)
    });
    hidden && (node.states.has(State::Visible) || node.role.is_control())
}

/// Whether an element is an entry of a menu or of a combo box's list.
pub(crate) fn in_closed_menu(snapshot: &Snapshot, at: Index) -> bool {
    let entry = matches!(
        snapshot.node(at).role,
        Role::MenuItem
            | Role::CheckMenuItem
            | Role::RadioMenuItem
            | Role::CheckBox
            | Role::RadioButton
            | Role::Menu
            | Role::ListItem
    );
    entry
        && snapshot.ancestors(at).any(|up| {
            matches!(
                snapshot.node(up).role,
                Role::Menu | Role::MenuBar | Role::PopupMenu | Role::ComboBox
            )
        })
}

/// The dialog that keeps a person from an element: an open modal window it does not stand in.
pub(crate) fn blocking(snapshot: &Snapshot, at: Index) -> Option<&Node> {
    let own = super::target::window_of(snapshot, at);
    snapshot
        .children(Index::ROOT)
        .filter(|window| Some(*window) != own)
        .map(|window| snapshot.node(window))
        .find(|window| window.states.has(State::Modal) && window.states.has(State::Showing))
}

/// Whether an element of this kind tells if it can be used; a label or a panel does not.
pub(crate) fn says_whether_enabled(node: &Node) -> bool {
    node.role.is_control()
}

/// Whether an element takes text from a person.
pub(crate) fn is_editable(node: &Node) -> bool {
    node.states.has(State::Editable) && !node.states.has(State::ReadOnly)
}

/// The element that has the keyboard.
pub(crate) fn focused(snapshot: &Snapshot) -> Option<Index> {
    // Windows and documents say they are focused when something in them is.
    snapshot
        .iter()
        .filter(|(_, node)| node.states.has(State::Focused) && !node.role.is_window())
        .map(|(at, _)| at)
        .next_back()
}

/// Whether a text looks like a time of day or a duration, which changes on its own.
pub(crate) fn is_time(text: &str) -> bool {
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

    #[test]
    fn clocks_are_told_from_other_texts() {
        assert!(is_time("12:05") && is_time("Now: 7:00:01 pm"));
        assert!(!is_time("Clicked: 3") && !is_time("1+1") && !is_time("a:1") && !is_time("3: x"));
    }
}
