//! Making the newer snapshot out of the older one and the diff.

use super::{Changed, Diff, Field, Pair, Source};
use crate::{Explain, Index, Node, Snapshot};

/// Why a diff does not fit a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DiffError {
    /// The snapshot is not the one the diff was made from.
    #[error("the diff was made from another snapshot: {why}")]
    OtherBase {
        /// The first thing that does not fit.
        why: String,
    },
}

impl Explain for DiffError {
    fn code(&self) -> &'static str {
        match self {
            Self::OtherBase { .. } => "other_base",
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::OtherBase { .. } => {
                Some("apply it to the older of the two snapshots it was made from".into())
            }
        }
    }
}

fn other(why: impl Into<String>) -> DiffError {
    DiffError::OtherBase { why: why.into() }
}

impl Diff {
    /// Makes the newer snapshot out of the older one.
    ///
    /// # Errors
    ///
    /// `OtherBase` when what the diff says of the older snapshot is not so.
    pub fn apply(&self, before: &Snapshot) -> Result<Snapshot, DiffError> {
        if before.len() != self.base_len {
            return Err(other(format!("it has {} elements, not {}", before.len(), self.base_len)));
        }
        let mut slots: Vec<Option<Node>> =
            before.iter().map(|(_, node)| Some(node.clone())).collect();
        for gone in &self.removed {
            match slots.get_mut(gone.before.get()).and_then(Option::take) {
                Some(node) if node.id == gone.id => {}
                Some(_) | None => return Err(other(format!("{:?} is not in it", gone.id))),
            }
        }
        for changed in &self.changed {
            match slots.get_mut(changed.before.get()) {
                Some(Some(node)) if node.id == changed.id => update(node, changed)?,
                Some(_) | None => return Err(other(format!("{:?} is not in it", changed.id))),
            }
        }
        slots.extend(self.added.iter().map(|added| Some(added.node.clone())));

        let mut children: Vec<Vec<u32>> =
            before.iter().map(|(at, _)| before.children(at).map(slot_of_index).collect()).collect();
        children.resize_with(slots.len(), Vec::new);
        let slot = |source: Source| match source {
            Source::Kept(at) => slot_of_index(at),
            Source::Added(nth) => (self.base_len + nth) as u32,
        };
        for order in &self.orders {
            let list = children
                .get_mut(slot(order.parent) as usize)
                .ok_or_else(|| other("it is too small"))?;
            *list = order.children.iter().copied().map(slot).collect();
        }

        let app = taken(before.app(), self.app.as_deref(), "the app")?;
        let notices = taken(&before.notices().to_vec(), self.notices.as_ref(), "the remarks")?;
        let mut after = Snapshot::arrange(app, slots, &children, self.root.map(slot));
        after.set_notices(notices);
        Ok(after)
    }
}

fn slot_of_index(at: Index) -> u32 {
    at.get() as u32
}

fn taken<T: PartialEq + Clone>(
    now: &T,
    pair: Option<&Pair<T>>,
    what: &str,
) -> Result<T, DiffError> {
    match pair {
        None => Ok(now.clone()),
        Some(pair) if pair.before == *now => Ok(pair.after.clone()),
        Some(_) => Err(other(format!("{what} differs"))),
    }
}

fn update(node: &mut Node, changed: &Changed) -> Result<(), DiffError> {
    fn set<T: PartialEq + Clone>(now: &mut T, pair: &Pair<T>) -> bool {
        let fits = *now == pair.before;
        if fits {
            now.clone_from(&pair.after);
        }
        fits
    }
    for field in &changed.fields {
        let fits = match field {
            Field::Role(pair) => set(&mut node.role, pair),
            Field::Name(pair) => set(&mut node.name, pair),
            Field::Value(pair) => set(&mut node.value, pair),
            Field::Description(pair) => set(&mut node.description, pair),
            Field::Identifier(pair) => set(&mut node.identifier, pair),
            Field::States(pair) => set(&mut node.states, pair),
            Field::Bounds(pair) => set(&mut node.bounds, pair),
            Field::Actions(pair) => set(&mut node.actions, pair),
            Field::Relations(pair) => set(&mut node.relations, pair),
            Field::ChildCount(pair) => set(&mut node.child_count, pair),
            Field::Cut(pair) => set(&mut node.cut, pair),
        };
        if !fits {
            return Err(other(format!("{:?} is not what it was", changed.id)));
        }
    }
    Ok(())
}
