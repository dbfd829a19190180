//! The names by which people call an element beside its own name.

pub(crate) use deskhand_model::name::is_label;
use deskhand_model::{AccessibleName, Index, NameSource, Names, Snapshot, name::takes_label};

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

/// Elements with another name that meets a condition, in document order.
#[derive(Debug, Default)]
pub(crate) struct CalledElements {
    pub(crate) all: Vec<Index>,
    /// Those whose name is only a guess.
    pub(crate) guesses: Vec<Index>,
}

/// Returns the elements with another name that meets a condition.
pub(crate) fn elements_called(
    snapshot: &Snapshot,
    mut is_meant: impl FnMut(AccessibleName<'_>) -> bool,
) -> CalledElements {
    let mut called = CalledElements::default();
    for (at, _) in snapshot.iter() {
        let mut meant = other_names(snapshot, at).filter(|name| is_meant(*name)).peekable();
        if meant.peek().is_none() {
            continue;
        }
        if meant.all(|name| name.source.is_guess()) {
            called.guesses.push(at);
        }
        called.all.push(at);
    }
    called
}

/// Returns the text of an element's label, or the name that is computed for it.
pub(crate) fn of(snapshot: &Snapshot, at: Index) -> Option<&str> {
    other_names(snapshot, at).next().map(|name| name.text)
}
