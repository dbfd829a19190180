//! Formats the tables for a terminal of 100 columns and for the docs.

use std::fmt::Write;

use super::figures::{Report, Row, best};
use crate::figures::Figures;
use crate::table::format_ms;

/// Returns the tables for the terminal.
pub(crate) fn terminal(report: &Report) -> String {
    let mut text =
        format!("{}\nbest of {} rounds, times in ms (p50, p95)\n\n", report.machine, report.rounds);
    // Writing to a `String` cannot fail, so the results of `write!` are ignored.
    let _ = writeln!(
        text,
        "{:14} {:5}  {:>6}  {:^13}  {:^13}  {:>6} {:>7} {:>5}",
        "server", "", "start", "ping", "call", "errors", "calls/s", "MB"
    );
    for row in &report.rows {
        let [name, transport, start, ping, ping95, call, call95, errors, pace, mb] = cells(row);
        let _ = writeln!(
            text,
            "{name:14} {transport:5}  {start:>6}  {ping:>6} {ping95:>6}  {call:>6} {call95:>6}  \
             {errors:>6} {pace:>7} {mb:>5}"
        );
    }
    let _ = writeln!(text, "\nmemory of deskhand in MB, by number of calls: {}", memory(report));
    text
}

/// Returns the cells of one row.
pub(super) fn cells(row: &Row) -> [String; 10] {
    let fine = |ms: Option<f64>| ms.map_or_else(|| "-".to_owned(), |ms| format!("{ms:.3}"));
    let both = |rounds: &[Figures]| {
        let best = best(rounds);
        [fine(best.p50()), fine(best.p95())]
    };
    let ([ping, ping95], [call, call95]) = (both(&row.ping), both(&row.call));
    let pace = row
        .concurrent
        .as_ref()
        .map_or_else(|| "-".to_owned(), |it| format!("{:.0}", it.per_second));
    let rss = row.call.iter().map(|figures| figures.rss_kb).max().unwrap_or(0);
    [
        row.implementation.name().to_owned(),
        row.transport.name().to_owned(),
        format_ms(row.start.ms.iter().copied().min_by(f64::total_cmp)),
        ping,
        ping95,
        call,
        call95,
        row.failed().to_string(),
        pace,
        format!("{:.0}", rss as f64 / 1024.0),
    ]
}

/// Returns the memory of Deskhand in one line.
pub(super) fn memory(report: &Report) -> String {
    let mark = |(transport, calls, kb): &(super::servers::Transport, usize, u64)| {
        format!("{} {calls}: {:.1}", transport.name(), *kb as f64 / 1024.0)
    };
    report.memory.iter().map(mark).collect::<Vec<_>>().join(", ")
}
