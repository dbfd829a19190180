//! Password values are never exposed by any command, whatever the toolkit exposes.

use std::time::Duration;

use harness::{App, Outcome, Program, TestDesktop};
use serde_json::Value;

const SECRET: &str = "hunter2-secret";
/// Text typed during a watch.
const TYPED: &str = "typed-pass";

/// Runs all reading commands in all formats and fails if one prints the secret.
fn assert_value_is_hidden(stage: &TestDesktop, program: &Program) {
    let pid = program.pid_text();
    let tree = stage.tree(program);
    let passwords: Vec<_> = tree.elements.iter().filter(|one| one.kind == "password").collect();
    assert!(!passwords.is_empty(), "no password field was recognized: {}", tree.summary());
    assert!(passwords.iter().all(|one| one.secret), "{passwords:?}");
    let mut commands: Vec<Vec<String>> = Vec::new();
    let to_strings = |args: &[&str]| args.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    for format in ["text", "json"] {
        let end = ["--app", &pid, "--format", format, "--timeout", "10"];
        let command_line = |start: &[&str]| to_strings(&[start, &end[..]].concat());
        commands.push(command_line(&["tree", "--hidden"]));
        commands.push(command_line(&["tree", "--max-tokens", "0"]));
        commands.push(command_line(&["find", "//*", "--all", "--limit", "10000"]));
        commands.push(command_line(&["find", "role:password", "--all"]));
        commands.push(command_line(&["find", "hunter2", "--all"]));
        commands.push(command_line(&["find", "value:hunter2", "--all"]));
        commands.push(command_line(&["find", "//*[contains(@value,'unter2')]", "--all"]));
        for one in &passwords {
            commands.push(command_line(&["attributes", &one.reference]));
            for below in tree.children(one) {
                commands.push(command_line(&["attributes", &below.reference]));
                commands.push(command_line(&["tree", "--root", &below.reference]));
            }
        }
    }
    for command in commands {
        let outcome = stage.deskhand(&command);
        // The output may repeat the query, but must not contain the full secret.
        let output = format!("{}{}", String::from_utf8_lossy(&outcome.stdout), outcome.stderr);
        let found = output.matches(SECRET).count();
        assert!(found == 0, "{SECRET} occurs {found} times in {outcome}");
        if command.iter().any(|word| word.contains("unter2")) {
            let found = String::from_utf8_lossy(&outcome.stdout);
            let is_empty = found.trim().is_empty() || found.trim() == "[]";
            assert!(outcome.code == Some(1) || is_empty, "{outcome}");
        }
    }
}

/// Types into the password field during `watch`. Events must not contain the typed text.
fn assert_typing_is_hidden(stage: &TestDesktop, program: &Program) {
    let tree = stage.tree(program);
    let field = tree.find(|one| one.kind == "password" && one.bounds.is_some()).unwrap();
    let at = field.bounds.unwrap().centre();
    let hand = stage.real_input();
    hand.click(at);
    let pid = program.pid_text();
    let mut watch = stage.command(harness::outcome::binary());
    watch.args(["watch", "--app", &pid, "--duration", "4", "--format", "json"]);
    let outcome = std::thread::scope(|scope| {
        let watcher = scope.spawn(|| Outcome::of(&mut watch));
        std::thread::sleep(Duration::from_millis(1200));
        hand.type_text(TYPED);
        watcher.join().unwrap()
    });
    outcome.expect_ok();
    let output = outcome.text();
    assert!(!output.contains(SECRET), "{output}");
    for part in [TYPED, "typed", "ty"] {
        assert!(!output.contains(&format!("\"{part}")), "{part:?} in {output}");
    }
    let lines = output.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let letters: Vec<String> =
        lines.filter_map(|line| Some(line["detail"].as_str()?.to_owned())).collect();
    let single = letters.iter().filter(|detail| detail.chars().count() == 1).count();
    assert_eq!(single, 0, "events contain single typed letters: {letters:?}");
    let text = stage.deskhand(&["tree", "--app", &pid, "--format", "json"]).expect_ok().text();
    assert!(!text.contains(TYPED), "the tree contains the typed text");
}

#[test]
fn gtk3_password_is_hidden() {
    let stage = TestDesktop::new();
    let program = stage.start(App::Fixture("gtk3_passwords.py", &[]));
    assert_value_is_hidden(&stage, &program);
    assert_typing_is_hidden(&stage, &program);
}

#[test]
fn gtk4_password_is_hidden() {
    let stage = TestDesktop::new();
    let program = stage.start(App::Fixture("gtk4_passwords.py", &[]));
    assert_value_is_hidden(&stage, &program);
    assert_typing_is_hidden(&stage, &program);
}

#[test]
fn qt6_password_is_hidden() {
    let stage = TestDesktop::new();
    let program = stage.start(App::Fixture("qt6_dialog.py", &["20"]));
    assert_value_is_hidden(&stage, &program);
    assert_typing_is_hidden(&stage, &program);
}

#[test]
fn chromium_password_is_hidden() {
    let stage = TestDesktop::new();
    let program = stage.start(App::Chromium("form.html"));
    assert_value_is_hidden(&stage, &program);
    assert_typing_is_hidden(&stage, &program);
}

#[test]
fn firefox_password_is_hidden() {
    let stage = TestDesktop::new();
    let program = stage.start(App::Firefox("form.html"));
    assert_value_is_hidden(&stage, &program);
    assert_typing_is_hidden(&stage, &program);
}

#[test]
fn swing_password_is_hidden() {
    let stage = TestDesktop::new();
    let program = stage.start(App::SwingForm);
    assert_value_is_hidden(&stage, &program);
    assert_typing_is_hidden(&stage, &program);
}
