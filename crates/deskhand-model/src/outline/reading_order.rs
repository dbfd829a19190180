//! Puts siblings in the order in which they stand on the screen: rows from top to bottom, and from
//! left to right within a row. Toolkits list them in the order in which the app created them.

use crate::{Index, Rect, Role, ScreenVisibility, Snapshot};

/// Neighbours may overlap by this many pixels, because of borders and shadows.
const MAX_OVERLAP: i32 = 6;

/// A snapshot in reading order, with the original position of each element.
pub(crate) struct ReadingOrder {
    pub(crate) snapshot: Snapshot,
    originals: Vec<Index>,
}

impl ReadingOrder {
    /// Sorts the elements at and below `root`. Returns `None` if they are in reading order already.
    pub(crate) fn of(snapshot: &Snapshot, root: Index) -> Option<Self> {
        let visibility = ScreenVisibility::below(snapshot, root);
        let mut is_sorted = true;
        let mut originals = Vec::with_capacity(snapshot.subtree_len(root));
        let mut stack = vec![(root, false)];
        while let Some((at, in_document)) = stack.pop() {
            let role = snapshot.node(at).role;
            let in_document = in_document || is_document(role);
            let mut children: Vec<Index> = snapshot.children(at).collect();
            if is_sortable(role) && !in_document && sort(snapshot, &visibility, &mut children) {
                is_sorted = false;
            }
            originals.push(at);
            stack.extend(children.into_iter().rev().map(|child| (child, in_document)));
        }
        if is_sorted {
            return None;
        }
        Some(Self { snapshot: snapshot.rearranged(&originals), originals })
    }

    /// Returns the position of an element in the original snapshot.
    pub(crate) fn original(&self, at: Index) -> Index {
        self.originals.get(at.get()).copied().unwrap_or(at)
    }
}

/// Returns `true` for containers that only arrange their children. Lists, menus and tables already have a
/// meaningful order.
fn is_sortable(role: Role) -> bool {
    role.is_layout()
        || role.is_window()
        || matches!(role, Role::ToolBar | Role::StatusBar | Role::Form | Role::TitleBar)
}

/// Returns `true` for documents, whose elements are in the order of the text.
fn is_document(role: Role) -> bool {
    super::role_groups::is_document(role) || role == Role::Spreadsheet
}

/// Sorts siblings. Elements that are not on the screen keep their places. Returns `true` if the
/// order changed.
fn sort(snapshot: &Snapshot, visibility: &ScreenVisibility, siblings: &mut [Index]) -> bool {
    let bounds = |at: Index| snapshot.node(at).bounds.filter(|bounds| !bounds.is_empty());
    let slots: Vec<usize> = (0..siblings.len())
        .filter(|nth| visibility.is_on_screen(siblings[*nth]) && bounds(siblings[*nth]).is_some())
        .collect();
    let placed: Vec<(Index, Rect)> =
        slots.iter().filter_map(|nth| Some((siblings[*nth], bounds(siblings[*nth])?))).collect();
    let mut sorted = Vec::with_capacity(placed.len());
    split(placed, Axis::Rows, SplitAttempt::First, &mut sorted);
    let mut changed = false;
    for (slot, at) in slots.into_iter().zip(sorted) {
        changed |= siblings[slot] != at;
        siblings[slot] = at;
    }
    changed
}

#[derive(Clone, Copy)]
enum Axis {
    Rows,
    Columns,
}

/// Tells if the elements could not be split along the other axis.
#[derive(Clone, Copy, PartialEq)]
enum SplitAttempt {
    First,
    Second,
}

/// Splits elements into rows with a gap between them, each row into columns, and so on. Elements
/// that overlap in both directions keep their order.
fn split(elements: Vec<(Index, Rect)>, axis: Axis, attempt: SplitAttempt, sorted: &mut Vec<Index>) {
    if elements.len() < 2 {
        sorted.extend(elements.into_iter().map(|(at, _)| at));
        return;
    }
    let span = |bounds: Rect| match axis {
        Axis::Rows => (bounds.y, bounds.bottom()),
        Axis::Columns => (bounds.x, bounds.right()),
    };
    let mut by_start: Vec<usize> = (0..elements.len()).collect();
    by_start.sort_by_key(|nth| span(elements[*nth].1).0);
    let mut groups: Vec<(i32, Vec<usize>)> = Vec::new();
    for nth in by_start {
        let (start, end) = span(elements[nth].1);
        let slack = MAX_OVERLAP.min((end - start) / 4);
        match groups.last_mut() {
            Some((until, group)) if start + slack < *until => {
                group.push(nth);
                *until = end.max(*until);
            }
            Some(_) | None => groups.push((end, vec![nth])),
        }
    }
    let other = match axis {
        Axis::Rows => Axis::Columns,
        Axis::Columns => Axis::Rows,
    };
    if let [_] = groups[..] {
        match attempt {
            SplitAttempt::First => split(elements, other, SplitAttempt::Second, sorted),
            SplitAttempt::Second => sorted.extend(elements.into_iter().map(|(at, _)| at)),
        }
        return;
    }
    for (_, mut group) in groups {
        group.sort_unstable();
        let group = group.into_iter().map(|nth| elements[nth]).collect();
        split(group, other, SplitAttempt::First, sorted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TreeBuilder;

    /// Returns the names of a window's children in reading order.
    fn order(children: &[(&str, Rect)]) -> Vec<String> {
        let mut builder = TreeBuilder::new();
        let window = builder.add(0, Role::Window, "W");
        for (name, bounds) in children {
            let at = builder.add(window, Role::Button, name);
            builder.at(at).bounds = Some(*bounds);
        }
        let snapshot = builder.snapshot();
        let ordered = ReadingOrder::of(&snapshot, Index::ROOT);
        let shown = ordered.as_ref().map_or(&snapshot, |ordered| &ordered.snapshot);
        shown.iter().skip(2).map(|(_, node)| node.name.clone()).collect()
    }

    #[test]
    fn a_form_is_read_row_by_row() {
        let row = |y: i32| [Rect::new(0, y + 4, 60, 16), Rect::new(70, y, 100, 24)];
        let ([width, width_field], [height, height_field]) = (row(0), row(30));
        let names = order(&[
            ("64", width_field),
            ("48", height_field),
            ("Height:", height),
            ("Width:", width),
        ]);
        assert_eq!(names, ["Width:", "64", "Height:", "48"]);
    }

    #[test]
    fn columns_are_read_one_after_the_other() {
        let names = order(&[
            ("content 1", Rect::new(200, 40, 400, 100)),
            ("content 2", Rect::new(200, 150, 400, 300)),
            ("sidebar", Rect::new(0, 40, 200, 410)),
            ("header", Rect::new(0, 0, 600, 40)),
        ]);
        assert_eq!(names, ["header", "sidebar", "content 1", "content 2"]);
    }

    #[test]
    fn overlapping_elements_keep_their_order() {
        let names =
            order(&[("above", Rect::new(50, 50, 100, 100)), ("below", Rect::new(0, 0, 200, 200))]);
        assert_eq!(names, ["above", "below"]);
    }

    #[test]
    fn the_original_positions_are_known() {
        let mut builder = TreeBuilder::new();
        let window = builder.add(0, Role::Window, "W");
        for (name, y) in [("second", 50), ("first", 0)] {
            let at = builder.add(window, Role::Panel, name);
            builder.at(at).bounds = Some(Rect::new(0, y, 10, 10));
            builder.add(at, Role::Button, &format!("{name} button"));
        }
        let snapshot = builder.snapshot();
        let ordered = ReadingOrder::of(&snapshot, Index::ROOT).unwrap();
        let pairs = ordered.snapshot.iter().map(|(at, node)| (node, ordered.original(at)));
        for (node, original) in pairs {
            assert_eq!(snapshot.node(original), node);
        }
    }
}
