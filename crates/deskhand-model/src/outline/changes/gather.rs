//! Finding the changes worth a line in a diff.

use std::collections::{HashMap, HashSet};

use super::{
    super::{
        condition,
        fold::{Unseen, View, What},
        kinds,
    },
    in_view,
};
use crate::{Diff, Index, NodeId, Snapshot, State, diff::Field, diff::Source};

/// What happened to an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Appeared,
    Changed,
    Gone,
    Moved,
}

/// One change worth a line.
pub(crate) struct Entry {
    pub(crate) kind: Kind,
    /// The element: in the older snapshot when it is gone, else in the newer.
    pub(crate) at: Index,
    /// How many telling elements came or went with it.
    pub(crate) weight: usize,
    /// The most important of what came with it.
    pub(crate) inside: Vec<Index>,
    /// What is different now, for a changed element.
    pub(crate) fields: Vec<Field>,
    /// What else is to be said, such as where it moved.
    pub(crate) note: Option<String>,
    rank: u8,
}

/// How many elements inside a new one are named.
const MOST_INSIDE: usize = 8;

/// Everything worth a line, the most important first.
pub(crate) fn entries(diff: &Diff, before: &Snapshot, after: &Snapshot) -> Vec<Entry> {
    let mut fresh = vec![false; after.len()];
    let mut gone = vec![false; before.len()];
    diff.added.iter().for_each(|added| fresh[added.after.get()] = true);
    diff.removed.iter().for_each(|removed| gone[removed.before.get()] = true);
    for changed in &diff.changed {
        match (in_view(before, changed.before), in_view(after, changed.after)) {
            (false, true) => fresh[changed.after.get()] = true,
            (true, false) => gone[changed.before.get()] = true,
            (true, true) | (false, false) => {}
        }
    }
    let old = View::of(before, Index::ROOT, Unseen::Folded);
    let new = View::of(after, Index::ROOT, Unseen::Folded);
    let mut entries = Vec::new();
    came_or_went(&new, &fresh, Kind::Appeared, &mut entries);
    changed(diff, &new, &fresh, &mut entries);
    came_or_went(&old, &gone, Kind::Gone, &mut entries);
    moved(diff, &old, &new, &mut entries);
    entries.sort_by_key(|entry| entry.rank);
    entries
}

fn came_or_went(view: &View<'_>, marked: &[bool], kind: Kind, entries: &mut Vec<Entry>) {
    let is_marked = |item: usize| marked[view.items[item].at.get()];
    for (nth, item) in view.items.iter().enumerate() {
        if !is_marked(nth) || item.parent.is_some_and(is_marked) {
            continue;
        }
        let below = nth + 1..item.end;
        let role = view.snapshot.node(item.at).role;
        let inside =
            if kind == Kind::Appeared { important(view, below.clone()) } else { Vec::new() };
        let is_words = matches!(item.what, What::Words(_));
        entries.push(Entry {
            kind,
            at: item.at,
            weight: item.covers + below.map(|below| view.items[below].covers).sum::<usize>(),
            inside,
            fields: Vec::new(),
            note: None,
            rank: if role.is_window() {
                0
            } else if is_words {
                4
            } else if kind == Kind::Appeared {
                2
            } else {
                3
            },
        });
    }
}

/// What a reader most likely needs of a new part: the focus, what to act on, then the words.
fn important(view: &View<'_>, range: std::ops::Range<usize>) -> Vec<Index> {
    let mut inside: Vec<(u8, usize)> = range
        .map(|nth| {
            let node = view.snapshot.node(view.items[nth].at);
            let rank = if node.states.has(State::Focused) || node.states.has(State::Default) {
                0
            } else if node.role.is_control() {
                1
            } else {
                2
            };
            (rank, nth)
        })
        .filter(|(rank, nth)| *rank < 2 || matches!(view.items[*nth].what, What::Words(_)))
        .collect();
    inside.sort_unstable();
    inside.truncate(MOST_INSIDE);
    inside.sort_unstable_by_key(|(_, nth)| *nth);
    inside.into_iter().map(|(_, nth)| view.items[nth].at).collect()
}

fn changed(diff: &Diff, new: &View<'_>, fresh: &[bool], entries: &mut Vec<Entry>) {
    let lines = told_by(new);
    let mut shifted = 0;
    for change in &diff.changed {
        if fresh[change.after.get()] || !in_view(new.snapshot, change.after) {
            continue;
        }
        let Some(line) = lines.get(&change.after) else { continue };
        let fields: Vec<Field> = change
            .fields
            .iter()
            .filter(|field| is_telling(field) && !is_of_others(field, new.snapshot, change.after))
            .cloned()
            .collect();
        if fields.is_empty() {
            let is_shifted = |field: &Field| matches!(field, Field::Bounds(_));
            shifted += usize::from(change.fields.iter().any(is_shifted));
            continue;
        }
        let is_control = new.snapshot.node(*line).role.is_control();
        let is_window = new.snapshot.node(*line).role.is_window();
        entries.push(Entry {
            kind: Kind::Changed,
            at: change.after,
            weight: 1,
            inside: Vec::new(),
            fields,
            note: None,
            rank: if is_control || is_window { 1 } else { 3 },
        });
    }
    if shifted > 0 {
        let noun = super::text::counted(shifted, "element");
        entries.push(Entry {
            kind: Kind::Moved,
            at: Index::ROOT,
            weight: shifted,
            inside: Vec::new(),
            fields: Vec::new(),
            note: Some(format!("{noun} moved or resized")),
            rank: 6,
        });
    }
}

/// Which line tells each element that has or shares one.
fn told_by(view: &View<'_>) -> HashMap<Index, Index> {
    let mut lines = HashMap::new();
    for item in &view.items {
        lines.insert(item.at, item.at);
        match &item.what {
            What::Element => {}
            What::Words(parts) | What::Named(parts) => {
                lines.extend(parts.iter().map(|part| (*part, item.at)));
            }
            What::Row(cells) | What::Header(cells) => {
                let all = cells.iter().flat_map(|cell| view.snapshot.subtree(*cell));
                lines.extend(all.map(|part| (part, item.at)));
            }
        }
    }
    lines
}

/// Whether a value is the text of the elements inside, or only repeats the name.
fn is_of_others(field: &Field, after: &Snapshot, at: Index) -> bool {
    let node = after.node(at);
    matches!(field, Field::Value(_))
        && (!kinds::has_own_value(after, at)
            || !node.name.is_empty() && node.text() == Some(node.name.as_str()))
}

fn is_telling(field: &Field) -> bool {
    match field {
        Field::Role(_) | Field::Name(_) | Field::Value(_) => true,
        Field::States(pair) => {
            // That the focus left is told by the element it went to.
            let (lost, won) = condition::difference(pair.before, pair.after);
            !won.is_empty() || lost.iter().any(|word| !matches!(*word, "focused" | "active"))
        }
        Field::Description(_)
        | Field::Identifier(_)
        | Field::Bounds(_)
        | Field::Actions(_)
        | Field::Relations(_)
        | Field::ChildCount(_)
        | Field::Cut(_) => false,
    }
}

fn moved(diff: &Diff, old: &View<'_>, new: &View<'_>, entries: &mut Vec<Entry>) {
    let above = |view: &View<'_>| -> HashMap<NodeId, Option<NodeId>> {
        let id = |item: usize| view.snapshot.node(view.items[item].at).id.clone();
        (0..view.items.len()).map(|nth| (id(nth), view.items[nth].parent.map(id))).collect()
    };
    let touched: HashSet<Index> = diff
        .orders
        .iter()
        .flat_map(|order| &order.children)
        .filter_map(|child| match child {
            Source::Kept(at) => Some(*at),
            Source::Added(_) => None,
        })
        .collect();
    if touched.is_empty() {
        return;
    }
    let (was, is) = (above(old), above(new));
    let positions = new.snapshot.positions();
    let mut entry = |at: Index, note: String| {
        entries.push(Entry {
            kind: Kind::Moved,
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
        let (Some(from), Some(to), Some(now)) = (was.get(id), is.get(id), positions.get(id)) else {
            continue;
        };
        if from != to {
            entry(*now, "moved elsewhere".into());
        }
    }
    for order in &diff.orders {
        let Source::Kept(parent) = order.parent else { continue };
        let now: Vec<Index> = order
            .children
            .iter()
            .filter_map(|child| match child {
                Source::Kept(at) => Some(*at),
                Source::Added(_) => None,
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
