//! Goals for the MCP server.

use super::figures::{Report, best};
use super::servers::{Implementation, Transport};
use super::{CALLS_PER_CLIENT, MESSAGES};
use crate::goals::Goal;

/// The largest acceptable median of a ping.
const PING_MS: [(Transport, f64); 2] = [(Transport::Stdio, 0.15), (Transport::Http, 0.4)];
/// The largest acceptable memory after all calls.
const RSS_MB: f64 = 40.0;
/// The largest growth between the first and the last memory check that still counts as stable. An
/// HTTP session keeps sent messages for clients that reconnect, up to a limit.
const GROWTH_MB: f64 = 4.0;

/// Compares the figures with the goals. Goals without samples are left out.
pub(crate) fn judge(report: &Report) -> Vec<Goal> {
    let mut goals = Vec::new();
    for (transport, limit) in PING_MS {
        let row = report.row(Implementation::Deskhand, transport);
        let Some(ms) = row.and_then(|row| best(&row.ping).p50()) else { continue };
        goals.push(Goal {
            wanted: format!("ping on {}, p50 at most {limit} ms", transport.name()),
            reached: format!("{ms:.3} ms"),
            met: ms <= limit,
        });
    }
    for transport in Transport::ALL {
        let Some(row) = report.row(Implementation::Deskhand, transport) else { continue };
        let concurrent = row.concurrent.as_ref().map_or(String::new(), |concurrent| {
            format!(
                ", {} concurrent clients with {CALLS_PER_CLIENT} calls each",
                concurrent.clients
            )
        });
        goals.push(Goal {
            wanted: format!(
                "{MESSAGES} consecutive calls on {}{concurrent}: no errors",
                transport.name()
            ),
            reached: format!("{} errors", row.failed()),
            met: row.failed() == 0,
        });
    }
    for transport in Transport::ALL {
        let marks: Vec<_> = report.memory.iter().filter(|mark| mark.0 == transport).collect();
        let (Some(first), Some(last)) = (marks.first(), marks.last()) else { continue };
        let mb = |kb: u64| kb as f64 / 1024.0;
        goals.push(Goal {
            wanted: format!(
                "memory on {} after {} calls under {RSS_MB:.0} MB and stable",
                transport.name(),
                last.1
            ),
            reached: format!(
                "{:.1} MB, {:+.1} since call {}",
                mb(last.2),
                mb(last.2) - mb(first.2),
                first.1
            ),
            met: mb(last.2) < RSS_MB && mb(last.2) - mb(first.2) < GROWTH_MB,
        });
    }
    goals
}

#[cfg(test)]
mod tests {
    use super::super::figures::Row;
    use super::*;
    use crate::figures::Figures;

    #[test]
    fn memory_must_be_small_and_stable() {
        let met = |first: u64, last: u64| {
            let memory = vec![
                (Transport::Stdio, 1000, first * 1024),
                (Transport::Stdio, 10_000, last * 1024),
            ];
            let machine = crate::machine::describe();
            let report = Report { machine, rounds: 1, rows: Vec::new(), memory };
            judge(&report)[0].met
        };
        assert!(met(20, 21));
        assert!(!met(20, 30), "memory that grows misses the goal");
        assert!(!met(45, 45), "too much memory misses the goal");
    }

    #[test]
    fn one_error_misses_the_goal() {
        let mut row = Row::new(Implementation::Deskhand, Transport::Stdio);
        row.ping.push(Figures { ms: vec![0.1], ..Figures::default() });
        row.call.push(Figures { ms: vec![0.1], failed: 1, ..Figures::default() });
        let machine = crate::machine::describe();
        let report = Report { machine, rounds: 1, rows: vec![row], memory: Vec::new() };
        let met: Vec<bool> = judge(&report).iter().map(|goal| goal.met).collect();
        assert_eq!(met, [true, false]);
    }
}
