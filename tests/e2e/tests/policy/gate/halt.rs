//! A halt stops what runs and what comes, on a real desktop, also when the server hangs.

use std::time::Duration;

use harness::{
    App, Outcome, Program, Stage,
    desk::{runs, until},
    input::Hand,
    mcp::{Agent, Manner},
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use x11rb::{
    connection::Connection,
    protocol::xproto::{ConnectionExt as _, KeyButMask},
};

use harness::witness::Witness;

const ESCAPE: u32 = 0xff1b;
const CONTROL: u32 = 0xffe3;
const ALT: u32 = 0xffe9;

/// Whether the X server holds the left button down.
fn is_down(stage: &Stage) -> bool {
    let x = stage.info().connect_x11().unwrap();
    let root = x.setup().roots[0].root;
    let state = x.query_pointer(root).unwrap().reply().unwrap().mask;
    state.contains(KeyButMask::BUTTON1)
}

/// How many keys the X server holds down.
fn keys_down(stage: &Stage) -> u32 {
    let x = stage.info().connect_x11().unwrap();
    x.query_keymap().unwrap().reply().unwrap().keys.iter().map(|byte| byte.count_ones()).sum()
}

fn halt(stage: &Stage) -> Value {
    stage.deskhand(&["halt", "--reason", "enough", "--format", "json"]).json()
}

fn resume(stage: &Stage) -> Value {
    stage.deskhand(&["resume", "--format", "json"]).json()
}

/// Begins a drag through the witness's window that takes half a minute; it holds the button by now.
fn begin_drag(stage: &Stage, agent: &mut Agent, app: &Witness) -> (u64, (i32, i32)) {
    let (from, to) = (app.inside(60, 60), app.inside(400, 240));
    let arguments = json!({
        "app": app.program.pid_text(),
        "from_x": from.0, "from_y": from.1, "to_x": to.0, "to_y": to.1,
        "duration_ms": 30_000,
    });
    let id = agent.begin("tools/call", &json!({ "name": "ax_drag", "arguments": arguments }));
    assert!(until(|| is_down(stage)), "the drag has begun");
    (id, from)
}

#[test]
fn a_drag_is_stopped_its_button_let_go_of_where_it_went_down_and_calls_refused_until_resume() {
    let stage = Stage::new();
    let app = Witness::start(&stage);
    let mut agent = Agent::start(&stage, Manner::Silent);
    let (id, from) = begin_drag(&stage, &mut agent, &app);
    assert!(until(|| stage.desk().pointer() != (from.0 as i16, from.1 as i16)), "it is on its way");
    let outcome = halt(&stage);
    assert!(!is_down(&stage), "let go of when `halt` returns");
    assert_eq!(outcome["answered"], json!([agent.pid()]), "{outcome}");
    assert_eq!(outcome["killed"], json!([]));
    let result = agent.response(id);
    assert_eq!(result["result"]["isError"], true, "{result}");
    assert!(result.to_string().contains("everything is halted: enough"), "{result}");
    let released = app.events("up");
    let at: Vec<&Value> = released.iter().map(|one| &one["at"]).collect();
    assert_eq!(at, [&json!([from.0, from.1])], "dropped where it was taken: {released:?}");
    let rest = stage.desk().pointer();
    let pid = app.program.pid_text();
    for (tool, arguments) in [
        ("ax_click_at", json!({ "x": 5, "y": 5 })),
        ("ax_get_tree", json!({ "app": pid })),
        ("ax_key_press", json!({ "app": pid, "keys": "a" })),
    ] {
        let said = agent.refused(tool, arguments);
        assert!(said.contains("halted"), "{tool}: {said}");
    }
    let by_hand = stage.call("pointer_move", &["7", "7"]).expect_error("halted");
    assert_eq!(by_hand["delivery"], "not_sent");
    assert_eq!(stage.desk().pointer(), rest);
    let mut later = Agent::start(&stage, Manner::Silent);
    assert!(later.refused("ax_list_apps", json!({})).contains("halted"));
    let outcome = resume(&stage);
    assert_eq!(outcome["state"], "resumed", "{outcome}");
    agent.ok("ax_get_tree", json!({ "app": pid }));
    later.ok("ax_list_apps", json!({}));
    stage.call("pointer_move", &["7", "7"]).expect_ok();
    assert_eq!(resume(&stage)["state"], "not_halted");
}

#[test]
fn slow_typing_stops_in_the_middle_with_every_key_up() {
    let stage = Stage::new();
    let app = stage.start(App::Mousepad);
    let typed = |stage: &Stage| {
        let tree = stage.tree(&app);
        let text = tree.find(|one| one.role == "AXTextArea").unwrap().value.clone();
        text.and_then(|text| text.as_str().map(str::len)).unwrap_or(0)
    };
    let pid = app.pid_text();
    let text = "abcdefghij".repeat(40);
    let mut typing = Program::start(stage.command(harness::outcome::binary()).args([
        "type",
        &text,
        "--app",
        &pid,
        "--mode",
        "focus",
        "--delay-ms",
        "100",
    ]));
    assert!(until(|| typed(&stage) > 3), "it types");
    let outcome = halt(&stage);
    assert_eq!(outcome["killed"], json!([]), "{outcome}");
    let (before, down) = (typed(&stage), keys_down(&stage));
    assert!(before < text.len() && down == 0, "{before} typed, {down} keys down");
    assert!(until(|| !typing.is_alive()), "the command ends");
    assert_eq!(typed(&stage), before, "nothing is typed after the halt");
    resume(&stage);
}

#[test]
fn a_server_that_hangs_is_killed_and_what_it_held_let_go_of() {
    let stage = Stage::new();
    let app = Witness::start(&stage);
    let mut agent = Agent::start(&stage, Manner::Silent);
    begin_drag(&stage, &mut agent, &app);
    let server = agent.pid();
    stop(server);
    assert!(is_down(&stage));
    // Who administers a machine sees what a server keeps to itself; other people do not.
    let as_anybody = |program: &str| {
        let mut command = stage.command("setpriv");
        command.arg("--bounding-set=-sys_ptrace,-perfmon,-sys_admin").arg(program);
        command
    };
    let kept = Outcome::of(as_anybody("cat").arg(format!("/proc/{server}/environ")));
    assert_eq!(kept.code, Some(1), "{kept}");
    let mut command = as_anybody(&harness::outcome::binary().display().to_string());
    let outcome = Outcome::of(command.args(["halt", "--format", "json"])).json();
    assert_eq!(outcome["killed"], json!([server]), "{outcome}");
    assert!(!runs(server) && !is_down(&stage));
    let unfinished = ["audit-log", "show", "--result", "unfinished", "--format", "json"];
    let shown = stage.deskhand(&unfinished).json();
    assert_eq!(shown[0]["tool"], "ax_drag", "the log shows what was under way: {shown}");
    resume(&stage);
}

#[test]
fn keys_pressed_by_a_person_halt_also_in_an_open_menu_and_when_the_server_hangs() {
    let stage = Stage::new();
    let app = stage.start(App::Mousepad);
    let mut agent = Agent::start(&stage, Manner::Silent);
    let hand = stage.hand();
    let pid = app.pid_text();
    let listens = || stage.info().folders.runtime.join("flag").exists();
    agent.ok("ax_get_tree", json!({ "app": pid }));
    pressed_until(&hand, listens);
    assert!(agent.refused("ax_get_tree", json!({ "app": pid })).contains("Escape was pressed"));
    resume(&stage);
    // A menu holds the keyboard for itself.
    hand.together(&[ALT, u32::from('f')]);
    let opened = |tree: &harness::Tree| {
        let showing = |one: &harness::Seen| one.states.iter().any(|state| state == "showing");
        tree.find(|one| one.role == "AXMenuItem" && one.title.starts_with("Open") && showing(one))
            .is_some()
    };
    stage.until(&app, "the open menu", opened);
    pressed_until(&hand, listens);
    assert!(agent.refused("ax_get_tree", json!({ "app": pid })).contains("Escape was pressed"));
    resume(&stage);
    agent.ok("ax_get_tree", json!({ "app": pid }));
    let server = agent.pid();
    stop(server);
    pressed_until(&hand, listens);
    assert!(until(|| !runs(server)), "a server that hangs is killed");
}

/// Presses the keys until they are heard: the listener starts beside the server.
fn pressed_until(hand: &Hand, heard: impl Fn() -> bool) {
    let pressed = until(|| {
        hand.together(&[CONTROL, ALT, ESCAPE]);
        std::thread::sleep(Duration::from_millis(100));
        heard()
    });
    assert!(pressed, "the keys were not heard");
}

fn stop(pid: u32) {
    kill_process(Pid::from_raw(pid.cast_signed()).unwrap(), Signal::STOP).unwrap();
}

#[test]
fn a_halt_ends_commands_and_terminals_and_more_can_be_run_after_it() {
    let stage = Stage::new();
    let folder = tempfile::tempdir().unwrap();
    let scope = folder.path();
    let place = scope.display().to_string();
    let settings = [("DESKHAND_TOOLSETS", "cli"), ("AHMA_SANDBOX_SCOPE", &place)];
    let mut agent = Agent::set(&stage, Manner::Silent, &settings);
    let mark = format!("deskhand-halt-{}", std::process::id());
    let beats = |name: &str| format!(": {mark}; while :; do date >> {name}; sleep 0.05; done");
    agent.call("sandboxed_shell", json!({ "command": beats("shell") }));
    agent.call("terminal_start", json!({ "command": beats("terminal") }));
    let size = |name: &str| std::fs::metadata(scope.join(name)).map_or(0, |it| it.len());
    assert!(until(|| size("shell") > 0 && size("terminal") > 0), "both run");
    let outcome = halt(&stage);
    assert_eq!(outcome["killed"], json!([]), "{outcome}");
    let before = (size("shell"), size("terminal"));
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!((size("shell"), size("terminal")), before, "nothing goes on");
    let refused = agent.call("sandboxed_shell", json!({ "command": "echo x > late" }));
    assert!(refused.failed && refused.text.contains("halted"), "{refused:?}");
    resume(&stage);
    let ran = json!({ "command": "echo after > after", "execution_mode": "Synchronous" });
    agent.call("sandboxed_shell", ran);
    assert_eq!(std::fs::read_to_string(scope.join("after")).unwrap(), "after\n");
    assert!(!scope.join("late").exists());
}
