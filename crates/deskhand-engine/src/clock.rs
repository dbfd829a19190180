//! How long a call waits for the apps it looks at and acts on, apart from its own work.

use std::{
    cell::Cell,
    time::{Duration, Instant},
};

use deskhand_model::{App, AppId, EventKind, Node, NodeId, Snapshot};
use deskhand_platform::{
    Act, Deadline, Events, Extent, Facets, Passwords, Reply, Result, Text, Tree,
};

/// What a call has cost the apps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cost {
    /// How long the call waited for them.
    pub waited: Duration,
    /// How often a whole app, or a part of it, was looked at.
    pub looks: u32,
    /// How often single elements were read.
    pub reads: u32,
    /// How long the gate took: everything of the call but the tool itself and the waiting for a limit.
    pub gate: Duration,
}

impl Cost {
    /// Whether an earlier look was enough, brought up to date by reading single elements.
    pub fn is_from_memory(self) -> bool {
        self.looks == 0 && self.reads > 0
    }
}

thread_local! {
    static COST: Cell<Cost> = const {
        Cell::new(Cost { waited: Duration::ZERO, looks: 0, reads: 0, gate: Duration::ZERO })
    };
}

/// Measures what of a call is the gate's.
pub(crate) struct Gauge {
    begun: Instant,
    apart: Duration,
}

impl Gauge {
    /// Begins to count for the call this thread runs.
    pub(crate) fn begin() -> Self {
        COST.set(Cost::default());
        Self { begun: Instant::now(), apart: Duration::ZERO }
    }

    /// Does what is not the gate's.
    pub(crate) fn apart<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let done = work();
        self.apart += begun.elapsed();
        done
    }
}

impl Drop for Gauge {
    fn drop(&mut self) {
        let gate = self.begun.elapsed().saturating_sub(self.apart);
        COST.set(Cost { gate, ..COST.get() });
    }
}

/// What the last call of this thread has cost.
pub(crate) fn spent() -> Cost {
    COST.get()
}

/// Trees that count the time they take. What a call does beside its own thread is not counted: it
/// does not wait for it there.
pub(crate) struct Timed(pub(crate) Box<dyn Tree>);

impl Timed {
    fn count<T>(&self, ask: impl FnOnce(&dyn Tree) -> T) -> T {
        let begun = Instant::now();
        let answer = ask(&*self.0);
        let cost = COST.get();
        COST.set(Cost { waited: cost.waited + begun.elapsed(), ..cost });
        answer
    }
}

impl Tree for Timed {
    fn apps(&self, by: Deadline) -> Result<Vec<App>> {
        self.count(|tree| tree.apps(by))
    }

    fn apps_of(&self, pids: &[u32], by: Deadline) -> Result<Vec<App>> {
        self.count(|tree| tree.apps_of(pids, by))
    }

    fn admit(&self, app: &App, by: Deadline) -> Result<()> {
        self.count(|tree| tree.admit(app, by))
    }

    fn host(&self, of: &NodeId) -> AppId {
        self.0.host(of)
    }

    fn process_of(&self, app: &AppId, by: Deadline) -> Result<u32> {
        self.count(|tree| tree.process_of(app, by))
    }

    fn walk(&self, app: &App, from: &NodeId, within: &Extent, by: Deadline) -> Result<Snapshot> {
        let cost = COST.get();
        COST.set(Cost { looks: cost.looks + 1, ..cost });
        self.count(|tree| tree.walk(app, from, within, by))
    }

    fn read(
        &self,
        app: &App,
        ids: &[NodeId],
        what: Facets,
        by: Deadline,
    ) -> Result<Vec<Option<Node>>> {
        let cost = COST.get();
        COST.set(Cost { reads: cost.reads + 1, ..cost });
        self.count(|tree| tree.read(app, ids, what, by))
    }

    fn passwords(&self, app: &App, by: Deadline) -> Result<Passwords> {
        self.count(|tree| tree.passwords(app, by))
    }

    fn attributes(&self, app: &App, id: &NodeId, by: Deadline) -> Result<Vec<(String, String)>> {
        self.count(|tree| tree.attributes(app, id, by))
    }

    fn text(&self, app: &App, id: &NodeId, by: Deadline) -> Result<Option<Text>> {
        self.count(|tree| tree.text(app, id, by))
    }

    fn selected(&self, app: &App, id: &NodeId, by: Deadline) -> Result<Option<Vec<NodeId>>> {
        self.count(|tree| tree.selected(app, id, by))
    }

    fn perform(&self, app: &App, on: &NodeId, act: &Act, by: Deadline) -> Result<Reply> {
        self.count(|tree| tree.perform(app, on, act, by))
    }

    fn watch(
        &self,
        app: Option<&AppId>,
        kinds: &[EventKind],
        by: Deadline,
    ) -> Result<Box<dyn Events>> {
        self.count(|tree| tree.watch(app, kinds, by))
    }
}
