//! Calculators: the agent presses keys one by one, and the independent reader reads the result.

use std::time::{Duration, Instant};

use super::Agent;
use crate::TestDesktop;

const KEYS: [&str; 9] = ["1", "2", "3", "4", "×", "5", "6", "7", "="];
const RESULT: &str = "699678";

/// Qt 5.
pub(super) fn kcalc(desktop: &TestDesktop) {
    let agent = Agent::open(desktop, "kcalc", &[]);
    press_keys(&agent);
    wait_for_result(desktop, &agent);
    // The app shows no sign of the copy.
    agent.send(&["click", "role:menuitem title:Copy"]);
    let mut xclip = desktop.command("xclip");
    let copied = crate::Outcome::of(xclip.args(["-o", "-selection", "clipboard"])).text();
    assert_eq!(copied, RESULT);
}

/// GTK 4.
pub(super) fn gnome_calculator(desktop: &TestDesktop) {
    let agent = Agent::open(desktop, "gnome-calculator", &[]);
    press_keys(&agent);
    wait_for_result(desktop, &agent);
}

fn press_keys(agent: &Agent) {
    for key in KEYS {
        let query = format!("role:button title:\"{key}\"");
        if key == "×" {
            // KCalc does not show the operator, so that nothing in its tree changes.
            agent.send(&["click", &query]);
            continue;
        }
        let strategy = agent.must_confirm(&["click", &query]);
        assert!(strategy.starts_with("action:"), "{key} was pressed with {strategy}");
    }
}

/// Waits until the independent reader finds the result in the tree.
fn wait_for_result(desktop: &TestDesktop, agent: &Agent) {
    let end = Instant::now() + Duration::from_secs(10);
    loop {
        let tree = desktop.plain_walk(agent.pid());
        let is_result = |name: &str| name == RESULT || name.ends_with(&format!("= {RESULT}"));
        if tree.values().any(|one| is_result(&one.name)) {
            return;
        }
        let names: Vec<&str> = tree.values().map(|one| one.name.as_str()).collect();
        assert!(Instant::now() < end, "no {RESULT} among {names:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
