//! Apps and their elements, over the accessibility interface of the system.

mod act;
mod action;
mod apps;
mod attributes;
mod children;
mod content;
mod element;
mod events;
mod facts;
mod fault;
mod identity;
mod passwords;
mod role;
mod room;
mod selection;
mod state;
mod system;
mod texts;
mod utf16;
mod value;
mod wake;
mod walk;

#[cfg(test)]
mod recorded;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use deskhand_model::{App, AppId, EventKind, Node, NodeId, Snapshot};
use deskhand_platform::{
    Act, Deadline, Error, Events, Extent, Facets, Passwords, Reply, Result, Text, Tree,
};

use self::{events::Watch, identity::Host, room::Room};
pub(crate) use self::{
    fault::Fault,
    system::{Answer, Ax, Ear, Heard, Presence, Program},
    value::Value,
};

/// The accessibility trees of the apps of one session.
pub(crate) struct MacTree<G: Ax>(Arc<Room<G>>);

impl<G: Ax> MacTree<G> {
    /// Trees read through a system. Nothing is asked yet.
    pub(crate) fn new(system: G) -> Self {
        Self(Arc::new(Room::new(system)))
    }

    /// Refuses an app whose process is no longer the one it was.
    fn check(&self, app: &App) -> Result<()> {
        self.0.admitted()?;
        let gone = || Error::Gone { what: room::described(app) };
        self.0.process_of(&app.id).map(|_| ()).map_err(|_| gone())
    }
}

impl<G: Ax + 'static> Tree for MacTree<G> {
    fn apps(&self, by: Deadline) -> Result<Vec<App>> {
        self.0.apps(by)
    }

    fn apps_of(&self, pids: &[u32], by: Deadline) -> Result<Vec<App>> {
        self.0.apps_of(pids, by)
    }

    fn admit(&self, _: &App, _: Deadline) -> Result<()> {
        Ok(())
    }

    fn host(&self, of: &NodeId) -> AppId {
        Host::of_node(of).map_or_else(|| AppId(of.as_str().to_owned()), Host::app)
    }

    fn process_of(&self, app: &AppId, _: Deadline) -> Result<u32> {
        self.0.process_of(app)
    }

    fn walk(&self, app: &App, from: &NodeId, within: &Extent, by: Deadline) -> Result<Snapshot> {
        self.check(app)?;
        self.0.look(app, from, within, by)
    }

    fn read(
        &self,
        app: &App,
        ids: &[NodeId],
        what: Facets,
        by: Deadline,
    ) -> Result<Vec<Option<Node>>> {
        self.check(app)?;
        self.0.read(app, ids, what, by)
    }

    fn passwords(&self, app: &App, by: Deadline) -> Result<Passwords> {
        self.check(app)?;
        self.0.passwords(app, by)
    }

    fn attributes(&self, app: &App, id: &NodeId, by: Deadline) -> Result<Vec<(String, String)>> {
        self.check(app)?;
        self.0.attributes(app, id, by)
    }

    fn text(&self, app: &App, id: &NodeId, by: Deadline) -> Result<Option<Text>> {
        self.check(app)?;
        self.0.text(app, id, by)
    }

    fn selected(&self, app: &App, id: &NodeId, by: Deadline) -> Result<Option<Vec<NodeId>>> {
        self.check(app)?;
        self.0.selected(app, id, by)
    }

    fn perform(&self, app: &App, on: &NodeId, act: &Act, by: Deadline) -> Result<Reply> {
        self.check(app)?;
        self.0.act(app, on, act, by)
    }

    fn watch(
        &self,
        app: Option<&AppId>,
        kinds: &[EventKind],
        by: Deadline,
    ) -> Result<Box<dyn Events>> {
        Ok(Box::new(Watch::open(&self.0, app, kinds, by)?))
    }
}
