//! Secrets never leave an app, whatever is asked and whatever the toolkit gives away.

use std::time::Duration;

use harness::{App, Outcome, Program, Stage};
use serde_json::Value;

const SECRET: &str = "hunter2-secret";
/// What is typed while a watch runs.
const TYPED: &str = "typed-pass";

/// Everything that can be asked about an app, in every form.
fn assert_kept(stage: &Stage, program: &Program) {
    let pid = program.pid_text();
    let tree = stage.tree(program);
    let passwords: Vec<_> = tree.elements.iter().filter(|one| one.kind == "password").collect();
    assert!(!passwords.is_empty(), "a password field is known as one: {}", tree.summary());
    assert!(passwords.iter().all(|one| one.secret), "{passwords:?}");
    let mut questions: Vec<Vec<String>> = Vec::new();
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    for form in ["text", "json"] {
        let end = ["--app", &pid, "--format", form, "--timeout", "10"];
        let ask = |start: &[&str]| words(&[start, &end[..]].concat());
        questions.push(ask(&["tree", "--hidden"]));
        questions.push(ask(&["tree", "--max-tokens", "0"]));
        questions.push(ask(&["find", "//*", "--all", "--limit", "10000"]));
        questions.push(ask(&["find", "role:password", "--all"]));
        questions.push(ask(&["find", "hunter2", "--all"]));
        questions.push(ask(&["find", "value:hunter2", "--all"]));
        questions.push(ask(&["find", "//*[contains(@value,'unter2')]", "--all"]));
        for one in &passwords {
            questions.push(ask(&["attributes", &one.reference]));
            for below in tree.children(one) {
                questions.push(ask(&["attributes", &below.reference]));
                questions.push(ask(&["tree", "--root", &below.reference]));
            }
        }
    }
    for question in questions {
        let outcome = stage.deskhand(&question);
        // The question itself may be repeated in the answer; the rest of the secret may not.
        let told = format!("{}{}", String::from_utf8_lossy(&outcome.stdout), outcome.stderr);
        let found = told.matches(SECRET).count();
        assert!(found == 0, "{SECRET} is told {found} times by {outcome}");
        if question.iter().any(|word| word.contains("unter2")) {
            let found = String::from_utf8_lossy(&outcome.stdout);
            let nothing = found.trim().is_empty() || found.trim() == "[]";
            assert!(outcome.code == Some(1) || nothing, "{outcome}");
        }
    }
}

/// Types into the password field while a watch with every event runs; the watch tells that
/// something changed and never what.
fn assert_typing_is_kept(stage: &Stage, program: &Program) {
    let tree = stage.tree(program);
    let field = tree.find(|one| one.kind == "password" && one.bounds.is_some()).unwrap();
    let at = field.bounds.unwrap().centre();
    let hand = stage.hand();
    hand.click(at);
    let pid = program.pid_text();
    let mut watch = stage.command(harness::outcome::binary());
    watch.args(["watch", "--app", &pid, "--duration", "4", "--format", "json"]);
    let outcome = std::thread::scope(|scope| {
        let watching = scope.spawn(|| Outcome::of(&mut watch));
        std::thread::sleep(Duration::from_millis(1200));
        hand.type_text(TYPED);
        watching.join().unwrap()
    });
    outcome.expect_ok();
    let told = outcome.text();
    assert!(!told.contains(SECRET), "{told}");
    for part in [TYPED, "typed", "ty"] {
        assert!(!told.contains(&format!("\"{part}")), "{part:?} in {told}");
    }
    let lines = told.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let letters: Vec<String> =
        lines.filter_map(|line| Some(line["detail"].as_str()?.to_owned())).collect();
    let single = letters.iter().filter(|detail| detail.chars().count() == 1).count();
    assert_eq!(single, 0, "single letters are a secret too: {letters:?}");
    let text = stage.deskhand(&["tree", "--app", &pid, "--format", "json"]).expect_ok().text();
    assert!(!text.contains(TYPED), "the typed text is told");
}

#[test]
fn gtk3() {
    let stage = Stage::new();
    let program = stage.start(App::Fixture("gtk3_passwords.py", &[]));
    assert_kept(&stage, &program);
    assert_typing_is_kept(&stage, &program);
}

#[test]
fn gtk4() {
    let stage = Stage::new();
    let program = stage.start(App::Fixture("gtk4_passwords.py", &[]));
    assert_kept(&stage, &program);
    assert_typing_is_kept(&stage, &program);
}

#[test]
fn qt6() {
    let stage = Stage::new();
    let program = stage.start(App::Fixture("qt6_dialog.py", &["20"]));
    assert_kept(&stage, &program);
    assert_typing_is_kept(&stage, &program);
}

#[test]
fn chromium() {
    let stage = Stage::new();
    let program = stage.start(App::Chromium("form.html"));
    assert_kept(&stage, &program);
    assert_typing_is_kept(&stage, &program);
}

#[test]
fn firefox() {
    let stage = Stage::new();
    let program = stage.start(App::Firefox("form.html"));
    assert_kept(&stage, &program);
    assert_typing_is_kept(&stage, &program);
}

#[test]
fn swing() {
    let stage = Stage::new();
    let program = stage.start(App::SwingForm);
    assert_kept(&stage, &program);
    assert_typing_is_kept(&stage, &program);
}
