//! Measures a command in the sandbox next to the same command in a plain shell.
//!
//! In a profile taken once with `perf`, starting and ending `sh` took about two thirds of the processor
//! time of concurrent commands. A forked shell would avoid most of that, but `$$` in its script would be
//! the process id of another shell.

mod figures;
mod goals;
mod outputs;
pub(crate) mod page;
pub(crate) mod plot;
mod server;
pub(crate) mod spawns;
mod table;

use std::time::Instant;

use harness::TestDesktop;
use indicatif::ProgressBar;

pub(crate) use figures::Report;
pub(crate) use goals::judge;
pub(crate) use table::terminal;

use server::{Server, Tools};

use crate::error::Result;
use crate::figures::Figures;
use crate::machine::Machine;
use crate::timing::PAUSE_BETWEEN_BLOCKS;

/// The command.
const ECHO_COMMAND: &str = "echo hi";

/// The number of commands that each side runs before the other one's turn.
const BLOCK_SIZE: usize = 50;

/// The number of blocks per side in one round.
const BLOCKS_PER_ROUND: usize = 4;

/// The number of concurrent commands, and the total number of commands in that test.
const CONCURRENT_COMMANDS: usize = 50;
const TOTAL_CONCURRENT: usize = 500;

/// Measures both sides in turn.
pub(crate) fn measure(machine: Machine, rounds: usize, progress: &ProgressBar) -> Result<Report> {
    let desktop = TestDesktop::new();
    let mut report = Report::new(machine, rounds);
    progress.set_length((rounds * (BLOCKS_PER_ROUND + 2) + 1) as u64);
    for _ in 0..rounds {
        let mut server = Server::start(&desktop, Tools::Cli)?;
        report.start_with.ms.push(server.started_ms);
        report.start_without.ms.push(Server::start(&desktop, Tools::Desktop)?.started_ms);
        server.run(ECHO_COMMAND)?;
        for _ in 0..BLOCKS_PER_ROUND {
            progress.set_message("one after the other");
            std::thread::sleep(PAUSE_BETWEEN_BLOCKS);
            report.plain.ms.extend(spawns::measure(1, BLOCK_SIZE)?.ms);
            std::thread::sleep(PAUSE_BETWEEN_BLOCKS);
            report.ours.add(one_by_one(&mut server)?);
            progress.inc(1);
        }
        progress.set_message(format!("{CONCURRENT_COMMANDS} concurrent commands"));
        std::thread::sleep(PAUSE_BETWEEN_BLOCKS);
        let plain = spawns::measure(CONCURRENT_COMMANDS, TOTAL_CONCURRENT / CONCURRENT_COMMANDS)?;
        report.plain_per_second.push(TOTAL_CONCURRENT as f64 / plain.seconds);
        progress.inc(1);
        std::thread::sleep(PAUSE_BETWEEN_BLOCKS);
        let started = Instant::now();
        server.run_many(ECHO_COMMAND, CONCURRENT_COMMANDS, TOTAL_CONCURRENT)?;
        report.ours_per_second.push(TOTAL_CONCURRENT as f64 / started.elapsed().as_secs_f64());
        progress.inc(1);
    }
    progress.set_message("large outputs");
    report.outputs = outputs::measure(&desktop)?;
    progress.inc(1);
    Ok(report)
}

fn one_by_one(server: &mut Server) -> Result<Figures> {
    let mut figures = Figures::default();
    for _ in 0..BLOCK_SIZE {
        let started = Instant::now();
        server.run(ECHO_COMMAND)?;
        figures.ms.push(started.elapsed().as_secs_f64() * 1e3);
    }
    Ok(figures)
}
