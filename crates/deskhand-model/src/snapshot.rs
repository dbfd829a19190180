//! A flat copy of an app's tree: cheap to share, impossible to change by accident.

use std::collections::{HashMap, HashSet};

use crate::{App, Cut, Node, NodeId};

/// Where a node stands in its snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Index(u32);

impl Index {
    /// The first node: the root.
    pub const ROOT: Index = Index(0);

    /// The place as a number: 0 is the root, and a snapshot's nodes count up in document order.
    pub fn get(self) -> usize {
        self.0 as usize
    }
}

/// What a whole look has to say beside its elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// The app shows windows without content because its accessibility is switched off.
    AccessibilityOff {
        /// What to pass to the app when it is started.
        flag: String,
    },
    /// The app stopped answering before the look was done.
    NotResponding,
    /// Positions are not to be trusted: the window could not be matched with its place on screen.
    UnplacedWindow {
        /// The title of that window.
        title: String,
    },
}

impl Notice {
    /// A stable word for it; programs branch on it.
    pub fn code(&self) -> &'static str {
        match self {
            Self::AccessibilityOff { .. } => "accessibility_off",
            Self::NotResponding => "not_responding",
            Self::UnplacedWindow { .. } => "unplaced_window",
        }
    }

    /// What it means and what to do, as a sentence.
    pub fn message(&self) -> String {
        match self {
            Self::AccessibilityOff { flag } => format!(
                "This app's accessibility is off, so its windows look empty: start it again with {flag}."
            ),
            Self::NotResponding => {
                "The app stopped answering, so this is incomplete: look again later, or restart it."
                    .into()
            }
            Self::UnplacedWindow { title } => format!(
                "Window \"{title}\" was not found on the screen, so its positions may be wrong: \
                 act by ref, not by coordinates."
            ),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TreeLink {
    parent: Option<Index>,
    // One past the last descendant: nodes stand in document order, so a subtree is a range.
    end: u32,
}

/// An app's tree at one moment, in document order.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    app: App,
    nodes: Vec<Node>,
    links: Vec<TreeLink>,
    notices: Vec<Notice>,
}

impl Snapshot {
    /// Puts a tree in document order.
    ///
    /// `children` tells the children of each node by position in `nodes`; `nodes[0]` is the root.
    /// Nodes that the root does not reach, or that are reached twice, stand only once or not at all.
    pub fn assemble(app: App, nodes: Vec<Node>, children: &[Vec<u32>]) -> Self {
        let slots: Vec<Option<Node>> = nodes.into_iter().map(Some).collect();
        let root = (!slots.is_empty()).then_some(0);
        Self::from_slots(app, slots, children, root)
    }

    /// Puts the tree below one of the nodes in document order; empty slots stand nowhere.
    pub(crate) fn from_slots(
        app: App,
        mut slots: Vec<Option<Node>>,
        children: &[Vec<u32>],
        root: Option<u32>,
    ) -> Self {
        let mut built = Self {
            app,
            nodes: Vec::with_capacity(slots.len()),
            links: Vec::with_capacity(slots.len()),
            notices: Vec::new(),
        };
        // An explicit stack: trees from real apps are deep enough to overflow the thread's own.
        let mut open: Vec<(u32, std::slice::Iter<'_, u32>)> = Vec::new();
        let mut next = root;
        loop {
            if let Some(slot) = next.take()
                && let Some(node) = slots.get_mut(slot as usize).and_then(Option::take)
            {
                let here = built.nodes.len() as u32;
                let parent = open.last().map(|(parent, _)| Index(*parent));
                built.nodes.push(node);
                built.links.push(TreeLink { parent, end: here + 1 });
                let below = children.get(slot as usize).map_or(&[][..], Vec::as_slice);
                open.push((here, below.iter()));
            }
            let Some((here, below)) = open.last_mut() else { break };
            match below.next() {
                Some(child) => next = Some(*child),
                None => {
                    built.links[*here as usize].end = built.nodes.len() as u32;
                    open.pop();
                }
            }
        }
        built
    }

    /// Adds a remark about the look as a whole.
    pub fn add_notice(&mut self, notice: Notice) {
        if !self.notices.contains(&notice) {
            self.notices.push(notice);
        }
    }

    /// The app it was taken from.
    pub fn app(&self) -> &App {
        &self.app
    }

    /// What the look as a whole has to say.
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no node at all.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Every node in document order, the root first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Index, &Node)> + ExactSizeIterator {
        self.nodes.iter().enumerate().map(|(at, node)| (Index(at as u32), node))
    }

    /// The node at a place.
    ///
    /// # Panics
    ///
    /// When the place belongs to a larger snapshot.
    pub fn node(&self, at: Index) -> &Node {
        &self.nodes[at.get()]
    }

    /// The parent of a node; the root has none.
    pub fn parent(&self, at: Index) -> Option<Index> {
        self.links[at.get()].parent
    }

    /// The children of a node, in order.
    pub fn children(&self, at: Index) -> impl Iterator<Item = Index> + Clone + '_ {
        let end = self.links[at.get()].end;
        let mut next = at.0 + 1;
        std::iter::from_fn(move || {
            (next < end).then(|| {
                let child = Index(next);
                next = self.links[child.get()].end;
                child
            })
        })
    }

    /// A node and everything below it, in document order.
    pub fn subtree(&self, at: Index) -> impl Iterator<Item = Index> + use<> {
        (at.0..self.links[at.get()].end).map(Index)
    }

    /// How many nodes stand at and below a node.
    pub fn subtree_len(&self, at: Index) -> usize {
        (self.links[at.get()].end - at.0) as usize
    }

    /// The ancestors of a node, nearest first.
    pub fn ancestors(&self, at: Index) -> impl Iterator<Item = Index> + '_ {
        std::iter::successors(self.parent(at), |up| self.parent(*up))
    }

    /// The same tree with the identities of an older one wherever an element has a new identity and
    /// nothing else: Qt makes the cells of a table anew for every look.
    #[must_use]
    pub fn with_ids_from(mut self, older: &Snapshot) -> Self {
        if self.is_empty() || older.is_empty() {
            return self;
        }
        let known: HashSet<&NodeId> = older.nodes.iter().map(|node| &node.id).collect();
        let now: HashSet<NodeId> = self.nodes.iter().map(|node| node.id.clone()).collect();
        let mut renamed: Vec<(Index, NodeId)> = Vec::new();
        let mut pairs = vec![(Index::ROOT, Index::ROOT)];
        while let Some((was, is)) = pairs.pop() {
            let before: Vec<Index> = older.children(was).collect();
            let after: Vec<Index> = self.children(is).collect();
            let by_id: HashMap<&NodeId, Index> =
                before.iter().map(|at| (&older.node(*at).id, *at)).collect();
            let mut lost =
                before.iter().filter(|at| !now.contains(&older.node(**at).id)).peekable();
            for at in &after {
                let node = self.node(*at);
                if let Some(same) = by_id.get(&node.id) {
                    pairs.push((*same, *at));
                } else if !known.contains(&node.id)
                    && let Some(same) = lost.next_if(|at| {
                        let was = older.node(**at);
                        was.role == node.role && was.name == node.name
                    })
                {
                    renamed.push((*at, older.node(*same).id.clone()));
                    pairs.push((*same, *at));
                }
            }
        }
        for (at, id) in renamed {
            self.nodes[at.get()].id = id;
        }
        self
    }

    /// The same tree with some of its elements as they are now. What only a look at the whole tells
    /// of them, such as a name that comes from what is inside, stays as it was.
    #[must_use]
    pub fn with_updated_nodes(mut self, nodes: impl IntoIterator<Item = Node>) -> Self {
        let now: HashMap<NodeId, Node> =
            nodes.into_iter().map(|node| (node.id.clone(), node)).collect();
        for node in &mut self.nodes {
            let Some(new) = now.get(&node.id) else { continue };
            let was = std::mem::replace(node, new.clone());
            node.cut = was.cut;
            if node.name.is_empty() {
                node.name = was.name;
            }
        }
        self
    }

    /// The same tree with some of its elements exchanged for others of the same identity.
    pub(crate) fn with_replaced_nodes(&self, nodes: impl IntoIterator<Item = Node>) -> Self {
        let mut now: HashMap<NodeId, Node> =
            nodes.into_iter().map(|node| (node.id.clone(), node)).collect();
        let mut copy = self.clone();
        for node in &mut copy.nodes {
            if let Some(new) = now.remove(&node.id) {
                *node = new;
            }
        }
        copy
    }

    /// Where an element stands, found by its identity.
    pub fn position(&self, id: &NodeId) -> Option<Index> {
        self.nodes.iter().position(|node| node.id == *id).map(|at| Index(at as u32))
    }

    /// Where every element stands, for many look-ups.
    pub fn positions(&self) -> HashMap<&NodeId, Index> {
        self.iter().map(|(at, node)| (&node.id, at)).collect()
    }

    /// The nodes whose children were not all read, and why.
    pub fn cuts(&self) -> impl Iterator<Item = (Index, Cut)> + '_ {
        self.iter().filter_map(|(at, node)| node.cut.map(|cut| (at, cut)))
    }

    /// Replaces everything the look has to say beside its elements.
    pub(crate) fn set_notices(&mut self, notices: Vec<Notice>) {
        self.notices = notices;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{app, node};

    fn names(snapshot: &Snapshot) -> Vec<&str> {
        snapshot.iter().map(|(_, node)| node.name.as_str()).collect()
    }

    #[test]
    fn nodes_given_level_by_level_stand_in_document_order() {
        let nodes = ["root", "a", "b", "a1", "b1", "a2"].map(node).to_vec();
        let children = [vec![1, 2], vec![3, 5], vec![4], vec![], vec![], vec![]];
        let built = Snapshot::assemble(app(), nodes, &children);
        assert_eq!(names(&built), ["root", "a", "a1", "a2", "b", "b1"]);
        let kids: Vec<_> = built.children(Index::ROOT).map(|k| &built.node(k).name).collect();
        assert_eq!(kids, ["a", "b"]);
        assert_eq!(built.subtree_len(Index(1)), 3);
        assert_eq!(built.ancestors(Index(5)).count(), 2);
    }

    #[test]
    fn an_element_is_renewed_in_its_place() {
        let nodes = ["root", "a", "b"].map(node).to_vec();
        let built = Snapshot::assemble(app(), nodes, &[vec![1, 2], vec![], vec![]]);
        let mut now = built.node(Index(1)).clone();
        now.name = "changed".to_owned();
        let mut nameless = built.node(Index(2)).clone();
        nameless.name.clear();
        let updated = built.with_updated_nodes([now, nameless]);
        assert_eq!(names(&updated), ["root", "changed", "b"]);
    }

    #[test]
    fn a_tree_that_claims_a_node_twice_keeps_it_once() {
        let nodes = ["root", "a", "b"].map(node).to_vec();
        let built = Snapshot::assemble(app(), nodes, &[vec![1, 2], vec![2, 0], vec![1]]);
        assert_eq!(names(&built), ["root", "a", "b"]);
        assert_eq!(built.parent(Index(2)), Some(Index(1)));
    }

    #[test]
    fn a_very_deep_tree_does_not_overflow_the_stack() {
        let deep = 200_000_u32;
        let nodes = (0..deep).map(|n| node(&n.to_string())).collect();
        let children: Vec<_> =
            (1..=deep).map(|n| if n < deep { vec![n] } else { vec![] }).collect();
        let built = Snapshot::assemble(app(), nodes, &children);
        assert_eq!(built.subtree_len(Index::ROOT), deep as usize);
    }
}
