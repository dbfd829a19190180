//! Performance goals, and the check of the figures against them.

use std::fmt;

use crate::apps::{CALC, CHROMIUM};
use crate::figures::{Report, Row, median};

const CHROMIUM_MS: f64 = 250.0;
const CALC_MS: f64 = 300.0;
const UP_MS: f64 = 400.0;
const RSS_MB: f64 = 25.0;
const MEDIAN_TOKENS: f64 = 1_000.0;
const MOST_TOKENS: usize = 2_500;

/// One goal and the measured value.
#[derive(Debug, Clone)]
pub(crate) struct Goal {
    /// The goal.
    pub(crate) wanted: String,
    /// The measured value.
    pub(crate) reached: String,
    /// `true` if the goal is met.
    pub(crate) met: bool,
}

impl Goal {
    /// Returns a check mark or a cross.
    pub(crate) fn mark(&self) -> &'static str {
        if self.met { "✓" } else { "✗" }
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:<62} {}", self.mark(), self.wanted, self.reached)
    }
}

/// Compares the figures with the goals. Goals without samples are left out.
pub(crate) fn judge(report: &Report) -> Vec<Goal> {
    let mut goals: Vec<Goal> = report.rows.iter().flat_map(faster).collect();
    let row = |name: &str| report.rows.iter().find(|row| row.name == name);
    if let Some(chromium) = row(CHROMIUM) {
        goals.extend(under(
            "first read, Chromium with 5,000 elements",
            chromium.first_read.ours.p50(),
            CHROMIUM_MS,
            "ms",
        ));
        let rss = (chromium.cli.rss_kb > 0).then_some(chromium.cli.rss_kb as f64 / 1024.0);
        goals.extend(under("memory of the CLI on that page", rss, RSS_MB, "MB"));
    }
    if let Some(calc) = row(CALC) {
        goals.extend(under("first read, Calc", calc.first_read.ours.p50(), CALC_MS, "ms"));
    }
    goals.extend(under("start of a private desktop", median(&report.up_ms), UP_MS, "ms"));
    if let (Some(middle), Some(most)) = (report.median_tokens(), report.tokens().last()) {
        goals.push(Goal {
            wanted: format!("tokens of a first read, median at most {MEDIAN_TOKENS:.0}"),
            reached: format!("{middle:.0}"),
            met: middle <= MEDIAN_TOKENS,
        });
        goals.push(Goal {
            wanted: format!("tokens of a first read, none over {MOST_TOKENS}"),
            reached: most.to_string(),
            met: *most <= MOST_TOKENS,
        });
    }
    goals
}

fn faster(row: &Row) -> Vec<Goal> {
    let least = row.reach.goal();
    let goal = |what: String, ratio: f64, alike: String| Goal {
        wanted: format!("{what}, at least {least:.0}× faster than pyatspi"),
        reached: format!("{ratio:.1}×{alike}"),
        met: ratio >= least,
    };
    let alike = row.alike_ratio().map(|ratio| format!(" (same attributes: {ratio:.1}×)"));
    let alike = alike.unwrap_or_default();
    let usual = row.first_read.ratio().map(|ratio| goal(row.name.clone(), ratio, alike));
    let cold = row.cold.ratio();
    let cold = cold.map(|ratio| goal(format!("{} just started", row.name), ratio, String::new()));
    usual.into_iter().chain(cold).collect()
}

fn under(what: &str, value: Option<f64>, limit: f64, unit: &str) -> Option<Goal> {
    value.map(|value| Goal {
        wanted: format!("{what}, under {limit:.0} {unit}"),
        reached: format!("{value:.0} {unit}"),
        met: value < limit,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apps::Reach;
    use crate::figures::{Figures, ToolFigures};

    fn row(ours_ms: f64, pyatspi_ms: f64) -> Row {
        let figures = |ms| Figures { ms: vec![ms], ..Figures::default() };
        let first_read = ToolFigures {
            ours: figures(ours_ms),
            pyatspi: figures(pyatspi_ms),
            ..ToolFigures::default()
        };
        Row { first_read, ..Row::empty("some", Reach::PeerToPeer) }
    }

    #[test]
    fn a_ratio_is_compared_with_its_goal() {
        let met = |ours, pyatspi| faster(&row(ours, pyatspi)).iter().map(|it| it.met).collect();
        let verdicts: [Vec<bool>; 2] = [met(10.0, 150.0), met(10.0, 149.0)];
        assert_eq!(verdicts, [vec![true], vec![false]]);
    }

    #[test]
    fn a_goal_without_samples_is_left_out() {
        assert!(faster(&Row::empty("some", Reach::Qt)).is_empty());
        assert!(under("memory", None, 25.0, "MB").is_none());
    }
}
