//! `cargo xtask bench actions`: the matrix of actions, judged by the apps themselves.
//!
//! Prints the table and every lie; `--docs` keeps the table in `docs/actions.md`.
#![allow(clippy::print_stdout, reason = "a table on the terminal is what this program is for")]

mod docs;

use std::process::ExitCode;

use clap::Parser;
use e2e::actions::{Report, Row, Situation, Toolkit, run};

/// Toolkit × widget × action × situation, judged by the apps themselves.
#[derive(Parser)]
#[command(name = "actions")]
struct Arguments {
    /// Only the cases whose action and widget contain one of these.
    names: Vec<String>,
    /// Only the toolkits whose name contains this, such as `qt`.
    #[arg(long)]
    toolkit: Option<String>,
    /// Only this situation.
    #[arg(long)]
    situation: Option<String>,
    /// Show every cell, not only those that are wrong or missed.
    #[arg(long)]
    all: bool,
    /// Keep the table in docs/actions.md.
    #[arg(long)]
    docs: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let fits = |name: &str, wanted: Option<&String>| {
        let plain = |text: &str| text.to_lowercase().replace(' ', "");
        wanted.is_none_or(|wanted| plain(name).contains(&plain(wanted)))
    };
    let toolkits: Vec<Toolkit> =
        Toolkit::ALL.into_iter().filter(|it| fits(it.name(), arguments.toolkit.as_ref())).collect();
    let situations: Vec<Situation> = Situation::ALL
        .into_iter()
        .filter(|it| fits(it.name(), arguments.situation.as_ref()))
        .collect();
    let mut report = Report::default();
    for toolkit in toolkits {
        let show = |row: &Row| {
            let is_missed = row.lie.is_some() || !row.disturbed.is_empty() || missed(row);
            if arguments.all || is_missed {
                println!("{row}");
            }
        };
        report.rows.extend(run(toolkit, &situations, &arguments.names, show));
    }
    println!("\n{}\n{}", report.terminal(), report.summary());
    if arguments.docs
        && let Err(error) = docs::keep(&report)
    {
        eprintln!("error: docs/actions.md: {error}");
        return ExitCode::FAILURE;
    }
    let is_kept = report.lies().next().is_none();
    if is_kept { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn missed(row: &Row) -> bool {
    row.reach == e2e::actions::Reach::Open && row.answer.word() != "confirmed"
}
