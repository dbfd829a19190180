//! No lies: every action on every widget of every toolkit in the background, and a sample of the other
//! situations, judged by the app.
//!
//! `cargo xtask bench actions` runs every cell and prints the table.

use harness::actions::report::CONFIRMED;
use harness::actions::{Leg, Report, Row, Situation, Toolkit, run};

/// The verbs the matrix covers, by the names of their tools.
const TOOLS: [&str; 10] =
    ["click", "act", "type", "set", "select", "expand", "collapse", "scroll", "drag", "focus"];

/// The fewest cells a matrix worth its name has.
const CELLS: usize = 500;

/// The cases that are tried in every situation: each verb once, and what must not happen.
const SAMPLE: [&str; 8] = [
    "click button",
    "click disabled button",
    "set check box",
    "type entry",
    "set slider",
    "select list",
    "click list",
    "click dialog",
];

/// What may be disturbed: window managers give new windows of these toolkits the keyboard, because
/// they ask for it themselves. It is given back.
fn is_given_back(row: &Row) -> bool {
    matches!(row.toolkit, Toolkit::Qt5 | Toolkit::Qt6 | Toolkit::Swing)
        && row.case.widget == "dialog opener"
        && row.disturbed == ["keyboard for a moment"]
}

/// Runs the cells of a toolkit and fails on any lie, on any disturbance and on too few confirmed.
fn honest(toolkit: Toolkit) {
    let sample = SAMPLE.map(str::to_owned);
    let all = Leg { situation: Situation::Background, names: &[] };
    let some = [Situation::Covered, Situation::Minimized, Situation::Focus];
    let some = some.map(|situation| Leg { situation, names: &sample });
    let legs: Vec<Leg<'_>> = std::iter::once(all).chain(some).collect();
    let report = Report { rows: run(toolkit, &legs, |_| {}) };
    let lies: Vec<String> = report.lies().map(ToString::to_string).collect();
    assert!(lies.is_empty(), "{} lies:\n{}", lies.len(), lies.join("\n"));
    let disturbing = report.disturbing().filter(|row| !is_given_back(row));
    let disturbing: Vec<String> = disturbing.map(ToString::to_string).collect();
    assert!(disturbing.is_empty(), "disturbed:\n{}", disturbing.join("\n"));
    let missed: Vec<String> = report.missed().map(ToString::to_string).collect();
    assert!(report.share() >= CONFIRMED, "{}\n{}", report.summary(), missed.join("\n"));
}

#[test]
fn the_matrix_is_large_enough_and_covers_every_acting_tool() {
    use harness::actions::cases::{CASES, query};
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
    for name in SAMPLE {
        let fits = |action: &str, widget: &str| format!("{action} {widget}").contains(name);
        assert!(CASES.iter().any(|case| fits(case.action, case.widget)), "{name} is no case");
    }
}

#[test]
fn gtk3_is_acted_on_without_a_lie() {
    honest(Toolkit::Gtk3);
}

#[test]
fn gtk4_is_acted_on_without_a_lie() {
    honest(Toolkit::Gtk4);
}

#[test]
fn qt5_is_acted_on_without_a_lie() {
    honest(Toolkit::Qt5);
}

#[test]
fn qt6_is_acted_on_without_a_lie() {
    honest(Toolkit::Qt6);
}

#[test]
fn swing_is_acted_on_without_a_lie() {
    honest(Toolkit::Swing);
}

#[test]
fn chromium_is_acted_on_without_a_lie() {
    honest(Toolkit::Chromium);
}

#[test]
fn firefox_is_acted_on_without_a_lie() {
    honest(Toolkit::Firefox);
}
