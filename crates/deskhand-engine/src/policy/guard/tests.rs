//! The fence around a desktop of values.

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

use super::*;

/// Processes by number: 10 the calculator, 20 the editor, 30 a terminal, 40 who started us, 50 a
/// liar. The start of each can be changed as when its number is used again.
#[derive(Default)]
struct People {
    asked: AtomicUsize,
    later: Mutex<u64>,
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

impl Identities for People {
    fn of(&self, pid: u32) -> Option<Arc<Identity>> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        identity(pid, 1 + *self.later.lock().unwrap()).map(Arc::new)
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

    fn file(&self, _: &Path) -> Option<ProgramFile> {
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

/// Trees that answer everything.
struct Trees {
    apps: Vec<App>,
}

impl Tree for Trees {
    fn apps(&self, _: Deadline) -> Result<Vec<App>> {
        Ok(self.apps.clone())
    }

    fn apps_by_pid(&self, pids: &[u32], _: Deadline) -> Result<Vec<App>> {
        Ok(self.apps.iter().filter(|app| pids.contains(&app.pid)).cloned().collect())
    }

    fn admit(&self, _: &App, _: Deadline) -> Result<()> {
        Ok(())
    }

    fn host(&self, of: &NodeId) -> AppId {
        AppId(of.as_str().split('/').next().unwrap_or_default().to_owned())
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
            detail: "told".to_owned(),
            on: true,
        };
        let all = [
            event(EventKind::TitleChanged, 10),
            event(EventKind::AppStarted, 10),
            event(EventKind::TitleChanged, 20),
            event(EventKind::ValueChanged, 77),
        ];
        Ok(Box::new(RedactedArgs(all.into_iter().rev().collect())))
    }
}

struct RedactedArgs(Vec<Event>);

impl EventStream for RedactedArgs {
    fn next(&mut self, _: Duration) -> Result<Option<Event>> {
        Ok(self.0.pop())
    }
}

struct Scene {
    tree: GuardedTree,
    checker: Arc<AccessChecker>,
    people: Arc<People>,
}

fn scene(rules: &str) -> Scene {
    let apps = vec![
        app(10, "KCalc"),
        app(20, "Mousepad"),
        app(30, "xterm"),
        app(40, "Agent"),
        app(50, "KC\u{430}lc"),
    ];
    let rules = Arc::new(AppRules::read(rules, "security.toml").unwrap());
    let people = Arc::new(People::default());
    let known: Arc<dyn Identities> = Arc::clone(&people) as _;
    let checker = Arc::new(AccessChecker::new(rules, Some(known), None, Halt::none()));
    let tree = GuardedTree { inner: Arc::new(Trees { apps }), checker: Arc::clone(&checker) };
    Scene { tree, checker, people }
}

fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(5))
}

impl Scene {
    fn read(&self, pid: u32) -> &'static str {
        let app = app(pid, "named by the caller");
        outcome(self.tree.text(&app, &app.root, soon()).map(drop))
    }

    fn write(&self, pid: u32) -> &'static str {
        let app = app(pid, "named by the caller");
        outcome(self.tree.perform(&app, &app.root, &NodeAction::Focus, soon()).map(drop))
    }
}

fn outcome(result: Result<()>) -> &'static str {
    match result {
        Ok(()) => "done",
        Err(error) => deskhand_model::Explain::code(&error),
    }
}

#[test]
fn each_rule_holds_for_reading_and_writing() {
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
        let scene = scene(rules);
        let told: Vec<_> =
            [10, 20, 30, 40, 50].iter().map(|pid| (scene.read(*pid), scene.write(*pid))).collect();
        assert_eq!(told, each, "{rules}");
    }
}

#[test]
fn of_an_app_that_must_not_be_read_a_list_tells_only_that_it_runs() {
    let scene = scene("[apps]\ndenied = [\"kcalc\"]");
    let told: Vec<(String, u32)> =
        scene.tree.apps(soon()).unwrap().into_iter().map(|app| (app.name, app.windows)).collect();
    let word = |name: &str, windows| (name.to_owned(), windows);
    assert_eq!(
        told,
        [
            word("kcalc", 0),
            word("Mousepad", 2),
            word("xterm", 2),
            word("Agent", 2),
            word("liar", 0)
        ]
    );
    assert_eq!(scene.read(50), "app_blocked", "its own name is remembered");
    assert_eq!(outcome(scene.tree.admit(&app(10, "x"), soon())), "app_blocked");
}

#[test]
fn elements_of_others_within_an_app_need_leave_of_their_own() {
    let scene = scene("[apps]\ndenied = [\"kcalc\"]\nwrite_blocked = [\"/tmp/liar\"]");
    let (host, guest) = (app(20, "Mousepad"), |pid: u32| NodeId::new(format!(":{pid}/1").as_str()));
    let read = |pid| outcome(scene.tree.text(&host, &guest(pid), soon()).map(drop));
    let write =
        |pid| outcome(scene.tree.perform(&host, &guest(pid), &NodeAction::Focus, soon()).map(drop));
    assert_eq!((read(10), write(10)), ("app_blocked", "app_blocked"));
    assert_eq!((read(30), write(30)), ("done", "write_blocked"));
    assert_eq!((read(20), write(20)), ("done", "done"));
}

#[test]
fn a_number_that_belongs_to_another_process_by_now_is_nobody() {
    let scene = scene("[apps]\nallowed = [\"mousepad\"]");
    *scene.people.later.lock().unwrap() = 5;
    assert_eq!((scene.read(20), scene.write(20)), ("gone", "gone"));
}

#[test]
fn events_come_only_from_apps_that_may_be_read() {
    let scene = scene("[apps]\ndenied = [\"kcalc\"]");
    let mut events = scene.tree.watch(None, &[EventKind::TitleChanged], soon()).unwrap();
    let mut told = Vec::new();
    while let Some(event) = events.next(Duration::from_millis(50)).unwrap() {
        told.push((event.kind, event.app.0));
    }
    let known = [(EventKind::AppStarted, ":10"), (EventKind::TitleChanged, ":20")];
    assert_eq!(told, known.map(|(kind, app)| (kind, app.to_owned())));
    let own = scene.tree.watch(Some(&AppId(":10".to_owned())), &[EventKind::TitleChanged], soon());
    assert_eq!(outcome(own.map(drop)), "app_blocked");
}

#[test]
fn input_goes_to_whom_the_window_system_names_and_lies_count_against() {
    let scene = scene("[apps]\ndenied = [\"kcalc\"]");
    let owner = |pid: u32, says: Option<u32>, class: &str| Owner {
        pid,
        says,
        classes: vec![class.to_owned()],
    };
    let admit = |owners: &[Owner]| outcome(scene.checker.admit(owners));
    assert_eq!(admit(&[owner(20, None, "Mousepad")]), "done");
    assert_eq!(admit(&[owner(10, None, "Mousepad")]), "app_blocked");
    assert_eq!(admit(&[owner(10, Some(20), "Mousepad")]), "app_blocked");
    assert_eq!(admit(&[owner(20, Some(10), "Mousepad")]), "app_blocked");
    assert_eq!(admit(&[owner(20, None, "kcalc")]), "app_blocked");
    assert_eq!(admit(&[owner(20, None, "x"), owner(30, None, "x")]), "write_blocked");
    assert_eq!(admit(&[]), "done");
    let strict = self::scene("[apps]\nallowed = [\"mousepad\"]");
    assert_eq!(outcome(strict.checker.admit(&[])), "app_blocked", "the desktop is no app");
    assert_eq!(outcome(strict.checker.admit(&[owner(99, Some(20), "mousepad")])), "app_blocked");
}

#[test]
fn a_program_is_judged_before_it_is_started() {
    let scene = scene("[apps]\ndenied = [\"kcalc\"]");
    let start = |name: &str, command: &[&str], arguments: &[&str]| {
        let words = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
        let program = LaunchableProgram {
            name: name.to_owned(),
            id: None,
            file: None,
            command: words(command),
            arguments_index: command.len(),
            added: Vec::new(),
            folder: None,
            terminal: false,
        };
        outcome(check_write(scene.checker.program(&program, &words(arguments)), name))
    };
    assert_eq!(start("Mousepad", &["mousepad"], &["xterm"]), "done");
    assert_eq!(start("Sums", &["kcalc"], &[]), "app_blocked");
    assert_eq!(start("KCalc", &["mousepad"], &[]), "app_blocked");
    assert_eq!(start("Terminal", &["xterm"], &[]), "write_blocked");
    assert_eq!(start("env", &["env"], &["kcalc"]), "app_blocked");
    assert_eq!(start("sh", &["sh"], &["-c", "exec xterm -e true"]), "write_blocked");
}

#[test]
fn who_is_known_is_not_asked_for_again_at_every_step() {
    let scene = scene("");
    for _ in 0..100 {
        assert_eq!(scene.write(20), "done");
    }
    assert!(scene.people.asked.load(Ordering::Relaxed) <= 2);
}
