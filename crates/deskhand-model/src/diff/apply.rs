//! Applies a diff to the older snapshot.

use super::{Change, ChangedNode, Diff, FieldChange, NodeSource};
use crate::{Advice, Explain, Index, Node, Snapshot};

/// The error for a diff that does not fit a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DiffError {
    /// The diff was made from another snapshot.
    #[error("the diff was made from another snapshot: {why}")]
    WrongBase {
        /// The first mismatch.
        why: String,
    },
}

impl Explain for DiffError {
    fn code(&self) -> &'static str {
        match self {
            Self::WrongBase { .. } => "other_base",
        }
    }

    fn advice(&self) -> Option<Advice> {
        match self {
            Self::WrongBase { .. } => {
                Some("apply the diff to the older of the two snapshots it was made from".into())
            }
        }
    }
}

fn wrong_base(why: impl Into<String>) -> DiffError {
    DiffError::WrongBase { why: why.into() }
}

impl Diff {
    /// Returns the newer snapshot, built from the older one.
    ///
    /// # Errors
    ///
    /// Returns `WrongBase` if the diff was made from another snapshot.
    pub fn apply(&self, before: &Snapshot) -> Result<Snapshot, DiffError> {
        if before.len() != self.base_len {
            return Err(wrong_base(format!(
                "it has {} elements instead of {}",
                before.len(),
                self.base_len
            )));
        }
        let mut slots: Vec<Option<Node>> =
            before.iter().map(|(_, node)| Some(node.clone())).collect();
        for removed in &self.removed {
            match slots.get_mut(removed.before.get()).and_then(Option::take) {
                Some(node) if node.id == removed.id => {}
                Some(_) | None => return Err(wrong_base(format!("{:?} is missing", removed.id))),
            }
        }
        for changed in &self.changed {
            match slots.get_mut(changed.before.get()) {
                Some(Some(node)) if node.id == changed.id => update(node, changed)?,
                Some(_) | None => return Err(wrong_base(format!("{:?} is missing", changed.id))),
            }
        }
        slots.extend(self.added.iter().map(|added| Some(added.node.clone())));

        let mut children: Vec<Vec<u32>> =
            before.iter().map(|(at, _)| before.children(at).map(slot_of_index).collect()).collect();
        children.resize_with(slots.len(), Vec::new);
        let slot = |source: NodeSource| match source {
            NodeSource::Kept(at) => slot_of_index(at),
            NodeSource::Added(nth) => (self.base_len + nth) as u32,
        };
        for order in &self.orders {
            let list = children
                .get_mut(slot(order.parent) as usize)
                .ok_or_else(|| wrong_base("it has too few elements"))?;
            *list = order.children.iter().copied().map(slot).collect();
        }

        let app = new_value(before.app(), self.app.as_deref(), "the app")?;
        let notices = new_value(&before.notices().to_vec(), self.notices.as_ref(), "the notices")?;
        let mut after = Snapshot::from_slots(app, slots, &children, self.root.map(slot));
        after.set_notices(notices);
        Ok(after)
    }
}

fn slot_of_index(at: Index) -> u32 {
    at.get() as u32
}

fn new_value<T: PartialEq + Clone>(
    now: &T,
    pair: Option<&Change<T>>,
    what: &str,
) -> Result<T, DiffError> {
    match pair {
        None => Ok(now.clone()),
        Some(pair) if pair.before == *now => Ok(pair.after.clone()),
        Some(_) => Err(wrong_base(format!("{what} changed since"))),
    }
}

fn update(node: &mut Node, changed: &ChangedNode) -> Result<(), DiffError> {
    fn set<T: PartialEq + Clone>(now: &mut T, pair: &Change<T>) -> bool {
        let matches = *now == pair.before;
        if matches {
            now.clone_from(&pair.after);
        }
        matches
    }
    for field in &changed.fields {
        let matches = match field {
            FieldChange::Role(pair) => set(&mut node.role, pair),
            FieldChange::Name(pair) => set(&mut node.name, pair),
            FieldChange::Value(pair) => set(&mut node.value, pair),
            FieldChange::Description(pair) => set(&mut node.description, pair),
            FieldChange::Placeholder(pair) => set(&mut node.placeholder, pair),
            FieldChange::Identifier(pair) => set(&mut node.identifier, pair),
            FieldChange::States(pair) => set(&mut node.states, pair),
            FieldChange::Bounds(pair) => set(&mut node.bounds, pair),
            FieldChange::Actions(pair) => set(&mut node.actions, pair),
            FieldChange::Relations(pair) => set(&mut node.relations, pair),
            FieldChange::ChildCount(pair) => set(&mut node.child_count, pair),
            FieldChange::Cut(pair) => set(&mut node.cut, pair),
        };
        if !matches {
            return Err(wrong_base(format!("{:?} changed since", changed.id)));
        }
    }
    Ok(())
}
