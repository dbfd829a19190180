//! Write-blocked apps can be read, but get no input and no changes by any tool.

use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use harness::{App, Program, TestDesktop};
use x11rb::CURRENT_TIME;
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    ConfigureWindowAux, ConnectionExt as _, CreateWindowAux, EventMask, InputFocus, StackMode,
    WindowClass,
};

use harness::event_recorder::EventRecorder;

const BLOCKED: &str = "write_blocked = [\"**/gtk3_events.py\"]\ndefault_write_blocked = false";

fn point_args((x, y): (i32, i32)) -> [String; 2] {
    [x.to_string(), y.to_string()]
}

/// Titles of the elements of the calculator, which include its display.
fn titles(stage: &TestDesktop, calc: &Program) -> Vec<String> {
    stage.tree(calc).elements.into_iter().map(|one| one.title).collect()
}

#[test]
fn blocked_app_gets_no_pointer_and_key_events() {
    let stage = TestDesktop::new();
    let app = EventRecorder::start(&stage);
    let at = point_args(app.inside(60, 60));
    let [x, y] = [at[0].as_str(), at[1].as_str()];
    stage.call("pointer_click", &[x, y]).expect_ok();
    let received = app.take_events();
    assert_eq!(
        app.button_summary(&received),
        ["down 1", "up 1"],
        "without a rule the click must arrive"
    );
    stage.call("key", &["a"]).expect_ok();
    assert!(!app.key_summary().is_empty());
    stage.call("pointer_move", &["5", "5"]).expect_ok();
    app.clear_events();
    stage.write_app_rules(BLOCKED);
    let far = point_args(app.inside(200, 200));
    let pid = app.program.pid_text();
    for (tool, arguments) in [
        ("pointer_click", &[x, y][..]),
        ("pointer_click", &[x, y, "--button", "right"]),
        ("pointer_move", &[x, y]),
        ("pointer_hover", &[x, y]),
        ("pointer_drag", &["5", "5", x, y]),
        ("pointer_scroll", &["--down", "3", "--x", x, "--y", y]),
        ("pointer_down", &["--x", x, "--y", y]),
        ("key", &["a"]),
        ("key", &["ctrl+q"]),
        ("key", &["b", "--app", &pid]),
    ] {
        let outcome = stage.call(tool, arguments);
        let error = outcome.error();
        let code = error["code"].as_str().unwrap_or_default().to_owned();
        assert!(code == "write_blocked", "{outcome}");
        // The drag starts at an allowed point.
        let delivery = if tool == "pointer_drag" { "sent" } else { "not_sent" };
        assert_eq!(error["delivery"], delivery, "{outcome}");
    }
    let received = app.take_events();
    let input_events: Vec<_> = received.iter().filter(|one| one["event"] != "focus").collect();
    assert!(input_events.is_empty(), "{far:?}: {input_events:?}");
    assert_eq!((app.keys_down(&stage), app.master_keyboards(&stage)), (Vec::new(), 1));
}

#[test]
fn keys_are_checked_against_the_window_under_the_pointer() {
    let stage = TestDesktop::new();
    let app = EventRecorder::start(&stage);
    let [x, y] = point_args(app.inside(60, 60));
    stage.call("pointer_move", &[&x, &y]).expect_ok();
    let connection = stage.info().connect_x11().unwrap();
    let root = connection.setup().roots[0].root;
    for focus in [root, u32::from(InputFocus::POINTER_ROOT)] {
        let cookie = connection.set_input_focus(InputFocus::POINTER_ROOT, focus, CURRENT_TIME);
        cookie.unwrap().check().unwrap();
        stage.write_app_rules("default_write_blocked = false");
        stage.call("key", &["a"]).expect_ok();
        assert!(!app.key_summary().is_empty(), "the window under the pointer must get the key");
        app.take_events();
        app.clear_events();
        stage.write_app_rules(BLOCKED);
        let error = stage.call("key", &["b"]).expect_error("write_blocked");
        assert_eq!(error["delivery"], "not_sent", "{error}");
        assert!(app.take_events().iter().all(|one| one["event"] == "focus"));
        app.clear_events();
    }
}

#[test]
fn blocked_app_is_readable_and_not_changed() {
    let stage = TestDesktop::new();
    let calc = stage.start(App::Kcalc);
    let window = stage.window_inspector().window_of(calc.pid());
    let id = window.to_string();
    let (before, frame) = (titles(&stage, &calc), stage.window_inspector().frame(window));
    stage.write_app_rules("write_blocked = [\"org.kde.kcalc\"]\ndefault_write_blocked = false");
    let pid = calc.pid_text();
    stage.call("tree", &["--app", &pid]).expect_ok();
    stage.call("find", &["role:button title:7", "--app", &pid]).expect_ok();
    stage.call("screenshot", &["--app", &pid]).expect_ok();
    for (tool, arguments) in [
        ("click", &["role:button title:7", "--app", &pid][..]),
        ("click", &["role:button title:7", "--app", &pid, "--mode", "focus"]),
        ("act", &["press", "role:button title:7", "--app", &pid]),
        ("focus", &["role:button title:7", "--app", &pid]),
        ("window_move", &[&id, "5", "5"]),
        ("window_resize", &[&id, "900", "900"]),
        ("window_minimize", &[&id]),
        ("window_maximize", &[&id]),
        ("window_focus", &[&id]),
        ("window_close", &[&id]),
        ("window_close", &[&id, "--force"]),
        ("quit", &[&pid]),
        ("quit", &[&pid, "--force"]),
        ("open", &["kcalc"]),
    ] {
        let outcome = stage.call(tool, arguments);
        let error = outcome.expect_error("write_blocked");
        assert_eq!(error["delivery"], "not_sent", "{outcome}");
        assert!(error["hint"].as_str().unwrap().contains("security.toml"), "{error}");
    }
    assert_eq!(titles(&stage, &calc), before);
    assert_eq!(stage.window_inspector().frame(window), frame);
    assert!(harness::inspect::is_running(calc.pid()) && stage.window_inspector().is_shown(window));
    stage.write_app_rules("default_write_blocked = false");
    stage.call("click", &["role:button title:7", "--app", &pid]).expect_ok();
    assert_ne!(titles(&stage, &calc), before, "without a rule the click must change the display");
}

#[test]
fn terminals_are_write_blocked_by_default() {
    let stage = TestDesktop::new();
    let terminal = stage.launch(App::Xterm);
    let window = stage.window_inspector().window_of(terminal.pid());
    let frame = stage.window_inspector().frame(window);
    stage.write_app_rules("");
    stage.real_input().click((frame.x + 100, frame.y + 100));
    // The shell of the terminal starts in the home folder of the desktop.
    stage.real_input().type_text("touch typed");
    let file = stage.info().home.join("typed");
    stage.call("key", &["Return"]).expect_error("write_blocked");
    let [x, y] = point_args((frame.x + 50, frame.y + 100));
    stage.call("pointer_click", &[&x, &y]).expect_error("write_blocked");
    stage.call("window_close", &[&window.to_string()]).expect_error("write_blocked");
    stage.call("open", &["xterm", "--", "-e", "true"]).expect_error("write_blocked");
    stage.call("open", &["sh", "--", "-c", "exec xterm"]).expect_error("write_blocked");
    stage.call("screenshot", &["--app", "xterm"]).expect_ok();
    assert!(!file.exists() && harness::inspect::is_running(terminal.pid()));
    stage.write_app_rules("default_write_blocked = false");
    stage.call("key", &["Return"]).expect_ok();
    assert!(harness::inspect::wait_until(|| file.exists()), "without the rule the key must arrive");
}

#[test]
fn parent_app_of_the_server_is_write_blocked() {
    let stage = TestDesktop::new();
    stage.write_app_rules("");
    let output = stage.info().home.join("output.json");
    let binary = harness::outcome::binary().display().to_string();
    let parent = stage.start_with(App::Fixture("gtk3_parent.py", &[]), |command| {
        command.arg(&output).args([&binary, "click", "Press me", "--app", "gtk3_parent.py"]);
        command.args(["--format", "json"]);
    });
    assert!(harness::inspect::wait_until(
        || fs::read_to_string(&output).is_ok_and(|text| text.contains('}'))
    ));
    let text = fs::read_to_string(&output).unwrap();
    assert!(text.contains("write_blocked"), "{text}");
    let pid = parent.pid_text();
    let done = stage.call("click", &["Press me", "--app", &pid]);
    assert_eq!(done.json()["effect"], "confirmed", "a click from another process must work");
}

#[test]
fn denied_window_appearing_under_the_pointer_gets_no_input() {
    let stage = TestDesktop::new();
    let witness = EventRecorder::start(&stage);
    let [x, y] = point_args(witness.inside(100, 100));
    let (left, top) = witness.inside(80, 80);
    stage.call("pointer_move", &[&x, &y]).expect_ok();
    let executable = fs::canonicalize(std::env::current_exe().unwrap()).unwrap();
    let denied = format!("denied = [{:?}]", executable.display().to_string());
    stage.write_app_rules(&format!("{denied}\ndefault_write_blocked = false"));
    let (stopped, hits) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let flicker = {
        let (stopped, hits) = (Arc::clone(&stopped), Arc::clone(&hits));
        let connection = stage.info().connect_x11().unwrap();
        std::thread::spawn(move || flicker(&connection, (left, top), &stopped, &hits))
    };
    // The test uses the wheel because window managers grab button presses and replay them.
    let (mut refused, mut sent) = (0, 0);
    for _ in 0..40 {
        let outcome = stage.call("pointer_scroll", &["--down", "1"]);
        match outcome.code {
            Some(0) => sent += 1,
            _ => {
                outcome.expect_error("app_blocked");
                refused += 1;
            }
        }
    }
    stopped.store(true, Ordering::Relaxed);
    flicker.join().unwrap();
    assert_eq!(hits.load(Ordering::Relaxed), 0, "{refused} refused, {sent} sent");
    assert!(refused > 0 && sent > 0, "{refused} refused, {sent} sent");
    assert!(!witness.events("scroll").is_empty());
}

/// Maps and unmaps a window at a point in a loop, and counts the clicks that it receives.
fn flicker(
    connection: &impl x11rb::connection::Connection,
    (x, y): (i32, i32),
    stopped: &AtomicBool,
    hits: &AtomicUsize,
) {
    let window = connection.generate_id().unwrap();
    let root = connection.setup().roots[0].root;
    let attributes = CreateWindowAux::new()
        .override_redirect(1)
        .background_pixel(0xff_0000)
        .event_mask(EventMask::BUTTON_PRESS | EventMask::ENTER_WINDOW);
    let (x, y) = (i16::try_from(x).unwrap(), i16::try_from(y).unwrap());
    let class = WindowClass::INPUT_OUTPUT;
    connection.create_window(0, window, root, x, y, 40, 40, 0, class, 0, &attributes).unwrap();
    let front = ConfigureWindowAux::new().stack_mode(StackMode::ABOVE);
    while !stopped.load(Ordering::Relaxed) {
        connection.map_window(window).unwrap();
        connection.configure_window(window, &front).unwrap();
        connection.flush().unwrap();
        std::thread::sleep(Duration::from_millis(fastrand::u64(0..20)));
        connection.unmap_window(window).unwrap();
        connection.flush().unwrap();
        while let Ok(Some(event)) = connection.poll_for_event() {
            hits.fetch_add(usize::from(matches!(event, Event::ButtonPress(_))), Ordering::Relaxed);
        }
        std::thread::sleep(Duration::from_millis(fastrand::u64(0..20)));
    }
    connection.get_input_focus().unwrap().reply().unwrap();
    while let Ok(Some(event)) = connection.poll_for_event() {
        hits.fetch_add(usize::from(matches!(event, Event::ButtonPress(_))), Ordering::Relaxed);
    }
}
