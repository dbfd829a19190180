//! Matches labels with the controls they name.

use std::collections::{HashMap, HashSet};

use super::role_groups;
use crate::{Index, NodeId, RelationKind, Snapshot};

/// The labels of a snapshot and the controls they name.
pub(crate) struct Labels<'a> {
    label_of: HashMap<Index, Index>,
    labelled: HashMap<Index, Index>,
    beside: HashSet<(Option<Index>, &'a str)>,
}

impl<'a> Labels<'a> {
    /// Collects the labels in one pass.
    pub(crate) fn of(snapshot: &'a Snapshot) -> Self {
        let mut labels =
            Self { label_of: HashMap::new(), labelled: HashMap::new(), beside: HashSet::new() };
        let mut positions: Option<HashMap<&NodeId, Index>> = None;
        for (at, node) in snapshot.iter() {
            if node.role.is_control() && !node.name.is_empty() {
                labels.beside.insert((snapshot.parent(at), plain(&node.name)));
            }
            for relation in &node.relations {
                let names_others = relation.kind == RelationKind::LabelFor;
                if !names_others && relation.kind != RelationKind::LabelledBy {
                    continue;
                }
                let positions = positions.get_or_insert_with(|| snapshot.positions());
                for other in relation.targets.iter().filter_map(|id| positions.get(id)) {
                    let (label, control) = if names_others { (at, *other) } else { (*other, at) };
                    if label != control {
                        labels.label_of.entry(control).or_insert(label);
                        labels.labelled.entry(label).or_insert(control);
                    }
                }
            }
        }
        labels
    }

    /// Returns the name to show: the element's own name, or the text of its label.
    pub(crate) fn name(&self, snapshot: &'a Snapshot, at: Index) -> &'a str {
        let own = snapshot.node(at).name.as_str();
        if !own.trim().is_empty() || role_groups::is_text(snapshot.node(at).role) {
            return own;
        }
        self.label_of.get(&at).map_or(own, |label| words(snapshot, *label))
    }

    /// Returns `true` if a control already shows the label's text as its name.
    pub(crate) fn repeats(&self, snapshot: &'a Snapshot, label: Index) -> bool {
        let text = plain(words(snapshot, label));
        self.labelled.get(&label).is_some_and(|control| {
            let node = snapshot.node(*control);
            node.role.is_control() && plain(self.name(snapshot, *control)) == text
        }) || self.beside.contains(&(snapshot.parent(label), text))
    }
}

/// Returns the visible text of an element: its name, or its content if it has no name.
pub(crate) fn words(snapshot: &Snapshot, at: Index) -> &str {
    let node = snapshot.node(at);
    let name = bare(&node.name);
    if name.is_empty() { bare(node.text().unwrap_or_default()) } else { name }
}

/// Trims whitespace and placeholders of embedded elements from both ends.
pub(crate) fn bare(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || c == '\u{fffc}')
}

/// Trims whitespace and a trailing colon.
fn plain(name: &str) -> &str {
    name.trim().trim_end_matches([':', '：']).trim_end()
}
