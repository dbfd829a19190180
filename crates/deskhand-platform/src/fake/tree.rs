//! The tree of the fake desktop.

use std::{
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    time::Duration,
};

use deskhand_model::{App, AppId, Event, EventKind, Node, NodeId, Snapshot};

use super::{FakeCall, FakeDesktop};
use crate::{
    ActionReply, Deadline, Error, EventStream, NodeAction, NodeFields, PasswordFields, Result,
    TextContent, Tree, WalkOptions,
};

impl Tree for FakeDesktop {
    fn apps(&self, _: Deadline) -> Result<Vec<App>> {
        Ok(vec![self.app()])
    }

    fn apps_by_pid(&self, pids: &[u32], _: Deadline) -> Result<Vec<App>> {
        Ok(vec![self.app()].into_iter().filter(|app| pids.contains(&app.pid)).collect())
    }

    fn check_access(&self, _: &App, _: Deadline) -> Result<()> {
        Ok(())
    }

    fn owner_of(&self, _: &NodeId) -> AppId {
        self.app().id
    }

    fn pid_of(&self, _: &AppId, _: Deadline) -> Result<u32> {
        Ok(self.app().pid)
    }

    /// Reads the whole tree, whatever element and extent are requested.
    fn walk(&self, _: &App, _: &NodeId, _: &WalkOptions, _: Deadline) -> Result<Snapshot> {
        let mut state = self.0.lock();
        state.record(FakeCall::Walk);
        let app = &state.app;
        Ok(Snapshot::assemble(app.app.clone(), app.nodes.clone(), &app.children))
    }

    fn read(
        &self,
        _: &App,
        ids: &[NodeId],
        _: NodeFields,
        _: Deadline,
    ) -> Result<Vec<Option<Node>>> {
        let mut state = self.0.lock();
        state.record(FakeCall::Read);
        if !state.app.is_responding {
            return Err(Error::Timeout { what: state.app.app.name.clone() });
        }
        let nodes = &state.app.nodes;
        Ok(ids.iter().map(|id| nodes.iter().find(|node| node.id == *id).cloned()).collect())
    }

    fn password_fields(&self, _: &App, _: Deadline) -> Result<PasswordFields> {
        Ok(PasswordFields { fields: Vec::new(), incomplete: None })
    }

    fn attributes(&self, _: &App, _: &NodeId, _: Deadline) -> Result<Vec<(String, String)>> {
        Ok(Vec::new())
    }

    fn text(&self, _: &App, id: &NodeId, _: Deadline) -> Result<Option<TextContent>> {
        let mut state = self.0.lock();
        state.record(FakeCall::Text);
        let node = state.app.nodes.iter().find(|node| node.id == *id);
        Ok(node.and_then(Node::text).map(|text| TextContent {
            text: text.to_owned(),
            caret: None,
            selected: None,
            length: text.chars().count(),
            secret: false,
        }))
    }

    fn selected_items(&self, _: &App, _: &NodeId, _: Deadline) -> Result<Option<Vec<NodeId>>> {
        Ok(None)
    }

    fn perform(&self, _: &App, on: &NodeId, act: &NodeAction, _: Deadline) -> Result<ActionReply> {
        let mut state = self.0.lock();
        state.record(FakeCall::Perform);
        if state.app.nodes.iter().all(|node| node.id != *on) {
            return Err(Error::Gone { what: on.as_str().to_owned() });
        }
        state.acts.push((on.clone(), act.clone()));
        let state = &mut *state;
        (state.on_act)(&mut state.app, on, act)
    }

    fn watch(
        &self,
        _: Option<&AppId>,
        _: &[EventKind],
        _: Deadline,
    ) -> Result<Box<dyn EventStream>> {
        let (sender, receiver) = channel();
        self.0.lock().app.listeners.push(sender);
        Ok(Box::new(FakeEvents(receiver)))
    }
}

struct FakeEvents(Receiver<Event>);

impl EventStream for FakeEvents {
    fn next(&mut self, wait: Duration) -> Result<Option<Event>> {
        match self.0.recv_timeout(wait) {
            Ok(event) => Ok(Some(event)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => {
                Err(Error::Gone { what: "the fake desktop".to_owned() })
            }
        }
    }
}
