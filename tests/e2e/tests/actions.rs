//! No lies: every action on every widget of every toolkit, in every situation, judged by the app.
//!
//! `cargo xtask bench actions` runs the same cells and prints their table.

use e2e::actions::report::CONFIRMED;
use e2e::actions::{Report, Situation, Toolkit, run};

/// The verbs the matrix covers, by the names of their tools.
const TOOLS: [&str; 10] =
    ["click", "act", "type", "set", "select", "expand", "collapse", "scroll", "drag", "focus"];

/// The fewest cells a matrix worth its name has.
const CELLS: usize = 500;

/// Runs the cells of a toolkit in the background and fails on any lie. Three toolkits in one
/// situation are what a landing has time for; the whole matrix is `cargo xtask bench actions`.
fn honest(toolkit: Toolkit) {
    let report = Report { rows: run(toolkit, &[Situation::Background], &[], |_| {}) };
    let lies: Vec<String> = report.lies().map(ToString::to_string).collect();
    assert!(lies.is_empty(), "{} lies:\n{}", lies.len(), lies.join("\n"));
    let missed: Vec<String> = report.missed().map(ToString::to_string).collect();
    assert!(report.share() >= CONFIRMED, "{}\n{}", report.summary(), missed.join("\n"));
}

#[test]
fn the_matrix_is_large_enough_and_covers_every_acting_tool() {
    use e2e::actions::cases::{CASES, query};
    let has = |toolkit: Toolkit, words: &[&str]| {
        let names = words.iter().filter_map(|word| word.strip_prefix('@'));
        names.into_iter().all(|name| query(toolkit, name).is_some())
    };
    let cells: usize = Toolkit::ALL
        .into_iter()
        .map(|toolkit| CASES.iter().filter(|case| has(toolkit, case.words)).count())
        .sum();
    assert!(cells * Situation::ALL.len() >= CELLS, "{cells} in each of four situations");
    for tool in TOOLS {
        assert!(CASES.iter().any(|case| case.words[0] == tool), "{tool} is in no case");
    }
}

#[test]
fn gtk3_is_acted_on_in_the_background_without_a_lie() {
    honest(Toolkit::Gtk3);
}

#[test]
fn gtk4_is_acted_on_in_the_background_without_a_lie() {
    honest(Toolkit::Gtk4);
}

#[test]
fn qt6_is_acted_on_in_the_background_without_a_lie() {
    honest(Toolkit::Qt6);
}
