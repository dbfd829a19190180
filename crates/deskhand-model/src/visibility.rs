//! Decides which elements of a snapshot are on the screen.
//!
//! Apps report the states of each element on its own. Qt reports the items of a closed combo box as
//! showing, GTK reports widgets that are scrolled out of their container, and neither withdraws
//! "showing" from everything below a hidden page. Here an element is on the screen only if all its
//! containers are, and if it lies within the area that they show.

#[cfg(test)]
mod tests;

use crate::{Index, Node, Rect, Role, Snapshot, State, States};

/// The visibility of an element. The order is from the best to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Visibility {
    /// On the screen, unless another window covers it.
    OnScreen,
    /// Scrolled away, on another page, or in a closed menu.
    OffScreen,
    /// Hidden by the app.
    Hidden,
}

/// The visibility of all elements at and below one element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScreenVisibility {
    first: usize,
    below: Vec<Visibility>,
}

/// The circumstances that an element passes on to the elements inside it.
#[derive(Clone, Copy)]
struct ContainerState {
    visibility: Visibility,
    /// The area that the containers show; `None` if it is unknown.
    clip: Option<Rect>,
    layout: LayoutKind,
}

/// The way in which containers arrange their content.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LayoutKind {
    /// Widgets, which are visible only within their containers.
    Widgets,
    /// A web page. Pages place elements outside of their containers.
    Page,
    /// A window of LibreOffice or Swing. LibreOffice reports some containers in the wrong place.
    Unplaced,
}

impl ScreenVisibility {
    /// Determines which elements of a snapshot are on the screen.
    pub fn of(snapshot: &Snapshot) -> Self {
        Self::below(snapshot, Index::ROOT)
    }

    /// Determines which elements at and below `root` are on the screen. `root` counts as visible.
    pub fn below(snapshot: &Snapshot, root: Index) -> Self {
        let first = root.get();
        if snapshot.is_empty() {
            return Self { first, below: Vec::new() };
        }
        let start = ContainerState {
            visibility: Visibility::OnScreen,
            clip: None,
            layout: LayoutKind::Widgets,
        };
        let mut containers: Vec<ContainerState> = Vec::new();
        let mut below = Vec::new();
        for at in snapshot.subtree(root) {
            let node = snapshot.node(at);
            let outer = match snapshot.parent(at).filter(|_| at != root) {
                Some(parent) => containers[parent.get() - first],
                None => start,
            };
            let visibility =
                if at == root { Visibility::OnScreen } else { judge(snapshot, at, node, outer) };
            containers.push(inside(node, visibility, outer));
            below.push(visibility);
        }
        Self { first, below }
    }

    /// Returns the visibility of an element. Elements that were not judged count as hidden.
    pub fn of_element(&self, at: Index) -> Visibility {
        let position = at.get().checked_sub(self.first);
        position.and_then(|at| self.below.get(at)).copied().unwrap_or(Visibility::Hidden)
    }

    /// Returns `true` if an element is on the screen.
    pub fn is_on_screen(&self, at: Index) -> bool {
        self.of_element(at) == Visibility::OnScreen
    }
}

/// Returns the visibility of an element within its containers.
fn judge(snapshot: &Snapshot, at: Index, node: &Node, outer: ContainerState) -> Visibility {
    let own = own_visibility(snapshot, at);
    // A pop-up is a separate window: neither the container it belongs to nor that container's
    // area limit it.
    let is_menu_title = node.role == Role::Menu
        && snapshot.parent(at).is_some_and(|up| snapshot.node(up).role == Role::MenuBar);
    if own == Visibility::OnScreen && is_popup(node) && !is_menu_title {
        return own;
    }
    let is_clipped = match (outer.clip, node.bounds) {
        (Some(clip), Some(bounds)) => !bounds.is_empty() && !clip.overlaps(bounds),
        (Some(_) | None, _) => false,
    };
    let here = if is_clipped { Visibility::OffScreen } else { own };
    here.max(outer.visibility)
}

/// Returns the visibility of an element by its own states and size.
pub fn own_visibility(snapshot: &Snapshot, at: Index) -> Visibility {
    let node = snapshot.node(at);
    let has = |state| node.states.has(state);
    // An app that stops responding leaves elements without states. Such elements count as visible.
    let unread = node.states == States::NONE && node.cut.is_some();
    let is_top = snapshot.parent(at).is_none_or(|up| snapshot.node(up).role == Role::Application);
    let is_open_window = is_top && (has(State::Visible) || has(State::Minimized));
    // Firefox reports -1 for unknown sizes. Only a real zero means no area.
    let has_no_area = |bounds: Rect| bounds.width == 0 || bounds.height == 0;
    let is_empty = node.bounds.is_some_and(has_no_area) && !has(State::Focused);
    if unread || is_open_window || has(State::Showing) && !is_empty {
        Visibility::OnScreen
    } else if has(State::Visible) && !has(State::Showing) {
        Visibility::OffScreen
    } else {
        Visibility::Hidden
    }
}

/// Returns the nearest container that hides an element by its own states or size: a page that is not
/// current, a closed list, a folded panel. Its window does not count, and neither does scrolling.
pub fn hiding_container(snapshot: &Snapshot, at: Index) -> Option<Index> {
    let is_limit = |at: Index| {
        let node = snapshot.node(at);
        let parent = snapshot.parent(at).map(|up| snapshot.node(up).role);
        let is_window = parent.is_none_or(|parent| parent == Role::Application);
        is_window || is_popup(node) || node.role == Role::WebDocument
    };
    if is_limit(at) {
        return None;
    }
    let containers = snapshot.ancestors(at).take_while(|up| !is_limit(*up));
    containers.into_iter().find(|up| {
        own_visibility(snapshot, *up) != Visibility::OnScreen
            && !is_empty_control(snapshot.node(*up))
    })
}

/// Returns the state that an element passes on to the elements inside it.
fn inside(node: &Node, visibility: Visibility, outer: ContainerState) -> ContainerState {
    if outer.layout == LayoutKind::Page && node.role != Role::WebDocument {
        // Browsers report for each element of a page if it is showing. Only a page as a whole is
        // hidden from outside.
        return outer;
    }
    let layout = if node.role == Role::WebDocument {
        LayoutKind::Page
    } else if node.role == Role::RootPane {
        LayoutKind::Unplaced
    } else {
        outer.layout
    };
    let bounds = node.bounds.filter(|bounds| !bounds.is_empty());
    let clip = if layout != LayoutKind::Widgets || opens_popup(node.role) {
        None
    } else if is_popup(node) {
        bounds
    } else if clips_content(node.role) {
        match (outer.clip, bounds) {
            (Some(clip), Some(bounds)) => Some(clip.clipped_to(bounds)),
            (clip, bounds) => clip.or(bounds),
        }
    } else {
        outer.clip
    };
    let visibility = if is_empty_control(node) { outer.visibility } else { visibility };
    ContainerState { visibility, clip, layout }
}

/// Returns `true` for a control without a size whose content may still be visible. GTK 2 reports the
/// pages of a notebook inside of tabs, and tabs with a picture have no size.
fn is_empty_control(node: &Node) -> bool {
    node.states.has(State::Showing)
        && node.bounds.is_some_and(Rect::is_empty)
        && !clips_content(node.role)
}

/// Returns `true` for elements that have their own window on the screen while they are showing.
fn is_popup(node: &Node) -> bool {
    // Qt reports widgets without a specific role as windows. Real ones are active or modal.
    let is_real_window = node.states.has(State::Modal) || node.states.has(State::Active);
    matches!(
        node.role,
        Role::PopupMenu
            | Role::Menu
            | Role::ToolTip
            | Role::Dialog
            | Role::Alert
            | Role::FileChooser
    ) || node.role.is_window() && is_real_window
}

/// Returns `true` for controls that show their content in a pop-up outside of their area.
fn opens_popup(role: Role) -> bool {
    matches!(
        role,
        Role::Menu
            | Role::MenuBar
            | Role::MenuItem
            | Role::MenuButton
            | Role::Button
            | Role::ToggleButton
            | Role::ComboBox
            | Role::Autocomplete
            | Role::Entry
            | Role::Application
    )
}

/// Returns `true` for containers whose content is visible only within their area.
fn clips_content(role: Role) -> bool {
    role.is_layout() || role.is_window() || is_collection(role) || role == Role::ToolBar
}

fn is_collection(role: Role) -> bool {
    matches!(
        role,
        Role::List
            | Role::ListBox
            | Role::Table
            | Role::Tree
            | Role::TreeTable
            | Role::TabList
            | Role::DirectoryPane
    )
}
