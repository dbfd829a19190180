//! Corrects element positions of toolkits that report them relative to something else than the
//! screen.

use deskhand_model::{App, Notice, Rect, Role, Window};

use super::{partial_node::PartialTree, quirks::Quirks};

/// A top-level window as its app reports it.
#[derive(Debug, Clone, Default)]
pub(crate) struct TopLevel {
    pub(crate) title: String,
    pub(crate) bounds: Option<Rect>,
    /// The root pane around the element in question, as LibreOffice and Swing report it.
    pub(crate) pane: Option<Rect>,
}

/// The windows and the origin of the screen, as the window system reports them.
#[derive(Debug, Clone, Default)]
pub(crate) struct ScreenLayout {
    pub(crate) windows: Vec<Window>,
    /// The position of the primary monitor on the X screen.
    pub(crate) origin: (i32, i32),
}

/// Corrects the positions of a tree that starts at the app, window by window.
pub(crate) fn correct_all(
    tree: &mut PartialTree,
    app: &App,
    quirks: Quirks,
    layout: &ScreenLayout,
) -> Vec<Notice> {
    let mut notices = Vec::new();
    if quirks.libre_office {
        correct_root_panes(tree, app, layout);
    }
    let Some(root) = tree.nodes.first() else { return notices };
    for index in root.children.clone() {
        let mut top = toplevel_of(tree, index);
        if quirks.swing {
            let pane = root_panes(tree, index).first().copied();
            top.pane = pane.and_then(|pane| tree.node_mut(pane).bounds);
        }
        match find_offset(&top, app, quirks, layout) {
            Some(offset) => shift(tree, index, offset),
            None => {
                if tree.node_mut(index).is_showing() && top.bounds.is_some() {
                    notices.push(Notice::UnplacedWindow { title: top.title });
                }
            }
        }
    }
    notices
}

/// Returns `true` if a top-level window on the screen has no name.
pub(crate) fn has_unnamed_window(tree: &PartialTree) -> bool {
    unnamed_windows(tree).next().is_some()
}

/// Names windows without a name after their title on the screen. Qt and GTK 4 do not report the
/// titles of main windows.
pub(crate) fn name_windows(tree: &mut PartialTree, app: &App, layout: &ScreenLayout) {
    let unnamed: Vec<u32> = unnamed_windows(tree).collect();
    let (left, up) = layout.origin;
    let titled: Vec<&Window> = layout
        .windows
        .iter()
        .filter(|window| window.pid == app.pid && !window.title.is_empty())
        .collect();
    for index in &unnamed {
        let Some(bounds) = tree.node_mut(*index).bounds else { continue };
        let same_size = |window: &&&Window| {
            (window.bounds.width, window.bounds.height) == (bounds.width, bounds.height)
        };
        let same_place =
            |window: &&&Window| same_size(window) && window.bounds.moved(left, up) == bounds;
        let only = |found: Vec<&&Window>| match found[..] {
            [only] => Some(only.title.clone()),
            [] | [_, _, ..] => None,
        };
        let title = only(titled.iter().filter(same_place).collect())
            .or_else(|| only(titled.iter().filter(same_size).collect()))
            .or_else(|| only(titled.iter().collect()).filter(|_| unnamed.len() == 1));
        tree.node_mut(*index).name = title.unwrap_or_default();
    }
}

fn unnamed_windows(tree: &PartialTree) -> impl Iterator<Item = u32> {
    let windows = tree.nodes.first().into_iter().flat_map(|root| &root.children).copied();
    windows.filter(|index| {
        let node = &tree.nodes[*index as usize];
        node.name.is_empty() && node.role().is_window() && node.is_showing()
    })
}

/// Corrects the positions of a tree that starts inside a window.
pub(crate) fn correct_below(
    tree: &mut PartialTree,
    top: &TopLevel,
    app: &App,
    quirks: Quirks,
    layout: &ScreenLayout,
) -> Vec<Notice> {
    match find_offset(top, app, quirks, layout) {
        Some(offset) => {
            if !tree.nodes.is_empty() {
                shift(tree, 0, offset);
            }
            Vec::new()
        }
        None => vec![Notice::UnplacedWindow { title: top.title.clone() }],
    }
}

/// Returns the offset from the app's positions to screen positions, or `None` if it cannot be
/// determined.
pub(crate) fn find_offset(
    top: &TopLevel,
    app: &App,
    quirks: Quirks,
    layout: &ScreenLayout,
) -> Option<(i32, i32)> {
    let (left, up) = layout.origin;
    if quirks.gtk4 {
        let window = matching_window(top, app, &layout.windows)?;
        // GTK 4 reports positions relative to the window's content, which is inset in the X window
        // by the width of the shadow that it draws on composited desktops.
        let content = top.bounds.unwrap_or(window.bounds);
        return Some((
            window.bounds.x + (window.bounds.width - content.width) / 2 - content.x,
            window.bounds.y + (window.bounds.height - content.height) / 2 - content.y,
        ));
    }
    if quirks.swing {
        let window = matching_window(top, app, &layout.windows);
        return Some(swing_offset(top.pane, window).unwrap_or((-left, -up)));
    }
    let menu_bar = match top.pane {
        Some(pane) => {
            root_pane_offset(pane, matching_window(top, app, &layout.windows), layout.origin)
        }
        None => 0,
    };
    Some((-left, menu_bar - up))
}

/// Returns the error of Swing's positions. Its root pane fills the window, so their difference is
/// the error. A pane of another size belongs to a menu or tooltip, which is not in the window list.
fn swing_offset(pane: Option<Rect>, window: Option<&Window>) -> Option<(i32, i32)> {
    let (pane, bounds) = (pane?, window?.bounds);
    let fills = (pane.width, pane.height) == (bounds.width, bounds.height);
    fills.then(|| (bounds.x - pane.x, bounds.y - pane.y))
}

/// Corrects the root panes of LibreOffice. Until the pointer first moves, LibreOffice ignores its
/// menu bar and reports the root pane too high. The lower edges of pane and window coincide.
fn correct_root_panes(tree: &mut PartialTree, app: &App, layout: &ScreenLayout) {
    let Some(root) = tree.nodes.first() else { return };
    for index in root.children.clone() {
        let top = toplevel_of(tree, index);
        let window = matching_window(&top, app, &layout.windows);
        for pane in root_panes(tree, index) {
            if let Some(bounds) = tree.node_mut(pane).bounds {
                shift(tree, pane, (0, root_pane_offset(bounds, window, layout.origin)));
            }
        }
    }
}

fn root_panes(tree: &PartialTree, below: u32) -> Vec<u32> {
    let (mut found, mut stack) = (Vec::new(), vec![below]);
    while let Some(index) = stack.pop() {
        let node = &tree.nodes[index as usize];
        if node.role() == Role::RootPane {
            found.push(index);
        } else {
            stack.extend(&node.children);
        }
    }
    found
}

/// Maximum height of a menu bar.
const MAX_MENU_BAR_HEIGHT: i32 = 120;

/// Returns how much too high a root pane is reported, given the window whose lower edge it shares.
fn root_pane_offset(pane: Rect, window: Option<&Window>, origin: (i32, i32)) -> i32 {
    let Some(window) = window else { return 0 };
    let missing = window.bounds.bottom() + origin.1 - pane.bottom();
    if (0..=MAX_MENU_BAR_HEIGHT).contains(&missing) { missing } else { 0 }
}

fn shift(tree: &mut PartialTree, index: u32, (dx, dy): (i32, i32)) {
    if (dx, dy) == (0, 0) {
        return;
    }
    let mut stack = vec![index];
    while let Some(index) = stack.pop() {
        let node = tree.node_mut(index);
        node.bounds = node.bounds.map(|bounds| bounds.moved(dx, dy));
        stack.extend(&node.children);
    }
}

fn toplevel_of(tree: &mut PartialTree, index: u32) -> TopLevel {
    let node = tree.node_mut(index);
    TopLevel { title: node.name.clone(), bounds: node.bounds, pane: None }
}

/// Returns the X window of a top-level: the one with its title, or with its size, or the app's only
/// one.
fn matching_window<'a>(top: &TopLevel, app: &App, windows: &'a [Window]) -> Option<&'a Window> {
    let of_app: Vec<&Window> = windows.iter().filter(|window| window.pid == app.pid).collect();
    let titled: Vec<&Window> =
        of_app.iter().copied().filter(|window| window.title == top.title).collect();
    let candidates = if titled.is_empty() { of_app } else { titled };
    let size = top.bounds.map(|bounds| (bounds.width, bounds.height));
    match candidates[..] {
        [only] => Some(only),
        _ => candidates
            .into_iter()
            .find(|window| size == Some((window.bounds.width, window.bounds.height))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(bounds: Rect) -> Window {
        Window {
            id: 1,
            title: String::new(),
            pid: 1,
            app: None,
            class: String::new(),
            bounds,
            frame: bounds,
            z: 0,
            minimized: false,
            focused: true,
        }
    }

    #[test]
    fn a_swing_window_is_placed_where_the_window_system_reports_it() {
        let moved = window(Rect::new(20, 59, 1250, 881));
        let pane = Some(Rect::new(20, 40, 1250, 881));
        assert_eq!(swing_offset(pane, Some(&moved)), Some((0, 19)));
        let menu = Some(Rect::new(20, 60, 90, 70));
        assert_eq!(swing_offset(menu, Some(&moved)), None, "a menu is not in the window list");
        assert_eq!(swing_offset(None, Some(&moved)), None);
    }

    #[test]
    fn a_root_pane_moves_down_to_the_lower_edge_of_its_window() {
        let window = window(Rect::new(0, 19, 1920, 1061));
        let pane = |y: i32| Rect::new(0, y, 1920, 1036);
        assert_eq!(root_pane_offset(pane(19), Some(&window), (0, 0)), 25);
        assert_eq!(root_pane_offset(pane(44), Some(&window), (0, 0)), 0);
        assert_eq!(root_pane_offset(pane(19), None, (0, 0)), 0);
        assert_eq!(
            root_pane_offset(pane(-400), Some(&window), (0, 0)),
            0,
            "a pane of another window"
        );
    }
}
