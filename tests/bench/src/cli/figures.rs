//! What was measured of commands, as it is kept in `out/bench-cli.json`.

use serde::Serialize;

use crate::figures::{Figures, median};
use crate::machine::Machine;

/// A whole run.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// Where it ran.
    pub(crate) machine: Machine,
    /// How many rounds there were.
    pub(crate) rounds: usize,
    /// The plain start of a shell, one after the other.
    pub(crate) plain: Figures,
    /// The tool, one call after the other.
    pub(crate) ours: Figures,
    /// Plain starts a second by many threads, a round each.
    pub(crate) plain_per_second: Vec<f64>,
    /// Calls a second with many on their way, a round each.
    pub(crate) ours_per_second: Vec<f64>,
    /// Large outputs at once.
    pub(crate) outputs: Option<Outputs>,
    /// From the start of the server to its first answer, with command-line tools.
    pub(crate) start_with: Figures,
    /// The same without.
    pub(crate) start_without: Figures,
}

/// Large outputs at once.
#[derive(Debug, Serialize)]
pub(crate) struct Outputs {
    /// How many commands.
    pub(crate) commands: usize,
    /// How much each printed.
    pub(crate) bytes: usize,
    /// How long all of them took.
    pub(crate) seconds: f64,
    /// The most memory the server held, from its start.
    pub(crate) server_kb: u64,
    /// The most its broker held.
    pub(crate) broker_kb: u64,
    /// How much the server holds afterwards.
    pub(crate) after_kb: u64,
}

impl Report {
    /// Nothing measured yet.
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

    /// The pace of plain starts and of ours, in the middle of the rounds.
    pub(crate) fn paces(&self) -> Option<(f64, f64)> {
        Some((median(&self.plain_per_second)?, median(&self.ours_per_second)?))
    }
}

impl Outputs {
    /// The most memory of server and broker, in megabytes.
    pub(crate) fn most_mb(&self) -> f64 {
        (self.server_kb + self.broker_kb) as f64 / 1024.0
    }
}
