//! The figures of command-line tools, as written to `out/bench-cli.json`.

use serde::Serialize;

use crate::figures::{Figures, median};
use crate::machine::Machine;

/// The figures of a whole run.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// The machine.
    pub(crate) machine: Machine,
    /// The number of rounds.
    pub(crate) rounds: usize,
    /// Plain shells, started one after the other.
    pub(crate) plain: Figures,
    /// Tool calls, one after the other.
    pub(crate) ours: Figures,
    /// Plain shells per second with many threads, one value per round.
    pub(crate) plain_per_second: Vec<f64>,
    /// Tool calls per second with many in progress, one value per round.
    pub(crate) ours_per_second: Vec<f64>,
    /// Several commands with large outputs at the same time.
    pub(crate) outputs: Option<Outputs>,
    /// Time from the start of the server to its first response, with command-line tools.
    pub(crate) start_with: Figures,
    /// The same without command-line tools.
    pub(crate) start_without: Figures,
}

/// Several commands with large outputs at the same time.
#[derive(Debug, Serialize)]
pub(crate) struct Outputs {
    /// The number of commands.
    pub(crate) commands: usize,
    /// The number of bytes that each command printed.
    pub(crate) bytes: usize,
    /// The duration of all commands together.
    pub(crate) seconds: f64,
    /// The peak memory of the server.
    pub(crate) server_kb: u64,
    /// The peak memory of its broker process.
    pub(crate) broker_kb: u64,
    /// The memory of the server after the commands.
    pub(crate) after_kb: u64,
}

impl Report {
    /// Returns an empty value.
    pub(crate) fn new(machine: Machine, rounds: usize) -> Self {
        let none = Figures::default;
        Self {
            machine,
            rounds,
            plain: none(),
            ours: none(),
            plain_per_second: Vec::new(),
            ours_per_second: Vec::new(),
            outputs: None,
            start_with: none(),
            start_without: none(),
        }
    }

    /// Returns the median throughput of plain shells and of tool calls.
    pub(crate) fn paces(&self) -> Option<(f64, f64)> {
        Some((median(&self.plain_per_second)?, median(&self.ours_per_second)?))
    }
}

impl Outputs {
    /// Returns the sum of both peaks in megabytes.
    pub(crate) fn most_mb(&self) -> f64 {
        (self.server_kb + self.broker_kb) as f64 / 1024.0
    }
}
