//! Predicates on the visibility of elements: on the screen, reachable by an action, or hidden.

use deskhand_model::{
    Index, Node, Role, ScreenVisibility, Snapshot, State, visibility::hiding_container,
};

/// Returns the top-level window that contains an element.
pub fn window_index(snapshot: &Snapshot, at: Index) -> Option<Index> {
    std::iter::once(at)
        .chain(snapshot.ancestors(at))
        .filter(|up| snapshot.node(*up).role != Role::Application)
        .last()
}

/// Returns `true` if an element is visible, or would be but for a hidden window, a closed menu or a
/// scroll position. Apps accept actions on such elements. `node` is the latest state of the element.
pub fn is_shown(snapshot: &Snapshot, at: Index, node: &Node) -> bool {
    if node.states.has(State::Showing) && hiding_container(snapshot, at).is_none() {
        return true;
    }
    if is_in_closed_menu(snapshot, at)
        || is_scrolled_away(snapshot, at, node)
        || is_scrolled_off_tab(snapshot, at, node)
    {
        return true;
    }
    // In a minimized window no element is showing, but its elements are still visible.
    let window = window_index(snapshot, at).map(|at| snapshot.node(at));
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

/// Returns `true` for a tab that is scrolled out of its row. GTK 3 reports it as visible but not
/// showing, and accepts a selection of it.
fn is_scrolled_off_tab(snapshot: &Snapshot, at: Index, node: &Node) -> bool {
    let is_tab = |node: &Node| node.role == Role::Tab && node.states.has(State::Visible);
    let shows_another = |row: Index| {
        let shown = |tab: &Node| is_tab(tab) && tab.states.has(State::Showing);
        snapshot.children(row).any(|tab| shown(snapshot.node(tab)))
    };
    is_tab(node) && snapshot.parent(at).is_some_and(shows_another)
}

/// Returns `true` for an entry of a menu or of a combo box's list.
fn is_in_closed_menu(snapshot: &Snapshot, at: Index) -> bool {
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
    let owner = snapshot.ancestors(at).find(|up| {
        matches!(
            snapshot.node(*up).role,
            Role::Menu | Role::MenuBar | Role::PopupMenu | Role::ComboBox
        )
    });
    if is_in_closed_popover(snapshot, at) {
        return true;
    }
    // Menus work even if they belong to something hidden. A combo box on a hidden page does not.
    entry
        && owner.is_some_and(|owner| {
            snapshot.node(owner).role != Role::ComboBox
                || hiding_container(snapshot, owner).is_none()
        })
}

/// Returns `true` for a button in a closed popover of GTK 3, which is a menu: its buttons accept
/// actions like the items of other closed menus.
fn is_in_closed_popover(snapshot: &Snapshot, at: Index) -> bool {
    let is_entry = matches!(
        snapshot.node(at).role,
        Role::Button | Role::CheckBox | Role::RadioButton | Role::ToggleButton
    );
    is_entry && snapshot.ancestors(at).any(|up| is_closed_popover(snapshot, up))
}

/// GTK 3 reports a popover as a modal panel directly inside its window.
fn is_closed_popover(snapshot: &Snapshot, at: Index) -> bool {
    let node = snapshot.node(at);
    node.role == Role::Panel
        && node.states.has(State::Modal)
        && !node.states.has(State::Visible)
        && snapshot.parent(at).is_some_and(|up| snapshot.node(up).role.is_window())
}

/// The ways to reach an element, the best first. Of several matches, only those with the best one
/// count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reachability {
    /// On the screen.
    Shown,
    /// In a closed menu, in a minimized window or scrolled away: actions reach it.
    Reachable,
    /// Reachable as far as its own states tell, but inside a hidden container such as a toolbar
    /// that is turned off.
    InHiddenContainer,
    /// Neither shown nor reachable.
    Hidden,
}

/// Judges the visibility of the elements of one snapshot.
pub(crate) struct VisibilityReport<'a> {
    snapshot: &'a Snapshot,
    visibility: &'a ScreenVisibility,
    reports_showing: bool,
}

impl<'a> VisibilityReport<'a> {
    /// Finds out whether the app reports which elements are on the screen.
    pub(crate) fn of(snapshot: &'a Snapshot) -> Self {
        // GTK 4.8 sets SHOWING on windows only. If no control is showing, the state says nothing.
        let reports_showing = snapshot.iter().any(|(_, node)| {
            node.states.has(State::Showing)
                && !node.role.is_window()
                && node.role != Role::Application
        });
        Self { snapshot, visibility: snapshot.visibility(), reports_showing }
    }

    /// Returns `true` if the element is not on the screen, as far as the app reports it.
    pub(crate) fn is_hidden(&self, at: Index) -> bool {
        let node = self.snapshot.node(at);
        self.reports_showing
            && !self.visibility.is_on_screen(at)
            && !node.role.is_window()
            && node.role != Role::Application
    }

    /// Returns the way to reach an element.
    pub(crate) fn reachability(&self, at: Index) -> Reachability {
        let is_hidden = self.is_hidden(at);
        if self.reports_showing && !is_hidden {
            Reachability::Shown
        } else if is_hidden && !is_shown(self.snapshot, at, self.snapshot.node(at)) {
            Reachability::Hidden
        } else if self.is_in_hidden_container(at) {
            Reachability::InHiddenContainer
        } else {
            Reachability::Reachable
        }
    }

    /// Returns `true` if a container between the element and its window is hidden. A closed menu is
    /// hidden too, but its items are reachable.
    fn is_in_hidden_container(&self, at: Index) -> bool {
        let window = window_index(self.snapshot, at);
        let between = self.snapshot.ancestors(at).take_while(|up| Some(*up) != window);
        between.into_iter().any(|up| {
            let node = self.snapshot.node(up);
            let is_menu = matches!(node.role, Role::Application | Role::Menu | Role::PopupMenu)
                || is_closed_popover(self.snapshot, up);
            // LibreOffice has a second menu bar that is not on the screen.
            let is_hidden_bar = node.role == Role::MenuBar && self.is_hidden(up);
            !is_menu && (is_hidden_bar || !node.states.has(State::Visible))
        })
    }
}

#[cfg(test)]
mod tests {
    use deskhand_model::Rect;

    use super::*;
    use crate::testing::Tree;

    #[test]
    fn a_button_in_a_closed_popover_can_be_acted_on_and_one_on_a_hidden_page_cannot() {
        let is_button_shown = |panel: &[State]| {
            let mut tree = Tree::new();
            let window = tree.add(0, Role::Window, "");
            tree.at(window).states = [State::Showing, State::Visible].into_iter().collect();
            let around = tree.add(window, Role::Panel, "");
            tree.at(around).states = panel.iter().copied().collect();
            let inner = tree.add(around, Role::Filler, "");
            let at = tree.add(inner, Role::Button, "Preferences");
            tree.at(at).states = [State::Visible].into_iter().collect();
            let button = tree.at(at).clone();
            let snapshot = tree.snapshot();
            is_shown(&snapshot, snapshot.position(&button.id).unwrap(), &button)
        };
        assert!(is_button_shown(&[State::Enabled, State::Modal]));
        assert!(!is_button_shown(&[State::Enabled]));
    }

    /// Returns the visibility of a list row with these states and bounds.
    fn row_is_shown(list: &[State], row: &[State], bounds: Option<Rect>) -> bool {
        let mut tree = Tree::new();
        let window = tree.add(0, Role::Window, "");
        let parent = tree.add(window, Role::List, "");
        tree.at(parent).states = list.iter().copied().collect();
        let at = tree.add(parent, Role::ListItem, "");
        tree.at(at).states = row.iter().copied().collect();
        tree.at(at).bounds = bounds;
        let row = tree.at(at).clone();
        let snapshot = tree.snapshot();
        is_shown(&snapshot, snapshot.position(&row.id).unwrap(), &row)
    }

    #[test]
    fn a_tab_scrolled_out_of_its_row_can_be_acted_on_and_a_hidden_one_cannot() {
        let is_tab_shown = |tab: &[State], other: &[State]| {
            let mut tree = Tree::new();
            let window = tree.add(0, Role::Window, "");
            tree.at(window).states = [State::Showing].into_iter().collect();
            let row = tree.add(window, Role::TabList, "");
            let at = tree.add(row, Role::Tab, "far");
            tree.at(at).states = tab.iter().copied().collect();
            let sibling = tree.add(row, Role::Tab, "near");
            tree.at(sibling).states = other.iter().copied().collect();
            let tab = tree.at(at).clone();
            let snapshot = tree.snapshot();
            is_shown(&snapshot, snapshot.position(&tab.id).unwrap(), &tab)
        };
        let shown = [State::Visible, State::Showing];
        assert!(is_tab_shown(&[State::Visible], &shown));
        assert!(!is_tab_shown(&[], &shown), "a hidden tab");
        assert!(!is_tab_shown(&[State::Visible], &[State::Visible]), "a row on a hidden page");
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
}
