//! Pairs of a label and the element that it names.

use std::collections::{HashMap, HashSet};

use super::{NameSource, bare, content, has_borrowed_name, is_field, nearby, takes_label, words};
use crate::{
    Index, NodeId, RelationKind, Role, Snapshot, Visibility, visibility::hiding_container,
};

/// The labels of a snapshot's elements. Each element has at most one.
#[derive(Debug, Default)]
pub(crate) struct LabelPairs {
    labels: HashMap<Index, (Index, NameSource)>,
    labelled: HashMap<Index, Index>,
}

impl LabelPairs {
    /// Finds the labels: by the relations of the app, by rows, then by the layout.
    pub(crate) fn of(snapshot: &Snapshot) -> Self {
        let mut pairs = Self::default();
        pairs.add_relations(snapshot);
        pairs.add_rows(snapshot);
        pairs.add_nearby_labels(snapshot);
        pairs
    }

    /// Returns the label of an element and the origin of the pair.
    pub(super) fn label(&self, at: Index) -> Option<(Index, NameSource)> {
        self.labels.get(&at).copied()
    }

    /// Returns the element that a label names.
    pub(super) fn labelled(&self, label: Index) -> Option<Index> {
        self.labelled.get(&label).copied()
    }

    fn add_relations(&mut self, snapshot: &Snapshot) {
        let mut related = related_pairs(snapshot);
        // Of several labels of an element, a visible one counts.
        related.sort_by_key(|(label, _)| !snapshot.visibility().is_on_screen(*label));
        for (label, control) in related {
            let (winner, _) = self.labels.entry(control).or_insert((label, NameSource::Label));
            // A label that was not needed here may name another field by its place.
            if *winner == label {
                self.labelled.entry(label).or_insert(control);
            }
        }
    }

    /// Calls the only field in a row by the name of the row, as in lists of settings.
    fn add_rows(&mut self, snapshot: &Snapshot) {
        for field in self.unlabelled_fields(snapshot) {
            if let Some(row) = row_around(snapshot, field) {
                self.labels.insert(field, (row, NameSource::NearbyLabel));
            }
        }
    }

    fn add_nearby_labels(&mut self, snapshot: &Snapshot) {
        let fields = self.unlabelled_fields(snapshot);
        if fields.is_empty() {
            return;
        }
        let used: HashSet<Index> = self.labelled.keys().copied().collect();
        for (label, field) in nearby::pairs(snapshot, &fields, &used) {
            self.labels.insert(field, (label, NameSource::NearbyLabel));
            self.labelled.insert(label, field);
        }
    }

    /// Returns the fields that neither have a name nor a label.
    fn unlabelled_fields(&self, snapshot: &Snapshot) -> Vec<Index> {
        let needs_label = |at: &Index| {
            let node = snapshot.node(*at);
            takes_label(node.role)
                && (bare(&node.name).is_empty() || has_borrowed_name(snapshot, *at))
                && !self.labels.contains_key(at)
                && content(snapshot, *at).is_none()
        };
        snapshot.iter().map(|(at, _)| at).filter(needs_label).collect()
    }
}

/// Returns the pairs of a label and an element that the app relates, in document order.
fn related_pairs(snapshot: &Snapshot) -> Vec<(Index, Index)> {
    let mut positions: Option<HashMap<&NodeId, Index>> = None;
    let mut related = Vec::new();
    for (at, node) in snapshot.iter() {
        for relation in &node.relations {
            let names_others = relation.kind == RelationKind::LabelFor;
            if !names_others && relation.kind != RelationKind::LabelledBy {
                continue;
            }
            let positions = positions.get_or_insert_with(|| snapshot.positions());
            for other in relation.targets.iter().filter_map(|id| positions.get(id)) {
                let (label, control) = if names_others { (at, *other) } else { (*other, at) };
                let control = only_field_inside(snapshot, control).unwrap_or(control);
                if label != control
                    && !words(snapshot, label).is_empty()
                    && is_credible(snapshot, label, control)
                {
                    related.push((label, control));
                }
            }
        }
    }
    related
}

/// Returns `false` for relations that are wrong. Qt relates a field without a label to the group
/// around it, and some apps relate a visible label to a field on another page.
fn is_credible(snapshot: &Snapshot, label: Index, control: Index) -> bool {
    let is_around = snapshot.ancestors(control).any(|up| up == label);
    let is_on_other_page = snapshot.visibility().is_on_screen(label)
        && (snapshot.visibility().of_element(control) == Visibility::Hidden
            || hiding_container(snapshot, control).is_some());
    !is_around && !is_on_other_page
}

/// Returns the only visible field inside a container. LibreOffice relates labels to the containers
/// of their fields.
fn only_field_inside(snapshot: &Snapshot, at: Index) -> Option<Index> {
    if !snapshot.node(at).role.is_layout() {
        return None;
    }
    let is_shown_field =
        |at: &Index| is_field(snapshot.node(*at).role) && snapshot.visibility().is_on_screen(*at);
    let mut fields = snapshot.subtree(at).skip(1).filter(is_shown_field);
    fields.next().filter(|_| fields.next().is_none())
}

/// Returns the row with a name around a field, if there is no other control in the row.
fn row_around(snapshot: &Snapshot, field: Index) -> Option<Index> {
    const MAX_LEVELS: usize = 4;
    let row = snapshot.ancestors(field).take(MAX_LEVELS).find(|up| {
        matches!(snapshot.node(*up).role, Role::ListItem | Role::TableRow | Role::TreeItem)
    })?;
    let is_inside = |at: Index| snapshot.ancestors(at).any(|up| up == field);
    let mut others = snapshot
        .subtree(row)
        .skip(1)
        .filter(|at| *at != field && takes_label(snapshot.node(*at).role) && !is_inside(*at));
    (!bare(&snapshot.node(row).name).is_empty() && others.next().is_none()).then_some(row)
}
