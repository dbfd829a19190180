//! The figures of MCP servers, as written to `out/bench-mcp.json`.

use serde::Serialize;

use super::servers::{Implementation, Transport};
use crate::figures::Figures;
use crate::machine::Machine;

/// The figures of a whole run.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// The machine.
    pub(crate) machine: Machine,
    /// The number of rounds.
    pub(crate) rounds: usize,
    /// One row per server and transport.
    pub(crate) rows: Vec<Row>,
    /// The memory of Deskhand after some calls: transport, calls, kilobytes.
    pub(crate) memory: Vec<(Transport, usize, u64)>,
}

/// One server on one transport.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    /// The implementation.
    #[serde(rename = "maker")]
    pub(crate) implementation: Implementation,
    /// The kind of connection.
    #[serde(rename = "way")]
    pub(crate) transport: Transport,
    /// Time from the start to the first response.
    pub(crate) start: Figures,
    /// Consecutive pings, one value per round.
    pub(crate) ping: Vec<Figures>,
    /// Consecutive small calls, one value per round.
    pub(crate) call: Vec<Figures>,
    /// Concurrent clients, if the transport supports them.
    #[serde(rename = "crowd")]
    pub(crate) concurrent: Option<ConcurrentClients>,
}

/// The figures of concurrent clients.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ConcurrentClients {
    /// The number of clients.
    pub(crate) clients: usize,
    /// The number of successful calls.
    pub(crate) answered: usize,
    /// The number of failed calls.
    pub(crate) failed: usize,
    /// The number of calls per second.
    pub(crate) per_second: f64,
}

impl Row {
    /// Returns an empty value.
    pub(crate) fn new(implementation: Implementation, transport: Transport) -> Self {
        let (ping, call) = (Vec::new(), Vec::new());
        Self { implementation, transport, start: Figures::default(), ping, call, concurrent: None }
    }

    /// Returns the number of failed calls, including those of concurrent clients.
    pub(crate) fn failed(&self) -> usize {
        let alone = self.ping.iter().chain(&self.call).map(|figures| figures.failed);
        alone.sum::<usize>() + self.concurrent.as_ref().map_or(0, |concurrent| concurrent.failed)
    }
}

impl Report {
    /// Returns the row of a server.
    pub(crate) fn row(&self, implementation: Implementation, transport: Transport) -> Option<&Row> {
        self.rows
            .iter()
            .find(|row| row.implementation == implementation && row.transport == transport)
    }
}

/// Returns the round with the smallest median.
pub(crate) fn best(rounds: &[Figures]) -> Figures {
    let middle = |figures: &Figures| figures.p50().unwrap_or(f64::INFINITY);
    let best = rounds.iter().min_by(|a, b| middle(a).total_cmp(&middle(b)));
    best.cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_round_with_the_smallest_median_counts() {
        let of = |ms: &[f64]| Figures { ms: ms.to_vec(), ..Figures::default() };
        let rounds = [of(&[3.0, 9.0, 9.0]), of(&[2.0, 4.0, 99.0]), of(&[])];
        assert_eq!(best(&rounds).ms, [2.0, 4.0, 99.0]);
        assert_eq!(best(&[]).p50(), None);
    }
}
