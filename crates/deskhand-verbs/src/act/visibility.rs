//! Predicates on the elements of a snapshot: visible, blocked, editable, focused.

use deskhand_model::{Index, Node, Role, Snapshot, State};

/// Returns `true` if an element is visible, or would be but for a hidden window, a closed menu or a
/// scroll position. Apps accept actions on such elements.
pub(crate) fn is_shown(snapshot: &Snapshot, at: Index, node: &Node) -> bool {
    if node.states.has(State::Showing) {
        return true;
    }
    if is_in_closed_menu(snapshot, at) || is_scrolled_away(snapshot, at, node) {
        return true;
    }
    // In a minimized window no element is showing, but its elements are still visible.
    let window = crate::act::target::window_index(snapshot, at).map(|at| snapshot.node(at));
    let hidden = window.is_some_and(|window| {
        !window.states.has(State::Showing) || window.states.has(State::Minimized)
    });
    hidden && (node.states.has(State::Visible) || node.role.is_control())
}

/// Returns `true` for an item that is scrolled out of a visible list. Qt and Swing report such rows
/// as invisible and accept actions on them. Toolkits that create rows on demand mark them as
/// transient, or mark the list. Qt gives a row that is filtered out empty bounds.
fn is_scrolled_away(snapshot: &Snapshot, at: Index, node: &Node) -> bool {
    let item = matches!(node.role, Role::ListItem | Role::Cell | Role::TreeItem | Role::TableRow)
        || node.states.has(State::Selectable);
    let list = |up: &Index| {
        let up = snapshot.node(*up);
        let created_on_read =
            node.states.has(State::Transient) || up.states.has(State::ManagesDescendants);
        created_on_read && up.states.has(State::Showing)
    };
    item && node.bounds.is_none_or(|bounds| !bounds.is_empty())
        && snapshot.ancestors(at).take(2).any(|up| list(&up))
}

/// Returns `true` for an entry of a menu or of a combo box's list.
pub(crate) fn is_in_closed_menu(snapshot: &Snapshot, at: Index) -> bool {
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

/// Returns the dialog that blocks an element: an open modal window that does not contain it.
pub(crate) fn blocking_dialog(snapshot: &Snapshot, at: Index) -> Option<&Node> {
    let own = crate::act::target::window_index(snapshot, at);
    snapshot
        .children(Index::ROOT)
        .filter(|window| Some(*window) != own)
        .map(|window| snapshot.node(window))
        .find(|window| window.states.has(State::Modal) && window.states.has(State::Showing))
}

/// Returns `true` if elements of this kind report whether they are enabled. Labels and panels do
/// not.
pub(crate) fn reports_enabled(node: &Node) -> bool {
    node.role.is_control()
}

/// Returns `true` if the user can type into the element.
pub(crate) fn is_editable(node: &Node) -> bool {
    node.states.has(State::Editable) && !node.states.has(State::ReadOnly)
}

/// Returns the focused element.
pub(crate) fn focused_index(snapshot: &Snapshot) -> Option<Index> {
    // Windows and documents report the focus of an element inside them as their own.
    snapshot
        .iter()
        .filter(|(_, node)| node.states.has(State::Focused) && !node.role.is_window())
        .map(|(at, _)| at)
        .next_back()
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
    use deskhand_model::{NodeId, Rect};

    use super::*;
    use crate::testing::app;

    /// Returns the visibility of a list row with these states and bounds.
    fn row_is_shown(list: &[State], row: &[State], bounds: Option<Rect>) -> bool {
        let app = app("app");
        let node = |id: &str, role, states: &[State]| Node {
            states: states.iter().copied().collect(),
            ..Node::new(NodeId::new(id), role)
        };
        let row = Node { bounds, ..node("row", Role::ListItem, row) };
        let nodes = vec![
            node("app", Role::Application, &[]),
            node("window", Role::Window, &[State::Showing]),
            node("list", Role::List, list),
            row.clone(),
        ];
        let children = [vec![1], vec![2], vec![3], Vec::new()];
        let snapshot = Snapshot::assemble(app, nodes, &children);
        let at = snapshot.position(&row.id).unwrap();
        is_shown(&snapshot, at, &row)
    }

    #[test]
    fn a_row_scrolled_away_can_be_acted_on_and_a_hidden_one_cannot() {
        let list = [State::Showing, State::ManagesDescendants];
        let below = Some(Rect::new(0, 3000, 250, 15));
        assert!(row_is_shown(&list, &[State::Selectable], below));
        assert!(!row_is_shown(&list, &[State::Selectable], Some(Rect::new(0, 0, 0, 0))));
        assert!(!row_is_shown(&[State::ManagesDescendants], &[State::Selectable], below));
        assert!(!row_is_shown(&[State::Showing], &[State::Selectable], below));
        assert!(
            row_is_shown(&[State::Showing], &[State::Transient], None),
            "Swing marks rows as transient"
        );
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
