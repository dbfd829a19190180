//! Elements of a tree while they are being read.

use std::collections::{HashMap, VecDeque};

use deskhand_model::{Cut, NodeId, Rect, Relation, State, States, Value};

use deskhand_platform::WalkOptions;
use zbus::Message;

use super::{role::from_number, state};

/// An element of which some facts have not arrived yet.
#[derive(Debug, Clone)]
pub(crate) struct PartialNode {
    pub(crate) id: NodeId,
    /// The AT-SPI role number.
    pub(crate) role_number: u32,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) placeholder: String,
    pub(crate) identifier: String,
    pub(crate) states: States,
    pub(crate) child_count: i32,
    pub(crate) children: Vec<u32>,
    pub(crate) depth: u32,
    pub(crate) bounds: Option<Rect>,
    pub(crate) value: Option<Value>,
    pub(crate) actions: Vec<String>,
    pub(crate) relations: Vec<Relation>,
    pub(crate) cut: Option<Cut>,
    /// `true` if the element is a password field or inside one.
    pub(crate) is_secret: bool,
    /// `true` if the element holds a secret, but its role is not `Password`.
    pub(crate) is_unmarked_secret: bool,
    /// The reply with the first character as drawn, until it is compared with the stored character.
    pub(crate) drawn_character: Option<Message>,
}

impl PartialNode {
    fn new(id: NodeId) -> Self {
        Self {
            id,
            role_number: 0,
            name: String::new(),
            description: String::new(),
            placeholder: String::new(),
            identifier: String::new(),
            states: States::NONE,
            child_count: 0,
            children: Vec::new(),
            depth: 0,
            bounds: None,
            value: None,
            actions: Vec::new(),
            relations: Vec::new(),
            cut: None,
            is_secret: false,
            is_unmarked_secret: false,
            drawn_character: None,
        }
    }

    /// Returns the role, as far as the facts so far determine it.
    pub(crate) fn role(&self) -> deskhand_model::Role {
        from_number(self.role_number, self.states)
    }

    /// Returns `true` if the element is visible on the screen.
    pub(crate) fn is_showing(&self) -> bool {
        self.states.has(State::Showing)
    }

    /// Sets the states from AT-SPI's state words.
    pub(crate) fn set_states(&mut self, words: &[u32]) {
        self.states = state::from_words(words);
    }
}

/// All elements read so far. The first is the root of the read.
#[derive(Debug, Default)]
pub(crate) struct PartialTree {
    pub(crate) nodes: Vec<PartialNode>,
    by_id: HashMap<NodeId, u32>,
}

impl PartialTree {
    /// Returns the index of an element, and adds the element if it is new. The flag is `true` for a
    /// new one.
    pub(crate) fn get_or_insert(&mut self, id: NodeId) -> (u32, bool) {
        if let Some(index) = self.by_id.get(&id) {
            return (*index, false);
        }
        let index = self.nodes.len() as u32;
        self.by_id.insert(id.clone(), index);
        self.nodes.push(PartialNode::new(id));
        (index, true)
    }

    /// Returns the element with this index.
    pub(crate) fn node_mut(&mut self, index: u32) -> &mut PartialNode {
        &mut self.nodes[index as usize]
    }

    /// Removes elements beyond the limits of a read. Elements requested at the same time each fit
    /// on their own, but may exceed the limits together.
    pub(crate) fn truncate_to(&mut self, extent: &WalkOptions) {
        let mut left = extent.max_nodes.saturating_sub(1);
        let mut visited = vec![false; self.nodes.len()];
        let mut queue: VecDeque<usize> = [0].into();
        while let Some(index) = queue.pop_front() {
            let Some(node) = self.nodes.get_mut(index) else { continue };
            if std::mem::replace(&mut visited[index], true) {
                continue;
            }
            for (limit, cut) in [(extent.max_children, Cut::Many), (left, Cut::Budget)] {
                if node.children.len() > limit {
                    node.children.truncate(limit);
                    node.cut = Some(cut);
                }
            }
            left -= node.children.len();
            queue.extend(node.children.iter().map(|child| *child as usize));
        }
    }
}

#[cfg(test)]
mod tests {
    use deskhand_platform::NodeFields;

    use super::*;

    #[test]
    fn a_read_returns_no_more_nodes_than_its_limits_allow() {
        let mut tree = PartialTree::default();
        for name in 0..9 {
            tree.get_or_insert(NodeId::new(name.to_string()));
        }
        tree.node_mut(0).children = vec![1, 2];
        tree.node_mut(1).children = vec![3, 4, 5];
        tree.node_mut(2).children = vec![6, 7, 8];
        tree.truncate_to(&WalkOptions {
            max_nodes: 7,
            max_children: 2,
            ..WalkOptions::with_fields(NodeFields::MINIMAL)
        });
        assert_eq!(tree.node_mut(1).children, [3, 4]);
        assert_eq!(tree.node_mut(1).cut, Some(Cut::Many));
        assert_eq!((tree.node_mut(0).cut, tree.node_mut(2).cut), (None, Some(Cut::Many)));
        tree.truncate_to(&WalkOptions {
            max_nodes: 4,
            ..WalkOptions::with_fields(NodeFields::MINIMAL)
        });
        assert_eq!(tree.node_mut(1).children, [3]);
        assert_eq!(
            (tree.node_mut(1).cut, tree.node_mut(2).cut),
            (Some(Cut::Budget), Some(Cut::Budget))
        );
    }
}
