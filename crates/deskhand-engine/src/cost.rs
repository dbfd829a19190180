//! Measures the time that a call waits for apps, separately from its own work.

use std::{
    cell::Cell,
    time::{Duration, Instant},
};

use deskhand_model::{App, AppId, EventKind, Node, NodeId, Snapshot};
use deskhand_platform::{
    ActionReply, Deadline, EventStream, NodeAction, NodeFields, PasswordFields, Result,
    TextContent, Tree, WalkOptions,
};

/// The cost of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cost {
    /// The time the call waited for apps.
    pub waited: Duration,
    /// The number of tree reads.
    pub tree_reads: u32,
    /// The number of reads of single nodes.
    pub node_reads: u32,
    /// The time of everything except the tool itself and the wait for a rate limit.
    pub overhead: Duration,
}

impl Cost {
    /// Returns `true` if the call used a cached tree and only read single nodes again.
    pub fn used_cache(self) -> bool {
        self.tree_reads == 0 && self.node_reads > 0
    }
}

thread_local! {
    static COST: Cell<Cost> = const {
        Cell::new(Cost { waited: Duration::ZERO, tree_reads: 0, node_reads: 0, overhead: Duration::ZERO })
    };
}

/// Measures the overhead of a call.
pub(crate) struct CostTimer {
    start: Instant,
    excluded: Duration,
}

impl CostTimer {
    /// Starts to measure the call of the current thread.
    pub(crate) fn start() -> Self {
        COST.set(Cost::default());
        Self { start: Instant::now(), excluded: Duration::ZERO }
    }

    /// Runs work that is not overhead.
    pub(crate) fn exclude<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.excluded += start.elapsed();
        result
    }
}

impl Drop for CostTimer {
    fn drop(&mut self) {
        let overhead = self.start.elapsed().saturating_sub(self.excluded);
        COST.set(Cost { overhead, ..COST.get() });
    }
}

/// Returns the cost of the last call of the current thread.
pub(crate) fn last_cost() -> Cost {
    COST.get()
}

/// A tree that measures the time of its calls. Calls from other threads are not counted, because
/// the caller does not wait for them.
pub(crate) struct TimedTree(pub(crate) Box<dyn Tree>);

impl TimedTree {
    fn measure<T>(&self, call: impl FnOnce(&dyn Tree) -> T) -> T {
        let start = Instant::now();
        let result = call(&*self.0);
        let cost = COST.get();
        COST.set(Cost { waited: cost.waited + start.elapsed(), ..cost });
        result
    }
}

impl Tree for TimedTree {
    fn apps(&self, deadline: Deadline) -> Result<Vec<App>> {
        self.measure(|tree| tree.apps(deadline))
    }

    fn apps_by_pid(&self, pids: &[u32], deadline: Deadline) -> Result<Vec<App>> {
        self.measure(|tree| tree.apps_by_pid(pids, deadline))
    }

    fn check_access(&self, app: &App, deadline: Deadline) -> Result<()> {
        self.measure(|tree| tree.check_access(app, deadline))
    }

    fn owner_of(&self, node: &NodeId) -> AppId {
        self.0.owner_of(node)
    }

    fn pid_of(&self, app: &AppId, deadline: Deadline) -> Result<u32> {
        self.measure(|tree| tree.pid_of(app, deadline))
    }

    fn walk(
        &self,
        app: &App,
        root: &NodeId,
        options: &WalkOptions,
        deadline: Deadline,
    ) -> Result<Snapshot> {
        let cost = COST.get();
        COST.set(Cost { tree_reads: cost.tree_reads + 1, ..cost });
        self.measure(|tree| tree.walk(app, root, options, deadline))
    }

    fn read(
        &self,
        app: &App,
        ids: &[NodeId],
        fields: NodeFields,
        deadline: Deadline,
    ) -> Result<Vec<Option<Node>>> {
        let cost = COST.get();
        COST.set(Cost { node_reads: cost.node_reads + 1, ..cost });
        self.measure(|tree| tree.read(app, ids, fields, deadline))
    }

    fn password_fields(&self, app: &App, deadline: Deadline) -> Result<PasswordFields> {
        self.measure(|tree| tree.password_fields(app, deadline))
    }

    fn attributes(
        &self,
        app: &App,
        id: &NodeId,
        deadline: Deadline,
    ) -> Result<Vec<(String, String)>> {
        self.measure(|tree| tree.attributes(app, id, deadline))
    }

    fn text(&self, app: &App, id: &NodeId, deadline: Deadline) -> Result<Option<TextContent>> {
        self.measure(|tree| tree.text(app, id, deadline))
    }

    fn selected_items(
        &self,
        app: &App,
        id: &NodeId,
        deadline: Deadline,
    ) -> Result<Option<Vec<NodeId>>> {
        self.measure(|tree| tree.selected_items(app, id, deadline))
    }

    fn perform(
        &self,
        app: &App,
        node: &NodeId,
        action: &NodeAction,
        deadline: Deadline,
    ) -> Result<ActionReply> {
        self.measure(|tree| tree.perform(app, node, action, deadline))
    }

    fn watch(
        &self,
        app: Option<&AppId>,
        kinds: &[EventKind],
        deadline: Deadline,
    ) -> Result<Box<dyn EventStream>> {
        self.measure(|tree| tree.watch(app, kinds, deadline))
    }
}
