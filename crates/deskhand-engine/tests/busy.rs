//! Text is not typed twice into an app that is too busy to show it.
#![allow(clippy::unwrap_used, reason = "a panic is how a test reports")]

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use deskhand_engine::{
    Call, CallOptions, Engine, Gate, Origin, OutputForm, SecurityMode, SessionKey, Vocabulary,
};
use deskhand_model::{
    App, AppId, EventKind, Node, NodeId, Role, Snapshot, State, States, Toolkit, Value as NodeValue,
};
use deskhand_platform::{
    ActionReply, Deadline, Desktop, Error, EventStream, NodeAction, NodeFields, PasswordFields,
    Result, TextContent, Tree, WalkOptions,
};
use serde_json::json;

/// An app with a text field that does not respond for a while after text was inserted.
struct FakeNote {
    content: Mutex<String>,
    inserted: Arc<Mutex<Vec<String>>>,
    busy_for: Duration,
    busy_until: Mutex<Option<Instant>>,
    update: TextUpdate,
    /// The last request read the whole node, not only its text.
    node_was_read: AtomicBool,
    is_shown: AtomicBool,
}

/// The time at which inserted text becomes visible.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TextUpdate {
    Immediate,
    /// When the text alone is requested, which happens before another strategy is tried.
    Late,
}

impl FakeNote {
    fn check_busy(&self) -> Result<()> {
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
            "field" => (Role::Entry, "Text", shown.with(State::Editable)),
            _ => return None,
        };
        let mut node = Node::new(NodeId::new(id), role);
        node.name = name.to_owned();
        node.states = states;
        if id == "field" {
            let late = self.update == TextUpdate::Late && !self.is_shown.load(Ordering::SeqCst);
            let text = if late { String::new() } else { self.content.lock().unwrap().clone() };
            node.value = Some(NodeValue::Text { length: text.chars().count(), text });
        }
        Some(node)
    }
}

impl Tree for FakeNote {
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

    fn check_access(&self, _: &App, _: Deadline) -> Result<()> {
        Ok(())
    }

    fn owner_of(&self, _: &NodeId) -> AppId {
        AppId(String::new())
    }

    fn pid_of(&self, _: &AppId, _: Deadline) -> Result<u32> {
        Ok(0)
    }

    fn walk(&self, app: &App, _: &NodeId, _: &WalkOptions, _: Deadline) -> Result<Snapshot> {
        self.check_busy()?;
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
        self.check_busy()?;
        self.node_was_read.store(true, Ordering::SeqCst);
        Ok(ids.iter().map(|id| self.node(id.as_str())).collect())
    }

    fn password_fields(&self, _: &App, _: Deadline) -> Result<PasswordFields> {
        Ok(PasswordFields { fields: Vec::new(), incomplete: None })
    }

    fn attributes(&self, _: &App, _: &NodeId, _: Deadline) -> Result<Vec<(String, String)>> {
        Ok(Vec::new())
    }

    fn text(&self, _: &App, _: &NodeId, _: Deadline) -> Result<Option<TextContent>> {
        self.check_busy()?;
        let inserted = !self.inserted.lock().unwrap().is_empty();
        if !self.node_was_read.swap(false, Ordering::SeqCst) && inserted {
            self.is_shown.store(true, Ordering::SeqCst);
        }
        let late =
            self.update == TextUpdate::Late && inserted && !self.is_shown.load(Ordering::SeqCst);
        let text = if late { String::new() } else { self.content.lock().unwrap().clone() };
        let length = text.chars().count();
        Ok(Some(TextContent { caret: Some(length), selected: None, length, secret: false, text }))
    }

    fn selected_items(&self, _: &App, _: &NodeId, _: Deadline) -> Result<Option<Vec<NodeId>>> {
        Ok(None)
    }

    fn perform(
        &self,
        _: &App,
        _: &NodeId,
        action: &NodeAction,
        _: Deadline,
    ) -> Result<ActionReply> {
        if let NodeAction::Insert(text) = action {
            self.content.lock().unwrap().push_str(text);
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

/// Types into an app that is busy afterwards. Returns the answer and the inserted texts.
fn typed(busy_for: Duration, update: TextUpdate) -> (serde_json::Value, Vec<String>) {
    let inserted = Arc::default();
    let tree = Box::new(FakeNote {
        content: Mutex::default(),
        inserted: Arc::clone(&inserted),
        busy_for,
        busy_until: Mutex::default(),
        update,
        node_was_read: AtomicBool::new(false),
        is_shown: AtomicBool::new(false),
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
        text_recognizer: None,
    };
    let refs = tempfile::tempdir().unwrap();
    let engine = Engine::new(desktop, refs.path().to_owned(), None, Gate::in_folder(refs.path()));
    let call = Call {
        tool: Vocabulary::Ax.tool("ax_type"),
        arguments: json!({ "app": "note", "query": "Text", "text": "once" }),
        form: OutputForm::Data,
        origin: Origin::Mcp,
        session: SessionKey::Shared,
        principal: None,
        caller_mode: SecurityMode::Normal,
    };
    let options = CallOptions::non_interactive(&|_| true);
    let data = engine.call(call, &options).unwrap().data;
    let inserted_texts = inserted.lock().unwrap().clone();
    (data, inserted_texts)
}

#[test]
fn text_that_appears_late_is_not_typed_again() {
    let (answer, inserted_texts) = typed(Duration::from_millis(1_500), TextUpdate::Immediate);
    assert_eq!(inserted_texts, ["once"]);
    assert_eq!(answer["effect"], "confirmed", "{answer}");
    assert_eq!(answer["way"], "text", "{answer}");
}

#[test]
fn the_effect_in_an_unresponsive_app_is_unverified() {
    let (answer, inserted_texts) = typed(Duration::from_secs(60), TextUpdate::Immediate);
    assert_eq!(inserted_texts, ["once"]);
    assert_eq!(answer["effect"], "unverified", "{answer}");
}

#[test]
fn text_that_appears_before_the_next_strategy_is_not_typed_again() {
    let (answer, inserted_texts) = typed(Duration::ZERO, TextUpdate::Late);
    assert_eq!(inserted_texts, ["once"]);
    assert_eq!(answer["effect"], "confirmed", "{answer}");
    assert_eq!(answer["way"], "text", "{answer}");
}
