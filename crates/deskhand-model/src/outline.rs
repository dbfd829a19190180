//! Compact text for agents: one line per element, within a token budget.

mod change_outline;
mod contents;
mod fold;
mod labels;
mod line;
mod notes;
mod placement;
mod reading_order;
mod render;
mod role_groups;
mod selection;
mod state_words;
#[cfg(test)]
mod tests;
mod text;
mod tokens;

use std::fmt;

pub use change_outline::{ChangeOutline, ChangeOutlineOptions};
pub use line::{LinePart, LinePartKind, OutlineLine};
pub use render::GUESS_MARK;
pub use text::{printable, quote};
pub use tokens::estimate_tokens;

use crate::{Index, Snapshot};
use fold::{FoldedTree, HiddenElements};
use notes::OmissionNotes;
use reading_order::ReadingOrder;
use selection::LineSelection;

/// The indentation of one level.
pub(crate) const INDENT: &str = " ";

/// Limits on how much of a tree an outline shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineOptions {
    /// The approximate token budget; `None` shows everything.
    pub max_tokens: Option<usize>,
    /// Shows elements that are not on the screen, too.
    pub include_invisible: bool,
    /// The number of levels below the outermost lines; `None` shows all.
    pub depth: Option<u32>,
}

impl Default for OutlineOptions {
    fn default() -> Self {
        Self { max_tokens: Some(1000), include_invisible: false, depth: None }
    }
}

/// A tree as text, line by line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    lines: Vec<OutlineLine>,
    omitted: usize,
}

impl Outline {
    /// Builds the outline of `root` and everything below it. `refs` returns the ref of each element
    /// that gets a line.
    pub fn new(
        snapshot: &Snapshot,
        root: Index,
        options: &OutlineOptions,
        refs: &mut dyn FnMut(&Snapshot, Index) -> String,
    ) -> Self {
        if snapshot.is_empty() {
            let mut lines = notes::warnings(snapshot.notices());
            lines.push(notes::header(snapshot, 0, 0));
            return Self { lines, omitted: 0 };
        }
        let Some(ordered) = ReadingOrder::of(snapshot, root) else {
            return Self::in_order(snapshot, root, options, refs);
        };
        // Refs depend on the position among siblings, so they are made for the original snapshot.
        let mut original_refs = |_: &Snapshot, at: Index| refs(snapshot, ordered.original(at));
        let mut outline =
            Self::in_order(&ordered.snapshot, Index::ROOT, options, &mut original_refs);
        for line in &mut outline.lines {
            line.index = line.index.map(|at| ordered.original(at));
        }
        outline
    }

    /// Builds the outline without changing the order of siblings.
    fn in_order(
        snapshot: &Snapshot,
        root: Index,
        options: &OutlineOptions,
        refs: &mut dyn FnMut(&Snapshot, Index) -> String,
    ) -> Self {
        let mut lines: Vec<OutlineLine> = notes::warnings(snapshot.notices());
        let hidden =
            if options.include_invisible { HiddenElements::Shown } else { HiddenElements::Folded };
        let tree = FoldedTree::of(snapshot, root, hidden);
        lines.push(notes::header(snapshot, snapshot.subtree_len(root), tree.hidden));

        let costs = costs(&tree);
        let budget = options.max_tokens.map_or(usize::MAX, |max_tokens| {
            let fixed: usize = lines.iter().map(cost).sum();
            max_tokens.saturating_sub(fixed + notes::FOOTER_COST)
        });
        let selection = LineSelection::of(&tree, options, budget, &costs);
        let notes = OmissionNotes::of(&tree, &selection);
        notes.write(&tree, &selection, refs, &mut lines);
        let omitted = notes.omitted();
        lines.extend(notes.footer());
        Self { lines, omitted }
    }

    /// Returns the lines in order.
    pub fn lines(&self) -> &[OutlineLine] {
        &self.lines
    }

    /// Returns the number of elements without a line. Hidden elements and layout elements do not
    /// count.
    pub fn omitted(&self) -> usize {
        self.omitted
    }
}

/// Returns the token cost of each line, assuming a ref of typical length.
fn costs(tree: &FoldedTree<'_>) -> Vec<usize> {
    let sample_ref = if tree.snapshot.len() < 1000 { "e123" } else { "e1234" };
    let mut sample_ref = |_: &Snapshot, _: Index| sample_ref.to_owned();
    (0..tree.items.len())
        .map(|item| cost(&render::line(tree, item, None, &mut sample_ref)))
        .collect()
}

fn cost(line: &OutlineLine) -> usize {
    estimate_tokens(&format!("{line}\n"))
}

impl fmt::Display for Outline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}
