//! An app that is too busy to be read while it does what it was asked: what it did is not done twice.
#![allow(clippy::unwrap_used, reason = "a panic is how a test reports")]

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use deskhand_engine::{Call, Door, Engine, Form, SessionKey, Surroundings};
use deskhand_model::{App, AppId, EventKind, Node, NodeId, Role, Snapshot, State, States, Toolkit};
use deskhand_platform::{
    Act, Deadline, Desktop, Error, Events, Extent, Facets, Passwords, Reply as Said, Result, Text,
    Tree,
};
use serde_json::json;

/// A field that takes text at once, and cannot be read as a whole from then on.
struct Busy {
    writes: Arc<AtomicUsize>,
}

fn node(id: &str, role: Role) -> Node {
    let mut node = Node::new(NodeId::new(id), role);
    node.name = id.to_owned();
    node.states = [State::Enabled, State::Visible, State::Showing, State::Editable]
        .into_iter()
        .fold(States::NONE, States::with);
    node
}

fn app() -> App {
    App {
        id: AppId(":7".to_owned()),
        name: "busy".to_owned(),
        pid: 7,
        started: 1,
        bundle_id: None,
        executable: None,
        toolkit: Toolkit { name: "test".to_owned(), version: "1".to_owned() },
        root: NodeId::new("root"),
        windows: 1,
        responding: true,
    }
}

impl Tree for Busy {
    fn apps(&self, _: Deadline) -> Result<Vec<App>> {
        Ok(vec![app()])
    }

    fn apps_of(&self, _: &[u32], by: Deadline) -> Result<Vec<App>> {
        self.apps(by)
    }

    fn walk(&self, app: &App, _: &NodeId, _: &Extent, _: Deadline) -> Result<Snapshot> {
        let nodes = vec![
            node("root", Role::Application),
            node("window", Role::Window),
            node("field", Role::Entry),
        ];
        Ok(Snapshot::assemble(app.clone(), nodes, &[vec![1], vec![2], Vec::new()]))
    }

    fn read(&self, _: &App, ids: &[NodeId], _: Facets, _: Deadline) -> Result<Vec<Option<Node>>> {
        if self.writes.load(Ordering::SeqCst) > 0 {
            return Err(Error::TooLarge { what: "what it has to do".to_owned() });
        }
        Ok(ids.iter().map(|id| Some(node(id.as_str(), Role::Entry))).collect())
    }

    fn passwords(&self, _: &App, _: Deadline) -> Result<Passwords> {
        Ok(Passwords { fields: Vec::new(), missed: None })
    }

    fn attributes(&self, _: &App, _: &NodeId, _: Deadline) -> Result<Vec<(String, String)>> {
        Ok(Vec::new())
    }

    fn text(&self, _: &App, _: &NodeId, _: Deadline) -> Result<Option<Text>> {
        let text = "new".repeat(self.writes.load(Ordering::SeqCst));
        let length = text.chars().count();
        Ok(Some(Text { text, caret: Some(length), selected: None, length, secret: false }))
    }

    fn selected(&self, _: &App, _: &NodeId, _: Deadline) -> Result<Option<Vec<NodeId>>> {
        Ok(None)
    }

    fn perform(&self, _: &App, _: &NodeId, _: &Act, _: Deadline) -> Result<Said> {
        self.writes.fetch_add(1, Ordering::SeqCst);
        Ok(Said::Accepted)
    }

    fn watch(&self, _: Option<&AppId>, _: &[EventKind], _: Deadline) -> Result<Box<dyn Events>> {
        Err(Error::TooLarge { what: "what it has to do".to_owned() })
    }
}

#[test]
fn what_shows_late_is_confirmed_and_not_done_again() {
    let writes = Arc::new(AtomicUsize::new(0));
    let tree = Box::new(Busy { writes: Arc::clone(&writes) });
    let desktop =
        Desktop { tree, windows: None, screen: None, input: None, clipboard: None, programs: None };
    let refs = tempfile::tempdir().unwrap();
    let engine = Engine::new(desktop, refs.path().to_owned(), None);
    let arguments = json!({ "app": "busy", "query": "field", "text": "new" });
    let tool = "ax_type".to_owned();
    let session = SessionKey::Common;
    let call = Call { tool, arguments, form: Form::Data, door: Door::Mcp, session };
    let answer = engine.call(call, &Surroundings::alone(&|_| true)).unwrap();
    assert_eq!(writes.load(Ordering::SeqCst), 1);
    assert_eq!(answer.data["effect"], "confirmed", "{:#}", answer.data);
    assert_eq!(answer.data["way"], "text", "{:#}", answer.data);
}
