//! Collects the changes of a diff that deserve a line.

use std::collections::{HashMap, HashSet};

use super::super::{
    fold::{FoldedTree, HiddenElements, LineContent},
    role_groups, state_words,
};
use crate::{Diff, Index, NodeId, Snapshot, State, diff::FieldChange, diff::NodeSource};

/// The kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChangeKind {
    Appeared,
    Changed,
    Gone,
    Moved,
}

/// One change that gets a line.
pub(crate) struct ChangeEntry {
    pub(crate) kind: ChangeKind,
    /// The element: in the older snapshot if it is gone, otherwise in the newer one.
    pub(crate) at: Index,
    /// The number of informative elements that appeared or disappeared with it.
    pub(crate) weight: usize,
    /// The most important elements inside a new element.
    pub(crate) inside: Vec<Index>,
    /// The changed fields, for a changed element.
    pub(crate) fields: Vec<FieldChange>,
    /// A note, such as that it moved.
    pub(crate) note: Option<String>,
    rank: u8,
}

/// The maximum number of elements listed inside a new one.
const MAX_INNER_LINES: usize = 8;

/// Returns all changes that deserve a line, most important first.
pub(crate) fn entries(diff: &Diff, before: &Snapshot, after: &Snapshot) -> Vec<ChangeEntry> {
    let mut appeared = vec![false; after.len()];
    let mut gone = vec![false; before.len()];
    diff.added.iter().for_each(|added| appeared[added.after.get()] = true);
    diff.removed.iter().for_each(|removed| gone[removed.before.get()] = true);
    let old = FoldedTree::of(before, Index::ROOT, HiddenElements::Folded);
    let new = FoldedTree::of(after, Index::ROOT, HiddenElements::Folded);
    // An element also comes into view when only a container of it changes.
    let positions = after.positions();
    for (was, node) in before.iter() {
        let Some(is) = positions.get(&node.id) else { continue };
        match (old.visibility.is_on_screen(was), new.visibility.is_on_screen(*is)) {
            (false, true) => appeared[is.get()] = true,
            (true, false) => gone[was.get()] = true,
            (true, true) | (false, false) => {}
        }
    }
    let mut entries = Vec::new();
    collect_appeared_or_gone(&new, &appeared, ChangeKind::Appeared, &mut entries);
    collect_changed(diff, &new, &appeared, &mut entries);
    collect_appeared_or_gone(&old, &gone, ChangeKind::Gone, &mut entries);
    collect_moved(diff, &old, &new, &mut entries);
    entries.sort_by_key(|entry| entry.rank);
    entries
}

fn collect_appeared_or_gone(
    tree: &FoldedTree<'_>,
    marked: &[bool],
    kind: ChangeKind,
    entries: &mut Vec<ChangeEntry>,
) {
    let is_marked = |item: usize| marked[tree.items[item].at.get()];
    for (nth, item) in tree.items.iter().enumerate() {
        if !is_marked(nth) || item.parent.is_some_and(is_marked) {
            continue;
        }
        let below = nth + 1..item.end;
        let role = tree.snapshot.node(item.at).role;
        let inside = if kind == ChangeKind::Appeared {
            key_elements(tree, below.clone())
        } else {
            Vec::new()
        };
        let is_text = matches!(item.content, LineContent::Text(_));
        entries.push(ChangeEntry {
            kind,
            at: item.at,
            weight: item.covers + below.map(|below| tree.items[below].covers).sum::<usize>(),
            inside,
            fields: Vec::new(),
            note: None,
            rank: if role.is_window() {
                0
            } else if is_text {
                4
            } else if kind == ChangeKind::Appeared {
                2
            } else {
                3
            },
        });
    }
}

/// Returns the most important new elements: the focused one, controls, then text.
fn key_elements(tree: &FoldedTree<'_>, range: std::ops::Range<usize>) -> Vec<Index> {
    let mut inside: Vec<(u8, usize)> = range
        .map(|nth| {
            let node = tree.snapshot.node(tree.items[nth].at);
            let rank = if node.states.has(State::Focused) || node.states.has(State::Default) {
                0
            } else if node.role.is_control() {
                1
            } else {
                2
            };
            (rank, nth)
        })
        .filter(|(rank, nth)| *rank < 2 || matches!(tree.items[*nth].content, LineContent::Text(_)))
        .collect();
    inside.sort_unstable();
    inside.truncate(MAX_INNER_LINES);
    inside.sort_unstable_by_key(|(_, nth)| *nth);
    inside.into_iter().map(|(_, nth)| tree.items[nth].at).collect()
}

fn collect_changed(
    diff: &Diff,
    new: &FoldedTree<'_>,
    appeared: &[bool],
    entries: &mut Vec<ChangeEntry>,
) {
    let lines = lines_by_element(new);
    let mut moved_or_resized = 0;
    for change in &diff.changed {
        if appeared[change.after.get()] || !new.visibility.is_on_screen(change.after) {
            continue;
        }
        let Some(line) = lines.get(&change.after) else { continue };
        let fields: Vec<FieldChange> = change
            .fields
            .iter()
            .filter(|field| {
                is_reportable(field) && !is_inherited_value(field, new.snapshot, change.after)
            })
            .cloned()
            .collect();
        if fields.is_empty() {
            let is_shifted = |field: &FieldChange| matches!(field, FieldChange::Bounds(_));
            moved_or_resized += usize::from(change.fields.iter().any(is_shifted));
            continue;
        }
        let is_control = new.snapshot.node(*line).role.is_control();
        let is_window = new.snapshot.node(*line).role.is_window();
        entries.push(ChangeEntry {
            kind: ChangeKind::Changed,
            at: change.after,
            weight: 1,
            inside: Vec::new(),
            fields,
            note: None,
            rank: if is_control || is_window { 1 } else { 3 },
        });
    }
    if moved_or_resized > 0 {
        let noun = super::text::counted(moved_or_resized, "element");
        entries.push(ChangeEntry {
            kind: ChangeKind::Moved,
            at: Index::ROOT,
            weight: moved_or_resized,
            inside: Vec::new(),
            fields: Vec::new(),
            note: Some(format!("{noun} moved or resized")),
            rank: 6,
        });
    }
}

/// Maps each element to the element whose line shows it.
fn lines_by_element(tree: &FoldedTree<'_>) -> HashMap<Index, Index> {
    let mut lines = HashMap::new();
    for item in &tree.items {
        lines.insert(item.at, item.at);
        match &item.content {
            LineContent::Element => {}
            LineContent::Text(parts) | LineContent::Named(parts) => {
                lines.extend(parts.iter().map(|part| (*part, item.at)));
            }
            LineContent::Row(cells) | LineContent::Header(cells) => {
                let all = cells.iter().flat_map(|cell| tree.snapshot.subtree(*cell));
                lines.extend(all.map(|part| (part, item.at)));
            }
        }
    }
    lines
}

/// Returns `true` if a value is the text of descendants or repeats the name.
fn is_inherited_value(field: &FieldChange, after: &Snapshot, at: Index) -> bool {
    let node = after.node(at);
    matches!(field, FieldChange::Value(_))
        && (!role_groups::has_own_value(after, at)
            || !node.name.is_empty() && node.text() == Some(node.name.as_str()))
}

fn is_reportable(field: &FieldChange) -> bool {
    match field {
        FieldChange::Role(_) | FieldChange::Name(_) | FieldChange::Value(_) => true,
        FieldChange::States(pair) => {
            // A lost focus is not reported, because the newly focused element is.
            let (lost, gained) = state_words::difference(pair.before, pair.after);
            !gained.is_empty() || lost.iter().any(|word| !matches!(*word, "focused" | "active"))
        }
        FieldChange::Description(_)
        | FieldChange::Placeholder(_)
        | FieldChange::Identifier(_)
        | FieldChange::Bounds(_)
        | FieldChange::Actions(_)
        | FieldChange::Relations(_)
        | FieldChange::ChildCount(_)
        | FieldChange::Cut(_) => false,
    }
}

fn collect_moved(
    diff: &Diff,
    old: &FoldedTree<'_>,
    new: &FoldedTree<'_>,
    entries: &mut Vec<ChangeEntry>,
) {
    let parents = |tree: &FoldedTree<'_>| -> HashMap<NodeId, Option<NodeId>> {
        let id = |item: usize| tree.snapshot.node(tree.items[item].at).id.clone();
        (0..tree.items.len()).map(|nth| (id(nth), tree.items[nth].parent.map(id))).collect()
    };
    let touched: HashSet<Index> = diff
        .orders
        .iter()
        .flat_map(|order| &order.children)
        .filter_map(|child| match child {
            NodeSource::Kept(at) => Some(*at),
            NodeSource::Added(_) => None,
        })
        .collect();
    if touched.is_empty() {
        return;
    }
    let (old_parents, new_parents) = (parents(old), parents(new));
    let positions = new.snapshot.positions();
    let mut entry = |at: Index, note: String| {
        entries.push(ChangeEntry {
            kind: ChangeKind::Moved,
            at,
            weight: 1,
            inside: Vec::new(),
            fields: Vec::new(),
            note: Some(note),
            rank: 5,
        });
    };
    let mut sorted: Vec<Index> = touched.into_iter().collect();
    sorted.sort_unstable();
    for at in sorted {
        let id = &old.snapshot.node(at).id;
        let (Some(from), Some(to), Some(now)) =
            (old_parents.get(id), new_parents.get(id), positions.get(id))
        else {
            continue;
        };
        if from != to {
            entry(*now, "moved elsewhere".into());
        }
    }
    for order in &diff.orders {
        let NodeSource::Kept(parent) = order.parent else { continue };
        let now: Vec<Index> = order
            .children
            .iter()
            .filter_map(|child| match child {
                NodeSource::Kept(at) => Some(*at),
                NodeSource::Added(_) => None,
            })
            .collect();
        let kept: HashSet<Index> = now.iter().copied().collect();
        let was: Vec<Index> =
            old.snapshot.children(parent).filter(|at| kept.contains(at)).collect();
        let at = positions.get(&old.snapshot.node(parent).id);
        if let Some(at) = at.filter(|_| was.len() == now.len() && was != now) {
            entry(*at, "reordered".into());
        }
    }
}
