//! The reported effect of every action matches the state of the app.
//!
//! Each toolkit runs every action on every widget in the background, and a sample of cases in the
//! other situations. `cargo xtask bench actions` runs all cells and prints the table.

use harness::actions::report::MIN_CONFIRMED_SHARE;
use harness::actions::{CaseFilter, CaseResult, Report, Situation, Toolkit, run};

/// The action tools that the matrix must cover.
const TOOLS: [&str; 10] =
    ["click", "act", "type", "set", "select", "expand", "collapse", "scroll", "drag", "focus"];

/// Minimum number of cells (toolkit × case × situation) in the matrix.
const MIN_CELLS: usize = 500;

/// Cases that run in every situation: each action once, and actions that must fail.
const SAMPLE: [&str; 10] = [
    "click button",
    "click disabled button",
    "set check box",
    "type entry",
    "set slider",
    "select list",
    "click list",
    "click dialog",
    "click springing check box",
    "type upper-casing entry",
];

/// Returns `true` for the one accepted disturbance: new dialogs of these toolkits request the
/// keyboard focus themselves, and deskhand returns it to the previous window.
fn is_accepted_disturbance(row: &CaseResult) -> bool {
    matches!(row.toolkit, Toolkit::Qt5 | Toolkit::Qt6 | Toolkit::Swing)
        && row.case.widget == "dialog opener"
        && row.disturbed == ["keyboard for a moment"]
}

/// Runs the cells of a toolkit. Fails on any false report, any unexpected disturbance, and if too
/// few effects are confirmed.
fn check_effects(toolkit: Toolkit) {
    let sample = SAMPLE.map(str::to_owned);
    let background = CaseFilter { situation: Situation::Background, names: &[] };
    let sampled = [Situation::Covered, Situation::Minimized, Situation::Focus];
    let sampled = sampled.map(|situation| CaseFilter { situation, names: &sample });
    let legs: Vec<CaseFilter<'_>> = std::iter::once(background).chain(sampled).collect();
    let report = Report { rows: run(toolkit, &legs, |_| {}) };
    let false_reports: Vec<String> = report.wrong_answers().map(ToString::to_string).collect();
    assert!(
        false_reports.is_empty(),
        "{} false reports:\n{}",
        false_reports.len(),
        false_reports.join("\n")
    );
    let disturbances = report.disturbing().filter(|row| !is_accepted_disturbance(row));
    let disturbances: Vec<String> = disturbances.map(ToString::to_string).collect();
    assert!(disturbances.is_empty(), "unexpected disturbances:\n{}", disturbances.join("\n"));
    let missed: Vec<String> = report.missed().map(ToString::to_string).collect();
    assert!(report.share() >= MIN_CONFIRMED_SHARE, "{}\n{}", report.summary(), missed.join("\n"));
}

#[test]
fn matrix_is_large_enough_and_covers_every_action_tool() {
    use harness::actions::cases::{CASES, query};
    let supports = |toolkit: Toolkit, words: &[&str]| {
        let names = words.iter().filter_map(|word| word.strip_prefix('@'));
        names.into_iter().all(|name| query(toolkit, name).is_some())
    };
    let cells: usize = Toolkit::ALL
        .into_iter()
        .map(|toolkit| CASES.iter().filter(|case| supports(toolkit, case.command)).count())
        .sum();
    assert!(cells * Situation::ALL.len() >= MIN_CELLS, "only {cells} cells per situation");
    for tool in TOOLS {
        assert!(CASES.iter().any(|case| case.command[0] == tool), "no case covers {tool}");
    }
    for name in SAMPLE {
        let is_sampled = |action: &str, widget: &str| format!("{action} {widget}").contains(name);
        assert!(
            CASES.iter().any(|case| is_sampled(case.action, case.widget)),
            "no case is named {name}"
        );
    }
}

#[test]
fn gtk3_effects_match_app_state() {
    check_effects(Toolkit::Gtk3);
}

#[test]
fn gtk4_effects_match_app_state() {
    check_effects(Toolkit::Gtk4);
}

#[test]
fn qt5_effects_match_app_state() {
    check_effects(Toolkit::Qt5);
}

#[test]
fn qt6_effects_match_app_state() {
    check_effects(Toolkit::Qt6);
}

#[test]
fn swing_effects_match_app_state() {
    check_effects(Toolkit::Swing);
}

#[test]
fn chromium_effects_match_app_state() {
    check_effects(Toolkit::Chromium);
}

#[test]
fn firefox_effects_match_app_state() {
    check_effects(Toolkit::Firefox);
}
