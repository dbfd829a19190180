//! Fake apps that count presses, and an engine that uses them.

use std::{
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use deskhand_engine::{
    Call, CallError, CallFailure, CallOptions, CallResult, ElicitResponse, Elicitor, Engine, Gate,
    Origin, OutputForm, Question, SecurityMode, SessionKey, Vocabulary,
};
use deskhand_model::{
    App, AppId, EventKind, Index, Node, NodeId, Role, Snapshot, State, States, Toolkit,
};
use deskhand_platform::{
    ActionReply, Deadline, Desktop, Error, EventStream, Identities, Identity, NodeAction,
    NodeFields, PasswordFields, ProcessId, ProgramFile, Result, TextContent, Tree, WalkOptions,
};
use serde_json::{Value, json};

/// Two apps with the same name, each with a window and a button. Pressing the button removes it.
struct FakeApps {
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

/// Identifies the first app; the other one hides its program.
struct FakeIdentities;

impl Identities for FakeIdentities {
    fn identify(&self, pid: u32) -> Option<Arc<Identity>> {
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

    fn resolve_file(&self, _: &Path) -> Option<ProgramFile> {
        None
    }
}

impl FakeApps {
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

impl Tree for FakeApps {
    fn apps(&self, _: Deadline) -> Result<Vec<App>> {
        Ok(vec![app(7), app(9)])
    }

    fn apps_by_pid(&self, pids: &[u32], _: Deadline) -> Result<Vec<App>> {
        Ok(pids.iter().copied().map(app).collect())
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

    fn password_fields(&self, _: &App, _: Deadline) -> Result<PasswordFields> {
        Ok(PasswordFields { fields: Vec::new(), incomplete: None })
    }

    fn attributes(&self, _: &App, _: &NodeId, _: Deadline) -> Result<Vec<(String, String)>> {
        Ok(Vec::new())
    }

    fn text(&self, _: &App, _: &NodeId, _: Deadline) -> Result<Option<TextContent>> {
        Ok(None)
    }

    fn selected_items(&self, _: &App, _: &NodeId, _: Deadline) -> Result<Option<Vec<NodeId>>> {
        Ok(None)
    }

    fn perform(&self, _: &App, _: &NodeId, _: &NodeAction, _: Deadline) -> Result<ActionReply> {
        self.presses.fetch_add(1, Ordering::SeqCst);
        Ok(ActionReply::Accepted)
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

/// An engine with the fake apps.
pub(crate) struct EngineFixture {
    pub(crate) engine: Engine,
    presses: Arc<AtomicUsize>,
    pub(crate) folder: tempfile::TempDir,
}

/// Creates an engine with the default gate.
pub(crate) fn fixture() -> EngineFixture {
    with_gate(|_| {})
}

/// Creates an engine with a modified gate, whose files are in the fixture's folder.
pub(crate) fn with_gate(change: impl FnOnce(&mut Gate)) -> EngineFixture {
    let presses = Arc::new(AtomicUsize::new(0));
    let tree = Box::new(FakeApps { presses: Arc::clone(&presses) });
    let desktop = Desktop {
        tree,
        windows: None,
        screen: None,
        input: None,
        clipboard: None,
        programs: None,
        identities: Some(Arc::new(FakeIdentities)),
        permissions: None,
        dictionaries: None,
        text_recognizer: None,
    };
    let folder = tempfile::tempdir().unwrap();
    let mut gate = Gate::in_folder(folder.path());
    change(&mut gate);
    let engine = Engine::new(desktop, folder.path().to_owned(), None, gate);
    EngineFixture { engine, presses, folder }
}

/// Answers questions by their key, and counts questions that come after a press.
struct FakeUser<'a> {
    answers: Vec<(&'static str, ElicitResponse)>,
    asked: Mutex<Vec<Question>>,
    presses: &'a AtomicUsize,
    late_questions: AtomicUsize,
}

impl Elicitor for FakeUser<'_> {
    fn elicit(&self, question: &Question) -> ElicitResponse {
        self.late_questions.fetch_add(self.presses.load(Ordering::SeqCst), Ordering::SeqCst);
        self.asked.lock().unwrap().push(question.clone());
        let answer = self.answers.iter().find(|(key, _)| *key == question.key);
        answer.map_or(ElicitResponse::Unavailable, |(_, answer)| answer.clone())
    }

    fn has_model(&self) -> bool {
        false
    }

    fn has_answer(&self, _: &str) -> bool {
        false
    }
}

impl EngineFixture {
    /// Calls a tool with a user who gives these answers.
    pub(crate) fn call(
        &self,
        tool: &str,
        arguments: Value,
        answers: Vec<(&'static str, ElicitResponse)>,
    ) -> CallResult {
        self.ask(tool, arguments, answers).0
    }

    /// Does the same, and returns the questions as well.
    pub(crate) fn ask(
        &self,
        tool: &str,
        arguments: Value,
        answers: Vec<(&'static str, ElicitResponse)>,
    ) -> (CallResult, Vec<Question>) {
        let user = FakeUser {
            answers,
            asked: Mutex::default(),
            presses: &self.presses,
            late_questions: AtomicUsize::new(0),
        };
        let options = CallOptions { ask: &user, ..CallOptions::non_interactive(&|_| true) };
        let reply = self.engine.call(call(tool, arguments), &options);
        assert_eq!(user.late_questions.into_inner(), 0, "a question came after the action");
        (reply, user.asked.into_inner().unwrap())
    }

    /// Returns the number of presses.
    pub(crate) fn presses(&self) -> usize {
        self.presses.load(Ordering::SeqCst)
    }
}

/// Creates a call of an MCP client.
pub(crate) fn call(tool: &str, arguments: Value) -> Call {
    let vocabulary = match tool.split_once('_') {
        Some(("ax", _)) => Vocabulary::Ax,
        Some(("view", _)) => Vocabulary::Resources,
        Some(_) | None => Vocabulary::Commands,
    };
    Call {
        tool: vocabulary.tool(tool.to_owned()),
        arguments,
        form: OutputForm::Data,
        origin: Origin::Mcp,
        session: SessionKey::Shared,
        principal: None,
        caller_mode: SecurityMode::Normal,
    }
}

/// Returns arguments that require confirmation.
pub(crate) fn delete() -> Value {
    json!({ "app": "7", "query": "Delete all" })
}

/// Creates an engine in a security mode.
pub(crate) fn in_mode(mode: SecurityMode) -> EngineFixture {
    with_gate(|gate| gate.policy.mode = mode)
}

/// Returns the failure of a call.
pub(crate) fn failure(reply: CallResult) -> CallFailure {
    match reply {
        Err(CallError::Failure(failure)) => failure,
        Err(CallError::Pause(_)) => panic!("a question"),
        Ok(answer) => panic!("{}", answer.data),
    }
}

#[test]
fn a_fake_app_has_a_window_with_a_button() {
    let apps = FakeApps { presses: Arc::default() };
    let deadline = Deadline::after(Duration::from_secs(1));
    let snapshot = apps
        .walk(&app(7), &NodeId::new("root"), &WalkOptions::with_fields(NodeFields::ALL), deadline)
        .unwrap();
    assert_eq!((snapshot.len(), snapshot.node(Index::ROOT).role), (3, Role::Application));
}
