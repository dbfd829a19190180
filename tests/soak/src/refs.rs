//! `soak refs`: refs stay valid while an app changes at random.

use std::time::Duration;

use harness::TestDesktop;
use harness::ref_stability::{RefReport, check_refs};
use indicatif::ProgressBar;

use crate::summary::Summary;

/// The smallest acceptable share of unchanged elements that keep their ref.
const MIN_SURVIVAL: f64 = 0.99;

/// Changes a live window at random.
pub(crate) fn run(mutations: usize, seed: u64) -> Summary {
    let spinner = ProgressBar::new_spinner().with_message(format!("{mutations} mutations"));
    spinner.enable_steady_tick(Duration::from_millis(200));
    let report = check_refs(&TestDesktop::new(), mutations, seed);
    spinner.finish_and_clear();
    summarise(seed, report)
}

fn summarise(seed: u64, report: RefReport) -> Summary {
    let mut summary = Summary::new(
        "refs",
        format!("cargo xtask soak refs --mutations {} --seed {seed}", report.mutations),
        "Rows of a live GTK 3 window are inserted, removed, renamed and moved at random, and the \
         window reports the identity of every row. No ref may ever point to another element, and \
         at least 99 % of the unchanged elements must keep their ref.",
    );
    summary.fact("mutations", report.mutations);
    summary.fact("reads of the tree", report.reads);
    summary.fact("refs that pointed to another element", report.wrong);
    summary.fact("unchanged elements, over all reads", report.untouched);
    summary.fact("of these kept their ref", report.survived);
    summary.fact("share of these", format!("{:.2} %", report.survival() * 100.0));
    summary.fact("refs that `find` resolved to their own element", report.resolved);
    summary.fact("refs of removed elements that `find` reported as stale", report.stale);
    if report.wrong > 0 {
        summary.failures.push(format!("{} refs pointed to another element", report.wrong));
    }
    if report.survival() < MIN_SURVIVAL {
        summary.failures.push(format!("{} unchanged elements lost their ref", report.lost));
    }
    summary.failures.extend(report.faults);
    summary
}
