//! Apps that exit, freeze, close their window or open a dialog during an action.

use std::time::Duration;

use harness::TestDesktop;
use harness::actions::answer::Answer;
use rustix::process::Signal;

use crate::faults::{
    FAULTS, GRACE, Running, TIMEOUT, assert_in_time, call, expect_failure, find_ref,
};

#[test]
fn click_that_kills_the_app_is_not_reported_as_not_sent() {
    let stage = TestDesktop::new();
    for mode in ["background", "focus"] {
        let program = stage.start(FAULTS);
        let pid = program.pid_text();
        let outcome = call(&stage, &["click", "Die", "--app", &pid, "--mode", mode]);
        program.wait_for("dying");
        match Answer::from_outcome(&outcome) {
            // The button was pressed and disappeared with its window.
            Answer::Effect { effect, .. } => {
                assert!(matches!(effect.as_str(), "confirmed" | "unverified"), "{outcome}");
            }
            Answer::Failed { delivery, .. } => {
                assert!(matches!(delivery.as_str(), "sent" | "unknown"), "{outcome}");
            }
            Answer::Unparsable(text) => panic!("{text}"),
        }
    }
}

#[test]
fn action_on_an_app_killed_during_the_call_fails() {
    let stage = TestDesktop::new();
    let commands: [&[&str]; 3] =
        [&["click", "Count"], &["type", "words", "--into", "Words"], &["set", "Words", "words"]];
    for args in commands {
        let program = stage.start(FAULTS);
        let pid = program.pid_text();
        // A stopped process still accepts messages into its socket buffer, but reads none of them.
        program.signal(Signal::STOP);
        let running = Running::start(&stage, &[args, &["--app", &pid]].concat());
        std::thread::sleep(Duration::from_millis(700));
        program.signal(Signal::KILL);
        let outcome = assert_in_time(running.end(TIMEOUT + GRACE));
        expect_failure(&outcome, &["not_sent", "unknown", "sent"]);
        assert_eq!(
            program.next_line(Duration::from_millis(200)),
            None,
            "the app reacted although it was killed"
        );
    }
}

#[test]
fn click_that_freezes_the_app_returns_in_time() {
    let stage = TestDesktop::new();
    let program = stage.start(FAULTS);
    let outcome = call(&stage, &["click", "Freeze", "--app", &program.pid_text()]);
    program.wait_for("freezing");
    match Answer::from_outcome(&outcome) {
        Answer::Effect { effect, .. } => assert_eq!(effect, "unverified", "{outcome}"),
        Answer::Failed { delivery, .. } => {
            assert!(matches!(delivery.as_str(), "sent" | "unknown"), "{outcome}");
        }
        Answer::Unparsable(text) => panic!("{text}"),
    }
}

#[test]
fn typing_waits_for_an_app_that_is_slow_to_take_focus() {
    let stage = TestDesktop::new();
    let program = stage.start(FAULTS);
    let pid = program.pid_text();
    let args = ["type", "words", "--into", "Slow", "--app", &pid, "--mode", "focus"];
    let outcome = stage.deskhand(&[&args[..], &["--timeout", "15", "--format", "json"]].concat());
    program.wait_for("slow \"words\"");
    assert_eq!(outcome.json()["effect"], "confirmed", "{outcome}");
}

#[test]
fn window_closed_after_its_ref_was_read_gets_no_input() {
    let stage = TestDesktop::new();
    for mode in ["background", "focus"] {
        let mut program = stage.start(FAULTS);
        let pid = program.pid_text();
        let count = find_ref(&stage, &program, "role:button title:Count");
        program.write_line("close");
        program.wait_for("closed");
        let outcome = call(&stage, &["click", &count, "--app", &pid, "--mode", mode]);
        expect_failure(&outcome, &["not_sent"]);
        assert_eq!(program.next_line(Duration::from_millis(200)), None, "a button was pressed");
    }
}

#[test]
fn window_closed_while_waiting_for_an_element_gets_no_input() {
    let stage = TestDesktop::new();
    let mut program = stage.start(FAULTS);
    let pid = program.pid_text();
    let running = Running::start(&stage, &["click", "Never", "--app", &pid]);
    std::thread::sleep(Duration::from_millis(500));
    program.write_line("close");
    let outcome = assert_in_time(running.end(TIMEOUT + GRACE));
    expect_failure(&outcome, &["not_sent"]);
}

#[test]
fn action_behind_a_modal_dialog_is_refused_and_names_the_dialog() {
    let stage = TestDesktop::new();
    let program = stage.start(FAULTS);
    let pid = program.pid_text();
    let opened = call(&stage, &["click", "Ask", "--app", &pid]);
    assert_eq!(Answer::from_outcome(&opened).word(), "confirmed", "{opened}");
    program.wait_for("asking");
    for mode in ["background", "focus"] {
        let outcome = call(&stage, &["click", "Count", "--app", &pid, "--mode", mode]);
        assert_eq!(expect_failure(&outcome, &["not_sent"]), "not_ready", "{outcome}");
        assert!(outcome.error()["message"].to_string().contains("dialog"), "{outcome}");
    }
    assert_eq!(program.next_line(Duration::from_millis(200)), None, "a button was pressed");

    let yes = call(&stage, &["click", "role:button title:Yes", "--app", &pid]);
    assert_eq!(Answer::from_outcome(&yes).word(), "confirmed", "{yes}");
    program.wait_for("yes");
    let outcome = call(&stage, &["click", "Count", "--app", &pid]);
    program.wait_for("count 1");
    assert_ne!(Answer::from_outcome(&outcome).word(), "failed", "{outcome}");
}
