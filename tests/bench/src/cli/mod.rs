//! Command-line tools: what a command costs in the sandbox, beside the plain start of the same shell.

mod figures;
mod goals;
mod outputs;
pub(crate) mod page;
pub(crate) mod plot;
mod server;
pub(crate) mod spawns;
mod table;

use std::time::{Duration, Instant};

use harness::Stage;
use indicatif::ProgressBar;

pub(crate) use figures::Report;
pub(crate) use goals::judge;
pub(crate) use table::terminal;

use server::{Server, Tools};

use crate::error::Result;
use crate::figures::Figures;
use crate::machine::Machine;

/// What is run.
const ECHO: &str = "echo hi";

/// How many commands come one after the other before it is the other's turn.
const BLOCK: usize = 50;

/// How many blocks of each a round has.
const BLOCKS: usize = 4;

/// How many commands are on their way at once, and how many of them there are.
const AT_ONCE: usize = 50;
const MANY: usize = 500;

/// What one has left running does not count against the other.
const REST: Duration = Duration::from_millis(50);

/// Measures both in turn.
pub(crate) fn measure(machine: Machine, rounds: usize, progress: &ProgressBar) -> Result<Report> {
    let stage = Stage::new();
    let mut report = Report::new(machine, rounds);
    progress.set_length((rounds * (BLOCKS + 2) + 1) as u64);
    for _ in 0..rounds {
        let mut server = Server::start(&stage, Tools::Cli)?;
        report.start_with.ms.push(server.started_ms);
        report.start_without.ms.push(Server::start(&stage, Tools::Desktop)?.started_ms);
        server.run(ECHO)?;
        for _ in 0..BLOCKS {
            progress.set_message("one after the other");
            std::thread::sleep(REST);
            report.plain.ms.extend(spawns::measured(1, BLOCK)?.ms);
            std::thread::sleep(REST);
            report.ours.add(one_by_one(&mut server)?);
            progress.inc(1);
        }
        progress.set_message(format!("{AT_ONCE} at once"));
        std::thread::sleep(REST);
        let plain = spawns::measured(AT_ONCE, MANY / AT_ONCE)?;
        report.plain_per_second.push(MANY as f64 / plain.seconds);
        progress.inc(1);
        std::thread::sleep(REST);
        let begun = Instant::now();
        server.run_many(ECHO, AT_ONCE, MANY)?;
        report.ours_per_second.push(MANY as f64 / begun.elapsed().as_secs_f64());
        progress.inc(1);
    }
    progress.set_message("large outputs");
    report.outputs = outputs::measured(&stage)?;
    progress.inc(1);
    Ok(report)
}

fn one_by_one(server: &mut Server) -> Result<Figures> {
    let mut figures = Figures::default();
    for _ in 0..BLOCK {
        let begun = Instant::now();
        server.run(ECHO)?;
        figures.ms.push(begun.elapsed().as_secs_f64() * 1e3);
    }
    Ok(figures)
}
