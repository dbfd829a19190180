//! `watch` prints the events of an app as they happen.

use std::time::Duration;

use harness::outcome::binary;
use harness::{App, Outcome, Program, TestDesktop};
use rustix::process::Signal;
use serde_json::Value;

/// Runs `watch` while `act` runs. Returns the events and the summary, and fails unless every line
/// is a JSON document.
fn watch(stage: &TestDesktop, arguments: &[&str], act: impl FnOnce()) -> (Vec<Value>, Value) {
    let mut command = stage.command(binary());
    command.arg("watch").args(arguments).args(["--format", "json"]);
    let outcome = std::thread::scope(|scope| {
        let watcher = scope.spawn(|| Outcome::of(&mut command));
        std::thread::sleep(Duration::from_millis(1200));
        act();
        watcher.join().unwrap()
    });
    let mut lines = outcome.expect_ok().json_lines();
    let summary = lines.pop().unwrap_or_else(|| panic!("{outcome}"));
    assert_eq!(summary["events"], lines.len(), "{outcome}");
    (lines, summary)
}

fn kinds(events: &[Value]) -> Vec<&str> {
    events.iter().filter_map(|event| event["event"].as_str()).collect()
}

#[test]
fn typed_text_is_reported_as_value_changed() {
    let stage = TestDesktop::new();
    let program = stage.start(App::Fixture("gtk3_passwords.py", &[]));
    let tree = stage.tree(&program);
    let hand = stage.real_input();
    hand.click(tree.named("textbox", "Plain entry").bounds.unwrap().centre());
    let pid = program.pid_text();
    let (events, summary) =
        watch(&stage, &["--app", &pid, "--duration", "4"], || hand.type_text("abc"));
    assert_eq!(summary["app_quit"], false);
    let typed = events.iter().filter(|event| event["event"] == "value_changed");
    let typed: Vec<_> = typed.filter(|event| event["title"] == "Plain entry").collect();
    assert!(!typed.is_empty(), "{events:?}");
    assert!(typed.iter().all(|event| event["role"] == "AXTextField"), "{typed:?}");
}

#[test]
fn changed_title_is_reported_and_count_ends_the_watch() {
    let stage = TestDesktop::new();
    let mut program = stage.start(App::Fixture("gtk3_mutations.py", &[]));
    let pid = program.pid_text();
    let arguments = ["--app", &pid, "--events", "title_changed,value_changed", "--count", "1"];
    let (events, _) = watch(&stage, &[&arguments[..], &["--duration", "10"]].concat(), || {
        program.write_line(r#"{"do": "rename", "at": 0, "to": "Renamed now"}"#);
    });
    assert_eq!(events.len(), 1, "{events:?}");
    assert!(events[0].to_string().contains("Renamed now"), "{events:?}");
}

#[test]
fn checked_box_and_app_exit_are_reported() {
    let stage = TestDesktop::new();
    let program = stage.start(App::Fixture("gtk3_passwords.py", &[]));
    let tree = stage.tree(&program);
    let at = tree.named("checkbox", "Remember me").bounds.unwrap().centre();
    let hand = stage.real_input();
    let pid = program.pid_text();

    let (events, summary) = watch(&stage, &["--app", &pid, "--duration", "20"], || {
        hand.click(at);
        std::thread::sleep(Duration::from_millis(700));
        program.signal(Signal::KILL);
    });
    let checked =
        |event: &&Value| event["event"] == "state_changed" && event["title"] == "Remember me";
    assert!(events.iter().any(|event| checked(&event)), "{events:?}");
    assert!(kinds(&events).contains(&"app_quit"), "{events:?}");
    assert_eq!(summary["app_quit"], true);
}

#[test]
fn app_start_is_reported_when_watching_all_apps() {
    let stage = TestDesktop::new();
    let mut started: Option<Program> = None;
    let (events, _) = watch(&stage, &["--duration", "6"], || {
        started = Some(stage.launch(App::Mousepad));
    });
    let seen_kinds = kinds(&events);
    assert!(
        seen_kinds.contains(&"app_started") || seen_kinds.contains(&"window_created"),
        "{events:?}"
    );
    assert!(events.iter().any(|event| event["app"] == "mousepad"), "{events:?}");
}

#[test]
fn watch_of_an_idle_app_ends_after_its_duration() {
    let stage = TestDesktop::new();
    let program = stage.start(App::Fixture("gtk3_passwords.py", &[]));
    let mut command = stage.command(binary());
    command.args(["watch", "--app", &program.pid_text(), "--duration", "2"]);
    let outcome = Outcome::of(&mut command);
    outcome.expect_ok();
    let took = outcome.elapsed.as_secs_f64();
    assert!((1.9..3.5).contains(&took), "{outcome}");
    assert!(outcome.text().contains("events; done"), "{outcome}");
}
