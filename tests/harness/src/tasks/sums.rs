//! Calculators: keys are pressed one by one, and the result is read by someone else.

use std::time::{Duration, Instant};

use super::Agent;
use crate::Stage;

const KEYS: [&str; 9] = ["1", "2", "3", "4", "×", "5", "6", "7", "="];
const RESULT: &str = "699678";

/// Qt 5.
pub(super) fn kcalc(stage: &Stage) {
    let agent = Agent::open(stage, "kcalc", &[]);
    press(&agent);
    shows(stage, &agent);
    // Nothing in the app shows that something was copied.
    agent.send(&["click", "role:menuitem title:Copy"]);
    let mut xclip = stage.command("xclip");
    let copied = crate::Outcome::of(xclip.args(["-o", "-selection", "clipboard"])).text();
    assert_eq!(copied, RESULT);
}

/// GTK 4.
pub(super) fn gnome_calculator(stage: &Stage) {
    let agent = Agent::open(stage, "gnome-calculator", &[]);
    press(&agent);
    shows(stage, &agent);
}

fn press(agent: &Agent) {
    for key in KEYS {
        let query = format!("role:button title:\"{key}\"");
        let way = agent.must(&["click", &query]);
        assert!(way.starts_with("action:"), "{key} was pressed by {way}");
    }
}

/// Waits until the independent reader finds the result.
fn shows(stage: &Stage, agent: &Agent) {
    let end = Instant::now() + Duration::from_secs(10);
    loop {
        let seen = stage.plain_walk(agent.pid());
        let is_result = |name: &str| name == RESULT || name.ends_with(&format!("= {RESULT}"));
        if seen.values().any(|one| is_result(&one.name)) {
            return;
        }
        let names: Vec<&str> = seen.values().map(|one| one.name.as_str()).collect();
        assert!(Instant::now() < end, "no {RESULT} among {names:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
