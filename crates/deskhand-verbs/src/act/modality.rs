//! Modal dialogs and the windows they block.
//!
//! An open modal window blocks every other window of its app except the windows that were opened
//! from it. Modal windows have a total order, and the topmost one is never blocked. A modal window
//! is above another if it was opened from it (`WM_TRANSIENT_FOR`, directly or over other windows).
//! If neither was opened from the other, the stacking order of the two windows decides, each taken
//! together with the windows opened from it. Modal windows that were opened from different main
//! windows do not block each other. In GTK, where each main window can have a separate group, such a
//! modal window does not block the other main windows either.
//!
//! The tree and the window system are both asked: Qt marks modal dialogs only in the window system,
//! and without a window system only the tree knows them.

use deskhand_model::{App, Index, Node, NodeId, Rect, Role, Snapshot, State, Window};
use deskhand_platform::{NodeFields, Windows};

use crate::Context;

/// An open top-level window of an app.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct OpenWindow {
    /// Its element in the tree, if one was found.
    element: Option<NodeId>,
    title: String,
    is_modal: bool,
    /// The position of the window it was opened from.
    parent: Option<usize>,
}

/// The open windows of an app, the frontmost first.
#[derive(Debug, Default)]
pub(crate) struct Modality {
    windows: Vec<OpenWindow>,
    /// A modal window that was opened from a main window blocks only the windows of that main window.
    has_groups: bool,
}

impl Modality {
    /// Reads the windows of an app. Without modal windows nothing is blocked.
    pub(crate) fn read(cx: &Context<'_>, app: &App, snapshot: &Snapshot) -> Self {
        // Without a window list, the tree decides alone.
        let listed = cx
            .desktop
            .windows
            .as_deref()
            .and_then(|windows| Some((windows, windows.list(cx.deadline).ok()?)));
        let Some((system, mut listed)) = listed else { return Self::of_tree(snapshot) };
        listed.retain(|window| window.pid == app.pid);
        if listed.len() < 2 {
            return Self::of_tree(snapshot);
        }
        let mut windows = read_states(cx, system, &listed);
        let elements = match_elements(cx, app, snapshot, &listed);
        for (window, element) in windows.iter_mut().zip(elements) {
            if let Some(node) = element.map(|at| snapshot.node(at)) {
                window.element = Some(node.id.clone());
                window.is_modal |= is_modal(node);
            }
        }
        let has_groups = app.toolkit.name.eq_ignore_ascii_case("gtk");
        Self { has_groups, ..Self::new(windows) }
    }

    /// Creates the order of these windows, the frontmost first. Programs can set cyclic parents,
    /// which say nothing.
    fn new(mut windows: Vec<OpenWindow>) -> Self {
        let known = Self { windows: windows.clone(), has_groups: false };
        for (at, window) in windows.iter_mut().enumerate() {
            window.parent = window.parent.filter(|_| !known.is_opened_from(at, at));
        }
        Self { windows, has_groups: false }
    }

    /// Takes the windows from the tree alone. The active window is in front, and a window that was
    /// opened later is in front of an older one.
    fn of_tree(snapshot: &Snapshot) -> Self {
        let mut open: Vec<(Index, &Node)> = snapshot
            .children(Index::ROOT)
            .map(|at| (at, snapshot.node(at)))
            .filter(|(_, node)| node.role.is_window() && node.states.has(State::Showing))
            .collect();
        open.reverse();
        open.sort_by_key(|(_, node)| !node.states.has(State::Active));
        let windows = open.into_iter().map(|(_, node)| OpenWindow {
            element: Some(node.id.clone()),
            title: node.name.clone(),
            is_modal: is_modal(node),
            parent: None,
        });
        Self::new(windows.collect())
    }

    /// Returns the title of the modal window that blocks a top-level element.
    pub(crate) fn blocker_of(&self, snapshot: &Snapshot, window: Index) -> Option<&str> {
        let id = &snapshot.node(window).id;
        let known = self.windows.iter().position(|open| open.element.as_ref() == Some(id));
        let blocker = match known {
            // The topmost blocker is the one to answer first.
            Some(at) => std::iter::successors(self.blocker(at), |at| self.blocker(*at)).last()?,
            // A pop-up menu or list is in no window list. It belongs to the topmost window.
            None if !may_be_blocked(snapshot.node(window)) => return None,
            None => self.topmost_modal()?,
        };
        Some(&self.windows[blocker].title)
    }

    /// Returns the top-level elements that modal windows block.
    pub(crate) fn blocked(&self, snapshot: &Snapshot) -> Vec<Index> {
        if self.windows.iter().all(|window| !window.is_modal) {
            return Vec::new();
        }
        let all = snapshot.children(Index::ROOT);
        all.filter(|window| self.blocker_of(snapshot, *window).is_some()).collect()
    }

    fn topmost_modal(&self) -> Option<usize> {
        (0..self.windows.len()).find(|at| self.windows[*at].is_modal && self.blocker(*at).is_none())
    }

    /// Returns the modal window that blocks a window.
    fn blocker(&self, at: usize) -> Option<usize> {
        (0..self.windows.len()).find(|modal| {
            *modal != at && self.windows[*modal].is_modal && self.is_below(at, *modal)
        })
    }

    /// Returns `true` if a window is below a modal window.
    fn is_below(&self, at: usize, modal: usize) -> bool {
        if self.is_opened_from(at, modal) {
            return false;
        }
        let (path, other) = (self.path_to(at), self.path_to(modal));
        if self.is_opened_from(modal, at) || !self.windows[at].is_modal {
            let is_other_group = other.len() > 1 && path[0] != other[0];
            return !(self.has_groups && is_other_group);
        }
        let apart = path.iter().zip(&other).position(|(a, b)| a != b).unwrap_or(0);
        // Modal windows without a parent block the whole app.
        let is_same_group = apart > 0 || path.len() == 1 || other.len() == 1;
        is_same_group && self.front(other[apart]) < self.front(path[apart])
    }

    /// Returns the frontmost position of a window and the windows opened from it.
    fn front(&self, at: usize) -> usize {
        (0..at).find(|other| self.is_opened_from(*other, at)).unwrap_or(at)
    }

    /// Returns the windows from the main window to this one.
    fn path_to(&self, at: usize) -> Vec<usize> {
        let mut path: Vec<usize> = std::iter::once(at).chain(self.parents(at)).collect();
        path.reverse();
        path
    }

    fn is_opened_from(&self, at: usize, ancestor: usize) -> bool {
        self.parents(at).any(|parent| parent == ancestor)
    }

    /// Iterates over the windows that a window was opened from.
    fn parents(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let next = |at: &usize| self.windows[*at].parent;
        std::iter::successors(next(&at), next).take(self.windows.len())
    }
}

/// Returns `true` if an element without a listed window may be blocked. A pop-up has the keyboard
/// while it is open; a dialog or an active window may have another title on the screen.
fn may_be_blocked(node: &Node) -> bool {
    node.role == Role::Window && !node.states.has(State::Active)
}

fn is_modal(node: &Node) -> bool {
    node.states.has(State::Modal) && node.states.has(State::Showing)
}

/// Reads which windows are modal and which window each was opened from.
fn read_states(cx: &Context<'_>, system: &dyn Windows, listed: &[Window]) -> Vec<OpenWindow> {
    let position = |id: u64| listed.iter().position(|window| window.id == id);
    listed
        .iter()
        .map(|window| {
            // A window that has closed in between blocks nothing.
            let state = system.state(window.id, cx.deadline).ok();
            OpenWindow {
                element: None,
                title: window.title.clone(),
                is_modal: state
                    .as_ref()
                    .is_some_and(|state| state.states.iter().any(|word| word == "modal")),
                parent: state.and_then(|state| state.parent).and_then(position),
            }
        })
        .collect()
}

/// Finds the element of each listed window: by its title or, if titles differ or repeat, by its size
/// and place. LibreOffice gives its dialogs different titles on the screen and in the tree.
pub(crate) fn match_elements(
    cx: &Context<'_>,
    app: &App,
    snapshot: &Snapshot,
    listed: &[Window],
) -> Vec<Option<Index>> {
    let tops: Vec<Index> = snapshot.children(Index::ROOT).collect();
    let title = |at: &Index| snapshot.node(*at).name.as_str();
    let is_unique = |name: &str| {
        tops.iter().filter(|at| title(at) == name).count() == 1
            && listed.iter().filter(|window| window.title == name).count() == 1
    };
    let mut found: Vec<Option<Index>> = listed
        .iter()
        .map(|window| {
            let at = tops.iter().find(|at| title(at) == window.title)?;
            is_unique(&window.title).then_some(*at)
        })
        .collect();
    let mut left: Vec<Index> =
        tops.iter().copied().filter(|at| !found.contains(&Some(*at))).collect();
    if left.is_empty() || found.iter().all(Option::is_some) {
        return found;
    }
    let ids: Vec<_> = left.iter().map(|at| snapshot.node(*at).id.clone()).collect();
    let fields = NodeFields { bounds: true, hidden: true, ..NodeFields::MINIMAL };
    // Without bounds, the windows stay without an element.
    let read = cx.desktop.tree.read(app, &ids, fields, cx.deadline).unwrap_or_default();
    let mut bounds: Vec<Option<Rect>> =
        read.into_iter().map(|node| node.and_then(|node| node.bounds)).collect();
    for (window, element) in listed.iter().zip(&mut found).filter(|(_, found)| found.is_none()) {
        let distance = |rect: &Option<Rect>| {
            rect.map(|rect| difference(rect, window.bounds).min(difference(rect, window.frame)))
        };
        let nearest = (0..left.len())
            .filter_map(|at| Some((distance(bounds.get(at)?)?, at)))
            .min()
            .filter(|(distance, _)| *distance <= MAX_DIFFERENCE_PX);
        if let Some((_, at)) = nearest {
            *element = Some(left.remove(at));
            bounds.remove(at);
        }
    }
    found
}

/// The largest difference between the bounds of a window on the screen and in the tree: borders,
/// title bars and shadows.
const MAX_DIFFERENCE_PX: i32 = 120;

/// Returns how much two rectangles differ in place and size.
fn difference(a: Rect, b: Rect) -> i32 {
    let apart = |a: i32, b: i32| a.saturating_sub(b).saturating_abs();
    [apart(a.x, b.x), apart(a.y, b.y), apart(a.width, b.width), apart(a.height, b.height)]
        .into_iter()
        .fold(0, i32::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates windows from front to back: modal or not, and the position of the parent.
    fn stack(windows: &[(bool, Option<usize>)]) -> Modality {
        let windows = windows.iter().map(|(is_modal, parent)| OpenWindow {
            is_modal: *is_modal,
            parent: *parent,
            ..OpenWindow::default()
        });
        Modality::new(windows.collect())
    }

    fn blockers(windows: &[(bool, Option<usize>)]) -> Vec<Option<usize>> {
        let modality = stack(windows);
        (0..windows.len()).map(|at| modality.blocker(at)).collect()
    }

    #[test]
    fn a_modal_window_blocks_the_window_it_was_opened_from() {
        assert_eq!(blockers(&[(true, Some(1)), (false, None)]), [None, Some(0)]);
        assert_eq!(blockers(&[(false, None), (true, Some(0))]), [Some(1), None]);
    }

    #[test]
    fn of_nested_modal_windows_the_innermost_is_never_blocked() {
        // The order in which they were opened counts more than the stacking order.
        assert_eq!(
            blockers(&[(true, Some(1)), (true, Some(2)), (false, None)]),
            [None, Some(0), Some(0)]
        );
        assert_eq!(
            blockers(&[(true, Some(2)), (true, Some(0)), (false, None)]),
            [Some(1), None, Some(0)]
        );
    }

    #[test]
    fn of_modal_windows_with_the_same_parent_the_frontmost_is_not_blocked() {
        assert_eq!(
            blockers(&[(true, Some(2)), (true, Some(2)), (false, None)]),
            [None, Some(0), Some(0)]
        );
        assert_eq!(
            blockers(&[(true, None), (true, None), (false, None)]),
            [None, Some(0), Some(0)]
        );
        assert_eq!(
            blockers(&[(true, Some(2)), (true, None), (false, None)]),
            [None, Some(0), Some(0)]
        );
    }

    #[test]
    fn a_window_that_a_modal_window_opened_is_not_blocked() {
        assert_eq!(
            blockers(&[(false, Some(1)), (true, Some(2)), (false, None)]),
            [None, None, Some(1)]
        );
    }

    #[test]
    fn modal_windows_of_different_main_windows_do_not_block_each_other() {
        let all = [(true, Some(2)), (true, Some(3)), (false, None), (false, None)];
        let blockers = blockers(&all);
        assert_eq!(blockers[..2], [None, None]);
    }

    #[test]
    fn a_modal_window_of_one_main_window_leaves_the_other_ones_of_gtk_usable() {
        let windows = [(true, Some(2)), (false, None), (false, None)];
        assert_eq!(stack(&windows).blocker(1), Some(0), "toolkits with modality of the whole app");
        let gtk = Modality { has_groups: true, ..stack(&windows) };
        assert_eq!((gtk.blocker(1), gtk.blocker(2)), (None, Some(0)));
        let without_parent = Modality { has_groups: true, ..stack(&[(true, None), (false, None)]) };
        assert_eq!(without_parent.blocker(1), Some(0));
    }

    #[test]
    fn one_modal_window_is_always_usable_whatever_the_parents_are() {
        // Parents can be cyclic or point to the window itself.
        let parents = [None, Some(0), Some(1), Some(2), Some(3)];
        let all = parents.iter().flat_map(|a| parents.iter().map(move |b| (*a, *b)));
        for (a, b) in all.clone() {
            for (c, d) in all.clone() {
                let modality = stack(&[(true, a), (true, b), (true, c), (true, d)]);
                assert!(modality.topmost_modal().is_some(), "{a:?} {b:?} {c:?} {d:?}");
            }
        }
    }
}
