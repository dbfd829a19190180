//! What an outline says beside its elements: the app, warnings, and everything left out.

use super::{
    Line, PartKind,
    fold::View,
    kinds,
    plan::Plan,
    render::{self, Refs},
    text,
};
use crate::{Cut, Notice, Snapshot};

/// What the last line costs at most.
pub(crate) const FOOTER_COST: usize = 34;

/// The sentences that come before everything else.
pub(crate) fn warnings<'n>(notices: impl IntoIterator<Item = &'n Notice>) -> Vec<Line> {
    notices
        .into_iter()
        .map(|notice| {
            let mut line = Line::default();
            line.push(PartKind::Warning, format!("! {}", text::printable(&notice.message())));
            line
        })
        .collect()
}

/// The line that says which app this is.
pub(crate) fn header(snapshot: &Snapshot, elements: usize, hidden: usize) -> Line {
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
    let mut line = Line { index: None, ..Line::default() };
    line.push(PartKind::App, text::printable(name));
    if !about.is_empty() {
        line.push(PartKind::Note, format!("({})", about.join(", ")));
    }
    let hidden =
        if hidden > 0 { format!(" ({} hidden)", text::count(hidden)) } else { String::new() };
    line.push(PartKind::Note, text::counted(elements, "element") + &hidden);
    line
}

/// What was left out under each line, and in all.
pub(crate) struct Remarks {
    under: Vec<Rest>,
    windows: usize,
    left_out: usize,
    total: usize,
}

/// Lines directly under another that are not shown, and the elements they speak for.
#[derive(Clone, Copy, Default)]
struct Rest {
    lines: usize,
    elements: usize,
}

impl Remarks {
    /// Counts what the plan leaves out.
    pub(crate) fn of(view: &View<'_>, plan: &Plan) -> Self {
        let mut counts = Self {
            under: vec![Rest::default(); view.items.len()],
            windows: 0,
            left_out: 0,
            total: 0,
        };
        let mut weight: Vec<usize> = view.items.iter().map(|item| item.covers).collect();
        for (at, item) in view.items.iter().enumerate().rev() {
            counts.total += item.covers;
            if let Some(parent) = item.parent {
                weight[parent] += weight[at];
            }
            if !plan.shown[at] {
                counts.left_out += item.covers;
                match item.parent {
                    Some(parent) => {
                        counts.under[parent].lines += 1;
                        counts.under[parent].elements += weight[at];
                    }
                    None => counts.windows += 1,
                }
            }
        }
        counts
    }

    /// How many elements have no line.
    pub(crate) fn left_out(&self) -> usize {
        self.left_out
    }

    /// Writes the lines that are shown, each with what was left out under it.
    pub(crate) fn write(
        &self,
        view: &View<'_>,
        plan: &Plan,
        refs: &mut Refs<'_>,
        lines: &mut Vec<Line>,
    ) {
        // What is to be said when a line's own lines are done: where they end, and the line.
        let mut later: Vec<(usize, Line)> = Vec::new();
        for (at, item) in view.items.iter().enumerate() {
            while let Some((_, line)) = later.pop_if(|(end, _)| *end <= at) {
                lines.push(line);
            }
            if !plan.shown[at] {
                continue;
            }
            let is_open = view.under(at).any(|kid| plan.shown[kid]);
            let left = self.left_under(view, at, is_open);
            let cut = not_read(view, at, is_open);
            if is_open {
                lines.push(render::line(view, at, None, refs));
                let place = |refs: &mut Refs<'_>| refs(view.snapshot, item.at);
                let mut said = match (left, cut) {
                    (None, None) => continue,
                    (Some(left), None) => format!("… {left} in {}", place(refs)),
                    (None, Some((cut, why))) => format!("… {cut} ({why})"),
                    (Some(left), Some((cut, why))) => {
                        format!("… {left} in {}; {cut} ({why})", place(refs))
                    }
                };
                if view.snapshot.node(item.at).cut == Some(Cut::Many) {
                    let read = view.snapshot.children(item.at).count();
                    said += &format!(": go on with root {}, from {read}", place(refs));
                }
                later.push((item.end, Line::alone(item.depth + 1, PartKind::Note, said)));
            } else {
                let cut = cut.map(|(cut, why)| format!("{cut}: {why}"));
                let said: Vec<String> = [left, cut].into_iter().flatten().collect();
                let note = (!said.is_empty()).then(|| format!("({})", said.join("; ")));
                lines.push(render::line(view, at, note, refs));
            }
        }
        lines.extend(later.into_iter().rev().map(|(_, line)| line));
        if self.windows > 0 {
            let said = format!("… {}", text::counted(self.windows, "more window"));
            lines.push(Line::alone(0, PartKind::Note, said));
        }
    }

    fn left_under(&self, view: &View<'_>, at: usize, is_open: bool) -> Option<String> {
        let item = &view.items[at];
        let noun = kinds::noun(view.snapshot.node(item.at).role);
        let Rest { lines, elements } = self.under[at];
        let mut said = Vec::new();
        if lines > 0 {
            let n = if noun == "element" { elements } else { lines };
            let more = if is_open { "more " } else { "" };
            said.push(text::counted(n, &format!("{more}{noun}")));
        }
        if item.away > 0 {
            said.push(format!("{} off screen", text::counted(item.away, noun)));
        }
        if item.blank > 0 {
            said.push(text::counted(item.blank, "empty cell"));
        }
        let entries = render::closed_entries(view.snapshot, item.at);
        if lines == 0 && !is_open && entries > 0 {
            said.push(text::counted(entries, "item"));
        }
        (!said.is_empty()).then(|| said.join(", "))
    }

    /// The last line, when something was left out.
    pub(crate) fn footer(&self) -> Option<Line> {
        (self.left_out > 0).then(|| {
            let (left, all) = (text::count(self.left_out), text::count(self.total));
            let said = format!(
                "… {left} of {all} elements not shown: look again with a ref as root, \
                 a larger max-tokens, or use find"
            );
            Line::alone(0, PartKind::Note, said)
        })
    }
}

/// What the look itself did not read under an element, and the word for why.
fn not_read(view: &View<'_>, at: usize, is_open: bool) -> Option<(String, &'static str)> {
    let at = view.items[at].at;
    let node = view.snapshot.node(at);
    let why = node.cut?.word();
    let read = view.snapshot.children(at).count();
    let missing = (node.child_count as usize).saturating_sub(read);
    let is_cell = |child| kinds::is_cell(view.snapshot.node(child).role);
    let noun =
        if view.snapshot.children(at).any(is_cell) { "cell" } else { kinds::noun(node.role) };
    let more = if is_open { "more " } else { "" };
    let said = match missing {
        0 => "not all read".to_owned(),
        missing => format!("{} not read", text::counted(missing, &format!("{more}{noun}"))),
    };
    Some((said, why))
}
