//! One line out of one element.

use super::{
    Line, PartKind, condition,
    digest::{self, Content},
    fold::{self, Seen, View, What},
    kinds, labels, text,
};
use crate::{Index, Role, Snapshot, State};

/// Gives an element the ref it is called by.
pub(crate) type Refs<'r> = dyn FnMut(&Snapshot, Index) -> String + 'r;

/// Writes the line of an item, with a remark at its end when there is one.
pub(crate) fn line(
    view: &View<'_>,
    item: usize,
    note: Option<String>,
    refs: &mut Refs<'_>,
) -> Line {
    let item = &view.items[item];
    let mut line = Line { depth: item.depth, index: Some(item.at), parts: Vec::new() };
    match &item.what {
        What::Element => {
            if let Some(outer) = item.within {
                line.push(PartKind::Role, outer.short());
            }
            element(view, item.at, &mut line, refs);
        }
        What::Named(words) => named(view, item.at, words, &mut line, refs),
        What::Words(words) => line.push(PartKind::Name, joined_words(view.snapshot, words)),
        What::Row(cells) => {
            line.push(PartKind::Role, Role::TableRow.short());
            line.push(PartKind::Reference, refs(view.snapshot, item.at) + ":");
            line.push(PartKind::Value, joined(cells, |at| cell(view.snapshot, at, refs)));
            row_states(view.snapshot, item.at, &item.what, &mut line);
        }
        What::Header(heads) => {
            line.push(PartKind::Role, "columns:");
            let head = |at| {
                let name = text::quote(view.name(at).trim(), text::NAME_LIMIT);
                format!("{name} {}", refs(view.snapshot, at))
            };
            line.push(PartKind::Value, joined(heads, head));
        }
    }
    if let Some(note) = note {
        line.push(PartKind::Note, note);
    }
    line
}

/// The cells of a row side by side; of a very wide row the first ones.
fn joined(cells: &[Index], mut write: impl FnMut(Index) -> String) -> String {
    const WIDE: usize = 14;
    const FIRST: usize = 10;
    let shown = if cells.len() > WIDE { FIRST } else { cells.len() };
    let mut written: Vec<String> = cells[..shown].iter().map(|at| write(*at)).collect();
    if shown < cells.len() {
        written.push(format!("… {}", text::counted(cells.len() - shown, "more cell")));
    }
    written.join(" | ")
}

/// Writes the parts of one element: role, name, ref, value, states.
pub(crate) fn element(view: &View<'_>, at: Index, line: &mut Line, refs: &mut Refs<'_>) {
    let node = view.snapshot.node(at);
    line.push(PartKind::Role, node.role.short());
    let name = view.name(at).trim();
    if !name.is_empty() {
        line.push(PartKind::Name, text::quote(name, text::NAME_LIMIT));
    }
    line.push(PartKind::Reference, refs(view.snapshot, at));
    if let Some(value) = kinds::telling_value(view.snapshot, at, name) {
        line.push(PartKind::Value, format!("= {}", text::value(value)));
    }
    for word in condition::words(node) {
        line.push(PartKind::State, word);
    }
    if fold::seen(view.snapshot, at) != Seen::Here && node.role != Role::Application {
        line.push(PartKind::State, "hidden");
    }
    if name.is_empty() && kinds::is_actionable(node) {
        if !node.description.trim().is_empty() {
            let description = text::quote(node.description.trim(), text::NAME_LIMIT);
            line.push(PartKind::Note, format!("({description})"));
        } else if !node.identifier.is_empty() {
            let identifier = text::quote(&node.identifier, text::NAME_LIMIT);
            line.push(PartKind::Note, format!("(id {identifier})"));
        }
    }
}

fn named(view: &View<'_>, at: Index, words: &[Index], line: &mut Line, refs: &mut Refs<'_>) {
    let node = view.snapshot.node(at);
    line.push(PartKind::Role, node.role.short());
    line.push(PartKind::Name, joined_words(view.snapshot, words));
    line.push(PartKind::Reference, refs(view.snapshot, at));
    let mut states = condition::words(node);
    let inner_focus = words.iter().any(|at| view.snapshot.node(*at).states.has(State::Focused));
    if inner_focus && !states.contains(&State::Focused.word()) {
        states.push(State::Focused.word());
    }
    for word in states {
        line.push(PartKind::State, word);
    }
}

/// How many entries a closed menu or list has, when none of them is shown.
pub(crate) fn closed_entries(snapshot: &Snapshot, at: Index) -> usize {
    if !kinds::has_popup(snapshot.node(at).role) {
        return 0;
    }
    let mut entries = 0;
    let mut skip = 0;
    for below in snapshot.subtree(at).skip(1) {
        if below.get() >= skip && kinds::is_menu_entry(snapshot.node(below).role) {
            // A combo box keeps its entries in a menu of its own, which is no entry.
            let is_holder =
                snapshot.node(below).role == Role::Menu && snapshot.node(below).name.is_empty();
            if !is_holder {
                entries += 1;
                skip = below.get() + snapshot.subtree_len(below);
            }
        }
    }
    entries
}

fn joined_words(snapshot: &Snapshot, words: &[Index]) -> String {
    let mut joined: Vec<String> = Vec::new();
    let mut running = String::new();
    for at in words {
        let piece = labels::words(snapshot, *at).trim();
        if snapshot.node(*at).role == Role::StaticText {
            // The pieces of a web page's sentence: links and bold words cut it up.
            if !running.is_empty() {
                running.push(' ');
            }
            running.extend(piece.chars().take(4 * text::VALUE_LIMIT));
            continue;
        }
        if !running.is_empty() {
            joined.push(text::quote(&std::mem::take(&mut running), text::VALUE_LIMIT));
        }
        joined.push(text::quote(piece, text::VALUE_LIMIT));
    }
    if !running.is_empty() {
        joined.push(text::quote(&running, text::VALUE_LIMIT));
    }
    joined.join(" ")
}

fn cell(snapshot: &Snapshot, at: Index, refs: &mut Refs<'_>) -> String {
    const CELL_LIMIT: usize = 40;
    let node = snapshot.node(at);
    let mut parts = Vec::new();
    match digest::content(snapshot, at) {
        Content::Controls(controls) => {
            for control in controls {
                let inner = snapshot.node(control);
                parts.push(inner.role.short().to_owned());
                if !inner.name.trim().is_empty() {
                    parts.push(text::quote(inner.name.trim(), CELL_LIMIT));
                }
                parts.push(refs(snapshot, control));
                if let Some(value) = kinds::telling_value(snapshot, control, &inner.name) {
                    parts.push(format!("= {}", text::value(value)));
                }
                parts.extend(condition::words(inner).into_iter().map(str::to_owned));
            }
        }
        Content::Words(words) => {
            for words in words {
                parts.push(text::quote(labels::words(snapshot, words).trim(), CELL_LIMIT));
            }
            if let Some(value) = kinds::telling_value(snapshot, at, &node.name)
                && !node.name.trim().is_empty()
            {
                parts.push(format!("= {}", text::value(value)));
            }
        }
    }
    if node.states.has(State::Checked) {
        parts.push("checked".into());
    } else if node.states.has(State::Checkable) {
        parts.push("unchecked".into());
    }
    parts.join(" ")
}

fn row_states(snapshot: &Snapshot, row: Index, what: &What, line: &mut Line) {
    let What::Row(cells) = what else { return };
    let told = [State::Selected, State::Focused, State::Expanded, State::Collapsed];
    for state in told {
        let has = |at: &Index| snapshot.node(*at).states.has(state);
        if has(&row) || cells.iter().any(has) {
            line.push(PartKind::State, state.word());
        }
    }
}
