//! Apps that die, freeze, close their window or ask a question.

use std::time::Duration;

use harness::Stage;
use harness::actions::answer::Answer;
use rustix::process::Signal;

use crate::faults::{FAULTS, GRACE, PATIENCE, Running, call, failed, in_time, look};

#[test]
fn an_app_that_dies_of_a_click_was_clicked_and_is_gone() {
    let stage = Stage::new();
    for mode in ["background", "focus"] {
        let program = stage.start(FAULTS);
        let pid = program.pid_text();
        let outcome = call(&stage, &["click", "Die", "--app", &pid, "--mode", mode]);
        program.wait_for("dying");
        match Answer::of(&outcome) {
            // The button was pressed and is gone with its window.
            Answer::Effect { effect, .. } => {
                assert!(matches!(effect.as_str(), "confirmed" | "unverified"), "{outcome}");
            }
            Answer::Failed { delivery, .. } => {
                assert!(matches!(delivery.as_str(), "sent" | "unknown"), "{outcome}");
            }
            Answer::Garbled(text) => panic!("{text}"),
        }
    }
}

#[test]
fn an_app_killed_while_it_is_asked_is_no_success() {
    let stage = Stage::new();
    let lines: [&[&str]; 3] =
        [&["click", "Count"], &["type", "words", "--into", "Words"], &["set", "Words", "words"]];
    for words in lines {
        let program = stage.start(FAULTS);
        let pid = program.pid_text();
        // It takes what is sent and reads none of it.
        program.signal(Signal::STOP);
        let running = Running::start(&stage, &[words, &["--app", &pid]].concat());
        std::thread::sleep(Duration::from_millis(700));
        program.signal(Signal::KILL);
        let outcome = in_time(running.end(PATIENCE + GRACE));
        failed(&outcome, &["not_sent", "unknown", "sent"]);
        assert_eq!(program.line(Duration::from_millis(200)), None, "it did nothing");
    }
}

#[test]
fn an_app_that_freezes_of_a_click_is_no_hang() {
    let stage = Stage::new();
    let program = stage.start(FAULTS);
    let outcome = call(&stage, &["click", "Freeze", "--app", &program.pid_text()]);
    program.wait_for("freezing");
    match Answer::of(&outcome) {
        Answer::Effect { effect, .. } => assert_eq!(effect, "unverified", "{outcome}"),
        Answer::Failed { delivery, .. } => {
            assert!(matches!(delivery.as_str(), "sent" | "unknown"), "{outcome}");
        }
        Answer::Garbled(text) => panic!("{text}"),
    }
}

#[test]
fn an_app_that_takes_long_to_take_the_keyboard_is_typed_into() {
    let stage = Stage::new();
    let program = stage.start(FAULTS);
    let pid = program.pid_text();
    let words = ["type", "words", "--into", "Slow", "--app", &pid, "--mode", "focus"];
    let outcome = stage.deskhand(&[&words[..], &["--timeout", "15", "--format", "json"]].concat());
    program.wait_for("slow \"words\"");
    assert_eq!(outcome.json()["effect"], "confirmed", "{outcome}");
}

#[test]
fn a_window_closed_between_look_and_act_gets_nothing() {
    let stage = Stage::new();
    for mode in ["background", "focus"] {
        let mut program = stage.start(FAULTS);
        let pid = program.pid_text();
        let count = look(&stage, &program, "role:button title:Count");
        program.say("close");
        program.wait_for("closed");
        let outcome = call(&stage, &["click", &count, "--app", &pid, "--mode", mode]);
        failed(&outcome, &["not_sent"]);
        assert_eq!(program.line(Duration::from_millis(200)), None, "nothing was pressed");
    }
}

#[test]
fn a_window_that_closes_while_it_is_waited_for_gets_nothing() {
    let stage = Stage::new();
    let mut program = stage.start(FAULTS);
    let pid = program.pid_text();
    let running = Running::start(&stage, &["click", "Never", "--app", &pid]);
    std::thread::sleep(Duration::from_millis(500));
    program.say("close");
    let outcome = in_time(running.end(PATIENCE + GRACE));
    failed(&outcome, &["not_sent"]);
}

#[test]
fn a_modal_dialog_blocks_and_is_named_until_it_is_answered() {
    let stage = Stage::new();
    let program = stage.start(FAULTS);
    let pid = program.pid_text();
    let asked = call(&stage, &["click", "Ask", "--app", &pid]);
    assert_eq!(Answer::of(&asked).word(), "confirmed", "{asked}");
    program.wait_for("asking");
    for mode in ["background", "focus"] {
        let outcome = call(&stage, &["click", "Count", "--app", &pid, "--mode", mode]);
        assert_eq!(failed(&outcome, &["not_sent"]), "not_ready", "{outcome}");
        assert!(outcome.error()["message"].to_string().contains("dialog"), "{outcome}");
    }
    assert_eq!(program.line(Duration::from_millis(200)), None, "nothing was pressed");

    let yes = call(&stage, &["click", "role:button title:Yes", "--app", &pid]);
    assert_eq!(Answer::of(&yes).word(), "confirmed", "{yes}");
    program.wait_for("yes");
    let outcome = call(&stage, &["click", "Count", "--app", &pid]);
    program.wait_for("count 1");
    assert_ne!(Answer::of(&outcome).word(), "failed", "{outcome}");
}
