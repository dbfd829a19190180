//! Formats the table for a terminal and for the docs.

use std::fmt::Write;

use super::CONCURRENT_COMMANDS;
use super::figures::Report;
use crate::figures::{Figures, median};

/// Returns the table for the terminal.
pub(crate) fn terminal(report: &Report) -> String {
    let mut text = format!("{}\n{} rounds\n\n", report.machine, report.rounds);
    // Writing to a `String` cannot fail, so the results of `write!` are ignored.
    let _ = writeln!(text, "{:38} {:>10} {:>10}", "", "plain", "deskhand");
    for [what, plain, ours] in rows(report) {
        let _ = writeln!(text, "{what:38} {plain:>10} {ours:>10}");
    }
    text
}

/// Returns the rows: name, plain shell, Deskhand.
pub(super) fn rows(report: &Report) -> Vec<[String; 3]> {
    let ms = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |ms| format!("{ms:.3}"));
    let row = |what: &str, plain: String, ours: String| [what.to_owned(), plain, ours];
    let pace = |all: &[f64]| median(all).map_or_else(|| "-".to_owned(), |it| format!("{it:.0}"));
    let mb = |kb: u64| format!("{:.1}", kb as f64 / 1024.0);
    let starts = |figures: &Figures| ms(figures.p50());
    let none = || "-".to_owned();
    let mut rows = vec![
        row("echo hi, p50 ms", ms(report.plain.p50()), ms(report.ours.p50())),
        row("echo hi, p95 ms", ms(report.plain.p95()), ms(report.ours.p95())),
        row(
            &format!("{CONCURRENT_COMMANDS} concurrent, commands per second"),
            pace(&report.plain_per_second),
            pace(&report.ours_per_second),
        ),
        row("server start without commands, p50 ms", none(), starts(&report.start_without)),
        row("server start with commands, p50 ms", none(), starts(&report.start_with)),
    ];
    if let Some(outputs) = &report.outputs {
        let mut add = |what: &str, figure: String| rows.push(row(what, none(), figure));
        add("large outputs, seconds", format!("{:.2}", outputs.seconds));
        add("large outputs, server, peak MB", mb(outputs.server_kb));
        add("large outputs, broker, peak MB", mb(outputs.broker_kb));
        add("large outputs, server after, MB", mb(outputs.after_kb));
    }
    rows
}
