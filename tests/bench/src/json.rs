//! Compares the whole process `deskhand tree --format json` with a script for pyatspi that prints the same
//! fields.

use std::fmt::Write;

use harness::TestDesktop;
use indicatif::ProgressBar;
use serde::Serialize;

use crate::apps;
use crate::contender::{cli, peer_process};
use crate::error::Result;
use crate::figures::Figures;
use crate::machine::Machine;

/// The goal: the time of pyatspi divided by ours.
const GOAL: f64 = 5.0;

/// All figures of a run.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    machine: Machine,
    rounds: usize,
    rows: Vec<Row>,
}

/// The figures of one app.
#[derive(Debug, Serialize)]
struct Row {
    name: &'static str,
    /// The whole tree as JSON.
    ours: Figures,
    pyatspi: Figures,
    /// A process that lists the apps: the part of each call that does not read the app.
    start: Figures,
}

impl Row {
    fn ratio(&self) -> Option<f64> {
        Some(self.pyatspi.p50()? / self.ours.p50()?)
    }
}

/// Measures the apps whose name contains one of `names`, or all. The contenders take turns.
pub(crate) fn measure(
    machine: Machine,
    names: &[String],
    rounds: usize,
    progress: &ProgressBar,
) -> Result<Report> {
    let entries = apps::chosen(names);
    progress.set_length((entries.len() * rounds) as u64);
    let mut rows = Vec::new();
    for entry in entries {
        progress.set_message(entry.name);
        let desktop = TestDesktop::new();
        let program = desktop.start(entry.app);
        let pid = program.pid_text();
        let empty = Figures::default;
        let mut row = Row { name: entry.name, ours: empty(), pyatspi: empty(), start: empty() };
        for _ in 0..rounds {
            let ours = ["tree", "--app", &pid, "--format", "json", "--timeout", "30"];
            row.ours.add(cli(&desktop, &ours)?);
            row.pyatspi.add(peer_process(&desktop, "pyatspi_json.py", &[&pid])?);
            row.ours.add(cli(&desktop, &ours)?);
            row.start.add(cli(&desktop, &["apps", "--format", "json"])?);
            progress.inc(1);
        }
        rows.push(row);
    }
    Ok(Report { machine, rounds, rows })
}

/// Returns the table for the terminal and for the docs.
pub(crate) fn table(report: &Report) -> String {
    let mut text = String::from(
        "| app | deskhand | pyatspi | × | of this, start | goal |\n|---|--:|--:|--:|--:|---|\n",
    );
    let ms = |figures: &Figures| figures.p50().map_or("-".to_owned(), |ms| format!("{ms:.0}"));
    for row in &report.rows {
        let ratio = row.ratio();
        // Writing to a `String` cannot fail.
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} |",
            row.name,
            ms(&row.ours),
            ms(&row.pyatspi),
            ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.1}")),
            ms(&row.start),
            if ratio.is_some_and(|ratio| ratio >= GOAL) { "✓" } else { "✗" },
        );
    }
    text
}

/// Returns the section for a run.
pub(crate) fn section(report: &Report) -> String {
    let machine = &report.machine;
    let mut page = String::from("## Whole trees as JSON\n\n");
    let _ = write!(
        page,
        "Run of {} on a {machine}; {} rounds; load average at the start: {:.1}. All samples are in \
         `out/bench-json.json`.\n\n",
        machine.date, report.rounds, machine.load
    );
    page.push_str(&table(report));
    let _ = write!(
        page,
        "
### Method for whole trees as JSON

- Medians in milliseconds of whole processes, including their start, connections and output. `deskhand` is
  `deskhand tree --app PID --format json`, `pyatspi` is `tests/peers/pyatspi_json.py`, which prints the same fields.
  `×` is the time of pyatspi divided by ours; the goal is {GOAL:.0}.
- **start** is the process `deskhand apps --format json`, which connects and lists the apps, but reads no app.
- Both leave out the children of elements with more than 1,000 children; ours reads the first ones.
"
    );
    page
}
