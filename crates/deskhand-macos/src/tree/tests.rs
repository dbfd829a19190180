//! Tests of the tree over the fake accessibility API.

mod actions;
mod apps;
mod elements;
mod events;
mod snapshots;

use std::time::Duration;

use deskhand_model::{App, Node, NodeId, Snapshot};
use deskhand_platform::{Deadline, NodeFields, Tree, WalkOptions};

use super::{
    MacTree,
    fake_ax::{ElementIndex, FakeAx},
};

/// A tree and the fake API below it.
struct TestTree {
    ax: FakeAx,
    tree: MacTree<FakeAx>,
}

impl TestTree {
    fn new() -> Self {
        let ax = FakeAx::default();
        Self { tree: MacTree::new(ax.clone()), ax }
    }

    /// The app of a process.
    fn app(&self, pid: u32) -> App {
        self.tree.apps_by_pid(&[pid], test_deadline()).unwrap().remove(0)
    }

    fn id(&self, element: ElementIndex) -> NodeId {
        self.tree.0.node_id(&element)
    }

    fn snapshot(&self, pid: u32) -> Snapshot {
        let app = self.app(pid);
        self.tree
            .walk(&app, &app.root, &WalkOptions::with_fields(NodeFields::ALL), test_deadline())
            .unwrap()
    }

    fn node(&self, snapshot: &Snapshot, element: ElementIndex) -> Node {
        let at = snapshot.position(&self.id(element)).expect("the element is in the snapshot");
        snapshot.node(at).clone()
    }
}

fn test_deadline() -> Deadline {
    Deadline::after(Duration::from_secs(5))
}
