//! `cargo xtask bench actions`: runs the action matrix and checks the results against the apps
//! themselves.
//!
//! Prints the table and every wrong answer. `--docs` writes the table to `docs/actions.md`.
#![allow(clippy::print_stdout, reason = "this program prints tables")]

mod docs;

use std::process::ExitCode;

use clap::Parser;
use harness::actions::{CaseFilter, CaseResult, Report, Situation, Toolkit, run};
use parking_lot::Mutex;

/// Run the action matrix (toolkit × widget × action × situation).
#[derive(Parser)]
#[command(name = "actions")]
struct Arguments {
    /// Only run cases whose action and widget contain one of these.
    names: Vec<String>,
    /// Only run toolkits whose name contains this, such as `qt`.
    #[arg(long)]
    toolkit: Option<String>,
    /// Only run situations whose name contains this.
    #[arg(long)]
    situation: Option<String>,
    /// Print every case, not only wrong, disturbing and unconfirmed ones.
    #[arg(long)]
    all: bool,
    /// Write the table to docs/actions.md.
    #[arg(long)]
    docs: bool,
    /// Number of toolkits to run at the same time.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=7))]
    jobs: u8,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let fits = |name: &str, wanted: Option<&String>| {
        let plain = |text: &str| text.to_lowercase().replace(' ', "");
        wanted.is_none_or(|wanted| plain(name).contains(&plain(wanted)))
    };
    let toolkits: Vec<Toolkit> =
        Toolkit::ALL.into_iter().filter(|it| fits(it.name(), arguments.toolkit.as_ref())).collect();
    let filters: Vec<CaseFilter<'_>> = Situation::ALL
        .into_iter()
        .filter(|it| fits(it.name(), arguments.situation.as_ref()))
        .map(|situation| CaseFilter { situation, names: &arguments.names })
        .collect();
    let show = |row: &CaseResult| {
        let is_wrong = row.wrong_answer.is_some() || !row.disturbed.is_empty() || row.is_missed();
        if arguments.all || is_wrong {
            println!("{row}");
        }
    };
    let queue = Mutex::new(toolkits);
    let done = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..arguments.jobs {
            scope.spawn(|| {
                while let Some(toolkit) = next(&queue) {
                    let rows = run(toolkit, &filters, show);
                    done.lock().extend(rows);
                }
            });
        }
    });
    let mut report = Report { rows: done.into_inner() };
    report.rows.sort_by_key(|row| (row.toolkit, row.situation));
    println!("\n{}\n{}", report.terminal(), report.summary());
    if arguments.docs
        && let Err(error) = docs::write_page(&report)
    {
        eprintln!("error: docs/actions.md: {error}");
        return ExitCode::FAILURE;
    }
    let all_correct = report.wrong_answers().next().is_none();
    if all_correct { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Returns the next toolkit. The slow ones are last in the list and are taken first.
fn next(queue: &Mutex<Vec<Toolkit>>) -> Option<Toolkit> {
    queue.lock().pop()
}
