//! What changed, as the few lines an agent reads after an action.

mod gather;
mod wording;

use std::fmt;

use super::{Line, PartKind, cost, fold, remarks, text};
use crate::{Diff, Index, Snapshot};
use gather::{Entry, Kind};

/// How much of a change is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeOptions {
    /// About how many tokens it may cost; `None` tells everything.
    pub max_tokens: Option<usize>,
}

impl Default for ChangeOptions {
    fn default() -> Self {
        Self { max_tokens: Some(150) }
    }
}

/// What changed between two snapshots, line by line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changes {
    lines: Vec<Line>,
    total: usize,
}

/// What the line about changes left out costs.
const REST_COST: usize = 24;

impl Changes {
    /// Writes down a diff; `refs` is asked with the older snapshot for what is gone, else the newer.
    ///
    /// Elements that came into view or left it count as appeared and gone, whether the app made
    /// them anew or only hid them.
    pub fn of(
        diff: &Diff,
        before: &Snapshot,
        after: &Snapshot,
        options: &ChangeOptions,
        refs: &mut dyn FnMut(&Snapshot, Index) -> String,
    ) -> Self {
        if diff.is_empty() {
            let lines = vec![Line::alone(0, PartKind::Note, "nothing changed")];
            return Self { lines, total: 0 };
        }
        let new: Vec<_> =
            after.notices().iter().filter(|n| !before.notices().contains(n)).collect();
        let mut lines = remarks::warnings(new);
        let entries = gather::entries(diff, before, after);
        if entries.is_empty() && lines.is_empty() {
            let touched = diff.added.len() + diff.removed.len() + diff.changed.len();
            let said = match touched {
                0 => "nothing in view changed".to_owned(),
                n => format!(
                    "nothing in view changed ({})",
                    text::counted(n, "element") + " out of view"
                ),
            };
            return Self { lines: vec![Line::alone(0, PartKind::Note, said)], total: 0 };
        }
        let total = entries.len();
        let budget = options.max_tokens.unwrap_or(usize::MAX);
        write(&entries, budget, &mut Scribe { before, after, refs }, &mut lines);
        Self { lines, total }
    }

    /// The lines, first to last.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// How many changes there are in view, told or not.
    pub fn total(&self) -> usize {
        self.total
    }
}

/// Both snapshots, and how their elements are called.
struct Scribe<'s> {
    before: &'s Snapshot,
    after: &'s Snapshot,
    refs: &'s mut dyn FnMut(&Snapshot, Index) -> String,
}

fn write(entries: &[Entry], budget: usize, scribe: &mut Scribe<'_>, lines: &mut Vec<Line>) {
    let labels =
        (super::labels::Labels::of(scribe.before), super::labels::Labels::of(scribe.after));
    let usual = &mut |_: &Snapshot, _: Index| "e123".to_owned();
    let mut left = budget.saturating_sub(lines.iter().map(cost).sum());
    // First what happened, each in one line; then, where there is room, what is in it.
    let heads: Vec<Line> = entries
        .iter()
        .map(|entry| wording::head(entry, scribe.before, scribe.after, &labels, usual))
        .collect();
    let costs: Vec<usize> = heads.iter().map(cost).collect();
    let all: usize = costs.iter().sum();
    let room = if all <= left { left } else { left.saturating_sub(REST_COST) };
    let mut used = 0;
    let told = costs
        .iter()
        .take_while(|cost| {
            used += **cost;
            used <= room
        })
        .count()
        .max(usize::from(!entries.is_empty()));
    left = room.saturating_sub(costs[..told].iter().sum());
    for entry in &entries[..told] {
        lines.push(wording::head(entry, scribe.before, scribe.after, &labels, scribe.refs));
        for at in &entry.inside {
            let draft = wording::inner(*at, scribe.after, &labels.1, usual);
            let price = cost(&draft);
            if price > left {
                break;
            }
            left -= price;
            lines.push(wording::inner(*at, scribe.after, &labels.1, scribe.refs));
        }
    }
    let rest = &entries[told..];
    if !rest.is_empty() {
        let count = |kind: Kind| rest.iter().filter(|entry| entry.kind == kind).count();
        let by_kind: Vec<String> = [
            (Kind::Appeared, "appeared"),
            (Kind::Changed, "changed"),
            (Kind::Gone, "gone"),
            (Kind::Moved, "moved"),
        ]
        .into_iter()
        .filter(|(kind, _)| count(*kind) > 0)
        .map(|(kind, word)| format!("{} {word}", text::count(count(kind))))
        .collect();
        let said =
            format!("… {}: {}", text::counted(rest.len(), "more change"), by_kind.join(", "));
        lines.push(Line::alone(0, PartKind::Note, said));
    }
}

impl fmt::Display for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

/// Whether an element can be seen.
fn in_view(snapshot: &Snapshot, at: Index) -> bool {
    fold::seen(snapshot, at) == fold::Seen::Here
}
