//! Builders for the trees in this crate's tests.

use deskhand_model::{App, AppId, Node, NodeId, Role, Snapshot, State, Toolkit};

/// A sample app with this toolkit.
pub(crate) fn app(toolkit: &str, version: &str) -> App {
    App {
        id: AppId(":1.1".into()),
        name: "sample".into(),
        pid: 1234,
        started: 1,
        bundle_id: None,
        executable: None,
        toolkit: Toolkit { name: toolkit.into(), version: version.into() },
        root: NodeId::new("root"),
        windows: 1,
        responding: true,
    }
}

/// A tree under construction.
pub(crate) struct Tree {
    pub(crate) app: App,
    pub(crate) nodes: Vec<Node>,
    pub(crate) children: Vec<Vec<u32>>,
}

impl Tree {
    /// Creates an app without elements.
    pub(crate) fn new() -> Self {
        let mut root = Node::new(NodeId::new("root"), Role::Application);
        root.name = "sample".into();
        Self { app: app("gtk", "3.24"), nodes: vec![root], children: vec![vec![]] }
    }

    /// Adds an element that is on the screen. Its id is its number.
    pub(crate) fn add(&mut self, parent: u32, role: Role, name: &str) -> u32 {
        let at = self.nodes.len() as u32;
        let mut node = Node::new(NodeId::new(format!("id{at}")), role);
        node.name = name.into();
        node.states = node.states.with(State::Showing).with(State::Visible);
        self.nodes.push(node);
        self.children.push(Vec::new());
        self.children[parent as usize].push(at);
        at
    }

    /// Returns the element for changes.
    pub(crate) fn at(&mut self, at: u32) -> &mut Node {
        &mut self.nodes[at as usize]
    }

    /// Detaches an element and everything below it.
    pub(crate) fn remove(&mut self, at: u32) {
        for children in &mut self.children {
            children.retain(|child| *child != at);
        }
    }

    /// Returns the tree built so far.
    pub(crate) fn snapshot(&self) -> Snapshot {
        Snapshot::assemble(self.app.clone(), self.nodes.clone(), &self.children)
    }
}
