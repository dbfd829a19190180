//! The compact text an agent reads: one line an element, within a budget of tokens.

mod changes;
mod condition;
mod digest;
mod fate;
mod fold;
mod kinds;
mod labels;
mod line;
mod plan;
mod remarks;
mod render;
#[cfg(test)]
mod tests;
mod text;
mod tokens;

use std::fmt;

pub use changes::{ChangeOptions, Changes};
pub use line::{Line, Part, PartKind};
pub use text::{printable, quote};
pub use tokens::estimate_tokens;

use crate::{Index, Snapshot};
use fold::{Unseen, View};
use plan::Plan;
use remarks::Remarks;

/// What one step of depth looks like.
pub(crate) const INDENT: &str = " ";

/// How much of a tree an outline shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// About how many tokens it may cost; `None` shows everything.
    pub max_tokens: Option<usize>,
    /// Whether elements that are not on the screen are shown too.
    pub include_invisible: bool,
    /// How many levels of lines are shown below the outermost; `None` for all.
    pub depth: Option<u32>,
}

impl Default for Options {
    fn default() -> Self {
        Self { max_tokens: Some(1000), include_invisible: false, depth: None }
    }
}

/// A tree as text, line by line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    lines: Vec<Line>,
    left_out: usize,
}

impl Outline {
    /// Writes down the tree at and below `root`; `refs` names each element that gets a line.
    pub fn of(
        snapshot: &Snapshot,
        root: Index,
        options: &Options,
        refs: &mut dyn FnMut(&Snapshot, Index) -> String,
    ) -> Self {
        let mut lines: Vec<Line> = remarks::warnings(snapshot.notices());
        if snapshot.is_empty() {
            lines.push(remarks::header(snapshot, 0, 0));
            return Self { lines, left_out: 0 };
        }
        let unseen = if options.include_invisible { Unseen::Shown } else { Unseen::Folded };
        let view = View::of(snapshot, root, unseen);
        lines.push(remarks::header(snapshot, snapshot.subtree_len(root), view.hidden));

        let costs = costs(&view);
        let budget = options.max_tokens.map_or(usize::MAX, |most| {
            let fixed: usize = lines.iter().map(cost).sum();
            most.saturating_sub(fixed + remarks::FOOTER_COST)
        });
        let plan = Plan::of(&view, options, budget, &costs);
        let remarks = Remarks::of(&view, &plan);
        remarks.write(&view, &plan, refs, &mut lines);
        let left_out = remarks.left_out();
        lines.extend(remarks.footer());
        Self { lines, left_out }
    }

    /// The lines, first to last.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// How many telling elements have no line; those hidden or for layout are not among them.
    pub fn left_out(&self) -> usize {
        self.left_out
    }
}

/// What each line of a view costs, with a ref of common length.
fn costs(view: &View<'_>) -> Vec<usize> {
    let usual = if view.snapshot.len() < 1000 { "e123" } else { "e1234" };
    let mut usual = |_: &Snapshot, _: Index| usual.to_owned();
    (0..view.items.len()).map(|item| cost(&render::line(view, item, None, &mut usual))).collect()
}

fn cost(line: &Line) -> usize {
    estimate_tokens(&format!("{line}\n"))
}

impl fmt::Display for Outline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}
