//! What was measured of servers, as it is kept in `out/bench-mcp.json`.

use serde::Serialize;

use super::servers::{Implementation, Transport};
use crate::figures::Figures;
use crate::machine::Machine;

/// A whole run.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// Where it ran.
    pub(crate) machine: Machine,
    /// How many rounds there were.
    pub(crate) rounds: usize,
    /// One row a server and way.
    pub(crate) rows: Vec<Row>,
    /// The memory of ours, by how many calls it had served: way, calls, kilobytes.
    pub(crate) memory: Vec<(Transport, usize, u64)>,
}

/// One server, reached in one way.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    /// Whose.
    #[serde(rename = "maker")]
    pub(crate) implementation: Implementation,
    /// How it is reached.
    #[serde(rename = "way")]
    pub(crate) transport: Transport,
    /// From its start to its first answer.
    pub(crate) start: Figures,
    /// One ping after the other, a round each.
    pub(crate) ping: Vec<Figures>,
    /// One small call after the other, a round each.
    pub(crate) call: Vec<Figures>,
    /// Many clients at once, where many can come.
    #[serde(rename = "crowd")]
    pub(crate) concurrent: Option<ConcurrentClients>,
}

/// Many clients at once.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ConcurrentClients {
    /// How many.
    pub(crate) clients: usize,
    /// How many calls were answered.
    pub(crate) answered: usize,
    /// How many were not.
    pub(crate) failed: usize,
    /// How many a second.
    pub(crate) per_second: f64,
}

impl Row {
    /// Nothing measured yet.
    pub(crate) fn new(implementation: Implementation, transport: Transport) -> Self {
        let (ping, call) = (Vec::new(), Vec::new());
        Self { implementation, transport, start: Figures::default(), ping, call, concurrent: None }
    }

    /// How many calls failed, those of the crowd too.
    pub(crate) fn failed(&self) -> usize {
        let alone = self.ping.iter().chain(&self.call).map(|figures| figures.failed);
        alone.sum::<usize>() + self.concurrent.as_ref().map_or(0, |concurrent| concurrent.failed)
    }
}

impl Report {
    /// The row of a server.
    pub(crate) fn row(&self, implementation: Implementation, transport: Transport) -> Option<&Row> {
        self.rows.iter().find(|row| row.implementation == implementation && row.transport == transport)
    }
}

/// The quietest of some rounds: the one with the least time in the middle.
pub(crate) fn best(rounds: &[Figures]) -> Figures {
    let middle = |figures: &Figures| figures.p50().unwrap_or(f64::INFINITY);
    let best = rounds.iter().min_by(|a, b| middle(a).total_cmp(&middle(b)));
    best.cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quietest_round_counts() {
        let of = |ms: &[f64]| Figures { ms: ms.to_vec(), ..Figures::default() };
        let rounds = [of(&[3.0, 9.0, 9.0]), of(&[2.0, 4.0, 99.0]), of(&[])];
        assert_eq!(best(&rounds).ms, [2.0, 4.0, 99.0]);
        assert_eq!(best(&[]).p50(), None);
    }
}
