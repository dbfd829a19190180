//! Goals for command-line tools.

use super::CONCURRENT_COMMANDS;
use super::figures::Report;
use crate::goals::Goal;

/// The largest acceptable median time of one command.
const MAX_ECHO_MS: f64 = 0.6;
/// The smallest acceptable throughput, as a share of that of plain shells.
const MIN_THROUGHPUT_SHARE: f64 = 0.8;
/// The largest acceptable memory with large outputs.
const MAX_MB: f64 = 60.0;

/// Compares the figures with the goals. Goals without samples are left out.
pub(crate) fn judge(report: &Report) -> Vec<Goal> {
    let mut goals = Vec::new();
    if let (Some(plain), Some(ours)) = (report.plain.p50(), report.ours.p50()) {
        goals.push(Goal {
            wanted: "`echo hi` in the sandbox, p50 no slower than a plain shell".to_owned(),
            reached: format!("{ours:.2} ms, plain {plain:.2} ms"),
            met: ours <= plain,
        });
        goals.push(Goal {
            wanted: format!("`echo hi` in the sandbox, p50 at most {MAX_ECHO_MS} ms"),
            reached: format!("{ours:.2} ms"),
            met: ours <= MAX_ECHO_MS,
        });
    }
    if let Some((plain, ours)) = report.paces() {
        goals.push(Goal {
            wanted: format!(
                "{CONCURRENT_COMMANDS} concurrent commands, at least \
                             {MIN_THROUGHPUT_SHARE}× the throughput of plain shells"
            ),
            reached: format!("{:.2}× ({ours:.0} and {plain:.0} per second)", ours / plain),
            met: ours >= MIN_THROUGHPUT_SHARE * plain,
        });
    }
    if let Some(outputs) = &report.outputs {
        goals.push(Goal {
            wanted: format!(
                "{} × {} MB of output, server and broker under {MAX_MB:.0} MB",
                outputs.commands,
                outputs.bytes / 1_000_000
            ),
            reached: format!("{:.1} MB", outputs.most_mb()),
            met: outputs.most_mb() < MAX_MB,
        });
    }
    goals
}

#[cfg(test)]
mod tests {
    use super::super::figures::Outputs;
    use super::*;

    #[test]
    fn goals_are_independent() {
        let mut report = Report::new(crate::machine::describe(), 1);
        assert!(judge(&report).is_empty());
        (report.plain.ms, report.ours.ms) = (vec![1.0], vec![0.9]);
        (report.plain_per_second, report.ours_per_second) = (vec![1000.0], vec![799.0]);
        report.outputs = Some(Outputs {
            commands: 6,
            bytes: 20_000_000,
            seconds: 1.0,
            server_kb: 50 * 1024,
            broker_kb: 9 * 1024,
            after_kb: 0,
        });
        let met: Vec<bool> = judge(&report).iter().map(|goal| goal.met).collect();
        assert_eq!(met, [true, false, false, true]);
    }
}
