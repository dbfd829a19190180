//! How long a call waits for the apps it looks at and acts on, apart from its own work.

use std::{
    cell::Cell,
    time::{Duration, Instant},
};

use deskhand_model::{App, AppId, EventKind, Node, NodeId, Snapshot};
use deskhand_platform::{
    Act, Deadline, Events, Extent, Facets, Passwords, Reply, Result, Text, Tree,
};

thread_local! {
    static SPENT: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// Begins to count for the call this thread runs.
pub(crate) fn begin() {
    SPENT.set(Duration::ZERO);
}

/// How long the last call of this thread waited for apps.
pub(crate) fn spent() -> Duration {
    SPENT.get()
}

/// Trees that count the time they take. What a call does beside its own thread is not counted: it
/// does not wait for it there.
pub(crate) struct Timed(pub(crate) Box<dyn Tree>);

impl Timed {
    fn count<T>(&self, ask: impl FnOnce(&dyn Tree) -> T) -> T {
        let begun = Instant::now();
        let answer = ask(&*self.0);
        SPENT.set(SPENT.get() + begun.elapsed());
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

    fn walk(&self, app: &App, from: &NodeId, within: &Extent, by: Deadline) -> Result<Snapshot> {
        self.count(|tree| tree.walk(app, from, within, by))
    }

    fn read(
        &self,
        app: &App,
        ids: &[NodeId],
        what: Facets,
        by: Deadline,
    ) -> Result<Vec<Option<Node>>> {
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
