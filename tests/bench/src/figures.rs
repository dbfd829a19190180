//! The figures of a run, as they are kept in `out/bench.json`.

use serde::{Deserialize, Serialize};

use crate::apps::Reach;
use crate::machine::Machine;

/// What one contender printed about one operation.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Figures {
    /// One time a repeat.
    pub(crate) ms: Vec<f64>,
    /// How many elements were read.
    #[serde(default)]
    pub(crate) nodes: usize,
    /// The most memory the process held.
    #[serde(default)]
    pub(crate) rss_kb: u64,
    /// How many runs failed or took too long, and so have no time.
    #[serde(default)]
    pub(crate) failed: usize,
}

impl Figures {
    /// Adds the figures of another run.
    pub(crate) fn add(&mut self, other: Figures) {
        self.ms.extend(other.ms);
        self.nodes = self.nodes.max(other.nodes);
        self.rss_kb = self.rss_kb.max(other.rss_kb);
        self.failed += other.failed;
    }

    /// The time in the middle; `None` when nothing was measured.
    pub(crate) fn p50(&self) -> Option<f64> {
        median(&self.ms)
    }

    /// The time that nineteen in twenty stay within; `None` when nothing was measured.
    pub(crate) fn p95(&self) -> Option<f64> {
        let mut sorted = self.ms.clone();
        sorted.sort_by(f64::total_cmp);
        let rank = (sorted.len() * 95).div_ceil(100);
        sorted.get(rank.checked_sub(1)?).copied()
    }
}

/// The value in the middle of some.
pub(crate) fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(sorted[middle]),
        _ => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
    }
}

/// One operation, by all contenders.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct ToolFigures {
    /// Deskhand, inside one process.
    pub(crate) ours: Figures,
    /// The peer in Python.
    pub(crate) pyatspi: Figures,
    /// The peer on top of it.
    pub(crate) dogtail: Figures,
}

impl ToolFigures {
    /// How many times faster we are than pyatspi.
    pub(crate) fn ratio(&self) -> Option<f64> {
        Some(self.pyatspi.p50()? / self.ours.p50()?)
    }
}

/// All that was measured on one app.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Row {
    /// The app.
    pub(crate) name: String,
    /// How it can be reached.
    pub(crate) reach: Reach,
    /// How many elements our look read.
    pub(crate) nodes: usize,
    /// The first look.
    pub(crate) look: ToolFigures,
    /// The first look at an app nobody has looked at since it started, one fresh app a sample.
    pub(crate) cold: ToolFigures,
    /// A look that reads exactly what the peers read.
    pub(crate) alike: Figures,
    /// The same look with every fact of every element.
    pub(crate) everything: Figures,
    /// `deskhand tree --app PID`, the whole process.
    pub(crate) cli: Figures,
    /// The name that was searched.
    pub(crate) sought: Option<String>,
    /// Finding it.
    pub(crate) find: ToolFigures,
    /// Reading it again.
    pub(crate) attribute: ToolFigures,
    /// Tokens of the outline the CLI prints.
    pub(crate) tokens: usize,
}

impl Row {
    /// Which runs failed, in words.
    pub(crate) fn failures(&self) -> Vec<String> {
        let sides = [
            ("first look", &self.look),
            ("just started", &self.cold),
            ("find", &self.find),
            ("one element", &self.attribute),
        ];
        let peers = sides.into_iter().flat_map(|(what, sides)| {
            [
                (what, "ours", &sides.ours),
                (what, "pyatspi", &sides.pyatspi),
                (what, "dogtail", &sides.dogtail),
            ]
        });
        let alone = [
            ("alike", "ours", &self.alike),
            ("everything", "ours", &self.everything),
            ("cli", "ours", &self.cli),
        ];
        let failed = peers.chain(alone).filter(|(.., figures)| figures.failed > 0);
        failed
            .map(|(what, who, figures)| {
                format!("{}, {what}, {who}: {} runs without a figure", self.name, figures.failed)
            })
            .collect()
    }

    /// How many times faster we are than pyatspi when both read the same.
    pub(crate) fn alike_ratio(&self) -> Option<f64> {
        Some(self.look.pyatspi.p50()? / self.alike.p50()?)
    }
}

/// A whole run.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Report {
    /// Where it ran.
    pub(crate) machine: Machine,
    /// How many times each contender ran.
    pub(crate) rounds: usize,
    /// How long private desktops took to come up.
    pub(crate) up_ms: Vec<f64>,
    /// One row an app.
    pub(crate) rows: Vec<Row>,
}

impl Report {
    /// The token counts, smallest first.
    pub(crate) fn tokens(&self) -> Vec<usize> {
        let mut tokens: Vec<usize> = self.rows.iter().map(|row| row.tokens).collect();
        tokens.sort_unstable();
        tokens
    }

    /// The token count in the middle.
    pub(crate) fn median_tokens(&self) -> Option<f64> {
        let tokens: Vec<f64> = self.tokens().into_iter().map(|count| count as f64).collect();
        median(&tokens)
    }
}

#[cfg(test)]
impl Row {
    /// A row in which nothing was measured.
    pub(crate) fn empty(name: &str, reach: Reach) -> Self {
        Self {
            name: name.to_owned(),
            reach,
            nodes: 0,
            look: ToolFigures::default(),
            cold: ToolFigures::default(),
            alike: Figures::default(),
            everything: Figures::default(),
            cli: Figures::default(),
            sought: None,
            find: ToolFigures::default(),
            attribute: ToolFigures::default(),
            tokens: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_does_not_depend_on_the_order() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), Some(2.5));
    }

    #[test]
    fn nineteen_in_twenty_stay_within_p95() {
        let ms = (1..=20).map(f64::from).collect();
        assert_eq!(Figures { ms, ..Figures::default() }.p95(), Some(19.0));
        assert_eq!(Figures { ms: vec![7.0], ..Figures::default() }.p95(), Some(7.0));
        assert_eq!(Figures::default().p95(), None);
    }

    #[test]
    fn a_peer_that_was_not_run_has_no_ratio() {
        let one = Figures { ms: vec![2.0], ..Figures::default() };
        let ten = Figures { ms: vec![20.0], ..Figures::default() };
        let sides = ToolFigures { ours: one.clone(), pyatspi: ten, ..ToolFigures::default() };
        assert_eq!(sides.ratio(), Some(10.0));
        assert_eq!(ToolFigures { ours: one, ..ToolFigures::default() }.ratio(), None);
    }
}
