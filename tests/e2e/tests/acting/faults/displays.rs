//! The X server goes away, or its screen gets another size.

use std::time::Duration;

use deskhand_linux::private::Part;
use harness::Stage;
use harness::actions::answer::Answer;
use harness::desk::until;
use rustix::process::{Pid, Signal, kill_process};
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::ConnectionExt as _;

use crate::faults::{FAULTS, GRACE, PATIENCE, Running, call, failed, in_time, look};

fn end_x_server(stage: &Stage) {
    let server = stage.info().components.iter().find(|one| one.part == Part::Display).unwrap();
    let pid = Pid::from_raw(server.process.pid.cast_signed()).unwrap();
    kill_process(pid, Signal::KILL).unwrap();
}

#[test]
fn an_x_server_lost_while_waiting_means_nothing_was_sent() {
    for words in [
        ["click", "Never", "--mode", "focus"].as_slice(),
        &["type", "words", "--into", "Never", "--mode", "focus"],
    ] {
        let stage = Stage::new();
        let program = stage.start(FAULTS);
        let pid = program.pid_text();
        let running = Running::start(&stage, &[words, &["--app", &pid]].concat());
        std::thread::sleep(Duration::from_millis(600));
        end_x_server(&stage);
        failed(&in_time(running.end(PATIENCE + GRACE)), &["not_sent"]);
    }
}

#[test]
fn an_x_server_lost_while_typing_says_that_something_may_have_been_sent() {
    let stage = Stage::new();
    let program = stage.start(FAULTS);
    let pid = program.pid_text();
    let text = "words and more words ".repeat(20);
    let into = ["--into", "Words", "--mode", "focus", "--delay-ms", "50", "--app", &pid];
    let running = Running::start(&stage, &[&["type", &text], into.as_slice()].concat());
    // Its first letter has come.
    program.wait_for("text \"w\"");
    end_x_server(&stage);
    failed(&running.end(Duration::from_secs(30)), &["unknown", "sent"]);
}

#[test]
fn no_x_server_at_all_means_nothing_was_sent() {
    let stage = Stage::new();
    let program = stage.start(FAULTS);
    end_x_server(&stage);
    let pid = program.pid_text();
    let lines: [&[&str]; 4] = [
        &["click", "Count", "--app", &pid, "--mode", "focus"],
        &["pointer", "click", "10", "10"],
        &["key", "ctrl+s"],
        &["window", "move", &pid, "1", "1"],
    ];
    for words in lines {
        let outcome = call(&stage, words);
        assert_eq!(failed(&outcome, &["not_sent"]), "no_display", "{outcome}");
    }
    let look = call(&stage, &["windows"]);
    assert!(!look.stderr.contains("delivery"), "a look sends nothing to tell of: {look}");
}

/// Makes the screen smaller; openbox then moves windows into what is left.
fn shrink(stage: &Stage, (width, height): (u16, u16)) {
    let size = format!("{width}x{height}");
    let monitor = format!("{width}/300x{height}/200+0+0");
    // Xvfb takes the smaller screen and then complains that its only mode does not fit it.
    for line in [
        ["--output", "screen", "--off"].as_slice(),
        &["--fb", &size],
        &["--delmonitor", "display-1"],
        &["--setmonitor", "display-1", &monitor, "screen"],
    ] {
        stage.command("xrandr").args(line).output().unwrap();
    }
    let x = stage.info().connect_x11().unwrap();
    let root = x.setup().roots[0].root;
    let shrunk = until(|| {
        let now = x.get_geometry(root).unwrap().reply().unwrap();
        (now.width, now.height) == (width, height)
    });
    assert!(shrunk, "the screen did not become {size}");
}

#[test]
fn a_screen_resized_between_look_and_act_is_hit_all_the_same() {
    let stage = Stage::new();
    let program = stage.start(FAULTS);
    let pid = program.pid_text();
    stage.effect("window_move", &[&pid, "1500", "600"], "confirmed");
    let count = look(&stage, &program, "role:button title:Count");
    shrink(&stage, (1000, 700));
    let outcome = call(&stage, &["click", &count, "--app", &pid, "--mode", "focus"]);
    let pressed = program.line(Duration::from_millis(500));
    match Answer::of(&outcome) {
        Answer::Effect { effect, .. } if effect == "confirmed" || effect == "unverified" => {
            assert_eq!(pressed.as_deref(), Some("count 1"), "{outcome}");
        }
        Answer::Failed { delivery, .. } if delivery == "not_sent" => {
            assert_eq!(pressed, None, "{outcome}");
        }
        Answer::Effect { .. } | Answer::Failed { .. } | Answer::Garbled(_) => panic!("{outcome}"),
    }
    let shown = call(&stage, &["display", "list"]).json();
    assert_eq!(shown[0]["frame"]["width"], 1000, "{shown}");
}

#[test]
fn a_point_outside_the_screen_is_refused_after_it_shrank() {
    let stage = Stage::new();
    shrink(&stage, (1000, 700));
    let outcome = call(&stage, &["pointer", "click", "1500", "650"]);
    failed(&outcome, &["not_sent"]);
}
