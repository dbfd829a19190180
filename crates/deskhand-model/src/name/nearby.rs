//! Guesses which label belongs to a field, by the layout.

use std::collections::HashSet;

use super::{is_field, is_label, words};
use crate::{Index, Rect, Role, Snapshot};

/// The largest gap between a field and the label before it, in pixels.
const MAX_ROW_GAP: i32 = 80;

/// The same for a label that ends with a colon, or if both are in one item of a list.
const MAX_WIDE_ROW_GAP: i32 = 600;

/// The largest number of levels between a label or field and the container of both.
const MAX_LEVELS: usize = 5;

/// The largest gap between a field and the label above it, in pixels.
const MAX_COLUMN_GAP: i32 = 16;

/// The largest gap between a check box and the text after it, in pixels.
const MAX_TOGGLE_GAP: i32 = 24;

/// If the gaps before and after a check box differ by less, either text may be its name.
const MIN_GAP_DIFFERENCE: u32 = 4;

/// The largest gaps between an element and the field after or below it, if a caller wants to fill in
/// the field that belongs to the element.
const MAX_WANTED_ROW_GAP: i32 = 600;
const MAX_WANTED_COLUMN_GAP: i32 = 40;

/// The largest distance between the left edges of a field and the label above it, in pixels.
const MAX_INDENT: i32 = 24;

/// Positions of neighbours may overlap by this many pixels.
const MAX_OVERLAP: i32 = 6;

/// Longer texts are explanations, not labels.
const MAX_LABEL_CHARS: usize = 60;

/// Trees with more texts are documents, in which texts stand before fields by chance.
const MAX_LABELS: usize = 2_000;

/// An element with its area.
#[derive(Clone, Copy)]
struct PlacedElement {
    at: Index,
    bounds: Rect,
}

/// Returns pairs of a label and the field that it most likely names. Each label names one field.
pub(super) fn pairs(
    snapshot: &Snapshot,
    fields: &[Index],
    used: &HashSet<Index>,
) -> Vec<(Index, Index)> {
    let is_candidate = |at: &Index| !used.contains(at) && may_be_label(snapshot, *at);
    let labels: Vec<PlacedElement> = snapshot
        .iter()
        .map(|(at, _)| at)
        .filter(is_candidate)
        .filter_map(|at| placed(snapshot, at))
        .collect();
    if labels.len() > MAX_LABELS {
        return Vec::new();
    }
    let controls = placed_controls(snapshot);
    let mut taken = HashSet::new();
    let mut pairs = Vec::new();
    for field in fields {
        let label = match placed(snapshot, *field) {
            Some(field) => {
                let free = labels.iter().filter(|label| !taken.contains(&label.at));
                nearest(snapshot, field, free, &controls)
            }
            // Without positions, the order of the elements is all there is. GTK lists some fields
            // backwards, so callers that act on a field read the positions.
            None => text_before(snapshot, *field)
                .filter(|label| !used.contains(label) && !taken.contains(label)),
        };
        if let Some(label) = label {
            taken.insert(label);
            pairs.push((label, *field));
        }
    }
    pairs
}

/// Returns the nearest of some fields that stands after an element in its row, or else below it.
/// Neither a control nor a text may stand between them. Only a column header and a text have a field
/// below, and a button has one only close after it, unless another field stands before it.
pub fn nearest_field(snapshot: &Snapshot, at: Index, fields: &[Index]) -> Option<Index> {
    let text = placed(snapshot, at)?;
    let role = snapshot.node(at).role;
    let is_header = matches!(role, Role::ColumnHeader | Role::TableColumnHeader);
    let is_button = matches!(role, Role::Button | Role::ToggleButton);
    let window = |at: Index| snapshot.ancestors(at).filter(|up| *up != Index::ROOT).last();
    let fields: Vec<PlacedElement> = fields
        .iter()
        .filter(|field| window(**field) == window(at))
        .filter_map(|field| placed(snapshot, *field))
        .collect();
    let mut between = placed_controls(snapshot);
    let texts = snapshot.iter().map(|(at, _)| at).filter(|at| may_be_label(snapshot, *at));
    between.extend(texts.filter_map(|at| placed(snapshot, at)));
    let direction = WritingDirection::of(words(snapshot, at));
    let near = |gap: fn(Rect, Rect) -> Option<i32>, max: i32| {
        let reachable = fields.iter().filter_map(|field| {
            let gap = direction.gap(gap, text.bounds, field.bounds).filter(|gap| *gap <= max)?;
            let is_free = !between
                .iter()
                .any(|other| other.at != at && separates(snapshot, other, &text, field));
            is_free.then_some((gap, field.at))
        });
        reachable.min().map(|(_, field)| field)
    };
    let has_field_before = || near(|text, field| gap_in_row(field, text), MAX_ROW_GAP).is_some();
    if is_header {
        near(gap_below_header, MAX_WANTED_COLUMN_GAP)
    } else if is_button {
        near(gap_in_row, MAX_ROW_GAP).filter(|_| !has_field_before())
    } else if is_label(role) || role == Role::Heading {
        near(gap_in_row, MAX_WANTED_ROW_GAP).or_else(|| near(gap_below_text, MAX_WANTED_COLUMN_GAP))
    } else {
        near(gap_in_row, MAX_WANTED_ROW_GAP)
    }
}

/// Returns an element on the screen with its area, if it has one.
fn placed(snapshot: &Snapshot, at: Index) -> Option<PlacedElement> {
    let bounds = snapshot.node(at).bounds.filter(|bounds| !bounds.is_empty())?;
    snapshot.visibility().is_on_screen(at).then_some(PlacedElement { at, bounds })
}

fn placed_controls(snapshot: &Snapshot) -> Vec<PlacedElement> {
    let controls = snapshot.iter().filter(|(_, node)| node.role.is_control());
    controls.filter_map(|(at, _)| placed(snapshot, at)).collect()
}

/// Returns the label of a field: the nearest one before it in its row, or else directly above it. A
/// check box may also have its label after it.
fn nearest<'p>(
    snapshot: &Snapshot,
    field: PlacedElement,
    labels: impl Iterator<Item = &'p PlacedElement> + Clone,
    controls: &[PlacedElement],
) -> Option<Index> {
    let is_toggle =
        matches!(snapshot.node(field.at).role, Role::CheckBox | Role::RadioButton | Role::Switch);
    let near = |gap: fn(Rect, Rect) -> Option<i32>| {
        let reachable = labels.clone().filter_map(|label| {
            let direction = WritingDirection::of(words(snapshot, label.at));
            let gap = direction.gap(gap, label.bounds, field.bounds)?;
            let common = common_container(snapshot, label.at, field.at)?;
            let is_wide =
                is_in_item(snapshot, common) || words(snapshot, label.at).ends_with([':', '：']);
            if gap > MAX_ROW_GAP && !is_wide {
                return None;
            }
            let is_free = !controls
                .iter()
                .any(|other| separates(snapshot, other, label, &field) && other.at != field.at);
            is_free.then_some((gap, label.at))
        });
        reachable.min()
    };
    let before = near(gap_in_row);
    let after = if is_toggle { near(gap_after_toggle) } else { None };
    let label = match (before, after) {
        (Some((before, _)), Some((after, _))) if before.abs_diff(after) < MIN_GAP_DIFFERENCE => {
            return None;
        }
        (before, after) => before.into_iter().chain(after).min(),
    };
    // A text above a check box is a heading, except in lists of settings.
    let may_stand_above = |label: Index| {
        is_field(snapshot.node(field.at).role)
            || common_container(snapshot, label, field.at)
                .is_some_and(|at| is_in_item(snapshot, at))
    };
    let above = || near(gap_in_column).filter(|(_, label)| may_stand_above(*label));
    label.or_else(above).map(|(_, label)| label)
}

/// The direction in which a language is written. Forms in Hebrew and Arabic are mirrored.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WritingDirection {
    LeftToRight,
    RightToLeft,
}

impl WritingDirection {
    /// Returns the direction of the first letter of a text.
    fn of(text: &str) -> Self {
        match text.chars().find(|c| c.is_alphabetic()) {
            Some(
                '\u{590}'..='\u{8ff}'
                | '\u{fb1d}'..='\u{fdff}'
                | '\u{fe70}'..='\u{fefc}'
                | '\u{10800}'..='\u{10fff}'
                | '\u{1e800}'..='\u{1efff}',
            ) => Self::RightToLeft,
            Some(_) | None => Self::LeftToRight,
        }
    }

    /// Returns the gap between two areas, as in a form that is written from left to right.
    fn gap(self, gap: fn(Rect, Rect) -> Option<i32>, one: Rect, other: Rect) -> Option<i32> {
        let mirrored = |area: Rect| Rect { x: area.right().saturating_neg(), ..area };
        match self {
            Self::LeftToRight => gap(one, other),
            Self::RightToLeft => gap(mirrored(one), mirrored(other)),
        }
    }
}

/// Returns the gap between a label and a field after it in the same row.
fn gap_in_row(label: Rect, field: Rect) -> Option<i32> {
    let shared = label.bottom().min(field.bottom()) - label.y.max(field.y);
    let in_row = shared * 2 >= label.height.min(field.height);
    // The label of a tall field stands beside its upper edge.
    let is_level = field.height <= 3 * label.height || label.y - field.y <= label.height;
    let gap = field.x - label.right();
    (in_row && is_level && (-MAX_OVERLAP..=MAX_WIDE_ROW_GAP).contains(&gap)).then_some(gap)
}

/// Returns the gap between a label and a field directly below it.
fn gap_in_column(label: Rect, field: Rect) -> Option<i32> {
    let gap = field.y - label.bottom();
    let aligned = label.x.abs_diff(field.x) <= MAX_INDENT.unsigned_abs();
    (aligned && (-MAX_OVERLAP..=MAX_COLUMN_GAP).contains(&gap)).then_some(gap)
}

/// Returns the gap between a check box and a label after it in the same row.
fn gap_after_toggle(label: Rect, toggle: Rect) -> Option<i32> {
    gap_in_row(toggle, label).filter(|gap| *gap <= MAX_TOGGLE_GAP)
}

/// Returns the gap between a text and a field below it, if their left edges are aligned.
fn gap_below_text(text: Rect, field: Rect) -> Option<i32> {
    let gap = field.y - text.bottom();
    let is_aligned = text.x.abs_diff(field.x) <= MAX_INDENT.unsigned_abs();
    (is_aligned && gap >= -MAX_OVERLAP).then_some(gap)
}

/// Returns the gap between a column header and a field below its centre.
fn gap_below_header(header: Rect, field: Rect) -> Option<i32> {
    let (center, _) = header.center();
    let gap = field.y - header.bottom();
    ((field.x..field.right()).contains(&center) && gap >= -MAX_OVERLAP).then_some(gap)
}

/// Returns `true` if another control stands between a label and a field.
fn separates(
    snapshot: &Snapshot,
    other: &PlacedElement,
    label: &PlacedElement,
    field: &PlacedElement,
) -> bool {
    let related = |a: Index, b: Index| a == b || snapshot.ancestors(b).any(|up| up == a);
    // Parts of the field, and controls that contain the field or the label.
    if related(field.at, other.at) || related(other.at, field.at) || related(other.at, label.at) {
        return false;
    }
    let (x, y) = other.bounds.center();
    let hull = label.bounds.union(field.bounds);
    hull.contains(x, y) && !label.bounds.contains(x, y) && !field.bounds.contains(x, y)
}

/// Returns the nearest container of two elements, if it is near both.
fn common_container(snapshot: &Snapshot, one: Index, other: Index) -> Option<Index> {
    let near = |at: Index| snapshot.ancestors(at).take(MAX_LEVELS);
    near(one).find(|up| near(other).any(|around| around == *up))
}

/// Returns `true` if a container is an item of a list, or in one.
fn is_in_item(snapshot: &Snapshot, container: Index) -> bool {
    let up = std::iter::once(container).chain(snapshot.ancestors(container));
    up.take(MAX_LEVELS).any(|up| snapshot.node(up).role == Role::ListItem)
}

/// Returns `true` for a short text that is not part of a control.
fn may_be_label(snapshot: &Snapshot, at: Index) -> bool {
    let text = words(snapshot, at);
    is_label(snapshot.node(at).role)
        && text.contains(char::is_alphabetic)
        && text.chars().nth(MAX_LABEL_CHARS).is_none()
        && !snapshot.ancestors(at).take(3).any(|up| {
            let role = snapshot.node(up).role;
            role.is_control() && role != Role::ListItem && !is_page_of_tab(snapshot, up, at)
        })
}

/// Returns `true` for an element on the page of a tab rather than in its title. GTK reports the page
/// inside the tab, although it stands beside it. Without positions, only a child of the tab counts as
/// its title.
pub fn is_page_of_tab(snapshot: &Snapshot, tab: Index, at: Index) -> bool {
    let bounds = |at: Index| snapshot.node(at).bounds.filter(|bounds| !bounds.is_empty());
    let is_outside = match (bounds(tab), bounds(at)) {
        (Some(tab), Some(text)) => {
            let (x, y) = text.center();
            !tab.contains(x, y)
        }
        (_, _) => snapshot.parent(at) != Some(tab),
    };
    snapshot.node(tab).role == Role::Tab && is_outside
}

/// Returns the label directly before a field among its siblings.
fn text_before(snapshot: &Snapshot, field: Index) -> Option<Index> {
    let parent = snapshot.parent(field)?;
    let before = snapshot.children(parent).take_while(|child| *child != field).last()?;
    let is_text = is_label(snapshot.node(before).role) && !words(snapshot, before).is_empty();
    is_text.then_some(before)
}
