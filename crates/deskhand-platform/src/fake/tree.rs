//! The tree of the fake desktop.

use std::{
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    time::Duration,
};

use deskhand_model::{App, AppId, Event, EventKind, Node, NodeId, Snapshot};

use super::{FakeCall, FakeDesktop};
use crate::{Act, Deadline, Error, Events, Extent, Facets, Passwords, Reply, Result, Text, Tree};

impl Tree for FakeDesktop {
    fn apps(&self, _: Deadline) -> Result<Vec<App>> {
        Ok(vec![self.app()])
    }

    fn apps_of(&self, pids: &[u32], _: Deadline) -> Result<Vec<App>> {
        Ok(vec![self.app()].into_iter().filter(|app| pids.contains(&app.pid)).collect())
    }

    fn admit(&self, _: &App, _: Deadline) -> Result<()> {
        Ok(())
    }

    fn host(&self, _: &NodeId) -> AppId {
        self.app().id
    }

    fn process_of(&self, _: &AppId, _: Deadline) -> Result<u32> {
        Ok(self.app().pid)
    }

    /// Reads the whole tree, whatever element and extent are requested.
    fn walk(&self, _: &App, _: &NodeId, _: &Extent, _: Deadline) -> Result<Snapshot> {
        let mut state = self.0.lock();
        state.record(FakeCall::Walk);
        let app = &state.app;
        Ok(Snapshot::assemble(app.app.clone(), app.nodes.clone(), &app.children))
    }

    fn read(&self, _: &App, ids: &[NodeId], _: Facets, _: Deadline) -> Result<Vec<Option<Node>>> {
        let mut state = self.0.lock();
        state.record(FakeCall::Read);
        let nodes = &state.app.nodes;
        Ok(ids.iter().map(|id| nodes.iter().find(|node| node.id == *id).cloned()).collect())
    }

    fn passwords(&self, _: &App, _: Deadline) -> Result<Passwords> {
        Ok(Passwords { fields: Vec::new(), missed: None })
    }

    fn attributes(&self, _: &App, _: &NodeId, _: Deadline) -> Result<Vec<(String, String)>> {
        Ok(Vec::new())
    }

    fn text(&self, _: &App, id: &NodeId, _: Deadline) -> Result<Option<Text>> {
        let mut state = self.0.lock();
        state.record(FakeCall::Text);
        let node = state.app.nodes.iter().find(|node| node.id == *id);
        Ok(node.and_then(Node::text).map(|text| Text {
            text: text.to_owned(),
            caret: None,
            selected: None,
            length: text.chars().count(),
            secret: false,
        }))
    }

    fn selected(&self, _: &App, _: &NodeId, _: Deadline) -> Result<Option<Vec<NodeId>>> {
        Ok(None)
    }

    fn perform(&self, _: &App, on: &NodeId, act: &Act, _: Deadline) -> Result<Reply> {
        let mut state = self.0.lock();
        state.record(FakeCall::Perform);
        if state.app.nodes.iter().all(|node| node.id != *on) {
            return Err(Error::Gone { what: on.as_str().to_owned() });
        }
        state.acts.push((on.clone(), act.clone()));
        let state = &mut *state;
        (state.on_act)(&mut state.app, on, act)
    }

    fn watch(&self, _: Option<&AppId>, _: &[EventKind], _: Deadline) -> Result<Box<dyn Events>> {
        let (sender, receiver) = channel();
        self.0.lock().app.listeners.push(sender);
        Ok(Box::new(FakeEvents(receiver)))
    }
}

struct FakeEvents(Receiver<Event>);

impl Events for FakeEvents {
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
