//! Summaries of rows, cells and list items.

use super::{labels, role_groups};
use crate::{Index, Role, ScreenVisibility, Snapshot};

/// A row with more elements than this is treated as layout.
const MAX_ROW_ELEMENTS: usize = 64;

/// Returns `true` if a row is small enough for one line.
pub(crate) fn is_small_row(snapshot: &Snapshot, row: Index) -> bool {
    snapshot.subtree_len(row) <= MAX_ROW_ELEMENTS
        && snapshot.subtree(row).skip(1).all(|at| {
            let role = snapshot.node(at).role;
            !matches!(role, Role::TableRow | Role::Table | Role::List | Role::Form)
                && snapshot.node(at).cut.is_none()
        })
        && snapshot.subtree(row).skip(1).filter(|at| is_control(snapshot, *at)).count() <= 8
}

/// Returns `true` if a list item only wraps one control. The control then replaces the item.
pub(crate) fn wraps_one_control(
    snapshot: &Snapshot,
    visibility: &ScreenVisibility,
    item: Index,
) -> bool {
    if snapshot.subtree_len(item) > MAX_ROW_ELEMENTS {
        return false;
    }
    let mut controls = Vec::new();
    let mut other_words = false;
    let mut skip = 0;
    for at in snapshot.subtree(item).skip(1) {
        if at.get() < skip || !visibility.is_on_screen(at) {
            continue;
        }
        if is_control(snapshot, at) {
            controls.push(at);
            skip = at.get() + snapshot.subtree_len(at);
        } else if role_groups::is_text(snapshot.node(at).role) {
            // In Chromium, the bullet of a list item is a separate text element.
            let is_text = labels::words(snapshot, at).contains(char::is_alphanumeric);
            other_words |= is_text && snapshot.subtree_len(at) == 1;
        } else if !role_groups::is_wrapper(snapshot.node(at).role) {
            return false;
        }
    }
    let [control] = controls[..] else { return false };
    let names = [item, control].map(|at| snapshot.node(at).name.as_str());
    let is_own_name = names[0].len() <= 4096
        && names[0].replacen(names[1], "", 1).contains(char::is_alphanumeric);
    !other_words && !is_own_name && snapshot.node(item).cut.is_none()
}

/// Returns the texts that name a control without a name, if it contains nothing but text.
pub(crate) fn words_inside(
    snapshot: &Snapshot,
    visibility: &ScreenVisibility,
    control: Index,
) -> Vec<Index> {
    const MAX_WORDS: usize = 6;
    let mut words: Vec<Index> = Vec::new();
    if snapshot.subtree_len(control) > MAX_ROW_ELEMENTS {
        return words;
    }
    for at in snapshot.subtree(control).skip(1) {
        let node = snapshot.node(at);
        if node.cut.is_some() || is_control(snapshot, at) || role_groups::is_item(node.role) {
            return Vec::new();
        }
        let text = labels::words(snapshot, at);
        let is_new = words.iter().all(|other| labels::words(snapshot, *other) != text);
        if visibility.is_on_screen(at) && !text.is_empty() && is_new {
            words.push(at);
        }
    }
    words.truncate(MAX_WORDS);
    words
}

/// Returns `true` if the text of an element is repeated by the elements below it.
pub(crate) fn is_repeated_below(snapshot: &Snapshot, at: Index) -> bool {
    const LONG: usize = 4096;
    if snapshot.subtree_len(at) == 1 {
        return false;
    }
    let near = snapshot.children(at).take(64).chain(snapshot.subtree(at).skip(1).take(16));
    let below: Vec<&str> = near
        .filter(|below| role_groups::is_text(snapshot.node(*below).role))
        .map(|below| labels::words(snapshot, below))
        .filter(|words| !words.is_empty() && words.len() <= LONG)
        .collect();
    let own = labels::words(snapshot, at);
    own.len() > LONG && !below.is_empty()
        || own
            .split('\u{fffc}')
            .map(labels::bare)
            .filter(|piece| piece.contains(char::is_alphanumeric))
            .take(8)
            .all(|piece| below.iter().any(|words| words.contains(piece) || piece.contains(words)))
}

/// The content of a cell: its controls, or its texts if it has no controls.
pub(crate) enum Content {
    Controls(Vec<Index>),
    Words(Vec<Index>),
}

/// Returns the content of a cell.
pub(crate) fn content(snapshot: &Snapshot, visibility: &ScreenVisibility, cell: Index) -> Content {
    const MAX_ITEMS: usize = 4;
    let inside = || {
        snapshot
            .subtree(cell)
            .skip(1)
            .take(MAX_ROW_ELEMENTS)
            .filter(|at| visibility.is_on_screen(*at))
    };
    let controls: Vec<_> =
        inside().filter(|at| is_control(snapshot, *at)).take(MAX_ITEMS).collect();
    if !controls.is_empty() {
        return Content::Controls(controls);
    }
    if !labels::words(snapshot, cell).trim().is_empty() {
        return Content::Words(vec![cell]);
    }
    let has_words = |at: &Index| {
        let children = snapshot.subtree_len(*at) > 1;
        !children && !labels::words(snapshot, *at).trim().is_empty()
    };
    Content::Words(inside().filter(has_words).take(MAX_ITEMS).collect())
}

/// Returns `true` if a cell is empty and its name is only its address.
pub(crate) fn is_blank_cell(snapshot: &Snapshot, cell: Index) -> bool {
    let node = snapshot.node(cell);
    snapshot.subtree_len(cell) == 1 && node.text() == Some("") && !node.name.is_empty()
}

fn is_control(snapshot: &Snapshot, at: Index) -> bool {
    let node = snapshot.node(at);
    node.role.is_control() && !role_groups::is_item(node.role)
}
