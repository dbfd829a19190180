//! Formats the tables for a terminal of 100 columns and for the docs.

use std::fmt::Write;

use super::evidence_process::kind_names;
use super::figures::{ClickRow, CommandComparison, CommandFigures, EvidenceRow, Report};
use crate::figures::Figures;
use crate::table::format_ms;

/// Returns the tables for the terminal.
pub(crate) fn terminal(report: &Report) -> String {
    let mut text = format!(
        "{}\n{} clicks per tool, times in ms (p50, p95)\n\n",
        report.machine, report.clicks_each
    );
    // Writing to a `String` cannot fail, so the results of `write!` are ignored.
    let _ = writeln!(
        text,
        "{:37}  {:^12}  {:^12}  {:^12}",
        "confirmed click", "warm", "deskhand", "xdotool"
    );
    for row in &report.clicks {
        let [name, what, warm, warm95, cli, cli95, peer, peer95, ratio] = click_cells(row);
        let _ = writeln!(
            text,
            "{name:19} {what:17}  {warm:>5} {warm95:>6}  {cli:>5} {cli95:>6}  {peer:>5} \
             {peer95:>6}  {ratio:>5}×"
        );
    }
    if !report.evidence.is_empty() {
        let head = evidence_head().map(|name| format!("{name:>15}"));
        let _ = writeln!(text, "\n{:6}{}", "p50", head.concat());
    }
    for row in &report.evidence {
        let cells: Vec<String> =
            evidence_cells(row).iter().map(|cell| format!("{cell:>15}")).collect();
        let _ = writeln!(text, "{:6}{}", row.toolkit, cells.concat());
    }
    let _ = writeln!(text, "\n{:72}  {:>6} {:>6}  {:>5}", "whole process", "p50", "p95", "×");
    for comparison in &report.contests {
        for side in &comparison.sides {
            let [task, line, p50, p95, ratio] = side_cells(comparison, side);
            let line = line.replace('`', "");
            let _ = writeln!(text, "{task:20} {line:51}  {p50:>6} {p95:>6}  {ratio:>5}");
        }
    }
    for remark in report.remarks() {
        let _ = writeln!(text, "- {remark}");
    }
    text
}

/// Returns the cells of one row of clicks.
pub(crate) fn click_cells(row: &ClickRow) -> [String; 9] {
    let clicks = &row.clicks;
    let both = |figures: &Figures| [format_ms(figures.p50()), format_ms(figures.p95())];
    let [warm, warm95] = both(&clicks.warm);
    let [cli, cli95] = both(&clicks.cli);
    let [peer, peer95] = both(&clicks.xdotool);
    let ratio = format_ratio(clicks.ratio());
    [row.name.clone(), row.what.clone(), warm, warm95, cli, cli95, peer, peer95, ratio]
}

/// Returns the heads of the columns of clicks by kind of evidence.
pub(crate) fn evidence_head() -> [&'static str; 6] {
    let [state, element, window, dialog, unverified] = kind_names();
    ["floor", state, element, window, dialog, unverified]
}

/// Returns the cells of one row of clicks by kind of evidence.
pub(crate) fn evidence_cells(row: &EvidenceRow) -> Vec<String> {
    let figures = [&row.floor].into_iter().chain(&row.kinds);
    figures.map(|figures| format_ms(figures.p50())).collect()
}

/// Returns the cells of one command. The task is only in the first row.
pub(crate) fn side_cells(comparison: &CommandComparison, side: &CommandFigures) -> [String; 5] {
    let is_first = comparison.sides.first().is_some_and(|first| first.line == side.line);
    let task = if is_first { comparison.task.clone() } else { String::new() };
    let ratio = if is_first { String::new() } else { format_ratio(comparison.ratio(side)) };
    let figures = &side.figures;
    [task, format!("`{}`", side.line), format_ms(figures.p50()), format_ms(figures.p95()), ratio]
}

fn format_ratio(ratio: Option<f64>) -> String {
    ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.1}"))
}

#[cfg(test)]
mod tests {
    use super::super::figures::Clicks;
    use super::*;
    use crate::machine;

    #[test]
    fn the_tables_fit_a_hundred_columns() {
        let slow = Figures { ms: vec![12_345.0], ..Figures::default() };
        let clicks = Clicks {
            warm: slow.clone(),
            cli: slow.clone(),
            xdotool: slow.clone(),
            ..Clicks::default()
        };
        let row = ClickRow {
            name: "gtk3-widget-factory".to_owned(),
            what: "GTK 4 button `7`".to_owned(),
            clicks,
        };
        let line = "deskhand type TEXT --into e99 --app 99999 --mode focus".to_owned();
        let comparison = CommandComparison {
            task: "type 200 characters".to_owned(),
            goal: None,
            sides: vec![CommandFigures { line, figures: slow.clone() }],
            remarks: Vec::new(),
        };
        let report = Report {
            machine: machine::describe(),
            clicks_each: 50,
            clicks: vec![row],
            evidence: vec![EvidenceRow {
                toolkit: "GTK 3".to_owned(),
                kinds: vec![slow.clone(); 5],
                floor: slow.clone(),
                remarks: Vec::new(),
            }],
            contests: vec![comparison],
        };
        for line in terminal(&report).lines() {
            assert!(line.chars().count() <= 100, "{line}");
        }
    }
}
