//! Renders the line of one element.

use super::{
    LinePartKind, OutlineLine,
    contents::{self, Content},
    fold::{FoldedTree, LineContent},
    labels, role_groups, state_words, text,
};
use crate::{Index, Role, Snapshot, State, name::is_named_after_choice};

/// The mark before a name that is a guess: the label that stands before or above a field.
pub const GUESS_MARK: &str = "~";

/// Returns the ref of an element.
pub(crate) type RefNamer<'r> = dyn FnMut(&Snapshot, Index) -> String + 'r;

/// Renders a line, with an optional note at its end.
pub(crate) fn line(
    tree: &FoldedTree<'_>,
    item: usize,
    note: Option<String>,
    refs: &mut RefNamer<'_>,
) -> OutlineLine {
    let item = &tree.items[item];
    let mut line = OutlineLine { depth: item.depth, index: Some(item.at), parts: Vec::new() };
    match &item.content {
        LineContent::Element => {
            if let Some(outer) = item.within {
                line.push(LinePartKind::Role, outer.short());
            }
            element(tree, item.at, &mut line, refs);
        }
        LineContent::Named(words) => named(tree, item.at, words, &mut line, refs),
        LineContent::Text(words) => {
            line.push(LinePartKind::Name, joined_words(tree.snapshot, words))
        }
        LineContent::Row(cells) => {
            line.push(LinePartKind::Role, Role::TableRow.short());
            line.push(LinePartKind::Reference, refs(tree.snapshot, item.at) + ":");
            line.push(LinePartKind::Value, joined(cells, |at| cell(tree, at, refs)));
            row_states(tree.snapshot, item.at, &item.content, &mut line);
        }
        LineContent::Header(heads) => {
            line.push(LinePartKind::Role, "columns:");
            let head = |at| {
                let name = text::quote(tree.name(at).trim(), text::NAME_LIMIT);
                format!("{name} {}", refs(tree.snapshot, at))
            };
            line.push(LinePartKind::Value, joined(heads, head));
        }
    }
    if let Some(note) = note {
        line.push(LinePartKind::Note, note);
    }
    line
}

/// Joins the cells of a row. A very wide row shows only its first cells.
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

/// Adds the parts of an element: role, name, ref, value and states.
pub(crate) fn element(
    tree: &FoldedTree<'_>,
    at: Index,
    line: &mut OutlineLine,
    refs: &mut RefNamer<'_>,
) {
    let node = tree.snapshot.node(at);
    line.push(LinePartKind::Role, node.role.short());
    let name = tree.name(at).trim();
    let is_guess = tree.labels.is_guess(tree.snapshot, at);
    if !name.is_empty() {
        let mark = if is_guess { GUESS_MARK } else { "" };
        let name = text::quote(name, text::NAME_LIMIT);
        line.push(LinePartKind::Name, format!("{mark}{name}"));
    }
    line.push(LinePartKind::Reference, refs(tree.snapshot, at));
    if let Some(value) = role_groups::shown_value(tree.snapshot, at, name) {
        line.push(LinePartKind::Value, format!("= {}", text::value(value)));
    } else if is_named_after_choice(tree.snapshot, at) && name != node.name.trim() {
        let choice = text::quote(node.name.trim(), text::NAME_LIMIT);
        line.push(LinePartKind::Value, format!("= {choice}"));
    }
    for word in state_words::words(node) {
        line.push(LinePartKind::State, word);
    }
    if !tree.visibility.is_on_screen(at) && node.role != Role::Application {
        line.push(LinePartKind::State, "hidden");
    }
    if (name.is_empty() || is_guess) && role_groups::is_actionable(node) {
        if !node.description.trim().is_empty() {
            let description = text::quote(node.description.trim(), text::NAME_LIMIT);
            line.push(LinePartKind::Note, format!("({description})"));
        } else if name.is_empty() && !node.identifier.is_empty() {
            let identifier = text::quote(&node.identifier, text::NAME_LIMIT);
            line.push(LinePartKind::Note, format!("(id {identifier})"));
        }
    }
}

fn named(
    tree: &FoldedTree<'_>,
    at: Index,
    words: &[Index],
    line: &mut OutlineLine,
    refs: &mut RefNamer<'_>,
) {
    let node = tree.snapshot.node(at);
    line.push(LinePartKind::Role, node.role.short());
    line.push(LinePartKind::Name, joined_words(tree.snapshot, words));
    line.push(LinePartKind::Reference, refs(tree.snapshot, at));
    let mut states = state_words::words(node);
    let inner_focus = words.iter().any(|at| tree.snapshot.node(*at).states.has(State::Focused));
    if inner_focus && !states.contains(&State::Focused.word()) {
        states.push(State::Focused.word());
    }
    for word in states {
        line.push(LinePartKind::State, word);
    }
}

/// Returns the number of entries in a closed menu or list.
pub(crate) fn closed_entry_count(snapshot: &Snapshot, at: Index) -> usize {
    if !role_groups::has_popup(snapshot.node(at).role) {
        return 0;
    }
    let mut entries = 0;
    let mut skip = 0;
    for below in snapshot.subtree(at).skip(1) {
        if below.get() >= skip && role_groups::is_menu_entry(snapshot.node(below).role) {
            // A combo box keeps its entries in a nameless menu, which is not an entry itself.
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
            // Links and bold words split a sentence of a web page into several text elements.
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

fn cell(tree: &FoldedTree<'_>, at: Index, refs: &mut RefNamer<'_>) -> String {
    const CELL_LIMIT: usize = 40;
    let snapshot = tree.snapshot;
    let node = snapshot.node(at);
    let mut parts = Vec::new();
    match contents::content(snapshot, &tree.visibility, at) {
        Content::Controls(controls) => {
            for control in controls {
                let inner = snapshot.node(control);
                parts.push(inner.role.short().to_owned());
                if !inner.name.trim().is_empty() {
                    parts.push(text::quote(inner.name.trim(), CELL_LIMIT));
                }
                parts.push(refs(snapshot, control));
                if let Some(value) = role_groups::shown_value(snapshot, control, &inner.name) {
                    parts.push(format!("= {}", text::value(value)));
                }
                parts.extend(state_words::words(inner).into_iter().map(str::to_owned));
            }
        }
        Content::Words(words) => {
            for words in words {
                parts.push(text::quote(labels::words(snapshot, words).trim(), CELL_LIMIT));
            }
            if let Some(value) = role_groups::shown_value(snapshot, at, &node.name)
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

fn row_states(snapshot: &Snapshot, row: Index, content: &LineContent, line: &mut OutlineLine) {
    let LineContent::Row(cells) = content else { return };
    let shown = [State::Selected, State::Focused, State::Expanded, State::Collapsed];
    for state in shown {
        let has = |at: &Index| snapshot.node(*at).states.has(state);
        if has(&row) || cells.iter().any(has) {
            line.push(LinePartKind::State, state.word());
        }
    }
}
