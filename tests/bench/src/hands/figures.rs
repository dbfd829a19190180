//! The figures of actions, as written to `out/bench-hands.json`.

use serde::{Deserialize, Serialize};

use crate::figures::Figures;
use crate::machine::Machine;

/// Clicks on one element with each tool.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Clicks {
    /// Deskhand in a long-running process, like its server.
    pub(crate) warm: Figures,
    /// The process `deskhand click`.
    pub(crate) cli: Figures,
    /// The process `xdotool mousemove X Y click 1`.
    pub(crate) xdotool: Figures,
    /// The overhead of the policy checks in each warm click: policy, limits, audit log, sanitizing.
    pub(crate) gate: Figures,
    /// The same overhead for consecutive calls that do not wait for an app.
    pub(crate) gate_in_a_row: Figures,
    /// Descriptions of the first failures.
    pub(crate) remarks: Vec<String>,
}

impl Clicks {
    /// Returns the speedup over xdotool.
    pub(crate) fn ratio(&self) -> Option<f64> {
        Some(self.xdotool.p50()? / self.warm.p50()?)
    }
}

/// The clicks of one app.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ClickRow {
    /// The app.
    pub(crate) name: String,
    /// A description of the element.
    pub(crate) what: String,
    /// The figures.
    pub(crate) clicks: Clicks,
}

/// Clicks on the buttons of one toolkit, by kind of effect.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct EvidenceRow {
    /// The toolkit.
    #[serde(default)]
    pub(crate) toolkit: String,
    /// The figures of each kind; without samples if the toolkit has no such button.
    pub(crate) kinds: Vec<Figures>,
    /// The time from an accessibility action to the handler of the app, without Deskhand.
    #[serde(default)]
    pub(crate) floor: Figures,
    /// Descriptions of the first failures.
    pub(crate) remarks: Vec<String>,
}

/// The figures of one command.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct CommandFigures {
    /// The command line.
    pub(crate) line: String,
    /// The duration of the whole process.
    pub(crate) figures: Figures,
}

/// One task, performed by several commands. Deskhand's command comes first.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct CommandComparison {
    /// The task.
    pub(crate) task: String,
    /// The target speedup over the second command.
    pub(crate) goal: Option<f64>,
    /// The commands with their figures.
    pub(crate) sides: Vec<CommandFigures>,
    /// Further observations.
    pub(crate) remarks: Vec<String>,
}

impl CommandComparison {
    /// Returns the speedup over another command.
    pub(crate) fn ratio(&self, side: &CommandFigures) -> Option<f64> {
        Some(side.figures.p50()? / self.sides.first()?.figures.p50()?)
    }
}

/// The figures of a run.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Report {
    /// The machine.
    pub(crate) machine: Machine,
    /// The number of clicks per tool and app.
    pub(crate) clicks_each: usize,
    /// The clicks.
    pub(crate) clicks: Vec<ClickRow>,
    /// The clicks by kind of evidence.
    pub(crate) evidence: Vec<EvidenceRow>,
    /// The command comparisons.
    pub(crate) contests: Vec<CommandComparison>,
}

impl Report {
    /// Describes all failures.
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
        let evidence = self
            .evidence
            .iter()
            .flat_map(|row| row.remarks.iter().map(|remark| format!("{}: {remark}", row.toolkit)));
        clicks.chain(evidence).chain(contests).collect()
    }
}
