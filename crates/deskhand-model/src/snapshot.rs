//! An immutable copy of an app's tree, stored as a flat list.

use std::{
    collections::{HashMap, HashSet},
    fmt,
    sync::OnceLock,
};

use crate::{App, Cut, Node, NodeId, Rect, ScreenVisibility, name::LabelPairs};

/// The position of a node in its snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Index(u32);

impl Index {
    /// The root, which is the first node.
    pub const ROOT: Index = Index(0);

    /// Returns the position as a number. The root is 0, and nodes are numbered in document order.
    pub fn get(self) -> usize {
        self.0 as usize
    }
}

/// A notice about a snapshot as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// The app's windows or pages look empty because accessibility support is switched off.
    AccessibilityOff {
        /// The command-line flag or variable that switches it on when the app starts.
        flag: String,
    },
    /// A large part of a window has no elements, although something is drawn there.
    BlankArea {
        /// The title of the window.
        window: String,
        /// The area on the screen.
        area: Rect,
    },
    /// The app stopped responding before the snapshot was complete.
    NotResponding,
    /// A window could not be found on the screen, so the positions in it are unreliable.
    UnplacedWindow {
        /// The title of that window.
        title: String,
    },
}

impl Notice {
    /// Returns a stable code. Programs branch on it.
    pub fn code(&self) -> &'static str {
        match self {
            Self::AccessibilityOff { .. } => "accessibility_off",
            Self::BlankArea { .. } => "blank_area",
            Self::NotResponding => "not_responding",
            Self::UnplacedWindow { .. } => "unplaced_window",
        }
    }

    /// Returns a sentence that says what it means and what to do.
    pub fn message(&self) -> String {
        match self {
            Self::AccessibilityOff { flag } => format!(
                "The app's accessibility support is off, so its content is missing here: restart it with {flag}."
            ),
            Self::BlankArea { window, area } => format!(
                "A large area of window \"{window}\" has no elements: take a screenshot to see it \
                 (at {},{} {}x{}).",
                area.x, area.y, area.width, area.height
            ),
            Self::NotResponding => {
                "The app stopped responding, so this snapshot is incomplete: try again later, or restart the app."
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
    // One past the last descendant. Nodes are in document order, so a subtree is a range.
    end: u32,
}

/// An app's tree at one moment, in document order.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    app: App,
    nodes: Vec<Node>,
    links: Vec<TreeLink>,
    notices: Vec<Notice>,
    derived: Derived,
}

/// Facts that follow from the nodes, computed on first use. A clone computes them again, because
/// clones are made to be changed.
#[derive(Default)]
struct Derived {
    visibility: OnceLock<ScreenVisibility>,
    labels: OnceLock<LabelPairs>,
}

impl Clone for Derived {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Derived {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for Derived {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Derived")
    }
}

impl Snapshot {
    /// Builds a snapshot and puts its nodes in document order.
    ///
    /// `children` lists the children of each node by their position in `nodes`; `nodes[0]` is the
    /// root. A node that several parents claim is used once. A node that the root does not reach is
    /// dropped.
    pub fn assemble(app: App, nodes: Vec<Node>, children: &[Vec<u32>]) -> Self {
        let slots: Vec<Option<Node>> = nodes.into_iter().map(Some).collect();
        let root = (!slots.is_empty()).then_some(0);
        Self::from_slots(app, slots, children, root)
    }

    /// Builds a snapshot from the nodes reachable from `root`. Empty slots are skipped.
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
            derived: Derived::default(),
        };
        // An explicit stack, because trees of real apps are deep enough to overflow the thread's
        // stack.
        let mut open: Vec<(u32, std::slice::Iter<'_, u32>)> = Vec::new();
        let mut next = root;
        loop {
            if let Some(slot) = next.take()
                && let Some(node) = slots.get_mut(slot as usize).and_then(Option::take)
            {
                let index = built.nodes.len() as u32;
                let parent = open.last().map(|(parent, _)| Index(*parent));
                built.nodes.push(node);
                built.links.push(TreeLink { parent, end: index + 1 });
                let below = children.get(slot as usize).map_or(&[][..], Vec::as_slice);
                open.push((index, below.iter()));
            }
            let Some((index, below)) = open.last_mut() else { break };
            match below.next() {
                Some(child) => next = Some(*child),
                None => {
                    built.links[*index as usize].end = built.nodes.len() as u32;
                    open.pop();
                }
            }
        }
        built
    }

    /// Returns a copy of a subtree in another order of siblings. `order` lists the subtree in its new
    /// document order, starting with its root.
    pub(crate) fn rearranged(&self, order: &[Index]) -> Self {
        let mut positions = vec![None; self.nodes.len()];
        for (at, old) in order.iter().enumerate() {
            positions[old.get()] = Some(Index(at as u32));
        }
        let links = order.iter().enumerate().map(|(at, old)| {
            let parent = self.parent(*old).filter(|_| at > 0);
            TreeLink {
                parent: parent.and_then(|parent| positions[parent.get()]),
                end: (at + self.subtree_len(*old)) as u32,
            }
        });
        Self {
            app: self.app.clone(),
            nodes: order.iter().map(|old| self.node(*old).clone()).collect(),
            links: links.collect(),
            notices: self.notices.clone(),
            derived: Derived::default(),
        }
    }

    /// Adds a notice about the snapshot as a whole, unless it is already there.
    pub fn add_notice(&mut self, notice: Notice) {
        if !self.notices.contains(&notice) {
            self.notices.push(notice);
        }
    }

    /// Returns the app the snapshot was taken from.
    pub fn app(&self) -> &App {
        &self.app
    }

    /// Returns the notices about the snapshot as a whole.
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns `true` if there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Iterates over all nodes in document order, starting at the root.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Index, &Node)> + ExactSizeIterator {
        self.nodes.iter().enumerate().map(|(at, node)| (Index(at as u32), node))
    }

    /// Returns the node at a position.
    ///
    /// # Panics
    ///
    /// Panics if the position is out of range for this snapshot.
    pub fn node(&self, at: Index) -> &Node {
        &self.nodes[at.get()]
    }

    /// Returns the parent of a node. The root has none.
    pub fn parent(&self, at: Index) -> Option<Index> {
        self.links[at.get()].parent
    }

    /// Iterates over the children of a node, in order.
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

    /// Iterates over a node and all its descendants, in document order.
    pub fn subtree(&self, at: Index) -> impl Iterator<Item = Index> + use<> {
        (at.0..self.links[at.get()].end).map(Index)
    }

    /// Returns the number of nodes in a subtree, including its root.
    pub fn subtree_len(&self, at: Index) -> usize {
        (self.links[at.get()].end - at.0) as usize
    }

    /// Iterates over the ancestors of a node, nearest first.
    pub fn ancestors(&self, at: Index) -> impl Iterator<Item = Index> + '_ {
        std::iter::successors(self.parent(at), |up| self.parent(*up))
    }

    /// Takes over ids from an older snapshot for elements that have a new id but are otherwise the
    /// same.
    ///
    /// Qt creates the cells of a table anew for every read.
    #[must_use]
    pub fn with_ids_from(mut self, older: &Snapshot) -> Self {
        if self.is_empty() || older.is_empty() {
            return self;
        }
        let known: HashSet<&NodeId> = older.nodes.iter().map(|node| &node.id).collect();
        let now: HashSet<NodeId> = self.nodes.iter().map(|node| node.id.clone()).collect();
        let mut renamed: Vec<(Index, NodeId)> = Vec::new();
        let mut pairs = vec![(Index::ROOT, Index::ROOT)];
        while let Some((old_parent, new_parent)) = pairs.pop() {
            let before: Vec<Index> = older.children(old_parent).collect();
            let after: Vec<Index> = self.children(new_parent).collect();
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
                        let old = older.node(**at);
                        old.role == node.role && old.name == node.name
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
        self.derived = Derived::default();
        self
    }

    /// Replaces nodes by newer reads of the same elements.
    ///
    /// The `cut` reason stays as it was, and so does a name that the new read lacks: a name derived
    /// from descendants is only known after reading the whole tree.
    #[must_use]
    pub fn with_updated_nodes(mut self, nodes: impl IntoIterator<Item = Node>) -> Self {
        let now: HashMap<NodeId, Node> =
            nodes.into_iter().map(|node| (node.id.clone(), node)).collect();
        for node in &mut self.nodes {
            let Some(new) = now.get(&node.id) else { continue };
            let old = std::mem::replace(node, new.clone());
            node.cut = old.cut;
            if node.name.is_empty() {
                node.name = old.name;
            }
        }
        self.derived = Derived::default();
        self
    }

    /// Returns a copy in which the given nodes replace those with the same id.
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

    /// Returns a copy in which the children of the root of another snapshot follow the children of a
    /// node. Elements that are already there are not repeated.
    #[must_use]
    pub fn with_more_children(&self, parent: Index, other: &Snapshot) -> Self {
        let known: HashSet<&NodeId> = self.nodes.iter().map(|node| &node.id).collect();
        let offset = self.len();
        let slots = self.nodes.iter().chain(&other.nodes);
        let mut children: Vec<Vec<u32>> = vec![Vec::new(); offset + other.len()];
        for (at, _) in self.iter() {
            children[at.get()] = self.children(at).map(|child| child.0).collect();
        }
        for (at, node) in other.iter() {
            let to = if at == Index::ROOT { parent.get() } else { offset + at.get() };
            if at != Index::ROOT && known.contains(&node.id) {
                continue;
            }
            let below = other.children(at).filter(|child| !known.contains(&other.node(*child).id));
            children[to].extend(below.map(|child| (offset + child.get()) as u32));
        }
        let slots = slots.map(|node| Some(node.clone())).collect();
        let root = (!self.is_empty()).then_some(0);
        let mut grown = Self::from_slots(self.app.clone(), slots, &children, root);
        grown.notices.clone_from(&self.notices);
        grown
    }

    /// Returns the visibility of all elements. It is computed once.
    pub fn visibility(&self) -> &ScreenVisibility {
        self.derived.visibility.get_or_init(|| ScreenVisibility::of(self))
    }

    /// Returns the labels of all elements. They are computed once.
    pub(crate) fn label_pairs(&self) -> &LabelPairs {
        self.derived.labels.get_or_init(|| LabelPairs::of(self))
    }

    /// Returns the position of the element with this id.
    pub fn position(&self, id: &NodeId) -> Option<Index> {
        self.nodes.iter().position(|node| node.id == *id).map(|at| Index(at as u32))
    }

    /// Returns the position of every element by id. Use it for many lookups.
    pub fn positions(&self) -> HashMap<&NodeId, Index> {
        self.iter().map(|(at, node)| (&node.id, at)).collect()
    }

    /// Iterates over the nodes whose children were not all read, with the reason.
    pub fn cuts(&self) -> impl Iterator<Item = (Index, Cut)> + '_ {
        self.iter().filter_map(|(at, node)| node.cut.map(|cut| (at, cut)))
    }

    /// Replaces all notices.
    pub(crate) fn set_notices(&mut self, notices: Vec<Notice>) {
        self.notices = notices;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        State, States,
        testing::{app, node},
    };

    fn names(snapshot: &Snapshot) -> Vec<&str> {
        snapshot.iter().map(|(_, node)| node.name.as_str()).collect()
    }

    #[test]
    fn nodes_are_sorted_in_document_order() {
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
    fn an_updated_node_keeps_its_position() {
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
    fn updated_nodes_get_another_visibility() {
        let mut nodes = ["root", "a"].map(node).to_vec();
        let shown = [State::Showing, State::Visible].into_iter().collect();
        nodes[1].states = shown;
        let built = Snapshot::assemble(app(), nodes, &[vec![1], vec![]]);
        assert!(built.visibility().is_on_screen(Index(1)));
        let mut now = built.node(Index(1)).clone();
        now.states = States::NONE;
        assert!(!built.with_updated_nodes([now]).visibility().is_on_screen(Index(1)));
    }

    #[test]
    fn more_children_follow_the_known_ones() {
        let nodes = ["root", "a", "b", "a1"].map(node).to_vec();
        let built = Snapshot::assemble(app(), nodes, &[vec![1, 2], vec![3], vec![], vec![]]);
        let page = ["a", "a1", "a2", "a21"].map(node).to_vec();
        let page = Snapshot::assemble(app(), page, &[vec![1, 2], vec![], vec![3], vec![]]);
        let grown = built.with_more_children(Index(1), &page);
        assert_eq!(names(&grown), ["root", "a", "a1", "a2", "a21", "b"]);
        assert_eq!(grown.parent(Index(3)), Some(Index(1)));
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
