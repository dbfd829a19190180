//! `cargo xtask soak`: proofs too long for every landing.
//!
//! Each prints a table and fails when a promise was broken; `--docs` keeps the table in
//! `docs/soak.md`.
#![allow(clippy::print_stdout, reason = "a table on the terminal is what this program is for")]

mod background;
mod faults;
mod desktop;
mod docs;
mod termination;
mod escapes;
mod gate;
mod keyboard;
mod leftovers;
mod refs;
mod summary;
mod tasks;
mod frozen_apps;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};

use crate::summary::Summary;

/// Proofs too long for every landing.
#[derive(Parser)]
#[command(name = "soak")]
struct Arguments {
    #[command(subcommand)]
    run: SoakRun,
    /// Keep the outcome in docs/soak.md.
    #[arg(long, global = true)]
    docs: bool,
    /// The number that decides what happens when; the same number, the same order of events.
    #[arg(long, global = true, default_value_t = 1)]
    seed: u64,
}

#[derive(Subcommand)]
enum SoakRun {
    /// Refs hold while an app changes at random.
    Refs {
        /// How many changes.
        #[arg(long, default_value_t = 10_000)]
        mutations: usize,
    },
    /// Looks end in time when apps freeze or die under them.
    Wedge {
        /// How many looks.
        #[arg(long, default_value_t = 200)]
        rounds: usize,
    },
    /// Actions in the background leave the person at the desk alone.
    Aside {
        /// How many actions at least.
        #[arg(long, default_value_t = 1000)]
        actions: usize,
    },
    /// A second keyboard comes and goes, and no app is the worse for it.
    Keyboard {
        /// How many times.
        #[arg(long, default_value_t = 300)]
        cycles: usize,
    },
    /// Nobody gets past the gate.
    Gate {
        /// How many calls by lot.
        #[arg(long, default_value_t = 10_000)]
        calls: usize,
    },
    /// No command gets out of its scope.
    Escapes {
        /// How many attempts at least.
        #[arg(long, default_value_t = 1000)]
        attempts: usize,
    },
    /// Nothing a command started is left, however it ends.
    Endings {
        /// How many commands.
        #[arg(long, default_value_t = 200)]
        commands: usize,
    },
    /// Private desktops leave nothing behind, however they end.
    Desktop {
        /// How many desktops.
        #[arg(long, default_value_t = 200)]
        rounds: usize,
    },
    /// Real work in real apps is done, every time.
    Tasks {
        /// How many times each.
        #[arg(long, default_value_t = 20)]
        rounds: usize,
        /// Only tasks whose name has this in it.
        #[arg(long)]
        only: Option<String>,
    },
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let summary = match arguments.run {
        SoakRun::Refs { mutations } => refs::run(mutations, arguments.seed),
        SoakRun::Wedge { rounds } => frozen_apps::run(rounds, arguments.seed),
        SoakRun::Aside { actions } => background::run(actions, arguments.seed),
        SoakRun::Keyboard { cycles } => keyboard::run(cycles, arguments.seed),
        SoakRun::Gate { calls } => gate::run(calls, arguments.seed),
        SoakRun::Escapes { attempts } => escapes::run(attempts, arguments.seed),
        SoakRun::Endings { commands } => termination::run(commands, arguments.seed),
        SoakRun::Desktop { rounds } => desktop::run(rounds, arguments.seed),
        SoakRun::Tasks { rounds, only } => tasks::run(rounds, arguments.seed, only.as_deref()),
    };
    print!("{}", summary.terminal());
    if arguments.docs {
        match docs::write_section(&summary) {
            Ok(()) => println!("updated docs/soak.md"),
            Err(error) => {
                eprintln!("error: docs/soak.md: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    print_failures(&summary)
}

fn print_failures(summary: &Summary) -> ExitCode {
    for failure in &summary.failures {
        eprintln!("failed: {failure}");
    }
    if summary.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A bar for so many steps.
fn progress(length: usize) -> ProgressBar {
    let bar = ProgressBar::new(length as u64);
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {msg}");
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
