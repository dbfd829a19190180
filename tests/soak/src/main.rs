//! `cargo xtask soak`: checks that take too long for every test run.
//!
//! Each run prints a table and exits with 1 on any failure. `--docs` writes the table to
//! `docs/soak.md`; `soak unseen` writes `docs/unseen.md`.
#![allow(clippy::print_stdout, reason = "this program prints tables")]

mod app_starts;
mod background;
mod desktop;
mod docs;
mod escapes;
mod faults;
mod frozen_apps;
mod gate;
mod keyboard;
mod leftovers;
mod memory;
mod refs;
mod summary;
mod tasks;
mod termination;
mod timing;
mod unseen;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};

use crate::summary::Summary;

/// Run checks that take too long for every test run.
#[derive(Parser)]
#[command(name = "soak")]
struct Arguments {
    #[command(subcommand)]
    run: SoakRun,
    /// Write the result to docs/soak.md, or to docs/unseen.md.
    #[arg(long, global = true)]
    docs: bool,
    /// Seed for random choices. The same seed gives the same sequence of events.
    #[arg(long, global = true, default_value_t = 1)]
    seed: u64,
}

#[derive(Subcommand)]
enum SoakRun {
    /// Check that refs stay valid while an app changes at random.
    Refs {
        /// Number of changes.
        #[arg(long, default_value_t = 10_000)]
        mutations: usize,
    },
    /// Check that reads end in time when apps freeze or die.
    #[command(name = "wedge")]
    FrozenApps {
        /// Number of reads.
        #[arg(long, default_value_t = 200)]
        rounds: usize,
    },
    /// Check that background actions do not disturb the user.
    #[command(name = "aside")]
    Background {
        /// Minimum number of actions.
        #[arg(long, default_value_t = 1000)]
        actions: usize,
    },
    /// Check that a second keyboard can be created and removed without harm to apps.
    Keyboard {
        /// Number of keyboards.
        #[arg(long, default_value_t = 300)]
        cycles: usize,
    },
    /// Check that no call bypasses the policy checks.
    Gate {
        /// Number of random calls.
        #[arg(long, default_value_t = 10_000)]
        calls: usize,
    },
    /// Check that no command escapes its sandbox scope.
    Escapes {
        /// Minimum number of attempts.
        #[arg(long, default_value_t = 1000)]
        attempts: usize,
    },
    /// Check that no process of a command is left after any kind of termination.
    #[command(name = "endings")]
    Termination {
        /// The number of commands.
        #[arg(long, default_value_t = 200)]
        commands: usize,
    },
    /// Check that private desktops leave nothing behind after any kind of termination.
    Desktop {
        /// Number of desktops.
        #[arg(long, default_value_t = 200)]
        rounds: usize,
    },
    /// Check that a server keeps nothing of apps that have quit.
    AppStarts {
        /// Number of starts.
        #[arg(long, default_value_t = 1000)]
        starts: usize,
    },
    /// Check that a server stays small and flat under load.
    Memory {
        /// The number of steps of each load, in percent of the full number.
        #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..))]
        percent: u16,
    },
    /// Check that realistic tasks in real apps succeed every time.
    Tasks {
        /// Number of runs per task.
        #[arg(long, default_value_t = 20)]
        rounds: usize,
        /// Only run tasks whose name contains this text.
        #[arg(long)]
        only: Option<String>,
    },
    /// Compare reported effects with independent oracles in apps that Deskhand was not tuned for.
    Unseen(unseen::UnseenOptions),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let summary = match arguments.run {
        SoakRun::Refs { mutations } => refs::run(mutations, arguments.seed),
        SoakRun::FrozenApps { rounds } => frozen_apps::run(rounds, arguments.seed),
        SoakRun::Background { actions } => background::run(actions, arguments.seed),
        SoakRun::Keyboard { cycles } => keyboard::run(cycles, arguments.seed),
        SoakRun::Gate { calls } => gate::run(calls, arguments.seed),
        SoakRun::Escapes { attempts } => escapes::run(attempts, arguments.seed),
        SoakRun::Termination { commands } => termination::run(commands, arguments.seed),
        SoakRun::Desktop { rounds } => desktop::run(rounds, arguments.seed),
        SoakRun::AppStarts { starts } => app_starts::run(starts, arguments.seed),
        SoakRun::Memory { percent } => memory::run(usize::from(percent), arguments.docs),
        SoakRun::Tasks { rounds, only } => tasks::run(rounds, arguments.seed, only.as_deref()),
        SoakRun::Unseen(options) => return unseen::run(&options, arguments.docs),
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

/// Returns a progress bar.
fn progress(length: usize) -> ProgressBar {
    let bar = ProgressBar::new(length as u64);
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {msg}");
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
