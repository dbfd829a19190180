//! An app too busy to be looked at is not taken for one in which nothing happened: nothing is done
//! twice.
#![allow(clippy::unwrap_used, reason = "a panic is how a test reports")]

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use deskhand_engine::{Call, CallOptions, Door, Engine, Form, Gate, SecurityMode, SessionKey};
use deskhand_model::{
    App, AppId, EventKind, Node, NodeId, Role, Snapshot, State, States, Toolkit, Value as Held,
};
use deskhand_platform::{
    ActionReply, Deadline, Desktop, Error, EventStream, NodeAction, NodeFields, PasswordFields,
    Result, TextContent, Tree, WalkOptions,
};
use serde_json::json;

/// A window with a text field, in an app that answers no question for a while after it took a text.
struct Note {
    held: Mutex<String>,
    inserted: Arc<Mutex<Vec<String>>>,
    busy_for: Duration,
    busy_until: Mutex<Option<Instant>>,
    news: News,
    /// Whether it was asked for more than its text last.
    looked_at: AtomicBool,
    shows: AtomicBool,
}

/// When a note shows what was typed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum News {
    AtOnce,
    /// Not until it is asked for its text alone, as it is before another way is tried; a look at it
    /// asks for more.
    Late,
}

impl Note {
    fn asked(&self) -> Result<()> {
        match *self.busy_until.lock().unwrap() {
            Some(until) if Instant::now() < until => {
                Err(Error::Timeout { what: "note".to_owned() })
            }
            Some(_) | None => Ok(()),
        }
    }

    fn node(&self, id: &str) -> Option<Node> {
        let shown = States::NONE.with(State::Enabled).with(State::Visible).with(State::Showing);
        let (role, name, states) = match id {
            "root" => (Role::Application, "note", shown),
            "window" => (Role::Window, "Note", shown),
            "field" => (Role::Entry, "TextContent", shown.with(State::Editable)),
            _ => return None,
        };
        let mut node = Node::new(NodeId::new(id), role);
        node.name = name.to_owned();
        node.states = states;
        if id == "field" {
            let late = self.news == News::Late && !self.shows.load(Ordering::SeqCst);
            let text = if late { String::new() } else { self.held.lock().unwrap().clone() };
            node.value = Some(Held::Text { length: text.chars().count(), text });
        }
        Some(node)
    }
}

impl Tree for Note {
    fn apps(&self, _: Deadline) -> Result<Vec<App>> {
        Ok(vec![App {
            id: AppId(":1".to_owned()),
            name: "note".to_owned(),
            pid: 7,
            started: 1,
            bundle_id: None,
            executable: None,
            toolkit: Toolkit { name: "test".to_owned(), version: "1".to_owned() },
            root: NodeId::new("root"),
            windows: 1,
            responding: true,
        }])
    }

    fn apps_by_pid(&self, _: &[u32], deadline: Deadline) -> Result<Vec<App>> {
        self.apps(deadline)
    }

    fn admit(&self, _: &App, _: Deadline) -> Result<()> {
        Ok(())
    }

    fn host(&self, _: &NodeId) -> AppId {
        AppId(String::new())
    }

    fn pid_of(&self, _: &AppId, _: Deadline) -> Result<u32> {
        Ok(0)
    }

    fn walk(&self, app: &App, _: &NodeId, _: &WalkOptions, _: Deadline) -> Result<Snapshot> {
        self.asked()?;
        let nodes = ["root", "window", "field"].iter().filter_map(|id| self.node(id)).collect();
        Ok(Snapshot::assemble(app.clone(), nodes, &[vec![1], vec![2], Vec::new()]))
    }

    fn read(
        &self,
        _: &App,
        ids: &[NodeId],
        _: NodeFields,
        _: Deadline,
    ) -> Result<Vec<Option<Node>>> {
        self.asked()?;
        self.looked_at.store(true, Ordering::SeqCst);
        Ok(ids.iter().map(|id| self.node(id.as_str())).collect())
    }

    fn passwords(&self, _: &App, _: Deadline) -> Result<PasswordFields> {
        Ok(PasswordFields { fields: Vec::new(), missed: None })
    }

    fn attributes(&self, _: &App, _: &NodeId, _: Deadline) -> Result<Vec<(String, String)>> {
        Ok(Vec::new())
    }

    fn text(&self, _: &App, _: &NodeId, _: Deadline) -> Result<Option<TextContent>> {
        self.asked()?;
        let inserted = !self.inserted.lock().unwrap().is_empty();
        if !self.looked_at.swap(false, Ordering::SeqCst) && inserted {
            self.shows.store(true, Ordering::SeqCst);
        }
        let late = self.news == News::Late && inserted && !self.shows.load(Ordering::SeqCst);
        let text = if late { String::new() } else { self.held.lock().unwrap().clone() };
        let length = text.chars().count();
        Ok(Some(TextContent { caret: Some(length), selected: None, length, secret: false, text }))
    }

    fn selected(&self, _: &App, _: &NodeId, _: Deadline) -> Result<Option<Vec<NodeId>>> {
        Ok(None)
    }

    fn perform(&self, _: &App, _: &NodeId, act: &NodeAction, _: Deadline) -> Result<ActionReply> {
        if let NodeAction::Insert(text) = act {
            self.held.lock().unwrap().push_str(text);
            self.inserted.lock().unwrap().push(text.clone());
            *self.busy_until.lock().unwrap() = Some(Instant::now() + self.busy_for);
        }
        Ok(ActionReply::Accepted)
    }

    fn watch(
        &self,
        _: Option<&AppId>,
        _: &[EventKind],
        _: Deadline,
    ) -> Result<Box<dyn EventStream>> {
        Err(Error::TooLarge { what: "the note".to_owned() })
    }
}

/// Types into a note that is busy for so long afterwards: the answer, and what it was given.
fn typed(busy_for: Duration, news: News) -> (serde_json::Value, Vec<String>) {
    let inserted = Arc::default();
    let tree = Box::new(Note {
        held: Mutex::default(),
        inserted: Arc::clone(&inserted),
        busy_for,
        busy_until: Mutex::default(),
        news,
        looked_at: AtomicBool::new(false),
        shows: AtomicBool::new(false),
    });
    let desktop = Desktop {
        tree,
        windows: None,
        screen: None,
        input: None,
        clipboard: None,
        programs: None,
        identities: None,
        permissions: None,
        dictionaries: None,
        reader: None,
    };
    let refs = tempfile::tempdir().unwrap();
    let engine = Engine::new(desktop, refs.path().to_owned(), None, Gate::in_folder(refs.path()));
    let call = Call {
        tool: "ax_type".to_owned(),
        arguments: json!({ "app": "note", "query": "TextContent", "text": "once" }),
        form: Form::Data,
        door: Door::Mcp,
        session: SessionKey::Shared,
        principal: None,
        caller_mode: SecurityMode::Normal,
    };
    let around = CallOptions::alone(&|_| true);
    let data = engine.call(call, &around).unwrap().data;
    let given = inserted.lock().unwrap().clone();
    (data, given)
}

#[test]
fn a_text_an_app_is_slow_to_show_is_waited_for_and_not_typed_again() {
    let (answer, given) = typed(Duration::from_millis(1_500), News::AtOnce);
    assert_eq!(given, ["once"]);
    assert_eq!(answer["effect"], "confirmed", "{answer}");
    assert_eq!(answer["way"], "text", "{answer}");
}

#[test]
fn of_an_app_that_shows_nothing_any_more_nothing_is_claimed() {
    let (answer, given) = typed(Duration::from_secs(60), News::AtOnce);
    assert_eq!(given, ["once"]);
    assert_eq!(answer["effect"], "unverified", "{answer}");
}

#[test]
fn a_text_that_shows_only_when_another_way_is_due_is_not_typed_again() {
    let (answer, given) = typed(Duration::ZERO, News::Late);
    assert_eq!(given, ["once"]);
    assert_eq!(answer["effect"], "confirmed", "{answer}");
    assert_eq!(answer["way"], "text", "{answer}");
}
