//! An app of one window that counts what is done to it, and an engine on it.

use std::{
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use deskhand_engine::{
    Ask, Asked, Call, CallError, CallFailure, CallOptions, CallResult, Door, Engine, Form, Gate,
    Question, SecurityMode, SessionKey,
};
use deskhand_model::{
    App, AppId, EventKind, Index, Node, NodeId, Role, Snapshot, State, States, Toolkit,
};
use deskhand_platform::{
    ActionReply as Said, Deadline, Desktop, Error, EventStream, Identities, Identity, NodeAction,
    NodeFields, PasswordFields, ProcessId, ProgramFile, Result, TextContent, Tree, WalkOptions,
};
use serde_json::{Value, json};

/// Two apps of one name, each a window with a button; pressing it takes the button away.
struct FakeShop {
    presses: Arc<AtomicUsize>,
}

fn app(pid: u32) -> App {
    App {
        id: AppId(format!(":{pid}")),
        name: "shop".to_owned(),
        pid,
        started: 1,
        bundle_id: None,
        executable: None,
        toolkit: Toolkit { name: "test".to_owned(), version: "1".to_owned() },
        root: NodeId::new("root"),
        windows: 1,
        responding: true,
    }
}

/// Knows what the first of the apps runs, and that the other hides it.
struct Known;

impl Identities for Known {
    fn of(&self, pid: u32) -> Option<Arc<Identity>> {
        let process = Some(ProcessId { pid, started: 1 });
        let known = pid == 7;
        let key = known.then(|| "/opt/shop.py".to_owned());
        Some(Arc::new(Identity { process, key, hidden: !known, ..Identity::default() }))
    }

    fn identify_command(&self, _: &[String]) -> Identity {
        Identity::default()
    }

    fn ancestors(&self) -> Vec<ProcessId> {
        Vec::new()
    }

    fn file(&self, _: &Path) -> Option<ProgramFile> {
        None
    }
}

impl FakeShop {
    fn node(&self, id: &str) -> Option<Node> {
        let shown = States::NONE.with(State::Enabled).with(State::Visible).with(State::Showing);
        let (role, name) = match id {
            "root" => (Role::Application, "shop"),
            "window" => (Role::Window, "Shop"),
            "button" if self.presses.load(Ordering::SeqCst) == 0 => (Role::Button, "Delete all"),
            _ => return None,
        };
        let mut node = Node::new(NodeId::new(id), role);
        node.name = name.to_owned();
        node.states = shown;
        if id == "button" {
            node.actions = vec!["click".to_owned()];
        }
        Some(node)
    }
}

impl Tree for FakeShop {
    fn apps(&self, _: Deadline) -> Result<Vec<App>> {
        Ok(vec![app(7), app(9)])
    }

    fn apps_by_pid(&self, pids: &[u32], _: Deadline) -> Result<Vec<App>> {
        Ok(pids.iter().copied().map(app).collect())
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
        let nodes: Vec<Node> =
            ["root", "window", "button"].iter().filter_map(|id| self.node(id)).collect();
        let below = if nodes.len() == 3 { vec![2] } else { Vec::new() };
        let mut children = vec![vec![1], below];
        children.resize(nodes.len(), Vec::new());
        Ok(Snapshot::assemble(app.clone(), nodes, &children))
    }

    fn read(
        &self,
        _: &App,
        ids: &[NodeId],
        _: NodeFields,
        _: Deadline,
    ) -> Result<Vec<Option<Node>>> {
        Ok(ids.iter().map(|id| self.node(id.as_str())).collect())
    }

    fn passwords(&self, _: &App, _: Deadline) -> Result<PasswordFields> {
        Ok(PasswordFields { fields: Vec::new(), missed: None })
    }

    fn attributes(&self, _: &App, _: &NodeId, _: Deadline) -> Result<Vec<(String, String)>> {
        Ok(Vec::new())
    }

    fn text(&self, _: &App, _: &NodeId, _: Deadline) -> Result<Option<TextContent>> {
        Ok(None)
    }

    fn selected(&self, _: &App, _: &NodeId, _: Deadline) -> Result<Option<Vec<NodeId>>> {
        Ok(None)
    }

    fn perform(&self, _: &App, _: &NodeId, _: &NodeAction, _: Deadline) -> Result<Said> {
        self.presses.fetch_add(1, Ordering::SeqCst);
        Ok(Said::Accepted)
    }

    fn watch(
        &self,
        _: Option<&AppId>,
        _: &[EventKind],
        _: Deadline,
    ) -> Result<Box<dyn EventStream>> {
        Err(Error::TooLarge { what: "the shop".to_owned() })
    }
}

/// An engine on the shop.
pub(crate) struct Stage {
    pub(crate) engine: Engine,
    presses: Arc<AtomicUsize>,
    pub(crate) folder: tempfile::TempDir,
}

/// An engine with the usual gate.
pub(crate) fn stage() -> Stage {
    guarded(|_| {})
}

/// An engine with a gate of its own, whose files are in the stage's folder.
pub(crate) fn guarded(change: impl FnOnce(&mut Gate)) -> Stage {
    let presses = Arc::new(AtomicUsize::new(0));
    let tree = Box::new(FakeShop { presses: Arc::clone(&presses) });
    let desktop = Desktop {
        tree,
        windows: None,
        screen: None,
        input: None,
        clipboard: None,
        programs: None,
        identities: Some(Arc::new(Known)),
        permissions: None,
        dictionaries: None,
        reader: None,
    };
    let folder = tempfile::tempdir().unwrap();
    let mut gate = Gate::in_folder(folder.path());
    change(&mut gate);
    let engine = Engine::new(desktop, folder.path().to_owned(), None, gate);
    Stage { engine, presses, folder }
}

/// Answers by the key of the question, and notes how often it was asked after something was done.
struct Person<'a> {
    answers: Vec<(&'static str, Asked)>,
    asked: Mutex<Vec<Question>>,
    presses: &'a AtomicUsize,
    too_late: AtomicUsize,
}

impl Ask for Person<'_> {
    fn ask(&self, question: &Question) -> Asked {
        self.too_late.fetch_add(self.presses.load(Ordering::SeqCst), Ordering::SeqCst);
        self.asked.lock().unwrap().push(question.clone());
        let answer = self.answers.iter().find(|(key, _)| *key == question.key);
        answer.map_or(Asked::Nobody, |(_, answer)| answer.clone())
    }

    fn has_model(&self) -> bool {
        false
    }

    fn knows(&self, _: &str) -> bool {
        false
    }
}

impl Stage {
    /// Calls a tool with a person who answers so.
    pub(crate) fn call(
        &self,
        tool: &str,
        arguments: Value,
        answers: Vec<(&'static str, Asked)>,
    ) -> CallResult {
        self.ask(tool, arguments, answers).0
    }

    /// The same, with what was asked.
    pub(crate) fn ask(
        &self,
        tool: &str,
        arguments: Value,
        answers: Vec<(&'static str, Asked)>,
    ) -> (CallResult, Vec<Question>) {
        let person = Person {
            answers,
            asked: Mutex::default(),
            presses: &self.presses,
            too_late: AtomicUsize::new(0),
        };
        let around = CallOptions { ask: &person, ..CallOptions::alone(&|_| true) };
        let reply = self.engine.call(call(tool, arguments), &around);
        assert_eq!(person.too_late.into_inner(), 0, "asked after something was done");
        (reply, person.asked.into_inner().unwrap())
    }

    /// How often the button was pressed.
    pub(crate) fn presses(&self) -> usize {
        self.presses.load(Ordering::SeqCst)
    }
}

/// A call of the MCP door.
pub(crate) fn call(tool: &str, arguments: Value) -> Call {
    let tool = tool.to_owned();
    Call {
        tool,
        arguments,
        form: Form::Data,
        door: Door::Mcp,
        session: SessionKey::Shared,
        principal: None,
        caller_mode: SecurityMode::Normal,
    }
}

/// What asks for a person's yes.
pub(crate) fn delete() -> Value {
    json!({ "app": "7", "query": "Delete all" })
}

/// A stage in a security mode.
pub(crate) fn in_mode(mode: SecurityMode) -> Stage {
    guarded(|gate| gate.policy.mode = mode)
}

/// Why a call was not done.
pub(crate) fn failure(reply: CallResult) -> CallFailure {
    match reply {
        Err(CallError::Failure(failure)) => failure,
        Err(CallError::Pause(_)) => panic!("a question"),
        Ok(answer) => panic!("{}", answer.data),
    }
}

#[test]
fn the_shop_is_as_the_tests_say() {
    let shop = FakeShop { presses: Arc::default() };
    let by = Deadline::after(Duration::from_secs(1));
    let seen = shop
        .walk(&app(7), &NodeId::new("root"), &WalkOptions::with_fields(NodeFields::ALL), deadline)
        .unwrap();
    assert_eq!((seen.len(), seen.node(Index::ROOT).role), (3, Role::Application));
}
