//! Finds the visible controls of a screenshot and their refs.

use deskhand_model::{App, Index, Node, Rect, Role, Snapshot, State, Window};
use deskhand_platform::{NodeFields, WalkOptions};

use crate::{Context, Result, tree::TreeRead};

/// A control to mark in a screenshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Annotation {
    /// The visible part of the control, in global pixels.
    pub bounds: Rect,
    /// The ref of the control.
    pub label: String,
}

/// Returns the visible controls of an app in an area, with refs that later calls accept. If the
/// area is a window, only controls of that window count.
pub(crate) fn visible_controls(
    cx: &Context<'_>,
    app: &App,
    area: Option<Rect>,
    window: Option<&Window>,
    windows: &[Window],
) -> Result<Vec<Annotation>> {
    let mut tree = TreeRead::of_app(cx, app, &WalkOptions::with_fields(NodeFields::STANDARD))?;
    let roots = window.map_or_else(Vec::new, |window| window_roots(&tree.snapshot, window));
    let inside = |at: Index| {
        let snapshot = &tree.snapshot;
        roots.is_empty() || snapshot.ancestors(at).any(|up| roots.contains(&up))
    };
    let visible: Vec<(Index, Rect)> = tree
        .snapshot
        .iter()
        .filter(|(at, _)| inside(*at))
        .filter(|(_, node)| node.role.is_control() && node.states.has(State::Showing))
        .filter_map(|(at, node)| Some((at, visible_bounds(&tree.snapshot, at, node)?)))
        .filter_map(|(at, visible)| {
            Some((at, area.map_or(Some(visible), |p| visible.intersection(p))?))
        })
        .filter(|(_, visible)| !is_covered(visible.center(), app.pid, windows))
        .collect();
    let annotations = visible
        .into_iter()
        .map(|(at, bounds)| Annotation { bounds, label: tree.assign_ref(at).to_string() })
        .collect();
    tree.save_refs()?;
    Ok(annotations)
}

/// Returns the top-level elements of a window: those with its title, or else those with its bounds.
fn window_roots(snapshot: &Snapshot, window: &Window) -> Vec<Index> {
    let all = || snapshot.children(Index::ROOT);
    let titled = all().filter(|top| snapshot.node(*top).name == window.title);
    let has_bounds = |top: &Index| {
        let bounds = snapshot.node(*top).bounds;
        bounds == Some(window.bounds) || bounds == Some(window.frame)
    };
    let titled: Vec<Index> = titled.collect();
    if titled.len() == 1 { titled } else { all().filter(has_bounds).collect() }
}

/// Returns the part of an element that its ancestors do not clip.
fn visible_bounds(snapshot: &Snapshot, at: Index, node: &Node) -> Option<Rect> {
    let bounds = node.bounds.filter(|bounds| !bounds.is_empty())?;
    let around = snapshot.ancestors(at).map(|up| snapshot.node(up)).filter(|up| clips(up.role));
    around
        .filter_map(|up| up.bounds.filter(|bounds| !bounds.is_empty()))
        .try_fold(bounds, Rect::intersection)
}

fn clips(role: Role) -> bool {
    role.is_window()
        || matches!(
            role,
            Role::ScrollPane
                | Role::Viewport
                | Role::WebDocument
                | Role::DocumentFrame
                | Role::Table
                | Role::TreeTable
                | Role::Tree
                | Role::List
                | Role::ListBox
        )
}

/// Returns `true` if a window of another app covers the point.
fn is_covered((x, y): (i32, i32), pid: u32, windows: &[Window]) -> bool {
    let at_point = windows.iter().filter(|w| !w.minimized && w.frame.contains(x, y));
    at_point.min_by_key(|window| window.z).is_some_and(|front| front.pid != pid)
}
