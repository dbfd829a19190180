//! Apps and their elements, read through the macOS accessibility API (`AXUIElement`).

mod act;
mod action;
mod apps;
mod attribute_set;
mod attributes;
mod ax_api;
mod ax_error;
mod children;
mod chromium;
mod content;
mod element;
mod events;
mod identity;
mod passwords;
mod role;
mod selection;
mod session;
mod state;
mod texts;
mod utf16;
mod value;
mod walk;

#[cfg(test)]
mod fake_ax;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use deskhand_model::{App, AppId, EventKind, Node, NodeId, Snapshot};
use deskhand_platform::{
    ActionReply, Deadline, Error, EventStream, NodeAction, NodeFields, PasswordFields, Result,
    TextContent, Tree, WalkOptions,
};

pub(crate) use self::{
    ax_api::{ActivationPolicy, AxApi, AxElements, AxResult, Notification, Observer, RunningApp},
    ax_error::AxError,
    value::Value,
};
use self::{events::EventSubscription, identity::AppProcess, session::AxSession};

/// The accessibility trees of all apps in the login session.
pub(crate) struct MacTree<A: AxApi>(Arc<AxSession<A>>);

impl<A: AxApi> MacTree<A> {
    /// Creates a tree reader over an accessibility API. Sends no message yet.
    pub(crate) fn new(ax: A) -> Self {
        Self(Arc::new(AxSession::new(ax)))
    }

    /// Returns [`Error::Gone`] if the process of `app` ended or its pid was reused.
    fn check_running(&self, app: &App) -> Result<()> {
        self.0.check_permission()?;
        let gone = || Error::Gone { what: session::describe_app(app) };
        self.0.process_of(&app.id).map(|_| ()).map_err(|_| gone())
    }
}

impl<A: AxApi + 'static> Tree for MacTree<A> {
    fn apps(&self, deadline: Deadline) -> Result<Vec<App>> {
        self.0.apps(deadline)
    }

    fn apps_by_pid(&self, pids: &[u32], deadline: Deadline) -> Result<Vec<App>> {
        self.0.apps_of(pids, deadline)
    }

    fn check_access(&self, _: &App, _: Deadline) -> Result<()> {
        Ok(())
    }

    fn owner_of(&self, of: &NodeId) -> AppId {
        AppProcess::from_node_id(of)
            .map_or_else(|| AppId(of.as_str().to_owned()), AppProcess::app_id)
    }

    fn pid_of(&self, app: &AppId, _: Deadline) -> Result<u32> {
        self.0.process_of(app)
    }

    fn walk(
        &self,
        app: &App,
        from: &NodeId,
        within: &WalkOptions,
        deadline: Deadline,
    ) -> Result<Snapshot> {
        self.check_running(app)?;
        self.0.snapshot(app, from, within, deadline)
    }

    fn read(
        &self,
        app: &App,
        ids: &[NodeId],
        what: NodeFields,
        deadline: Deadline,
    ) -> Result<Vec<Option<Node>>> {
        self.check_running(app)?;
        self.0.read(app, ids, what, deadline)
    }

    fn password_fields(&self, app: &App, deadline: Deadline) -> Result<PasswordFields> {
        self.check_running(app)?;
        self.0.passwords(app, deadline)
    }

    fn attributes(
        &self,
        app: &App,
        id: &NodeId,
        deadline: Deadline,
    ) -> Result<Vec<(String, String)>> {
        self.check_running(app)?;
        self.0.attributes(app, id, deadline)
    }

    fn text(&self, app: &App, id: &NodeId, deadline: Deadline) -> Result<Option<TextContent>> {
        self.check_running(app)?;
        self.0.text(app, id, deadline)
    }

    fn selected_items(
        &self,
        app: &App,
        id: &NodeId,
        deadline: Deadline,
    ) -> Result<Option<Vec<NodeId>>> {
        self.check_running(app)?;
        self.0.selected(app, id, deadline)
    }

    fn perform(
        &self,
        app: &App,
        on: &NodeId,
        act: &NodeAction,
        deadline: Deadline,
    ) -> Result<ActionReply> {
        self.check_running(app)?;
        self.0.act(app, on, act, deadline)
    }

    fn watch(
        &self,
        app: Option<&AppId>,
        kinds: &[EventKind],
        deadline: Deadline,
    ) -> Result<Box<dyn EventStream>> {
        Ok(Box::new(EventSubscription::open(&self.0, app, kinds, deadline)?))
    }
}
