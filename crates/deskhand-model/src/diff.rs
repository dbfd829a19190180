//! The difference between two snapshots of an app. Applying a diff to the older snapshot gives
//! exactly the newer one.

mod apply;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

pub use apply::DiffError;

use crate::{App, Cut, Index, Node, NodeId, Notice, Rect, Relation, Role, Snapshot, States, Value};

/// A value before and after a change.
#[derive(Debug, Clone, PartialEq)]
pub struct Change<T> {
    /// The old value.
    pub before: T,
    /// The new value.
    pub after: T,
}

/// A field of an element that changed.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldChange {
    /// The role.
    Role(Change<Role>),
    /// The name.
    Name(Change<String>),
    /// The content.
    Value(Change<Option<Value>>),
    /// The description.
    Description(Change<String>),
    /// The placeholder.
    Placeholder(Change<String>),
    /// The developer's identifier.
    Identifier(Change<String>),
    /// The states.
    States(Change<States>),
    /// The position or size.
    Bounds(Change<Option<Rect>>),
    /// The supported actions.
    Actions(Change<Vec<String>>),
    /// The relations.
    Relations(Change<Vec<Relation>>),
    /// The number of children the app reports.
    ChildCount(Change<u32>),
    /// The reason why the children were not all read.
    Cut(Change<Option<Cut>>),
}

/// An element that is in both snapshots but changed.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangedNode {
    /// The position in the older snapshot.
    pub before: Index,
    /// The position in the newer snapshot.
    pub after: Index,
    /// The element's id.
    pub id: NodeId,
    /// The fields that changed, in the order of `Node`.
    pub fields: Vec<FieldChange>,
}

/// An element that only the newer snapshot has.
#[derive(Debug, Clone, PartialEq)]
pub struct AddedNode {
    /// The position in the newer snapshot.
    pub after: Index,
    /// The element.
    pub node: Node,
}

/// An element that only the older snapshot has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemovedNode {
    /// The position in the older snapshot.
    pub before: Index,
    /// The element's id.
    pub id: NodeId,
}

/// The origin of an element of the newer snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeSource {
    /// The element at this position in the older snapshot.
    Kept(Index),
    /// The element at this position in [`Diff::added`].
    Added(usize),
}

/// The new child list of an element whose children changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChildOrder {
    /// The element.
    pub parent: NodeSource,
    /// All its children, in order.
    pub children: Vec<NodeSource>,
}

/// All differences between two snapshots.
///
/// Elements are matched by id. If a broken app gives one id to several elements, the first ones are
/// matched, and the others count as removed and added.
#[derive(Debug, Clone, PartialEq)]
pub struct Diff {
    /// The number of elements in the older snapshot.
    pub base_len: usize,
    /// The app's data, if it changed.
    pub app: Option<Box<Change<App>>>,
    /// The notices, if they changed.
    pub notices: Option<Change<Vec<Notice>>>,
    /// Removed elements, in document order.
    pub removed: Vec<RemovedNode>,
    /// Added elements, in document order.
    pub added: Vec<AddedNode>,
    /// Changed elements, in document order of the newer snapshot.
    pub changed: Vec<ChangedNode>,
    /// Child lists that changed. An added element is included only if it has children.
    pub orders: Vec<ChildOrder>,
    /// The root of the newer snapshot; `None` if that snapshot is empty.
    pub root: Option<NodeSource>,
}

impl Diff {
    /// Compares two snapshots in one pass over each.
    pub fn between(before: &Snapshot, after: &Snapshot) -> Self {
        let mut unmatched: HashMap<&NodeId, Index> = HashMap::with_capacity(before.len());
        for (at, node) in before.iter().rev() {
            unmatched.insert(&node.id, at);
        }
        let mut diff = Self {
            base_len: before.len(),
            app: change(before.app(), after.app()).map(Box::new),
            notices: change(before.notices(), after.notices()),
            removed: Vec::new(),
            added: Vec::new(),
            changed: Vec::new(),
            orders: Vec::new(),
            root: None,
        };
        let mut matched = vec![false; before.len()];
        let mut sources = Vec::with_capacity(after.len());
        for (at, node) in after.iter() {
            sources.push(match unmatched.remove(&node.id) {
                Some(old) => {
                    matched[old.get()] = true;
                    let fields = fields(before.node(old), node);
                    if !fields.is_empty() {
                        diff.changed.push(ChangedNode {
                            before: old,
                            after: at,
                            id: node.id.clone(),
                            fields,
                        });
                    }
                    NodeSource::Kept(old)
                }
                None => {
                    diff.added.push(AddedNode { after: at, node: node.clone() });
                    NodeSource::Added(diff.added.len() - 1)
                }
            });
        }
        diff.root = sources.first().copied();
        diff.removed = before
            .iter()
            .filter(|(at, _)| !matched[at.get()])
            .map(|(at, node)| RemovedNode { before: at, id: node.id.clone() })
            .collect();
        for (at, _) in after.iter() {
            let parent = sources[at.get()];
            let now = after.children(at).map(|child| sources[child.get()]);
            let same = match parent {
                NodeSource::Kept(old) => now.clone().eq(before.children(old).map(NodeSource::Kept)),
                NodeSource::Added(_) => now.clone().next().is_none(),
            };
            if !same {
                diff.orders.push(ChildOrder { parent, children: now.collect() });
            }
        }
        diff
    }

    /// Returns `true` if the snapshots are equal.
    pub fn is_empty(&self) -> bool {
        let same_root = match self.root {
            Some(NodeSource::Kept(at)) => at == Index::ROOT,
            Some(NodeSource::Added(_)) => false,
            None => self.base_len == 0,
        };
        same_root
            && self.app.is_none()
            && self.notices.is_none()
            && self.removed.is_empty()
            && self.added.is_empty()
            && self.changed.is_empty()
            && self.orders.is_empty()
    }
}

fn change<T: ?Sized + PartialEq + ToOwned>(before: &T, after: &T) -> Option<Change<T::Owned>> {
    (before != after).then(|| Change { before: before.to_owned(), after: after.to_owned() })
}

fn fields(before: &Node, after: &Node) -> Vec<FieldChange> {
    // Destructured without `..`, so that a new field of `Node` does not compile until it is
    // handled.
    let Node {
        id: _,
        role,
        name,
        value,
        description,
        placeholder,
        identifier,
        states,
        bounds,
        actions,
        relations,
        child_count,
        cut,
    } = after;
    [
        change(&before.role, role).map(FieldChange::Role),
        change(&before.name, name).map(FieldChange::Name),
        change(&before.value, value).map(FieldChange::Value),
        change(&before.description, description).map(FieldChange::Description),
        change(&before.placeholder, placeholder).map(FieldChange::Placeholder),
        change(&before.identifier, identifier).map(FieldChange::Identifier),
        change(&before.states, states).map(FieldChange::States),
        change(&before.bounds, bounds).map(FieldChange::Bounds),
        change(&before.actions, actions).map(FieldChange::Actions),
        change(&before.relations, relations).map(FieldChange::Relations),
        change(&before.child_count, child_count).map(FieldChange::ChildCount),
        change(&before.cut, cut).map(FieldChange::Cut),
    ]
    .into_iter()
    .flatten()
    .collect()
}
