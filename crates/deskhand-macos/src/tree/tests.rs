//! The tree over a recorded system.

mod acts;
mod apps;
mod events;
mod looks;
mod parts;

use std::time::Duration;

use deskhand_model::{App, Node, NodeId, Snapshot};
use deskhand_platform::{Deadline, Extent, Facets, Tree};

use super::{
    MacTree,
    recorded::{Recorded, Thing},
};

/// A recorded system with the tree over it.
struct Desk {
    system: Recorded,
    tree: MacTree<Recorded>,
}

impl Desk {
    fn new() -> Self {
        let system = Recorded::default();
        Self { tree: MacTree::new(system.clone()), system }
    }

    /// The app of a process as the tree lists it.
    fn app(&self, pid: u32) -> App {
        self.tree.apps_of(&[pid], soon()).unwrap().remove(0)
    }

    fn id(&self, thing: Thing) -> NodeId {
        self.tree.0.name(&thing)
    }

    fn look(&self, pid: u32) -> Snapshot {
        let app = self.app(pid);
        self.tree.walk(&app, &app.root, &Extent::of(Facets::ALL), soon()).unwrap()
    }

    fn node(&self, snapshot: &Snapshot, thing: Thing) -> Node {
        let at = snapshot.position(&self.id(thing)).expect("the element is in the look");
        snapshot.node(at).clone()
    }
}

fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(5))
}
