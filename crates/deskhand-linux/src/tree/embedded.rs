//! Parts of a window that belong to another process, such as the pages of WebKit.
//!
//! A socket in the window stands for the tree of the other process. Neither the socket nor the
//! containers between it and the page report if they are on the screen.

use deskhand_model::{Role, State, States};

use super::{atspi, partial_node::PartialTree};

const SHOWN_STATES: [State; 2] = [State::Visible, State::Showing];

/// Returns `true` if an element in the cache may be a socket, which the cache lists without
/// children.
pub(crate) fn may_be_socket(states: States) -> bool {
    states == States::NONE
}

/// Gives sockets, and the containers of the other process down to its page, the visibility of the
/// element around them.
pub(crate) fn inherit_visibility(tree: &mut PartialTree) {
    let Some(root) = tree.nodes.first() else { return };
    let own_bus = atspi::split_node_id(&root.id).0.to_owned();
    let is_foreign = |tree: &PartialTree, at: u32| {
        atspi::split_node_id(&tree.nodes[at as usize].id).0 != own_bus
    };
    let mut stack = vec![0];
    while let Some(at) = stack.pop() {
        let outer = tree.nodes[at as usize].states;
        for child in tree.nodes[at as usize].children.clone() {
            let node = &tree.nodes[child as usize];
            let is_socket = node.states == States::NONE
                && node.children.iter().any(|inner| is_foreign(tree, *inner));
            let reports = SHOWN_STATES.iter().any(|state| node.states.has(*state));
            if (is_socket || is_foreign(tree, child)) && !reports {
                let shown = SHOWN_STATES.iter().filter(|state| outer.has(**state));
                let states = shown.fold(node.states, |states, state| states.with(*state));
                tree.nodes[child as usize].states = states;
            }
            if tree.nodes[child as usize].role() != Role::WebDocument {
                stack.push(child);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containers_between_a_window_and_an_embedded_page_are_as_visible_as_the_window() {
        let mut tree = PartialTree::default();
        let mut add = |bus: &str, parent: Option<u32>, states: &[State]| {
            let path = format!("/n{}", tree.nodes.len());
            let (at, _) = tree.get_or_insert(atspi::node_id(bus, &path));
            tree.node_mut(at).states = states.iter().copied().collect();
            if let Some(parent) = parent {
                tree.node_mut(parent).children.push(at);
            }
            at
        };
        let window = add(":1.1", None, &SHOWN_STATES);
        let socket = add(":1.1", Some(window), &[]);
        let hidden = add(":1.1", Some(window), &[State::Enabled]);
        let plug = add(":1.2", Some(socket), &[]);
        let pane = add(":1.2", Some(plug), &[State::Enabled]);
        inherit_visibility(&mut tree);
        let is_shown = |at: u32| tree.nodes[at as usize].states.has(State::Showing);
        assert!([socket, plug, pane].into_iter().all(is_shown));
        assert!(!is_shown(hidden));
    }
}
