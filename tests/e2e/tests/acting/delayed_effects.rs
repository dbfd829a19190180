//! Effects that show after a delay are confirmed, and a click without an effect in the tree is not.
#![allow(clippy::expect_used, reason = "tests")]

use harness::inspect::wait_until;
use harness::{App, TestDesktop};
use serde_json::Value;

/// Clicks all buttons of `delayed_effects.py` and compares the answers with the log of the app.
fn check(toolkit: &'static [&'static str], delayed: &[&str]) {
    let stage = TestDesktop::new();
    let app = stage.start(App::Fixture("delayed_effects.py", toolkit));
    let (pid, log) = (app.pid_text(), stage.info().home.join("effects.log"));
    for (earlier, name) in delayed.iter().chain(&["Write file"]).enumerate() {
        let outcome = stage.deskhand(&["click", name, "--app", &pid, "--format", "json"]);
        let answer: Value = serde_json::from_slice(&outcome.stdout).expect("an answer");
        let in_tree = *name != "Write file";
        let effect = if in_tree { "confirmed" } else { "unverified" };
        assert_eq!(answer["effect"], effect, "{name}: {answer}");
        let shown = format!("{name} has finished");
        assert_eq!(answer["changes"].to_string().contains(&shown), in_tree, "{answer}");
        let lines = || -> Vec<String> {
            let text = std::fs::read_to_string(&log).expect("the app writes its log");
            text.lines().filter_map(|line| Some(line.split_once('\t')?.0.to_owned())).collect()
        };
        assert!(wait_until(|| lines().len() == earlier + 1), "{name}: {:?}", lines());
        assert_eq!(lines().last().map(String::as_str), Some(*name));
    }
}

#[test]
fn delayed_effects_in_gtk3_are_confirmed() {
    let delayed = [
        "Timer none",
        "Timer short",
        "Timer medium",
        "Timer long",
        "Timer longest",
        "Thread long",
        "Program long",
    ];
    check(&["gtk3"], &delayed);
}

#[test]
fn delayed_effects_in_qt6_are_confirmed() {
    check(&["qt6"], &["Timer medium", "Timer long", "Thread long", "Program long"]);
}
