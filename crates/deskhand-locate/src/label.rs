//! Matches labels with the controls they name.

pub(crate) use deskhand_model::name::is_label;
use deskhand_model::{Index, Names, RelationKind, Snapshot, name::takes_label};

use crate::text::fold_label;

/// Returns all pairs of a label and the control it names, in document order of the controls.
pub(crate) fn pairs(snapshot: &Snapshot) -> Vec<(Index, Index)> {
    Names::of(snapshot).label_pairs()
}

/// Returns the folded text of a control's label, if it has one. Unlike [`pairs`], it looks only at
/// the control and its siblings, because it runs for each element that gets a ref.
pub(crate) fn of(snapshot: &Snapshot, at: Index) -> Option<String> {
    let node = snapshot.node(at);
    let related = node
        .relations
        .iter()
        .filter(|relation| relation.kind == RelationKind::LabelledBy)
        .flat_map(|relation| &relation.targets)
        .find_map(|id| snapshot.position(id));
    let label = related.or_else(|| {
        let needs_label = takes_label(node.role) && node.name.is_empty();
        let parent = snapshot.parent(at).filter(|_| needs_label)?;
        let before = snapshot.children(parent).take_while(|child| *child != at).last()?;
        is_label(snapshot.node(before).role).then_some(before)
    })?;
    let text = fold_label(&snapshot.node(label).name);
    (!text.is_empty()).then_some(text)
}
