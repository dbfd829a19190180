//! Builders for the trees in this crate's tests.

use crate::{App, AppId, Index, Node, NodeId, Role, Snapshot, State, States, Toolkit};

/// A sample app.
pub(crate) fn app() -> App {
    App {
        id: AppId(":1.1".into()),
        name: "sample".into(),
        pid: 1,
        started: 1,
        bundle_id: None,
        executable: None,
        toolkit: Toolkit::default(),
        root: NodeId::new("root"),
        windows: 1,
        responding: true,
    }
}

/// A button whose id is its name.
pub(crate) fn node(name: &str) -> Node {
    Node { name: name.into(), ..Node::new(NodeId::new(name), Role::Button) }
}

/// A root with the given nodes as children.
pub(crate) fn flat(nodes: impl IntoIterator<Item = Node>) -> Snapshot {
    let nodes: Vec<_> = std::iter::once(node("root")).chain(nodes).collect();
    let mut children = vec![Vec::new(); nodes.len()];
    children[0] = (1..nodes.len() as u32).collect();
    Snapshot::assemble(app(), nodes, &children)
}

/// The states of an ordinary element on the screen.
pub(crate) fn usual() -> States {
    [State::Enabled, State::Visible, State::Showing, State::Editable].into_iter().collect()
}

/// Builds a tree like that of a real app.
pub(crate) struct TreeBuilder {
    nodes: Vec<Node>,
    children: Vec<Vec<u32>>,
}

impl TreeBuilder {
    /// Creates an application without elements.
    pub(crate) fn new() -> Self {
        let root = Node { states: usual(), ..Node::new(NodeId::new("app"), Role::Application) };
        Self { nodes: vec![root], children: vec![Vec::new()] }
    }

    /// Adds an element that is on the screen. Its id is its number.
    pub(crate) fn add(&mut self, parent: usize, role: Role, name: &str) -> usize {
        let at = self.nodes.len();
        let node = Node::new(NodeId::new(format!("n{at}")), role);
        self.nodes.push(Node { name: name.into(), states: usual(), ..node });
        self.children.push(Vec::new());
        self.children[parent].push(at as u32);
        self.nodes[parent].child_count += 1;
        at
    }

    /// Returns the element for changes.
    pub(crate) fn at(&mut self, at: usize) -> &mut Node {
        &mut self.nodes[at]
    }

    /// Sets a state of an element.
    pub(crate) fn set(&mut self, at: usize, state: State) {
        self.nodes[at].states = self.nodes[at].states.with(state);
    }

    /// Clears a state of an element.
    pub(crate) fn unset(&mut self, at: usize, state: State) {
        self.nodes[at].states = self.nodes[at].states.without(state);
    }

    /// Detaches an element from its parent.
    pub(crate) fn remove(&mut self, at: usize) {
        self.children.iter_mut().for_each(|list| list.retain(|child| *child as usize != at));
    }

    /// Attaches a detached element to a parent.
    pub(crate) fn adopt(&mut self, parent: usize, at: usize) {
        self.children[parent].push(at as u32);
    }

    /// Returns the tree built so far.
    pub(crate) fn snapshot(&self) -> Snapshot {
        let mut app = app();
        app.pid = 123;
        app.toolkit = Toolkit { name: "gtk".into(), version: "3.24".into() };
        Snapshot::assemble(app, self.nodes.clone(), &self.children)
    }
}

/// Returns a ref made from the element's position.
pub(crate) fn index_ref(_: &Snapshot, at: Index) -> String {
    format!("e{}", at.get())
}
