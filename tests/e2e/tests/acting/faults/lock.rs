//! A locked screen: real input would go into the password field of the screen locker.

use std::time::Duration;

use harness::actions::answer::Answer;
use harness::inspect::wait_until;
use harness::{App, Outcome, Program, TestDesktop};
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xinput::{ConnectionExt as _, EventMask, XIEventMask};
use x11rb::protocol::xproto::{
    ConnectionExt as _, CreateWindowAux, GrabMode, GrabStatus, Window, WindowClass,
};
use x11rb::rust_connection::RustConnection;

use crate::faults::{FAULTS, Running, call, expect_failure};

/// An X11 connection that receives raw key and button events, even while another client has a grab.
struct InputMonitor {
    x: RustConnection,
    root: Window,
}

impl InputMonitor {
    fn new(stage: &TestDesktop) -> Self {
        const ALL_MASTER_DEVICES: u16 = 1;
        let x = stage.info().connect_x11().unwrap();
        let root = x.setup().roots[0].root;
        x.xinput_xi_query_version(2, 2).unwrap().reply().unwrap();
        let raw = XIEventMask::RAW_KEY_PRESS | XIEventMask::RAW_BUTTON_PRESS;
        let mask = EventMask { deviceid: ALL_MASTER_DEVICES, mask: vec![raw] };
        x.xinput_xi_select_events(root, &[mask]).unwrap().check().unwrap();
        Self { x, root }
    }

    /// Number of keys and buttons pressed since the last call.
    fn take_press_count(&self) -> usize {
        self.x.get_input_focus().unwrap().reply().unwrap();
        let events = std::iter::from_fn(|| self.x.poll_for_event().unwrap());
        let is_press = |event: &Event| {
            matches!(event, Event::XinputRawKeyPress(_) | Event::XinputRawButtonPress(_))
        };
        events.filter(is_press).count()
    }

    /// Returns `true` if another client has grabbed the keyboard.
    ///
    /// The probe uses an unmapped window. A grab on it always fails, but with `ALREADY_GRABBED`
    /// only if another client has the grab.
    fn is_keyboard_grabbed(&self) -> bool {
        let window = self.x.generate_id().unwrap();
        let (nothing, class) = (CreateWindowAux::new(), WindowClass::INPUT_ONLY);
        self.x.create_window(0, window, self.root, 0, 0, 1, 1, 0, class, 0, &nothing).unwrap();
        let mode = GrabMode::ASYNC;
        let cookie = self.x.grab_keyboard(false, window, 0u32, mode, mode).unwrap();
        let status = cookie.reply().unwrap().status;
        self.x.destroy_window(window).unwrap();
        status == GrabStatus::ALREADY_GRABBED
    }

    /// Locks the screen until the returned program is dropped.
    fn lock(&self, stage: &TestDesktop) -> Program {
        let locker = Program::start(stage.command("i3lock").arg("--nofork"));
        assert!(wait_until(|| self.is_keyboard_grabbed()), "i3lock did not grab the keyboard");
        locker
    }
}

fn assert_refused_as_locked(outcome: &Outcome) {
    assert_eq!(expect_failure(outcome, &["not_sent"]), "screen_locked", "{outcome}");
    assert!(outcome.error()["message"].to_string().contains("i3lock"), "{outcome}");
}

#[test]
fn no_real_input_reaches_a_screen_locker() {
    let stage = TestDesktop::new();
    let program = stage.start(FAULTS);
    let pid = program.pid_text();
    let front = stage.start(App::Mousepad);
    let active = stage.window_inspector().active();
    let monitor = InputMonitor::new(&stage);
    let locker = monitor.lock(&stage);
    let commands: [&[&str]; 10] = [
        &["click", "Count", "--app", &pid, "--mode", "focus"],
        &["type", "words", "--into", "Words", "--app", &pid, "--mode", "focus"],
        &["key", "a", "--app", &pid, "--mode", "focus"],
        &["key", "a", "--app", &pid],
        &["key", "a"],
        &["pointer", "click", "700", "500"],
        &["pointer", "move", "10", "10"],
        &["pointer", "scroll", "--down", "2"],
        &["pointer", "drag", "700", "500", "720", "500"],
        &["drag", "Count", "Words", "--app", &pid],
    ];
    for args in commands {
        assert_refused_as_locked(&call(&stage, args));
    }
    assert_eq!((monitor.take_press_count(), stage.window_inspector().active()), (0, active));
    assert_eq!(program.next_line(Duration::from_millis(200)), None, "a button was pressed");

    let outcome = call(&stage, &["click", "Count", "--app", &pid]);
    assert_ne!(Answer::from_outcome(&outcome).word(), "failed", "{outcome}");
    program.wait_for("count 1");
    drop(locker);
    assert!(
        wait_until(|| !monitor.is_keyboard_grabbed()),
        "the keyboard is still grabbed after i3lock ended"
    );
    let outcome = call(&stage, &["click", "Count", "--app", &pid, "--mode", "focus"]);
    assert_ne!(Answer::from_outcome(&outcome).word(), "failed", "{outcome}");
    program.wait_for("count 2");
    drop(front);
}

#[test]
fn typing_stops_when_the_screen_is_locked() {
    let stage = TestDesktop::new();
    let program = stage.start(FAULTS);
    let pid = program.pid_text();
    let monitor = InputMonitor::new(&stage);
    let text = "words and more words ".repeat(20);
    let into = ["--into", "Words", "--mode", "focus", "--delay-ms", "50", "--app", &pid];
    let running = Running::start(&stage, &[&["type", &text], into.as_slice()].concat());
    program.wait_for("text \"w\"");
    let locker = monitor.lock(&stage);
    monitor.take_press_count();
    let outcome = running.end(Duration::from_secs(30));
    expect_failure(&outcome, &["unknown", "sent"]);
    assert!(outcome.error()["message"].to_string().contains("i3lock"), "{outcome}");
    assert!(monitor.take_press_count() <= 1, "more than the one key in flight arrived");
    drop(locker);
}

#[test]
fn open_menu_is_not_mistaken_for_a_screen_lock() {
    let stage = TestDesktop::new();
    let program = stage.start(App::Mousepad);
    let pid = program.pid_text();
    let monitor = InputMonitor::new(&stage);
    call(&stage, &["click", "role:menu title:File", "--app", &pid, "--mode", "focus"]).expect_ok();
    assert!(wait_until(|| monitor.is_keyboard_grabbed()), "the menu did not grab the keyboard");
    call(&stage, &["key", "Escape"]).expect_ok();
    assert!(wait_until(|| !monitor.is_keyboard_grabbed()), "the menu did not close");
}
