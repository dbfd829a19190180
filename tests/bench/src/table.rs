//! Formats the table for a terminal of 100 columns and for the docs.

use std::fmt::Write;

use crate::figures::{Figures, Report, Row, ToolFigures, median};

/// The cell text if nothing was measured.
const NOT_MEASURED: &str = "-";

/// Returns the table for the terminal.
pub(crate) fn terminal(report: &Report) -> String {
    let mut text = format!(
        "{}, {} rounds, times in ms (p50)\n\n{:16} {:>5}  {:^31}  {:^16}  {:^14}\n",
        report.machine, report.rounds, "", "", "first read", "find by name", "one element"
    );
    let head = [
        "app", "nodes", "ours", "pyatspi", "dogtail", "×", "cli", "ours", "py", "dog", "ours",
        "py", "dog", "MB", "token",
    ];
    line(&mut text, &head.map(str::to_owned));
    for row in &report.rows {
        line(&mut text, &cells(row));
    }
    text.push_str(&summary(report));
    text
}

/// Returns the lines below the table.
fn summary(report: &Report) -> String {
    let up =
        median(&report.up_ms).map_or_else(|| NOT_MEASURED.to_owned(), |ms| format!("{ms:.0} ms"));
    let tokens = report.tokens();
    let middle = report.median_tokens().unwrap_or(0.0);
    let most = tokens.last().copied().unwrap_or(0);
    let failures: String =
        report.rows.iter().flat_map(|row| row.failures()).map(|line| line + "\n").collect();
    format!(
        "start of a private desktop: {up} (p50 of {}); tokens: median {middle:.0}, maximum \
         {most}\n{failures}",
        report.up_ms.len()
    )
}

fn line(text: &mut String, cells: &[String; 15]) {
    const WIDTHS: [usize; 15] = [16, 5, 4, 7, 7, 5, 4, 4, 5, 5, 4, 4, 4, 3, 5];
    for (at, (cell, width)) in cells.iter().zip(WIDTHS).enumerate() {
        // One extra space separates the groups.
        let gap = match at {
            0 => "",
            2 | 7 | 10 | 13 => "  ",
            _ => " ",
        };
        let padded = if at == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") };
        // Writing to a string cannot fail.
        let _ = write!(text, "{gap}{padded}");
    }
    text.push('\n');
}

/// Returns the cells of one row.
pub(crate) fn cells(row: &Row) -> [String; 15] {
    let ToolFigures { ours, pyatspi, dogtail } = &row.first_read;
    [
        row.name.clone(),
        row.nodes.to_string(),
        time(ours),
        time(pyatspi),
        time(dogtail),
        row.first_read
            .ratio()
            .map_or_else(|| NOT_MEASURED.to_owned(), |ratio| format!("{ratio:.1}")),
        time(&row.cli),
        time(&row.find.ours),
        time(&row.find.pyatspi),
        time(&row.find.dogtail),
        time(&row.attribute.ours),
        time(&row.attribute.pyatspi),
        time(&row.attribute.dogtail),
        format!("{:.0}", row.cli.rss_kb as f64 / 1024.0),
        row.tokens.to_string(),
    ]
}

/// Formats the median in milliseconds with two or three significant digits.
pub(crate) fn time(figures: &Figures) -> String {
    format_ms(figures.p50())
}

/// Formats a time in milliseconds.
pub(crate) fn format_ms(ms: Option<f64>) -> String {
    match ms {
        None => NOT_MEASURED.to_owned(),
        Some(ms) if ms < 1.0 => format!("{ms:.2}"),
        Some(ms) if ms < 10.0 => format!("{ms:.1}"),
        Some(ms) => format!("{ms:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apps::Reach;

    #[test]
    fn the_table_fits_a_hundred_columns() {
        let slow = Figures { ms: vec![12_345.0], nodes: 99_999, rss_kb: 99 * 1024, failed: 0 };
        let sides =
            ToolFigures { ours: slow.clone(), pyatspi: slow.clone(), dogtail: slow.clone() };
        let quick = Figures { ms: vec![0.5], ..Figures::default() };
        let read = ToolFigures { ours: quick.clone(), pyatspi: quick.clone(), dogtail: quick };
        let usual = Figures { ms: vec![999.0], ..slow.clone() };
        let row = Row {
            nodes: 99_999,
            first_read: ToolFigures { ours: usual.clone(), ..sides.clone() },
            cli: usual.clone(),
            find: ToolFigures { ours: usual, ..sides },
            attribute: read,
            tokens: 99_999,
            ..Row::empty("gnome-calculator", Reach::Gtk4)
        };
        let mut text = String::new();
        line(&mut text, &cells(&row));
        assert!(text.trim_end().chars().count() <= 100, "{text}");
    }
}
