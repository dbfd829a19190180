//! The changes between two snapshots, as a few lines that an agent reads after an action.

mod collect;
mod render;

use std::fmt;

use super::{LinePartKind, OutlineLine, cost, notes, text};
use crate::{Diff, Index, Snapshot};
use collect::{ChangeEntry, ChangeKind};

/// Limits on how many changes are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeOutlineOptions {
    /// The approximate token budget; `None` shows everything.
    pub max_tokens: Option<usize>,
}

impl Default for ChangeOutlineOptions {
    fn default() -> Self {
        Self { max_tokens: Some(150) }
    }
}

/// The changes between two snapshots, line by line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeOutline {
    lines: Vec<OutlineLine>,
    total: usize,
}

/// The token cost of the line that counts the omitted changes.
const REST_COST: usize = 24;

impl ChangeOutline {
    /// Builds the lines for a diff. `refs` is called with the older snapshot for elements that are
    /// gone, and with the newer one for all others.
    ///
    /// Elements that came into view or left it count as appeared or gone, even if the app only
    /// showed or hid them.
    pub fn new(
        diff: &Diff,
        before: &Snapshot,
        after: &Snapshot,
        options: &ChangeOutlineOptions,
        refs: &mut dyn FnMut(&Snapshot, Index) -> String,
    ) -> Self {
        if diff.is_empty() {
            let lines = vec![OutlineLine::alone(0, LinePartKind::Note, "nothing changed")];
            return Self { lines, total: 0 };
        }
        let new: Vec<_> =
            after.notices().iter().filter(|n| !before.notices().contains(n)).collect();
        let mut lines = notes::warnings(new);
        let entries = collect::entries(diff, before, after);
        if entries.is_empty() && lines.is_empty() {
            let touched = diff.added.len() + diff.removed.len() + diff.changed.len();
            let summary = match touched {
                0 => "nothing in view changed".to_owned(),
                n => format!(
                    "nothing in view changed ({})",
                    text::counted(n, "element") + " out of view"
                ),
            };
            return Self {
                lines: vec![OutlineLine::alone(0, LinePartKind::Note, summary)],
                total: 0,
            };
        }
        let total = entries.len();
        let budget = options.max_tokens.unwrap_or(usize::MAX);
        write(&entries, budget, &mut ChangeRenderer { before, after, refs }, &mut lines);
        Self { lines, total }
    }

    /// Returns the lines in order.
    pub fn lines(&self) -> &[OutlineLine] {
        &self.lines
    }

    /// Returns the number of changes in view, including those that are not shown.
    pub fn total(&self) -> usize {
        self.total
    }
}

/// Both snapshots, and the function that returns refs for their elements.
struct ChangeRenderer<'s> {
    before: &'s Snapshot,
    after: &'s Snapshot,
    refs: &'s mut dyn FnMut(&Snapshot, Index) -> String,
}

fn write(
    entries: &[ChangeEntry],
    budget: usize,
    renderer: &mut ChangeRenderer<'_>,
    lines: &mut Vec<OutlineLine>,
) {
    let labels =
        (super::labels::Labels::of(renderer.before), super::labels::Labels::of(renderer.after));
    let sample_ref = &mut |_: &Snapshot, _: Index| "e123".to_owned();
    let mut left = budget.saturating_sub(lines.iter().map(cost).sum());
    // Every change gets one line first. The remaining budget goes to elements inside new ones.
    let headlines: Vec<OutlineLine> = entries
        .iter()
        .map(|entry| render::headline(entry, renderer.before, renderer.after, &labels, sample_ref))
        .collect();
    let costs: Vec<usize> = headlines.iter().map(cost).collect();
    let all: usize = costs.iter().sum();
    let available = if all <= left { left } else { left.saturating_sub(REST_COST) };
    let mut used = 0;
    let shown = costs
        .iter()
        .take_while(|cost| {
            used += **cost;
            used <= available
        })
        .count()
        .max(usize::from(!entries.is_empty()));
    left = available.saturating_sub(costs[..shown].iter().sum());
    for entry in &entries[..shown] {
        lines.push(render::headline(
            entry,
            renderer.before,
            renderer.after,
            &labels,
            renderer.refs,
        ));
        for at in &entry.inside {
            let sample = render::inner(*at, renderer.after, &labels.1, sample_ref);
            let line_cost = cost(&sample);
            if line_cost > left {
                break;
            }
            left -= line_cost;
            lines.push(render::inner(*at, renderer.after, &labels.1, renderer.refs));
        }
    }
    let rest = &entries[shown..];
    if !rest.is_empty() {
        let count = |kind: ChangeKind| rest.iter().filter(|entry| entry.kind == kind).count();
        let by_kind: Vec<String> = [
            (ChangeKind::Appeared, "appeared"),
            (ChangeKind::Changed, "changed"),
            (ChangeKind::Gone, "gone"),
            (ChangeKind::Moved, "moved"),
        ]
        .into_iter()
        .filter(|(kind, _)| count(*kind) > 0)
        .map(|(kind, word)| format!("{} {word}", text::count(count(kind))))
        .collect();
        let summary =
            format!("… {}: {}", text::counted(rest.len(), "more change"), by_kind.join(", "));
        lines.push(OutlineLine::alone(0, LinePartKind::Note, summary));
    }
}

impl fmt::Display for ChangeOutline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}
