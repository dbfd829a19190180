//! The X server exits, or the screen changes size.

use std::time::Duration;

use deskhand_linux::private::ComponentKind;
use harness::TestDesktop;
use harness::actions::answer::Answer;
use harness::inspect::wait_until;
use rustix::process::{Pid, Signal, kill_process};
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::ConnectionExt as _;

use crate::faults::{
    FAULTS, GRACE, Running, TIMEOUT, assert_in_time, call, expect_failure, find_ref,
};

fn kill_x_server(stage: &TestDesktop) {
    let server =
        stage.info().components.iter().find(|one| one.kind == ComponentKind::Display).unwrap();
    let pid = Pid::from_raw(server.process.pid.cast_signed()).unwrap();
    kill_process(pid, Signal::KILL).unwrap();
}

#[test]
fn x_server_lost_while_waiting_is_reported_as_not_sent() {
    for args in [
        ["click", "Never", "--mode", "focus"].as_slice(),
        &["type", "words", "--into", "Never", "--mode", "focus"],
    ] {
        let stage = TestDesktop::new();
        let program = stage.start(FAULTS);
        let pid = program.pid_text();
        let running = Running::start(&stage, &[args, &["--app", &pid]].concat());
        std::thread::sleep(Duration::from_millis(600));
        kill_x_server(&stage);
        expect_failure(&assert_in_time(running.end(TIMEOUT + GRACE)), &["not_sent"]);
    }
}

#[test]
fn x_server_lost_while_typing_is_reported_as_maybe_sent() {
    let stage = TestDesktop::new();
    let program = stage.start(FAULTS);
    let pid = program.pid_text();
    let text = "words and more words ".repeat(20);
    let into = ["--into", "Words", "--mode", "focus", "--delay-ms", "50", "--app", &pid];
    let running = Running::start(&stage, &[&["type", &text], into.as_slice()].concat());
    // The first letter has arrived in the app.
    program.wait_for("text \"w\"");
    kill_x_server(&stage);
    expect_failure(&running.end(Duration::from_secs(30)), &["unknown", "sent"]);
}

#[test]
fn missing_x_server_is_reported_as_not_sent() {
    let stage = TestDesktop::new();
    let program = stage.start(FAULTS);
    kill_x_server(&stage);
    let pid = program.pid_text();
    let commands: [&[&str]; 4] = [
        &["click", "Count", "--app", &pid, "--mode", "focus"],
        &["pointer", "click", "10", "10"],
        &["key", "ctrl+s"],
        &["window", "move", &pid, "1", "1"],
    ];
    for args in commands {
        let outcome = call(&stage, args);
        assert_eq!(expect_failure(&outcome, &["not_sent"]), "no_display", "{outcome}");
    }
    let listing = call(&stage, &["windows"]);
    assert!(!listing.stderr.contains("delivery"), "a read has no delivery: {listing}");
}

/// Shrinks the screen. openbox then moves windows into the remaining area.
fn shrink_screen(stage: &TestDesktop, (width, height): (u16, u16)) {
    let size = format!("{width}x{height}");
    let monitor = format!("{width}/300x{height}/200+0+0");
    // Xvfb applies the smaller size and then reports that its only mode does not fit.
    for options in [
        ["--output", "screen", "--off"].as_slice(),
        &["--fb", &size],
        &["--delmonitor", "display-1"],
        &["--setmonitor", "display-1", &monitor, "screen"],
    ] {
        stage.command("xrandr").args(options).output().unwrap();
    }
    let x = stage.info().connect_x11().unwrap();
    let root = x.setup().roots[0].root;
    let shrunk = wait_until(|| {
        let now = x.get_geometry(root).unwrap().reply().unwrap();
        (now.width, now.height) == (width, height)
    });
    assert!(shrunk, "the screen did not become {size}");
}

#[test]
fn click_after_a_screen_resize_hits_the_element_or_is_not_sent() {
    let stage = TestDesktop::new();
    let program = stage.start(FAULTS);
    let pid = program.pid_text();
    stage.effect("window_move", &[&pid, "1500", "600"], "confirmed");
    let count = find_ref(&stage, &program, "role:button title:Count");
    shrink_screen(&stage, (1000, 700));
    let outcome = call(&stage, &["click", &count, "--app", &pid, "--mode", "focus"]);
    let pressed = program.next_line(Duration::from_millis(500));
    match Answer::from_outcome(&outcome) {
        Answer::Effect { effect, .. } if effect == "confirmed" || effect == "unverified" => {
            assert_eq!(pressed.as_deref(), Some("count 1"), "{outcome}");
        }
        Answer::Failed { delivery, .. } if delivery == "not_sent" => {
            assert_eq!(pressed, None, "{outcome}");
        }
        Answer::Effect { .. } | Answer::Failed { .. } | Answer::Unparsable(_) => {
            panic!("{outcome}")
        }
    }
    let displays = call(&stage, &["display", "list"]).json();
    assert_eq!(displays[0]["frame"]["width"], 1000, "{displays}");
}

#[test]
fn point_outside_the_shrunk_screen_is_refused() {
    let stage = TestDesktop::new();
    shrink_screen(&stage, (1000, 700));
    let outcome = call(&stage, &["pointer", "click", "1500", "650"]);
    expect_failure(&outcome, &["not_sent"]);
}
