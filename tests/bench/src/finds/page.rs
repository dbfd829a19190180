//! The table of finds, and its section of `docs/bench.md`.

use std::fmt::Write;

use super::{Answer, Report, Row};
use crate::timing::FIND_TIMEOUT;

/// Returns the table for the terminal and for the docs.
pub(crate) fn table(report: &Report) -> String {
    let mut text = String::from(
        "| list | items | last, 2 s | last | missing | tree after |\n|---|--:|--:|--:|--:|--:|\n",
    );
    for row in &report.rows {
        // Writing to a `String` cannot fail.
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {:.0} |",
            row.list,
            row.items,
            found(&row.by_default),
            found(&row.last),
            missing(&row.missing),
            row.look_ms
        );
    }
    text
}

/// Returns the section for a run.
pub(crate) fn section(report: &Report) -> String {
    let mut page = String::from("## Finds in long lists\n\n");
    let machine = &report.machine;
    let _ = write!(
        page,
        "Run of {} on a {machine}; one run of each find; load average at the start: {:.1}. All answers are in \
         `out/bench-finds.json`.\n\n",
        machine.date, machine.load
    );
    page.push_str(&table(report));
    page.push_str(&partial_answers(&report.rows));
    let _ = write!(
        page,
        "
### Method for finds in long lists

- Times are milliseconds of the whole process `deskhand find`, including its start, its connections and the search
  for the app. **last, 2 s** finds the last item with the default timeout, **last** with `--timeout {0}`, and
  **missing** a name that does not exist with `--timeout {0}`. **tree after** is the time of `deskhand tree`
  afterwards: the app still responds.
- `no_match` is the answer to a search that found nothing. In the column for missing items it is the right answer if
  the list was searched completely; `in part` marks a search that says which part it left out.
- A table of a browser has an element for each row, cell and text, about five times the number of items.
",
        FIND_TIMEOUT.as_secs()
    );
    page
}

/// Lists one answer of each list that was searched in part.
fn partial_answers(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows {
        let answers = [&row.by_default, &row.last, &row.missing];
        if let Some(answer) = answers.into_iter().find(|answer| is_partial(answer)) {
            let _ = writeln!(text, "- {}, {} items: {}", row.list, row.items, answer.advice);
        }
    }
    if text.is_empty() { text } else { format!("\nThe answers of searches in part:\n\n{text}") }
}

fn is_partial(answer: &Answer) -> bool {
    answer.advice.starts_with("not searched completely")
}

fn found(answer: &Answer) -> String {
    match answer.code.as_str() {
        "ok" => format!("{:.0}", answer.ms),
        _ if is_partial(answer) => format!("in part ({:.0})", answer.ms),
        other => format!("`{other}` ({:.0})", answer.ms),
    }
}

fn missing(answer: &Answer) -> String {
    match answer.code.as_str() {
        "no_match" if !is_partial(answer) => format!("{:.0}", answer.ms),
        _ => found(answer),
    }
}
