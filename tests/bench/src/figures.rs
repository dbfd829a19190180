//! The figures of a run, as written to `out/bench.json`.

use serde::{Deserialize, Serialize};

use crate::apps::Reach;
use crate::machine::Machine;

/// The figures of one contender for one operation.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Figures {
    /// One time per repetition, in milliseconds.
    pub(crate) ms: Vec<f64>,
    /// The number of elements read.
    #[serde(default)]
    pub(crate) nodes: usize,
    /// The peak memory of the process.
    #[serde(default)]
    pub(crate) rss_kb: u64,
    /// The number of runs that failed or timed out and have no time.
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

    /// Returns the median time, or `None` without samples.
    pub(crate) fn p50(&self) -> Option<f64> {
        median(&self.ms)
    }

    /// Returns the 95th percentile, or `None` without samples.
    pub(crate) fn p95(&self) -> Option<f64> {
        let mut sorted = self.ms.clone();
        sorted.sort_by(f64::total_cmp);
        let rank = (sorted.len() * 95).div_ceil(100);
        sorted.get(rank.checked_sub(1)?).copied()
    }
}

/// Returns the median, or `None` without values.
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

/// The figures of all contenders for one operation.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct ToolFigures {
    /// Deskhand, in one process.
    pub(crate) ours: Figures,
    /// pyatspi.
    pub(crate) pyatspi: Figures,
    /// dogtail.
    pub(crate) dogtail: Figures,
}

impl ToolFigures {
    /// Returns the speedup over pyatspi.
    pub(crate) fn ratio(&self) -> Option<f64> {
        Some(self.pyatspi.p50()? / self.ours.p50()?)
    }
}

/// All figures of one app.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Row {
    /// The app.
    pub(crate) name: String,
    /// The kind of connection.
    pub(crate) reach: Reach,
    /// The number of elements that Deskhand read.
    pub(crate) nodes: usize,
    /// The first read of the tree.
    #[serde(rename = "look")]
    pub(crate) first_read: ToolFigures,
    /// The first read of a freshly started app, with one start per sample.
    pub(crate) cold: ToolFigures,
    /// A read of exactly what the peers read.
    pub(crate) alike: Figures,
    /// A read of every attribute of every element.
    pub(crate) everything: Figures,
    /// The process `deskhand tree --app PID`.
    pub(crate) cli: Figures,
    /// The name that is searched for.
    pub(crate) sought: Option<String>,
    /// Finding that name.
    pub(crate) find: ToolFigures,
    /// Reading one attribute of the found element.
    pub(crate) attribute: ToolFigures,
    /// The number of tokens in the outline that the CLI prints.
    pub(crate) tokens: usize,
}

impl Row {
    /// Describes the failed runs.
    pub(crate) fn failures(&self) -> Vec<String> {
        let sides = [
            ("first read", &self.first_read),
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

    /// Returns the speedup over pyatspi when both read the same attributes.
    pub(crate) fn alike_ratio(&self) -> Option<f64> {
        Some(self.first_read.pyatspi.p50()? / self.alike.p50()?)
    }
}

/// The figures of a whole run.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Report {
    /// The machine.
    pub(crate) machine: Machine,
    /// The number of runs of each contender.
    pub(crate) rounds: usize,
    /// The start times of private desktops, in milliseconds.
    pub(crate) up_ms: Vec<f64>,
    /// One row per app.
    pub(crate) rows: Vec<Row>,
}

impl Report {
    /// Returns the token counts in ascending order.
    pub(crate) fn tokens(&self) -> Vec<usize> {
        let mut tokens: Vec<usize> = self.rows.iter().map(|row| row.tokens).collect();
        tokens.sort_unstable();
        tokens
    }

    /// Returns the median token count.
    pub(crate) fn median_tokens(&self) -> Option<f64> {
        let tokens: Vec<f64> = self.tokens().into_iter().map(|count| count as f64).collect();
        median(&tokens)
    }
}

#[cfg(test)]
impl Row {
    /// Returns a row without samples.
    pub(crate) fn empty(name: &str, reach: Reach) -> Self {
        Self {
            name: name.to_owned(),
            reach,
            nodes: 0,
            first_read: ToolFigures::default(),
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
    fn the_median_ignores_the_order() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), Some(2.5));
    }

    #[test]
    fn p95_covers_19_of_20_samples() {
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
