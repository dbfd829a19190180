//! Tests of the policy guard with a fake desktop.

use std::{
    path::Path,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use deskhand_model::{App, AppId, Event, EventKind, Node, NodeId, Snapshot, Toolkit};
use deskhand_platform::{
    ActionReply, Deadline, Error, EventStream, Identities, Identity, InputGuard, LaunchableProgram,
    NodeAction, NodeFields, Owner, PasswordFields, ProcessId, ProgramFile, Result, TextContent,
    Tree, WalkOptions,
};

use super::{checker::check_write, *};

/// Processes by pid: 10 is the calculator, 20 the editor, 30 a terminal, 40 an ancestor of this process,
/// 50 a program that claims false names. `later_start` simulates a reused pid.
#[derive(Default)]
struct FakeIdentities {
    queries: AtomicUsize,
    later_start: Mutex<u64>,
}

fn identity(pid: u32, started: u64) -> Option<Identity> {
    let (path, names, claims): (&str, &[&str], &[&str]) = match pid {
        10 => ("/usr/bin/kcalc", &["kcalc", "org.kde.kcalc"], &["kcalc"]),
        20 => ("/usr/bin/mousepad", &["mousepad", "org.xfce.mousepad"], &["mousepad"]),
        30 => ("/usr/bin/xterm", &["xterm"], &["xterm"]),
        40 => ("/opt/agent/agent", &[], &["agent"]),
        50 => ("/tmp/liar", &[], &["mousepad", "org.xfce.mousepad"]),
        _other => return None,
    };
    let words = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect();
    let file =
        ProgramFile { path: path.to_owned(), file_id: None, verified: true, admin_owned: true };
    Some(Identity {
        process: Some(ProcessId { pid, started }),
        key: Some(path.to_owned()),
        files: vec![file],
        names: words(names),
        claims: words(claims),
        hidden: false,
    })
}

impl Identities for FakeIdentities {
    fn identify(&self, pid: u32) -> Option<Arc<Identity>> {
        self.queries.fetch_add(1, Ordering::Relaxed);
        identity(pid, 1 + *self.later_start.lock().unwrap()).map(Arc::new)
    }

    fn identify_command(&self, words: &[String]) -> Identity {
        let pid = match words[0].as_str() {
            "kcalc" => 10,
            "mousepad" => 20,
            "xterm" => 30,
            other => {
                let path = format!("/usr/bin/{other}");
                let file = ProgramFile { path, file_id: None, verified: true, admin_owned: true };
                return Identity { files: vec![file], ..Identity::default() };
            }
        };
        identity(pid, 0).unwrap()
    }

    fn ancestors(&self) -> Vec<ProcessId> {
        vec![ProcessId { pid: 40, started: 1 }]
    }

    fn resolve_file(&self, _: &Path) -> Option<ProgramFile> {
        None
    }
}

fn app(pid: u32, name: &str) -> App {
    App {
        id: AppId(format!(":{pid}")),
        name: name.to_owned(),
        pid,
        started: 1,
        bundle_id: None,
        executable: identity(pid, 0).map(|one| one.files[0].path.clone()),
        toolkit: Toolkit::default(),
        root: NodeId::new(format!(":{pid}/root").as_str()),
        windows: 2,
        responding: true,
    }
}

/// A tree that answers every request.
struct FakeTree {
    apps: Vec<App>,
}

impl Tree for FakeTree {
    fn apps(&self, _: Deadline) -> Result<Vec<App>> {
        Ok(self.apps.clone())
    }

    fn apps_by_pid(&self, pids: &[u32], _: Deadline) -> Result<Vec<App>> {
        Ok(self.apps.iter().filter(|app| pids.contains(&app.pid)).cloned().collect())
    }

    fn check_access(&self, _: &App, _: Deadline) -> Result<()> {
        Ok(())
    }

    fn owner_of(&self, node: &NodeId) -> AppId {
        AppId(node.as_str().split('/').next().unwrap_or_default().to_owned())
    }

    fn pid_of(&self, app: &AppId, _: Deadline) -> Result<u32> {
        app.0.trim_start_matches(':').parse().map_err(|_| Error::Gone { what: app.0.clone() })
    }

    fn walk(&self, _: &App, _: &NodeId, _: &WalkOptions, _: Deadline) -> Result<Snapshot> {
        Err(Error::Timeout { what: "walked".to_owned() })
    }

    fn read(
        &self,
        _: &App,
        ids: &[NodeId],
        _: NodeFields,
        _: Deadline,
    ) -> Result<Vec<Option<Node>>> {
        Ok(ids.iter().map(|_| None).collect())
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
        Ok(ActionReply::Accepted)
    }

    fn watch(
        &self,
        _: Option<&AppId>,
        _: &[EventKind],
        _: Deadline,
    ) -> Result<Box<dyn EventStream>> {
        let event = |kind, pid: u32| Event {
            kind,
            app: AppId(format!(":{pid}")),
            node: None,
            detail: "detail".to_owned(),
            on: true,
        };
        let all = [
            event(EventKind::TitleChanged, 10),
            event(EventKind::AppStarted, 10),
            event(EventKind::TitleChanged, 20),
            event(EventKind::ValueChanged, 77),
        ];
        Ok(Box::new(FakeEvents(all.into_iter().rev().collect())))
    }
}

struct FakeEvents(Vec<Event>);

impl EventStream for FakeEvents {
    fn next(&mut self, _: Duration) -> Result<Option<Event>> {
        Ok(self.0.pop())
    }
}

struct GuardFixture {
    tree: GuardedTree,
    checker: Arc<AccessChecker>,
    identities: Arc<FakeIdentities>,
}

fn fixture(rules: &str) -> GuardFixture {
    let apps = vec![
        app(10, "KCalc"),
        app(20, "Mousepad"),
        app(30, "xterm"),
        app(40, "Agent"),
        app(50, "KC\u{430}lc"),
    ];
    let rules = Arc::new(AppRules::parse(rules, "security.toml").unwrap());
    let identities = Arc::new(FakeIdentities::default());
    let known: Arc<dyn Identities> = Arc::clone(&identities) as _;
    let checker = Arc::new(AccessChecker::new(rules, Some(known), None, Halt::never()));
    let tree = GuardedTree { inner: Arc::new(FakeTree { apps }), checker: Arc::clone(&checker) };
    GuardFixture { tree, checker, identities }
}

fn deadline() -> Deadline {
    Deadline::after(Duration::from_secs(5))
}

impl GuardFixture {
    fn read(&self, pid: u32) -> &'static str {
        let app = app(pid, "named by the caller");
        outcome(self.tree.text(&app, &app.root, deadline()).map(drop))
    }

    fn write(&self, pid: u32) -> &'static str {
        let app = app(pid, "named by the caller");
        outcome(self.tree.perform(&app, &app.root, &NodeAction::Focus, deadline()).map(drop))
    }
}

fn outcome(result: Result<()>) -> &'static str {
    match result {
        Ok(()) => "done",
        Err(error) => deskhand_model::Explain::code(&error),
    }
}

#[test]
fn each_rule_applies_to_reading_and_writing() {
    let [full, read, none] =
        [("done", "done"), ("done", "write_blocked"), ("app_blocked", "app_blocked")];
    for (rules, each) in [
        ("", [full, full, read, read, full]),
        ("[apps]\ndefault_write_blocked = false", [full; 5]),
        ("[apps]\ndenied = [\"org.kde.kcalc\"]", [none, full, read, read, full]),
        ("[apps]\ndenied = [\"kcalc\"]", [none, full, read, read, none]),
        ("[apps]\nallowed = [\"mousepad\"]", [none, full, none, none, none]),
        (
            "[apps]\nallowed = [\"/usr/bin/*\"]\ndenied = [\"xterm\"]",
            [full, full, none, none, none],
        ),
        ("[apps]\nwrite_blocked = [\"/usr/bin/mousepad\"]", [full, read, read, read, full]),
    ] {
        let fixture = fixture(rules);
        let results: Vec<_> = [10, 20, 30, 40, 50]
            .iter()
            .map(|pid| (fixture.read(*pid), fixture.write(*pid)))
            .collect();
        assert_eq!(results, each, "{rules}");
    }
}

#[test]
fn the_list_shows_of_a_blocked_app_only_that_it_runs() {
    let fixture = fixture("[apps]\ndenied = [\"kcalc\"]");
    let listed: Vec<(String, u32)> = fixture
        .tree
        .apps(deadline())
        .unwrap()
        .into_iter()
        .map(|app| (app.name, app.windows))
        .collect();
    let word = |name: &str, windows| (name.to_owned(), windows);
    assert_eq!(
        listed,
        [
            word("kcalc", 0),
            word("Mousepad", 2),
            word("xterm", 2),
            word("Agent", 2),
            word("liar", 0)
        ]
    );
    assert_eq!(fixture.read(50), "app_blocked", "the name it claims is remembered");
    assert_eq!(outcome(fixture.tree.check_access(&app(10, "x"), deadline())), "app_blocked");
}

#[test]
fn embedded_nodes_of_other_apps_are_checked_separately() {
    let fixture = fixture("[apps]\ndenied = [\"kcalc\"]\nwrite_blocked = [\"/tmp/liar\"]");
    let (host, guest) = (app(20, "Mousepad"), |pid: u32| NodeId::new(format!(":{pid}/1").as_str()));
    let read = |pid| outcome(fixture.tree.text(&host, &guest(pid), deadline()).map(drop));
    let write = |pid| {
        outcome(fixture.tree.perform(&host, &guest(pid), &NodeAction::Focus, deadline()).map(drop))
    };
    assert_eq!((read(10), write(10)), ("app_blocked", "app_blocked"));
    assert_eq!((read(30), write(30)), ("done", "write_blocked"));
    assert_eq!((read(20), write(20)), ("done", "done"));
}

#[test]
fn a_reused_pid_is_reported_as_gone() {
    let fixture = fixture("[apps]\nallowed = [\"mousepad\"]");
    *fixture.identities.later_start.lock().unwrap() = 5;
    assert_eq!((fixture.read(20), fixture.write(20)), ("gone", "gone"));
}

#[test]
fn events_of_blocked_apps_are_dropped() {
    let fixture = fixture("[apps]\ndenied = [\"kcalc\"]");
    let mut events = fixture.tree.watch(None, &[EventKind::TitleChanged], deadline()).unwrap();
    let mut received = Vec::new();
    while let Some(event) = events.next(Duration::from_millis(50)).unwrap() {
        received.push((event.kind, event.app.0));
    }
    let known = [(EventKind::AppStarted, ":10"), (EventKind::TitleChanged, ":20")];
    assert_eq!(received, known.map(|(kind, app)| (kind, app.to_owned())));
    let own =
        fixture.tree.watch(Some(&AppId(":10".to_owned())), &[EventKind::TitleChanged], deadline());
    assert_eq!(outcome(own.map(drop)), "app_blocked");
}

#[test]
fn input_is_checked_by_the_real_owner_and_by_claims() {
    let fixture = fixture("[apps]\ndenied = [\"kcalc\"]");
    let owner = |pid: u32, claimed_pid: Option<u32>, class: &str| Owner {
        pid,
        claimed_pid,
        classes: vec![class.to_owned()],
    };
    let check = |owners: &[Owner]| outcome(fixture.checker.check(owners));
    assert_eq!(check(&[owner(20, None, "Mousepad")]), "done");
    assert_eq!(check(&[owner(10, None, "Mousepad")]), "app_blocked");
    assert_eq!(check(&[owner(10, Some(20), "Mousepad")]), "app_blocked");
    assert_eq!(check(&[owner(20, Some(10), "Mousepad")]), "app_blocked");
    assert_eq!(check(&[owner(20, None, "kcalc")]), "app_blocked");
    assert_eq!(check(&[owner(20, None, "x"), owner(30, None, "x")]), "write_blocked");
    assert_eq!(check(&[]), "done");
    let strict = self::fixture("[apps]\nallowed = [\"mousepad\"]");
    assert_eq!(
        outcome(strict.checker.check(&[])),
        "app_blocked",
        "the desktop itself is not an allowed app"
    );
    assert_eq!(outcome(strict.checker.check(&[owner(99, Some(20), "mousepad")])), "app_blocked");
}

#[test]
fn a_program_is_checked_before_it_is_started() {
    let fixture = fixture("[apps]\ndenied = [\"kcalc\"]");
    let start = |name: &str, command: &[&str], arguments: &[&str]| {
        let words = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
        let program = LaunchableProgram {
            name: name.to_owned(),
            id: None,
            file: None,
            command: words(command),
            arguments_index: command.len(),
            added_arguments: Vec::new(),
            working_dir: None,
            needs_terminal: false,
        };
        outcome(check_write(fixture.checker.program_access(&program, &words(arguments)), name))
    };
    assert_eq!(start("Mousepad", &["mousepad"], &["xterm"]), "done");
    assert_eq!(start("Sums", &["kcalc"], &[]), "app_blocked");
    assert_eq!(start("KCalc", &["mousepad"], &[]), "app_blocked");
    assert_eq!(start("Terminal", &["xterm"], &[]), "write_blocked");
    assert_eq!(start("env", &["env"], &["kcalc"]), "app_blocked");
    assert_eq!(start("sh", &["sh"], &["-c", "exec xterm -e true"]), "write_blocked");
}

#[test]
fn access_decisions_are_cached() {
    let fixture = fixture("");
    for _ in 0..100 {
        assert_eq!(fixture.write(20), "done");
    }
    assert!(fixture.identities.queries.load(Ordering::Relaxed) <= 2);
}
