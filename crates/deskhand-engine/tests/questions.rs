//! Questions come before acts, a caller that goes away is not waited for, and names a caller gave
//! are known: proven on an app of one window that counts what is done to it.
#![allow(clippy::unwrap_used, reason = "a panic is how a test reports")]

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use deskhand_engine::{
    Ask, Asked, Call, Delivery, Door, Engine, Form, Nobody, Pause, Question, Reply, SessionKey,
    Stop, Stopped, Surroundings, Weight,
};
use deskhand_model::{
    App, AppId, EventKind, Index, Node, NodeId, Role, Snapshot, State, States, Toolkit,
};
use deskhand_platform::{
    Act, Deadline, Desktop, Error, Events, Extent, Facets, Passwords, Reply as Said, Result, Text,
    Tree,
};
use serde_json::{Value, json};

/// Two apps of one name, each a window with a button; pressing it takes the button away.
struct Shop {
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

impl Shop {
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

impl Tree for Shop {
    fn apps(&self, _: Deadline) -> Result<Vec<App>> {
        Ok(vec![app(7), app(9)])
    }

    fn apps_of(&self, pids: &[u32], _: Deadline) -> Result<Vec<App>> {
        Ok(pids.iter().copied().map(app).collect())
    }

    fn walk(&self, app: &App, _: &NodeId, _: &Extent, _: Deadline) -> Result<Snapshot> {
        let nodes: Vec<Node> =
            ["root", "window", "button"].iter().filter_map(|id| self.node(id)).collect();
        let below = if nodes.len() == 3 { vec![2] } else { Vec::new() };
        let mut children = vec![vec![1], below];
        children.resize(nodes.len(), Vec::new());
        Ok(Snapshot::assemble(app.clone(), nodes, &children))
    }

    fn read(&self, _: &App, ids: &[NodeId], _: Facets, _: Deadline) -> Result<Vec<Option<Node>>> {
        Ok(ids.iter().map(|id| self.node(id.as_str())).collect())
    }

    fn passwords(&self, _: &App, _: Deadline) -> Result<Passwords> {
        Ok(Passwords { fields: Vec::new(), missed: None })
    }

    fn attributes(&self, _: &App, _: &NodeId, _: Deadline) -> Result<Vec<(String, String)>> {
        Ok(Vec::new())
    }

    fn text(&self, _: &App, _: &NodeId, _: Deadline) -> Result<Option<Text>> {
        Ok(None)
    }

    fn selected(&self, _: &App, _: &NodeId, _: Deadline) -> Result<Option<Vec<NodeId>>> {
        Ok(None)
    }

    fn perform(&self, _: &App, _: &NodeId, _: &Act, _: Deadline) -> Result<Said> {
        self.presses.fetch_add(1, Ordering::SeqCst);
        Ok(Said::Accepted)
    }

    fn watch(&self, _: Option<&AppId>, _: &[EventKind], _: Deadline) -> Result<Box<dyn Events>> {
        Err(Error::TooLarge { what: "the shop".to_owned() })
    }
}

struct Stage {
    engine: Engine,
    presses: Arc<AtomicUsize>,
    _refs: tempfile::TempDir,
}

fn stage() -> Stage {
    let presses = Arc::new(AtomicUsize::new(0));
    let tree = Box::new(Shop { presses: Arc::clone(&presses) });
    let desktop =
        Desktop { tree, windows: None, screen: None, input: None, clipboard: None, programs: None };
    let refs = tempfile::tempdir().unwrap();
    Stage { engine: Engine::new(desktop, refs.path().to_owned(), None), presses, _refs: refs }
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
}

impl Stage {
    fn call(&self, tool: &str, arguments: Value, answers: Vec<(&'static str, Asked)>) -> Reply {
        let person = Person {
            answers,
            asked: Mutex::default(),
            presses: &self.presses,
            too_late: AtomicUsize::new(0),
        };
        let around = Surroundings { stop: Stop::never(), ask: &person, listener: &|_| true };
        let reply = self.engine.call(call(tool, arguments), &around);
        assert_eq!(person.too_late.into_inner(), 0, "asked after something was done");
        reply
    }

    fn presses(&self) -> usize {
        self.presses.load(Ordering::SeqCst)
    }
}

fn call(tool: &str, arguments: Value) -> Call {
    let tool = tool.to_owned();
    Call { tool, arguments, form: Form::Data, door: Door::Mcp, session: SessionKey::Common }
}

fn yes() -> Asked {
    Asked::Given(json!({ "confirm": true }))
}

#[test]
fn a_click_that_may_lose_something_waits_for_a_yes() {
    let click = json!({ "app": "7", "query": "Delete all" });
    for (answer, presses) in [
        (Asked::Declined, 0),
        (Asked::Cancelled, 0),
        (Asked::Given(json!({ "confirm": false })), 0),
        (Asked::Given(json!({})), 0),
        (yes(), 1),
        (Asked::Nobody, 1),
    ] {
        let stage = stage();
        let reply = stage.call("ax_click", click.clone(), vec![("confirm", answer.clone())]);
        let effect = reply.unwrap().data["effect"].clone();
        assert_eq!(stage.presses(), presses, "{answer:?}");
        let expected = if presses == 0 { "refused" } else { "confirmed" };
        assert_eq!(effect, expected, "{answer:?}");
    }
}

#[test]
fn a_call_that_must_wait_for_an_answer_has_done_nothing_and_can_be_made_again() {
    let stage = stage();
    let click = json!({ "app": "shop", "query": "Delete all" });
    let first = stage.call("ax_click", click.clone(), vec![("app", Asked::Later)]);
    assert_eq!(key(first), "app");
    let which = ("app", Asked::Given(json!({ "app": "9" })));
    let second =
        stage.call("ax_click", click.clone(), vec![which.clone(), ("confirm", Asked::Later)]);
    assert_eq!(key(second), "confirm");
    assert_eq!(stage.presses(), 0);
    let third = stage.call("ax_click", click, vec![which, ("confirm", yes())]);
    assert_eq!((third.unwrap().data["effect"].as_str(), stage.presses()), (Some("confirmed"), 1));
}

fn key(reply: Reply) -> &'static str {
    match reply {
        Err(Stopped::Pause(Pause::Asks(questions))) => questions[0].key,
        Err(Stopped::Failure(failure)) => panic!("{failure:?}"),
        Ok(answer) => panic!("{answer:?}"),
    }
}

#[test]
fn the_command_line_asks_nobody_and_says_nothing_of_it() {
    let stage = stage();
    let said = Mutex::new(0);
    let listener = |said_now: deskhand_engine::Said| {
        *said.lock().unwrap() += usize::from(said_now.weight == Weight::Warning);
        true
    };
    let call = Call {
        door: Door::CommandLine,
        ..call("click", json!({ "app": "7", "query": "Delete all" }))
    };
    stage.engine.call(call, &Surroundings::alone(&listener)).unwrap();
    assert_eq!((stage.presses(), *said.lock().unwrap()), (1, 0));
}

#[test]
fn names_a_caller_gave_are_its_own() {
    let stage = stage();
    let connect = json!({ "app": "9", "alias": "till" });
    stage.call("ax_connect", connect, Vec::new()).unwrap();
    let found = stage.call("ax_find", json!({ "app": "till", "query": "Delete all" }), Vec::new());
    assert!(Engine::cost().waited > Duration::ZERO && Engine::cost().looks > 0);
    assert_eq!(found.unwrap().data["title"], "Delete all");
    let info = stage.call("ax_session_info", Value::Null, Vec::new()).unwrap().data;
    assert_eq!(info["connected_apps"], json!(["shop"]));
    let other = Call {
        session: SessionKey::Of("other".into()),
        ..call("ax_find", json!({ "app": "till", "query": "Delete all" }))
    };
    let reply = stage.engine.call(other, &Surroundings::alone(&|_| true));
    assert_eq!(failure(reply).code, "app_not_running");
}

fn failure(reply: Reply) -> deskhand_engine::Failure {
    reply.map(|answer| answer.data).unwrap_err().into()
}

#[test]
fn a_caller_that_goes_away_is_not_waited_for() {
    let stage = stage();
    for (tool, arguments) in [
        ("ax_click", json!({ "app": "7", "query": "Nothing of that name" })),
        ("ax_wait_idle", json!({ "app": "7", "timeout_ms": 60_000, "poll_ms": 10_000 })),
        ("ax_assert", json!({ "app": "7", "query": "Delete all", "assertions": { "title": "x" } })),
    ] {
        let (stop, begun) = (Stop::new(), Instant::now());
        let around = Surroundings { stop: &stop, ask: &Nobody, listener: &|_| true };
        let reply = std::thread::scope(|threads| {
            threads.spawn(|| {
                std::thread::sleep(Duration::from_millis(100));
                stop.ask();
            });
            stage.engine.call(call(tool, arguments), &around)
        });
        let failure = failure(reply);
        assert_eq!(failure.code, "cancelled", "{tool}");
        assert_ne!(failure.delivery, Some(Delivery::Sent), "{tool}");
        assert!(begun.elapsed() < Duration::from_millis(1_500), "{tool}: {:?}", begun.elapsed());
    }
    assert_eq!(stage.presses(), 0);
}

#[test]
fn the_shop_is_as_the_tests_say() {
    let shop = Shop { presses: Arc::default() };
    let by = Deadline::after(Duration::from_secs(1));
    let seen = shop.walk(&app(7), &NodeId::new("root"), &Extent::of(Facets::ALL), by).unwrap();
    assert_eq!((seen.len(), seen.node(Index::ROOT).role), (3, Role::Application));
}
