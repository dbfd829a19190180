//! The names by which people call an element beside its own name.

pub(crate) use deskhand_model::name::is_label;
use deskhand_model::{AccessibleName, Index, NameSource, Names, Snapshot, name::takes_label};

use crate::text::fold_label;

/// Returns the other names of an element: its label, and the name that is computed for a control
/// without its own name.
pub(crate) fn other_names(
    snapshot: &Snapshot,
    at: Index,
) -> impl Iterator<Item = AccessibleName<'_>> {
    let names = Names::of(snapshot);
    let role = snapshot.node(at).role;
    let computed = || {
        let name = names.name(at).filter(|_| role.is_control() || takes_label(role))?;
        let is_new =
            !matches!(name.source, NameSource::Own | NameSource::Label | NameSource::NearbyLabel);
        is_new.then_some(name)
    };
    names.label_text(at).into_iter().chain(computed())
}

/// Returns the elements with another name that meets a condition.
pub(crate) fn elements_called(
    snapshot: &Snapshot,
    mut is_meant: impl FnMut(AccessibleName<'_>) -> bool,
) -> Vec<Index> {
    let all = snapshot.iter().map(|(at, _)| at);
    all.filter(|at| other_names(snapshot, *at).any(&mut is_meant)).collect()
}

/// Returns the folded text of an element's label, or of the name that is computed for it.
pub(crate) fn of(snapshot: &Snapshot, at: Index) -> Option<String> {
    let text = fold_label(other_names(snapshot, at).next()?.text);
    (!text.is_empty()).then_some(text)
}
