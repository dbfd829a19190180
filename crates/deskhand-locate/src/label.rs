//! Matches labels with the controls they name.

use std::collections::HashMap;

use deskhand_model::{Index, NodeId, RelationKind, Role, Snapshot};

use crate::text::fold_label;

/// Returns `true` if an element with this role can label another one.
pub(crate) fn is_label(role: Role) -> bool {
    matches!(role, Role::Label | Role::StaticText | Role::Caption | Role::AcceleratorLabel)
}

/// Returns `true` if a control with this role has a value and is often named only by the label
/// before it.
fn wants_label(role: Role) -> bool {
    matches!(
        role,
        Role::Entry
            | Role::Text
            | Role::Password
            | Role::ComboBox
            | Role::SpinButton
            | Role::Slider
            | Role::DateEditor
            | Role::Autocomplete
            | Role::EditBar
            | Role::Switch
            | Role::ListBox
            | Role::ProgressBar
            | Role::LevelBar
            | Role::ColorChooser
    )
}

/// Returns all pairs of a label and the control it names, in document order of the controls.
///
/// A relation that the app reports always counts. A preceding sibling counts only for a control
/// with a value and without a name: a button after a text is unrelated to it.
pub(crate) fn pairs(snapshot: &Snapshot) -> Vec<(Index, Index)> {
    let mut positions: Option<HashMap<&NodeId, Index>> = None;
    let mut pairs = Vec::new();
    for (at, node) in snapshot.iter() {
        for relation in &node.relations {
            let labels = relation.kind == RelationKind::LabelFor;
            if !labels && relation.kind != RelationKind::LabelledBy {
                continue;
            }
            let positions = positions.get_or_insert_with(|| snapshot.positions());
            for target in relation.targets.iter().filter_map(|id| positions.get(id).copied()) {
                pairs.push(if labels { (at, target) } else { (target, at) });
            }
        }
        let mut before: Option<Index> = None;
        for child in snapshot.children(at) {
            let child_node = snapshot.node(child);
            if let Some(label) = before
                && wants_label(child_node.role)
                && child_node.name.is_empty()
            {
                pairs.push((label, child));
            }
            let text = is_label(child_node.role) && !child_node.name.is_empty();
            before = text.then_some(child);
        }
    }
    pairs.retain(|(label, control)| label != control);
    pairs.sort_unstable_by_key(|(label, control)| (*control, *label));
    pairs.dedup();
    pairs
}

/// Returns the folded text of a control's label, if it has one.
pub(crate) fn of(snapshot: &Snapshot, at: Index) -> Option<String> {
    let node = snapshot.node(at);
    let related = node
        .relations
        .iter()
        .filter(|relation| relation.kind == RelationKind::LabelledBy)
        .flat_map(|relation| &relation.targets)
        .find_map(|id| snapshot.position(id));
    let label = related.or_else(|| {
        let needs_label = wants_label(node.role) && node.name.is_empty();
        let parent = snapshot.parent(at).filter(|_| needs_label)?;
        let before = snapshot.children(parent).take_while(|child| *child != at).last()?;
        is_label(snapshot.node(before).role).then_some(before)
    })?;
    let text = fold_label(&snapshot.node(label).name);
    (!text.is_empty()).then_some(text)
}
