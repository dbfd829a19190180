//! `cargo xtask bench`: Deskhand beside pyatspi and dogtail on real apps, in one run.
//!
//! Prints one table and the goals it meets or misses, and writes `out/bench.json`. Figures are
//! reported, never asserted.
#![allow(clippy::print_stdout, reason = "a table on the terminal is what this program is for")]

mod contender;
mod desktop;
mod docs;
mod error;
mod figures;
mod goals;
mod inside;
mod lineup;
mod machine;
mod measured;
mod plot;
mod round;
mod table;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};

use crate::error::Result;
use crate::figures::Report;

/// Deskhand beside pyatspi and dogtail on real apps.
#[derive(Parser)]
#[command(name = "bench")]
struct Arguments {
    #[command(subcommand)]
    part: Option<Part>,
    /// Only the rows whose name contains one of these.
    names: Vec<String>,
    /// How many times each contender runs on each app.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// How many private desktops are started.
    #[arg(long, default_value_t = 10)]
    desktops: usize,
    /// Rewrite docs/bench.md and its picture from this run.
    #[arg(long)]
    docs: bool,
}

/// What this program does when it runs itself on a private desktop.
#[derive(Subcommand)]
enum Part {
    /// Reads an app in this process and prints the figures.
    #[command(hide = true)]
    Inside(inside::Arguments),
    /// Runs a command and prints its time and memory.
    #[command(hide = true)]
    Measured(measured::Arguments),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = match &arguments.part {
        Some(Part::Inside(part)) => inside::run(part),
        Some(Part::Measured(part)) => measured::run(part),
        None => bench(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn bench(arguments: &Arguments) -> Result<()> {
    let machine = machine::describe();
    let entries = lineup::chosen(&arguments.names);
    let progress = progress((entries.len() * round::steps(arguments.rounds) + 1) as u64);
    progress.set_message("private desktops");
    let up_ms = desktop::up_times(arguments.desktops)?;
    progress.inc(1);
    let mut rows = Vec::new();
    for entry in &entries {
        rows.push(round::row(entry, arguments.rounds, &progress)?);
    }
    progress.finish_and_clear();

    let report = Report { machine, rounds: arguments.rounds, up_ms, rows };
    let goals = goals::judge(&report);
    print!("{}", table::terminal(&report));
    println!();
    for goal in &goals {
        println!("{goal}");
    }
    let root = root();
    let json = root.join("out/bench.json");
    error::write(&json, &serde_json::to_string_pretty(&report)?)?;
    println!("\nevery sample: out/bench.json");
    if arguments.docs {
        error::write(
            &root.join("docs/images/bench-first-look.svg"),
            &plot::first_look(&report.rows),
        )?;
        error::write(&root.join("docs/bench.md"), &docs::page(&report, &goals))?;
        println!("rewrote docs/bench.md and docs/images/bench-first-look.svg");
    }
    Ok(())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn progress(length: u64) -> ProgressBar {
    let bar = ProgressBar::new(length);
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {msg}");
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
