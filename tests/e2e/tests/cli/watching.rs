//! `watch`: what happens in an app is told while it happens.

use std::time::Duration;

use harness::outcome::binary;
use harness::{App, Outcome, Program, Stage};
use rustix::process::Signal;
use serde_json::Value;

/// Watches while something is done; fails unless every line is a JSON document.
fn watch(stage: &Stage, arguments: &[&str], act: impl FnOnce()) -> (Vec<Value>, Value) {
    let mut command = stage.command(binary());
    command.arg("watch").args(arguments).args(["--format", "json"]);
    let outcome = std::thread::scope(|scope| {
        let watching = scope.spawn(|| Outcome::of(&mut command));
        std::thread::sleep(Duration::from_millis(1200));
        act();
        watching.join().unwrap()
    });
    let mut lines = outcome.expect_ok().json_lines();
    let end = lines.pop().unwrap_or_else(|| panic!("{outcome}"));
    assert_eq!(end["events"], lines.len(), "{outcome}");
    (lines, end)
}

fn kinds(events: &[Value]) -> Vec<&str> {
    events.iter().filter_map(|event| event["event"].as_str()).collect()
}

#[test]
fn text_that_is_typed_is_told_as_a_changed_value() {
    let stage = Stage::new();
    let program = stage.start(App::Fixture("gtk3_passwords.py", &[]));
    let tree = stage.tree(&program);
    let hand = stage.hand();
    hand.click(tree.named("textbox", "Plain entry").bounds.unwrap().centre());
    let pid = program.pid_text();
    let (events, end) =
        watch(&stage, &["--app", &pid, "--duration", "4"], || hand.type_text("abc"));
    assert_eq!(end["app_quit"], false);
    let typed = events.iter().filter(|event| event["event"] == "value_changed");
    let typed: Vec<_> = typed.filter(|event| event["title"] == "Plain entry").collect();
    assert!(!typed.is_empty(), "{events:?}");
    assert!(typed.iter().all(|event| event["role"] == "AXTextField"), "{typed:?}");
}

#[test]
fn a_changed_name_is_told_and_a_count_ends_the_watch() {
    let stage = Stage::new();
    let mut program = stage.start(App::Fixture("gtk3_mutations.py", &[]));
    let pid = program.pid_text();
    let arguments = ["--app", &pid, "--events", "title_changed,value_changed", "--count", "1"];
    let (events, _) = watch(&stage, &[&arguments[..], &["--duration", "10"]].concat(), || {
        program.say(r#"{"do": "rename", "at": 0, "to": "Renamed now"}"#);
    });
    assert_eq!(events.len(), 1, "{events:?}");
    assert!(events[0].to_string().contains("Renamed now"), "{events:?}");
}

#[test]
fn a_checked_box_and_the_end_of_the_app_are_told() {
    let stage = Stage::new();
    let program = stage.start(App::Fixture("gtk3_passwords.py", &[]));
    let tree = stage.tree(&program);
    let at = tree.named("checkbox", "Remember me").bounds.unwrap().centre();
    let hand = stage.hand();
    let pid = program.pid_text();
    let target = Signal::KILL;
    let (events, end) = watch(&stage, &["--app", &pid, "--duration", "20"], || {
        hand.click(at);
        std::thread::sleep(Duration::from_millis(700));
        program.signal(target);
    });
    let checked =
        |event: &&Value| event["event"] == "state_changed" && event["title"] == "Remember me";
    assert!(events.iter().any(|event| checked(&event)), "{events:?}");
    assert!(kinds(&events).contains(&"app_quit"), "{events:?}");
    assert_eq!(end["app_quit"], true);
}

#[test]
fn an_app_that_starts_is_told_to_who_watches_all() {
    let stage = Stage::new();
    let mut started: Option<Program> = None;
    let (events, _) = watch(&stage, &["--duration", "6"], || {
        started = Some(stage.launch(App::Mousepad));
    });
    let told = kinds(&events);
    assert!(told.contains(&"app_started") || told.contains(&"window_created"), "{events:?}");
    assert!(events.iter().any(|event| event["app"] == "mousepad"), "{events:?}");
}

#[test]
fn a_watch_of_a_quiet_app_ends_when_its_time_is_over() {
    let stage = Stage::new();
    let program = stage.start(App::Fixture("gtk3_passwords.py", &[]));
    let mut command = stage.command(binary());
    command.args(["watch", "--app", &program.pid_text(), "--duration", "2"]);
    let outcome = Outcome::of(&mut command);
    outcome.expect_ok();
    let took = outcome.elapsed.as_secs_f64();
    assert!((1.9..3.5).contains(&took), "{outcome}");
    assert!(outcome.text().contains("events; done"), "{outcome}");
}
