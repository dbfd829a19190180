//! The figures of the hands, as they are kept in `out/bench-hands.json`.

use serde::{Deserialize, Serialize};

use crate::figures::Figures;
use crate::machine::Machine;

/// Clicks on one element, by each contender.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Clicks {
    /// Deskhand in a process that stays, as its server does.
    pub(crate) warm: Figures,
    /// `deskhand click`, the whole process.
    pub(crate) cli: Figures,
    /// `xdotool mousemove X Y click 1`, the whole process.
    pub(crate) xdotool: Figures,
    /// How long the gate took of each warm click: policy, limits, record, cleaning.
    pub(crate) gate: Figures,
    /// The same of calls one right after the other, which wait for no app.
    pub(crate) gate_in_a_row: Figures,
    /// What went wrong, the first few times.
    pub(crate) remarks: Vec<String>,
}

impl Clicks {
    /// How many times faster than xdotool.
    pub(crate) fn ratio(&self) -> Option<f64> {
        Some(self.xdotool.p50()? / self.warm.p50()?)
    }
}

/// The clicks of one app.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ClickRow {
    /// The app.
    pub(crate) name: String,
    /// What was clicked.
    pub(crate) what: String,
    /// The figures.
    pub(crate) clicks: Clicks,
}

/// One who took part in a contest.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct CommandFigures {
    /// The command, as a person would write it.
    pub(crate) line: String,
    /// Its times, each the whole process.
    pub(crate) figures: Figures,
}

/// One task, by whole processes; ours comes first.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct CommandComparison {
    /// The task.
    pub(crate) task: String,
    /// How many times faster than the peer after us we want to be.
    pub(crate) goal: Option<f64>,
    /// Who took part.
    pub(crate) sides: Vec<CommandFigures>,
    /// What was found beside the times.
    pub(crate) remarks: Vec<String>,
}

impl CommandComparison {
    /// How many times faster ours is than another side.
    pub(crate) fn ratio(&self, side: &CommandFigures) -> Option<f64> {
        Some(side.figures.p50()? / self.sides.first()?.figures.p50()?)
    }
}

/// A whole run of the hands.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Report {
    /// Where it ran.
    pub(crate) machine: Machine,
    /// How many clicks of each contender in each app.
    pub(crate) clicks_each: usize,
    /// The clicks.
    pub(crate) clicks: Vec<ClickRow>,
    /// The contests.
    pub(crate) contests: Vec<CommandComparison>,
}

impl Report {
    /// All that went wrong, in words.
    pub(crate) fn remarks(&self) -> Vec<String> {
        let clicks = self.clicks.iter().flat_map(|row| {
            let Clicks { warm, cli, xdotool, gate: _, gate_in_a_row: _, remarks } = &row.clicks;
            let sides = [("warm", warm), ("cli", cli), ("xdotool", xdotool)];
            let failed = sides.into_iter().filter(|(_, figures)| figures.failed > 0);
            let counts = failed.map(|(who, figures)| {
                format!("{}, {who}: {} clicks without a figure", row.name, figures.failed)
            });
            let remarks = remarks.iter().map(|remark| format!("{}: {remark}", row.name));
            counts.chain(remarks).collect::<Vec<_>>()
        });
        let contests = self.contests.iter().flat_map(|comparison| {
            let failed = comparison.sides.iter().filter(|side| side.figures.failed > 0);
            let counts = failed.map(|side| {
                format!("`{}`: {} runs without a figure", side.line, side.figures.failed)
            });
            counts.chain(comparison.remarks.iter().cloned()).collect::<Vec<_>>()
        });
        clicks.chain(contests).collect()
    }
}
