//! The screen is locked: real input would go into the locker's password field.

use std::time::Duration;

use harness::actions::answer::Answer;
use harness::desk::until;
use harness::{App, Outcome, Program, Stage};
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xinput::{ConnectionExt as _, EventMask, XIEventMask};
use x11rb::protocol::xproto::{
    ConnectionExt as _, CreateWindowAux, GrabMode, GrabStatus, Window, WindowClass,
};
use x11rb::rust_connection::RustConnection;

use crate::faults::{FAULTS, Running, call, failed};

/// A connection that hears every key and button, whoever holds them.
struct Witness {
    x: RustConnection,
    root: Window,
}

impl Witness {
    fn new(stage: &Stage) -> Self {
        const EVERY_MASTER: u16 = 1;
        let x = stage.info().connect_x11().unwrap();
        let root = x.setup().roots[0].root;
        x.xinput_xi_query_version(2, 2).unwrap().reply().unwrap();
        let raw = XIEventMask::RAW_KEY_PRESS | XIEventMask::RAW_BUTTON_PRESS;
        let mask = EventMask { deviceid: EVERY_MASTER, mask: vec![raw] };
        x.xinput_xi_select_events(root, &[mask]).unwrap().check().unwrap();
        Self { x, root }
    }

    /// How many keys and buttons went down since the last time.
    fn pressed(&self) -> usize {
        self.x.get_input_focus().unwrap().reply().unwrap();
        let events = std::iter::from_fn(|| self.x.poll_for_event().unwrap());
        let is_press = |event: &Event| {
            matches!(event, Event::XinputRawKeyPress(_) | Event::XinputRawButtonPress(_))
        };
        events.filter(is_press).count()
    }

    /// Whether some program holds the keyboard: a window that is not shown cannot, and is told so
    /// only when nobody else does.
    fn is_held(&self) -> bool {
        let window = self.x.generate_id().unwrap();
        let (nothing, class) = (CreateWindowAux::new(), WindowClass::INPUT_ONLY);
        self.x.create_window(0, window, self.root, 0, 0, 1, 1, 0, class, 0, &nothing).unwrap();
        let mode = GrabMode::ASYNC;
        let asked = self.x.grab_keyboard(false, window, 0u32, mode, mode).unwrap();
        let status = asked.reply().unwrap().status;
        self.x.destroy_window(window).unwrap();
        status == GrabStatus::ALREADY_GRABBED
    }

    /// Locks the screen, until the program is dropped.
    fn lock(&self, stage: &Stage) -> Program {
        let locker = Program::start(stage.command("i3lock").arg("--nofork"));
        assert!(until(|| self.is_held()), "i3lock does not lock");
        locker
    }
}

fn is_locked(outcome: &Outcome) {
    assert_eq!(failed(outcome, &["not_sent"]), "screen_locked", "{outcome}");
    assert!(outcome.error()["message"].to_string().contains("i3lock"), "{outcome}");
}

#[test]
fn nothing_real_is_sent_to_a_screen_locker() {
    let stage = Stage::new();
    let program = stage.start(FAULTS);
    let pid = program.pid_text();
    let front = stage.start(App::Mousepad);
    let active = stage.desk().active();
    let witness = Witness::new(&stage);
    let locker = witness.lock(&stage);
    let lines: [&[&str]; 10] = [
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
    for words in lines {
        is_locked(&call(&stage, words));
    }
    assert_eq!((witness.pressed(), stage.desk().active()), (0, active));
    assert_eq!(program.line(Duration::from_millis(200)), None, "nothing was pressed");

    let outcome = call(&stage, &["click", "Count", "--app", &pid]);
    assert_ne!(Answer::of(&outcome).word(), "failed", "{outcome}");
    program.wait_for("count 1");
    drop(locker);
    assert!(until(|| !witness.is_held()), "i3lock is gone");
    let outcome = call(&stage, &["click", "Count", "--app", &pid, "--mode", "focus"]);
    assert_ne!(Answer::of(&outcome).word(), "failed", "{outcome}");
    program.wait_for("count 2");
    drop(front);
}

#[test]
fn a_screen_locked_while_it_is_typed_gets_no_more_keys() {
    let stage = Stage::new();
    let program = stage.start(FAULTS);
    let pid = program.pid_text();
    let witness = Witness::new(&stage);
    let text = "words and more words ".repeat(20);
    let into = ["--into", "Words", "--mode", "focus", "--delay-ms", "50", "--app", &pid];
    let running = Running::start(&stage, &[&["type", &text], into.as_slice()].concat());
    program.wait_for("text \"w\"");
    let locker = witness.lock(&stage);
    witness.pressed();
    let outcome = running.end(Duration::from_secs(30));
    failed(&outcome, &["unknown", "sent"]);
    assert!(outcome.error()["message"].to_string().contains("i3lock"), "{outcome}");
    assert!(witness.pressed() <= 1, "a key that was under way");
    drop(locker);
}

#[test]
fn an_open_menu_is_no_lock() {
    let stage = Stage::new();
    let program = stage.start(App::Mousepad);
    let pid = program.pid_text();
    let witness = Witness::new(&stage);
    call(&stage, &["click", "role:menu title:File", "--app", &pid, "--mode", "focus"]).expect_ok();
    assert!(until(|| witness.is_held()), "the menu holds the keyboard");
    call(&stage, &["key", "Escape"]).expect_ok();
    assert!(until(|| !witness.is_held()), "the menu has closed");
}
