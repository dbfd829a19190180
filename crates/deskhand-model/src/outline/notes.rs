//! The lines of an outline that are not elements: the app, warnings, and notes on omitted elements.

use super::{
    LinePartKind, OutlineLine,
    fold::FoldedTree,
    render::{self, RefNamer},
    role_groups,
    selection::LineSelection,
    text,
};
use crate::{Cut, Notice, Snapshot};

/// The maximum token cost of the footer.
pub(crate) const FOOTER_COST: usize = 34;

/// Returns the warning lines that come first.
pub(crate) fn warnings<'n>(notices: impl IntoIterator<Item = &'n Notice>) -> Vec<OutlineLine> {
    notices
        .into_iter()
        .map(|notice| {
            let mut line = OutlineLine::default();
            line.push(LinePartKind::Warning, format!("! {}", text::printable(&notice.message())));
            line
        })
        .collect()
}

/// Returns the line that names the app.
pub(crate) fn header(snapshot: &Snapshot, elements: usize, hidden: usize) -> OutlineLine {
    let app = snapshot.app();
    let name = if app.name.trim().is_empty() { "app" } else { app.name.trim() };
    let mut about = Vec::new();
    if app.pid != 0 {
        about.push(format!("pid {}", app.pid));
    }
    let toolkit = format!("{} {}", app.toolkit.name, app.toolkit.version);
    if !toolkit.trim().is_empty() {
        about.push(text::printable(toolkit.trim()));
    }
    if !app.responding {
        about.push("not responding".into());
    }
    let mut line = OutlineLine { index: None, ..OutlineLine::default() };
    line.push(LinePartKind::App, text::printable(name));
    if !about.is_empty() {
        line.push(LinePartKind::Note, format!("({})", about.join(", ")));
    }
    let hidden =
        if hidden > 0 { format!(" ({} hidden)", text::count(hidden)) } else { String::new() };
    line.push(LinePartKind::Note, text::counted(elements, "element") + &hidden);
    line
}

/// Counts of omitted elements, below each line and in total.
pub(crate) struct OmissionNotes {
    omitted_below: Vec<OmittedLines>,
    windows: usize,
    omitted: usize,
    total: usize,
}

/// The omitted lines directly below a line, and the number of elements they cover.
#[derive(Clone, Copy, Default)]
struct OmittedLines {
    lines: usize,
    elements: usize,
}

impl OmissionNotes {
    /// Counts the elements that the selection omits.
    pub(crate) fn of(tree: &FoldedTree<'_>, selection: &LineSelection) -> Self {
        let mut counts = Self {
            omitted_below: vec![OmittedLines::default(); tree.items.len()],
            windows: 0,
            omitted: 0,
            total: 0,
        };
        let mut weight: Vec<usize> = tree.items.iter().map(|item| item.covers).collect();
        for (at, item) in tree.items.iter().enumerate().rev() {
            counts.total += item.covers;
            if let Some(parent) = item.parent {
                weight[parent] += weight[at];
            }
            if !selection.shown[at] {
                counts.omitted += item.covers;
                match item.parent {
                    Some(parent) => {
                        counts.omitted_below[parent].lines += 1;
                        counts.omitted_below[parent].elements += weight[at];
                    }
                    None => counts.windows += 1,
                }
            }
        }
        counts
    }

    /// Returns the number of elements without a line.
    pub(crate) fn omitted(&self) -> usize {
        self.omitted
    }

    /// Writes the selected lines, each followed by a note on the elements omitted below it.
    pub(crate) fn write(
        &self,
        tree: &FoldedTree<'_>,
        selection: &LineSelection,
        refs: &mut RefNamer<'_>,
        lines: &mut Vec<OutlineLine>,
    ) {
        // Notes to write after the last line below an element: the index where that subtree ends,
        // and the note.
        let mut later: Vec<(usize, OutlineLine)> = Vec::new();
        for (at, item) in tree.items.iter().enumerate() {
            while let Some((_, line)) = later.pop_if(|(end, _)| *end <= at) {
                lines.push(line);
            }
            if !selection.shown[at] {
                continue;
            }
            let is_open = tree.children_of(at).any(|kid| selection.shown[kid]);
            let left = self.omission_below(tree, at, is_open);
            let cut = not_read(tree, at, is_open);
            if is_open {
                lines.push(render::line(tree, at, None, refs));
                let reference = |refs: &mut RefNamer<'_>| refs(tree.snapshot, item.at);
                let mut note = match (left, cut) {
                    (None, None) => continue,
                    (Some(left), None) => format!("… {left} in {}", reference(refs)),
                    (None, Some((cut, why))) => format!("… {cut} ({why})"),
                    (Some(left), Some((cut, why))) => {
                        format!("… {left} in {}; {cut} ({why})", reference(refs))
                    }
                };
                if tree.snapshot.node(item.at).cut == Some(Cut::Many) {
                    let read = tree.snapshot.children(item.at).count();
                    note += &format!(": continue with root {}, from {read}", reference(refs));
                }
                later
                    .push((item.end, OutlineLine::alone(item.depth + 1, LinePartKind::Note, note)));
            } else {
                let cut = cut.map(|(cut, why)| format!("{cut}: {why}"));
                let parts: Vec<String> = [left, cut].into_iter().flatten().collect();
                let note = (!parts.is_empty()).then(|| format!("({})", parts.join("; ")));
                lines.push(render::line(tree, at, note, refs));
            }
        }
        lines.extend(later.into_iter().rev().map(|(_, line)| line));
        if self.windows > 0 {
            let note = format!("… {}", text::counted(self.windows, "more window"));
            lines.push(OutlineLine::alone(0, LinePartKind::Note, note));
        }
    }

    fn omission_below(&self, tree: &FoldedTree<'_>, at: usize, is_open: bool) -> Option<String> {
        let item = &tree.items[at];
        let noun = role_groups::noun(tree.snapshot.node(item.at).role);
        let OmittedLines { lines, elements } = self.omitted_below[at];
        let mut parts = Vec::new();
        if lines > 0 {
            let n = if noun == "element" { elements } else { lines };
            let more = if is_open { "more " } else { "" };
            parts.push(text::counted(n, &format!("{more}{noun}")));
        }
        if item.off_screen > 0 {
            parts.push(format!("{} off screen", text::counted(item.off_screen, noun)));
        }
        if item.blank_cells > 0 {
            parts.push(text::counted(item.blank_cells, "empty cell"));
        }
        let entries = render::closed_entry_count(tree.snapshot, item.at);
        if lines == 0 && !is_open && entries > 0 {
            parts.push(text::counted(entries, "item"));
        }
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    /// Returns the last line of the outline, if any elements were omitted.
    pub(crate) fn footer(&self) -> Option<OutlineLine> {
        (self.omitted > 0).then(|| {
            let (left, all) = (text::count(self.omitted), text::count(self.total));
            let note = format!(
                "… {left} of {all} elements not shown: pass a ref as root, \
                 a larger max-tokens, or use find"
            );
            OutlineLine::alone(0, LinePartKind::Note, note)
        })
    }
}

/// Returns a note on the children that the snapshot does not contain, and the reason.
fn not_read(tree: &FoldedTree<'_>, at: usize, is_open: bool) -> Option<(String, &'static str)> {
    let at = tree.items[at].at;
    let node = tree.snapshot.node(at);
    let why = node.cut?.word();
    let read = tree.snapshot.children(at).count();
    let missing = (node.child_count as usize).saturating_sub(read);
    let is_cell = |child| role_groups::is_cell(tree.snapshot.node(child).role);
    let noun =
        if tree.snapshot.children(at).any(is_cell) { "cell" } else { role_groups::noun(node.role) };
    let more = if is_open { "more " } else { "" };
    let note = match missing {
        0 => "not all read".to_owned(),
        missing => format!("{} not read", text::counted(missing, &format!("{more}{noun}"))),
    };
    Some((note, why))
}
