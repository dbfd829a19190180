//! Finds out which elements of a GTK 4 app are on the screen. GTK 4.8 reports neither that nor which
//! page of a stack is the current one.
//!
//! Pages that were never current have no area. Pages that were current before keep their area, so
//! that several pages lie in the same place. GTK finds the element at a point among current pages
//! only, so such pages are told apart by asking what lies at points inside them.

use std::collections::HashMap;

use deskhand_model::{NodeId, Rect, State};
use deskhand_platform::Deadline;

use super::{
    atspi,
    dbus::{DbusClient, Peer, body, method_call},
    partial_node::{PartialNode, PartialTree},
};

/// Smaller elements that overlap are parts of a drawing, not pages.
const MIN_PAGE_SIDE: i32 = 40;

/// Number of points to check on each page.
const MAX_POINTS: usize = 3;

/// Window coordinates of AT-SPI.
const WINDOW_COORDINATES: u32 = 1;

/// Removes "showing" from elements without an area and from pages that are not current. The bounds
/// in the tree must be relative to the window, as GTK 4 reports them.
pub(crate) fn mark_hidden(
    tree: &mut PartialTree,
    client: &mut DbusClient,
    peer: &Peer,
    deadline: Deadline,
) {
    for node in &mut tree.nodes {
        hide_if_empty(node);
    }
    let pages = overlapping_pages(tree);
    if pages.is_empty() {
        return;
    }
    let parents = parents(tree);
    let by_id: HashMap<NodeId, u32> =
        tree.nodes.iter().zip(0..).map(|(node, at)| (node.id.clone(), at)).collect();
    for page in pages {
        let mut at_point = |x: i32, y: i32| {
            let parent = parents[page as usize]?;
            let (_, path) = atspi::split_node_id(&tree.nodes[parent as usize].id);
            let arguments = (x, y, WINDOW_COORDINATES);
            let call =
                method_call(peer, path, atspi::COMPONENT, "GetAccessibleAtPoint", &arguments);
            let reply = call.and_then(|call| client.call(call, deadline)).ok()?;
            let (bus, path) = body::<atspi::ObjectRef>(&reply).ok()?;
            by_id.get(&atspi::node_id(&bus, path.as_str())).copied()
        };
        let found = points(tree, page).into_iter().filter_map(|(x, y)| at_point(x, y));
        let is_inside = |at: u32| {
            std::iter::successors(Some(at), |at| parents[*at as usize]).any(|up| up == page)
        };
        let found: Vec<bool> = found.map(is_inside).collect();
        if !found.is_empty() && !found.contains(&true) {
            let node = tree.node_mut(page);
            node.states = node.states.without(State::Showing);
        }
    }
}

/// Removes "showing" from an element without an area.
pub(crate) fn hide_if_empty(node: &mut PartialNode) {
    if node.bounds.is_some_and(Rect::is_empty) {
        node.states = node.states.without(State::Showing);
    }
}

/// Returns the elements that lie in the same place as one of their siblings.
fn overlapping_pages(tree: &PartialTree) -> Vec<u32> {
    let area = |at: u32| {
        let node = &tree.nodes[at as usize];
        let bounds = node.bounds.filter(|_| node.states.has(State::Showing))?;
        (bounds.width.min(bounds.height) >= MIN_PAGE_SIDE).then_some(bounds)
    };
    let mut pages = Vec::new();
    for parent in &tree.nodes {
        let placed: Vec<(u32, Rect)> =
            parent.children.iter().filter_map(|at| Some((*at, area(*at)?))).collect();
        let covers = |(at, bounds): &(u32, Rect)| {
            placed.iter().any(|(other, place)| other != at && is_same_place(*bounds, *place))
        };
        pages.extend(placed.iter().filter(|page| covers(page)).map(|(at, _)| *at));
    }
    pages
}

/// Returns `true` if two areas share nine tenths of the smaller and half of the larger one.
fn is_same_place(one: Rect, other: Rect) -> bool {
    let size = |rect: Rect| i64::from(rect.width) * i64::from(rect.height);
    let Some(shared) = one.intersection(other).map(size) else { return false };
    let (small, large) = (size(one).min(size(other)), size(one).max(size(other)));
    shared * 10 >= small * 9 && shared * 2 >= large
}

/// Returns points inside a page at which one of its elements must lie if the page is current. GTK
/// finds no insensitive elements.
fn points(tree: &PartialTree, page: u32) -> Vec<(i32, i32)> {
    let mut leaves = Vec::new();
    let mut stack = vec![page];
    let frame = tree.nodes[page as usize].bounds;
    while let Some(at) = stack.pop() {
        let node = &tree.nodes[at as usize];
        let bounds = node.bounds.filter(|bounds| !bounds.is_empty());
        let (Some(bounds), Some(frame)) = (bounds, frame) else { continue };
        if !node.states.has(State::Showing) || !node.states.has(State::Enabled) {
            continue;
        }
        if node.children.is_empty() && bounds.intersection(frame) == Some(bounds) {
            leaves.push(bounds.center());
        }
        stack.extend(node.children.iter().rev());
    }
    if leaves.is_empty() {
        leaves.extend(frame.map(Rect::center));
    }
    let step = leaves.len().div_ceil(MAX_POINTS).max(1);
    leaves.into_iter().step_by(step).collect()
}

fn parents(tree: &PartialTree) -> Vec<Option<u32>> {
    let mut parents = vec![None; tree.nodes.len()];
    for (at, node) in tree.nodes.iter().enumerate() {
        for child in &node.children {
            parents[*child as usize].get_or_insert(at as u32);
        }
    }
    parents
}

#[cfg(test)]
mod tests {
    use deskhand_model::States;

    use super::*;

    fn tree(bounds: &[Rect]) -> PartialTree {
        let mut tree = PartialTree::default();
        for (at, bounds) in bounds.iter().enumerate() {
            let (index, _) = tree.get_or_insert(NodeId::new(format!(":1.1/{at}")));
            let node = tree.node_mut(index);
            node.bounds = Some(*bounds);
            node.states = States::NONE.with(State::Showing).with(State::Enabled);
        }
        tree.node_mut(0).children = (1..bounds.len() as u32).collect();
        tree
    }

    #[test]
    fn pages_in_the_same_place_are_told_apart_and_neighbours_are_not() {
        let page = Rect::new(0, 40, 300, 200);
        let stack = tree(&[page, page, Rect::new(0, 42, 300, 198), Rect::new(300, 40, 80, 200)]);
        assert_eq!(overlapping_pages(&stack), [1, 2]);
        let overlay = tree(&[page, page, Rect::new(100, 200, 90, 40)]);
        assert!(overlapping_pages(&overlay).is_empty(), "a small overlay is no page");
    }

    #[test]
    fn the_points_of_a_page_lie_in_its_sensitive_leaves() {
        let mut page = tree(&[
            Rect::new(0, 0, 100, 100),
            Rect::new(0, 0, 20, 20),
            Rect::new(0, 50, 20, 20),
            Rect::new(0, 90, 20, 20),
        ]);
        page.node_mut(1).states = States::NONE.with(State::Showing);
        assert_eq!(points(&page, 0), [(10, 60)], "disabled and clipped leaves do not count");
    }
}
