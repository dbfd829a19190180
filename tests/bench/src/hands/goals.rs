//! Goals for actions.

use super::evidence_process::kind_names;
use super::figures::{ClickRow, CommandComparison, EvidenceRow, Report};
use crate::{figures::Figures, goals::Goal};

/// The largest acceptable median of a confirmed click.
const CLICK_MS: f64 = 15.0;
/// The target speedup over xdotool.
const CLICK_RATIO: f64 = 5.0;
/// The largest acceptable median overhead of the policy checks.
const GATE_US: f64 = 50.0;

/// The largest acceptable medians by kind of evidence.
const EVIDENCE_MS: [f64; 5] = [60.0, 60.0, 60.0, 300.0, 250.0];

/// Compares the figures with the goals. Goals without samples are left out.
pub(crate) fn judge(report: &Report) -> Vec<Goal> {
    let clicks = report.clicks.iter().flat_map(click);
    let evidence = report.evidence.iter().flat_map(evidence);
    clicks.chain(evidence).chain(report.contests.iter().filter_map(comparison)).collect()
}

fn click(row: &ClickRow) -> Vec<Goal> {
    let quick = row.clicks.warm.p50().map(|ms| Goal {
        wanted: format!("{}, confirmed click, at most {CLICK_MS:.0} ms", row.name),
        reached: format!("{ms:.1} ms"),
        met: ms <= CLICK_MS,
    });
    let faster = row.clicks.ratio().map(|ratio| Goal {
        wanted: format!("{}, at least {CLICK_RATIO:.0}× faster than xdotool", row.name),
        reached: format!("{ratio:.1}×"),
        met: ratio >= CLICK_RATIO,
    });
    let all = &row.clicks.warm;
    let confirmed = (all.ms.len() + all.failed > 0).then(|| Goal {
        wanted: format!("{}, every click confirmed and visible in the app", row.name),
        reached: format!("{} of {}", all.ms.len(), all.ms.len() + all.failed),
        met: all.failed == 0,
    });
    let gate = |figures: &Figures, of: &str| {
        figures.p50().map(|ms| Goal {
            wanted: format!("{}, policy checks take at most {GATE_US:.0} µs of {of}", row.name),
            reached: format!("{:.0} µs", ms * 1e3),
            met: ms * 1e3 <= GATE_US,
        })
    };
    let gates = [
        gate(&row.clicks.gate_in_a_row, "consecutive calls"),
        gate(&row.clicks.gate, "a click that waits for its app"),
    ];
    quick.into_iter().chain(faster).chain(confirmed).chain(gates.into_iter().flatten()).collect()
}

fn evidence(row: &EvidenceRow) -> Vec<Goal> {
    let kinds = kind_names().into_iter().zip(&row.kinds).zip(EVIDENCE_MS);
    let goal = |((kind, figures), most): ((&str, &Figures), f64)| {
        let ms = figures.p50()?;
        Some(Goal {
            wanted: format!("{}, click with evidence `{kind}`, at most {most:.0} ms", row.toolkit),
            reached: format!("{ms:.0} ms, floor {:.0} ms", row.floor.p50().unwrap_or_default()),
            met: ms <= most,
        })
    };
    kinds.filter_map(goal).collect()
}

fn comparison(comparison: &CommandComparison) -> Option<Goal> {
    let least = comparison.goal?;
    let peer = comparison.sides.get(1)?;
    let ratio = comparison.ratio(peer)?;
    let name = peer.line.split(' ').next().unwrap_or_default();
    Some(Goal {
        wanted: format!("{}, at least {least:.0}× faster than {name}", comparison.task),
        reached: format!("{ratio:.1}×"),
        met: ratio >= least,
    })
}

#[cfg(test)]
mod tests {
    use super::super::figures::{Clicks, CommandFigures};
    use super::*;

    fn figures(ms: f64) -> Figures {
        Figures { ms: vec![ms], ..Figures::default() }
    }

    #[test]
    fn a_click_has_five_goals() {
        let clicks = Clicks {
            warm: figures(16.0),
            xdotool: figures(80.0),
            gate: figures(0.06),
            gate_in_a_row: figures(0.04),
            ..Clicks::default()
        };
        let row = ClickRow { name: "some".to_owned(), what: String::new(), clicks };
        let met: Vec<bool> = click(&row).iter().map(|goal| goal.met).collect();
        assert_eq!(met, [false, true, true, true, false]);
    }

    #[test]
    fn a_comparison_uses_the_second_command() {
        let side = |line: &str, ms| CommandFigures { line: line.to_owned(), figures: figures(ms) };
        let sides = vec![side("deskhand windows", 2.0), side("wmctrl -l", 5.0), side("x", 99.0)];
        let mut one = CommandComparison {
            task: "list".to_owned(),
            goal: Some(3.0),
            sides,
            remarks: Vec::new(),
        };
        assert_eq!(comparison(&one).map(|goal| goal.met), Some(false));
        one.goal = None;
        assert!(comparison(&one).is_none());
    }
}
