//! `halt` stops running and new calls on a real desktop, even if the server hangs.

use std::time::Duration;

use harness::{
    App, Outcome, Program, TestDesktop,
    input::RealInput,
    inspect::{is_running, wait_until},
    mcp::{Elicitation, McpClient},
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use x11rb::{
    connection::Connection,
    protocol::xproto::{ConnectionExt as _, KeyButMask},
};

use harness::event_recorder::EventRecorder;

const ESCAPE: u32 = 0xff1b;
const CONTROL: u32 = 0xffe3;
const ALT: u32 = 0xffe9;

/// Returns `true` if the left mouse button is down in the X server.
fn is_button_down(stage: &TestDesktop) -> bool {
    let x = stage.info().connect_x11().unwrap();
    let root = x.setup().roots[0].root;
    let state = x.query_pointer(root).unwrap().reply().unwrap().mask;
    state.contains(KeyButMask::BUTTON1)
}

/// Number of keys that are down in the X server.
fn keys_down(stage: &TestDesktop) -> u32 {
    let x = stage.info().connect_x11().unwrap();
    x.query_keymap().unwrap().reply().unwrap().keys.iter().map(|byte| byte.count_ones()).sum()
}

fn halt(stage: &TestDesktop) -> Value {
    stage.deskhand(&["halt", "--reason", "enough", "--format", "json"]).json()
}

fn resume(stage: &TestDesktop) -> Value {
    stage.deskhand(&["resume", "--format", "json"]).json()
}

/// Starts a drag of 30 seconds through the witness window and waits until its button is down.
fn begin_drag(
    stage: &TestDesktop,
    agent: &mut McpClient,
    app: &EventRecorder,
) -> (u64, (i32, i32)) {
    let (from, to) = (app.inside(60, 60), app.inside(400, 240));
    let arguments = json!({
        "app": app.program.pid_text(),
        "from_x": from.0, "from_y": from.1, "to_x": to.0, "to_y": to.1,
        "duration_ms": 30_000,
    });
    let id = agent.begin("tools/call", &json!({ "name": "ax_drag", "arguments": arguments }));
    assert!(wait_until(|| is_button_down(stage)), "the drag did not start");
    (id, from)
}

#[test]
fn halt_cancels_a_drag_at_its_start_point_and_refuses_calls_until_resume() {
    let stage = TestDesktop::new();
    let app = EventRecorder::start(&stage);
    let mut agent = McpClient::start(&stage, Elicitation::Unsupported);
    let (id, from) = begin_drag(&stage, &mut agent, &app);
    assert!(
        wait_until(|| stage.window_inspector().pointer() != (from.0 as i16, from.1 as i16)),
        "the pointer did not move"
    );
    let outcome = halt(&stage);
    assert!(!is_button_down(&stage), "the button must be up when `halt` returns");
    assert_eq!(outcome["answered"], json!([agent.pid()]), "{outcome}");
    assert_eq!(outcome["killed"], json!([]));
    let result = agent.response(id);
    assert_eq!(result["result"]["isError"], true, "{result}");
    assert!(result.to_string().contains("everything is halted: enough"), "{result}");
    let released = app.events("up");
    let at: Vec<&Value> = released.iter().map(|one| &one["at"]).collect();
    assert_eq!(
        at,
        [&json!([from.0, from.1])],
        "the button must be released at the start point: {released:?}"
    );
    let pointer = stage.window_inspector().pointer();
    let pid = app.program.pid_text();
    for (tool, arguments) in [
        ("ax_click_at", json!({ "x": 5, "y": 5 })),
        ("ax_get_tree", json!({ "app": pid })),
        ("ax_key_press", json!({ "app": pid, "keys": "a" })),
    ] {
        let error = agent.refused(tool, arguments);
        assert!(error.contains("halted"), "{tool}: {error}");
    }
    let cli_error = stage.call("pointer_move", &["7", "7"]).expect_error("halted");
    assert_eq!(cli_error["delivery"], "not_sent");
    assert_eq!(stage.window_inspector().pointer(), pointer);
    let mut later = McpClient::start(&stage, Elicitation::Unsupported);
    assert!(later.refused("ax_list_apps", json!({})).contains("halted"));
    let outcome = resume(&stage);
    assert_eq!(outcome["state"], "resumed", "{outcome}");
    agent.ok("ax_get_tree", json!({ "app": pid }));
    later.ok("ax_list_apps", json!({}));
    stage.call("pointer_move", &["7", "7"]).expect_ok();
    assert_eq!(resume(&stage)["state"], "not_halted");
}

#[test]
fn halt_releases_a_button_that_a_killed_server_holds() {
    let stage = TestDesktop::new();
    let app = EventRecorder::start(&stage);
    let mut agent = McpClient::start(&stage, Elicitation::Unsupported);
    begin_drag(&stage, &mut agent, &app);
    let server = Pid::from_raw(agent.pid().cast_signed()).unwrap();
    kill_process(server, Signal::KILL).unwrap();
    assert!(wait_until(|| !is_running(agent.pid())), "the server is still running");
    assert!(is_button_down(&stage), "the button is no longer down");
    let outcome = halt(&stage);
    assert!(!is_button_down(&stage), "the button must be up when `halt` returns");
    assert_eq!(outcome["not_released"], Value::Null, "{outcome}");
    resume(&stage);
}

#[test]
fn halt_stops_slow_typing_with_every_key_released() {
    let stage = TestDesktop::new();
    let app = stage.start(App::Mousepad);
    let typed_length = |stage: &TestDesktop| {
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
    assert!(wait_until(|| typed_length(&stage) > 3), "no text was typed");
    let outcome = halt(&stage);
    assert_eq!(outcome["killed"], json!([]), "{outcome}");
    let (before, down) = (typed_length(&stage), keys_down(&stage));
    assert!(before < text.len() && down == 0, "{before} typed, {down} keys down");
    assert!(wait_until(|| !typing.is_alive()), "the command did not end");
    assert_eq!(typed_length(&stage), before, "text was typed after the halt");
    resume(&stage);
}

#[test]
fn hung_server_is_killed_and_its_button_released() {
    let stage = TestDesktop::new();
    let app = EventRecorder::start(&stage);
    let mut agent = McpClient::start(&stage, Elicitation::Unsupported);
    begin_drag(&stage, &mut agent, &app);
    let server = agent.pid();
    suspend(server);
    assert!(is_button_down(&stage));
    // Root can read the environment of the server. Drop those capabilities, as for a normal user.
    let as_normal_user = |program: &str| {
        let mut command = stage.command("setpriv");
        command.arg("--bounding-set=-sys_ptrace,-perfmon,-sys_admin").arg(program);
        command
    };
    let environ = Outcome::of(as_normal_user("cat").arg(format!("/proc/{server}/environ")));
    assert_eq!(environ.code, Some(1), "{environ}");
    let mut command = as_normal_user(&harness::outcome::binary().display().to_string());
    let outcome = Outcome::of(command.args(["halt", "--format", "json"])).json();
    assert_eq!(outcome["killed"], json!([server]), "{outcome}");
    assert!(!is_running(server) && !is_button_down(&stage));
    let unfinished = ["audit-log", "show", "--result", "unfinished", "--format", "json"];
    let records = stage.deskhand(&unfinished).json();
    assert_eq!(records[0]["tool"], "ax_drag", "the log must show the unfinished call: {records}");
    resume(&stage);
}

#[test]
fn halt_keys_work_in_an_open_menu_and_with_a_hung_server() {
    let stage = TestDesktop::new();
    let app = stage.start(App::Mousepad);
    let mut agent = McpClient::start(&stage, Elicitation::Unsupported);
    let hand = stage.real_input();
    let pid = app.pid_text();
    let is_halted = || stage.info().folders.runtime.join("flag").exists();
    agent.ok("ax_get_tree", json!({ "app": pid }));
    press_halt_keys_until(&hand, is_halted);
    assert!(agent.refused("ax_get_tree", json!({ "app": pid })).contains("Escape was pressed"));
    resume(&stage);
    // An open menu grabs the keyboard.
    hand.chord(&[ALT, u32::from('f')]);
    let is_menu_open = |tree: &harness::Tree| {
        let showing = |one: &harness::Element| one.states.iter().any(|state| state == "showing");
        tree.find(|one| one.role == "AXMenuItem" && one.title.starts_with("Open") && showing(one))
            .is_some()
    };
    stage.until(&app, "the open menu", is_menu_open);
    press_halt_keys_until(&hand, is_halted);
    assert!(agent.refused("ax_get_tree", json!({ "app": pid })).contains("Escape was pressed"));
    resume(&stage);
    agent.ok("ax_get_tree", json!({ "app": pid }));
    let server = agent.pid();
    suspend(server);
    press_halt_keys_until(&hand, is_halted);
    assert!(wait_until(|| !is_running(server)), "the hung server was not killed");
}

/// Presses the halt keys until `is_halted` returns `true`. The listener starts together with the
/// server and may need a moment.
fn press_halt_keys_until(hand: &RealInput, is_halted: impl Fn() -> bool) {
    let pressed = wait_until(|| {
        hand.chord(&[CONTROL, ALT, ESCAPE]);
        std::thread::sleep(Duration::from_millis(100));
        is_halted()
    });
    assert!(pressed, "the halt keys had no effect");
}

fn suspend(pid: u32) {
    kill_process(Pid::from_raw(pid.cast_signed()).unwrap(), Signal::STOP).unwrap();
}

#[test]
fn halt_ends_commands_and_terminals_and_resume_allows_new_ones() {
    let stage = TestDesktop::new();
    let folder = tempfile::tempdir().unwrap();
    let scope = folder.path();
    let scope_arg = scope.display().to_string();
    let settings = [("DESKHAND_TOOLSETS", "cli"), ("AHMA_SANDBOX_SCOPE", &scope_arg)];
    let mut agent = McpClient::start_with_env(&stage, Elicitation::Unsupported, &settings);
    let marker = format!("deskhand-halt-{}", std::process::id());
    let write_loop =
        |name: &str| format!(": {marker}; while :; do date >> {name}; sleep 0.05; done");
    agent.call("sandboxed_shell", json!({ "command": write_loop("shell") }));
    agent.call("terminal_start", json!({ "command": write_loop("terminal") }));
    let size = |name: &str| std::fs::metadata(scope.join(name)).map_or(0, |it| it.len());
    assert!(wait_until(|| size("shell") > 0 && size("terminal") > 0), "the commands did not start");
    let outcome = halt(&stage);
    assert_eq!(outcome["killed"], json!([]), "{outcome}");
    let before = (size("shell"), size("terminal"));
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!((size("shell"), size("terminal")), before, "a command continued after the halt");
    let refused = agent.call("sandboxed_shell", json!({ "command": "echo x > late" }));
    assert!(refused.failed && refused.text.contains("halted"), "{refused:?}");
    resume(&stage);
    let ran = json!({ "command": "echo after > after", "execution_mode": "Synchronous" });
    agent.call("sandboxed_shell", ran);
    assert_eq!(std::fs::read_to_string(scope.join("after")).unwrap(), "after\n");
    assert!(!scope.join("late").exists());
}
