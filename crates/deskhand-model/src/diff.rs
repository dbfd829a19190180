//! What changed between two snapshots of an app, with nothing lost: the older snapshot and its
//! diff make the newer one again.

mod apply;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

pub use apply::DiffError;

use crate::{App, Cut, Index, Node, NodeId, Notice, Rect, Relation, Role, Snapshot, States, Value};

/// A thing as it was, and as it is now.
#[derive(Debug, Clone, PartialEq)]
pub struct Change<T> {
    /// As it was.
    pub before: T,
    /// As it is now.
    pub after: T,
}

/// One field of an element that is not what it was.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldChange {
    /// Its kind.
    Role(Change<Role>),
    /// What it is called.
    Name(Change<String>),
    /// What it holds.
    Value(Change<Option<Value>>),
    /// Its longer explanation.
    Description(Change<String>),
    /// The name its programmer gave it.
    Identifier(Change<String>),
    /// What condition it is in.
    States(Change<States>),
    /// Where it is.
    Bounds(Change<Option<Rect>>),
    /// What can be done to it.
    Actions(Change<Vec<String>>),
    /// How it points at others.
    Relations(Change<Vec<Relation>>),
    /// How many children the app says it has.
    ChildCount(Change<u32>),
    /// Why its children were not all read.
    Cut(Change<Option<Cut>>),
}

/// An element that is in both snapshots and not the same in both.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangedNode {
    /// Where it stands in the older snapshot.
    pub before: Index,
    /// Where it stands in the newer snapshot.
    pub after: Index,
    /// Its identity.
    pub id: NodeId,
    /// The fields that differ, in the order of `Node`.
    pub fields: Vec<FieldChange>,
}

/// An element that only the newer snapshot has.
#[derive(Debug, Clone, PartialEq)]
pub struct AddedNode {
    /// Where it stands in the newer snapshot.
    pub after: Index,
    /// The element itself.
    pub node: Node,
}

/// An element that only the older snapshot has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemovedNode {
    /// Where it stood in the older snapshot.
    pub before: Index,
    /// Its identity.
    pub id: NodeId,
}

/// Where an element of the newer snapshot comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeSource {
    /// It stands at this place in the older snapshot.
    Kept(Index),
    /// It is the one at this position of `Diff::added`.
    Added(usize),
}

/// The new child list of an element whose children are not the ones they were.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChildOrder {
    /// The element.
    pub parent: NodeSource,
    /// All of its children, in order.
    pub children: Vec<NodeSource>,
}

/// Everything that differs between two snapshots.
///
/// Elements are the same when their ids are. Where a broken app gives one id to several elements,
/// the first is matched with the first and the others count as removed and added.
#[derive(Debug, Clone, PartialEq)]
pub struct Diff {
    /// How many elements the older snapshot has.
    pub base_len: usize,
    /// What is known of the app, when that differs.
    pub app: Option<Box<Change<App>>>,
    /// The remarks about the look as a whole, when they differ.
    pub notices: Option<Change<Vec<Notice>>>,
    /// Elements that are gone, in document order.
    pub removed: Vec<RemovedNode>,
    /// Elements that are new, in document order.
    pub added: Vec<AddedNode>,
    /// Elements that differ, in document order of the newer snapshot.
    pub changed: Vec<ChangedNode>,
    /// Child lists that differ; an added element is here only when it has children.
    pub orders: Vec<ChildOrder>,
    /// The root of the newer snapshot; `None` when that is empty.
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
            app: differs(before.app(), after.app()).map(Box::new),
            notices: differs(before.notices(), after.notices()),
            removed: Vec::new(),
            added: Vec::new(),
            changed: Vec::new(),
            orders: Vec::new(),
            root: None,
        };
        let mut kept = vec![false; before.len()];
        let mut sources = Vec::with_capacity(after.len());
        for (at, node) in after.iter() {
            sources.push(match unmatched.remove(&node.id) {
                Some(old) => {
                    kept[old.get()] = true;
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
            .filter(|(at, _)| !kept[at.get()])
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

    /// Whether the snapshots are alike.
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

fn differs<T: ?Sized + PartialEq + ToOwned>(before: &T, after: &T) -> Option<Change<T::Owned>> {
    (before != after).then(|| Change { before: before.to_owned(), after: after.to_owned() })
}

fn fields(before: &Node, after: &Node) -> Vec<FieldChange> {
    // Taken apart by name, so that a new field of `Node` must be placed here.
    let Node {
        id: _,
        role,
        name,
        value,
        description,
        identifier,
        states,
        bounds,
        actions,
        relations,
        child_count,
        cut,
    } = after;
    [
        differs(&before.role, role).map(FieldChange::Role),
        differs(&before.name, name).map(FieldChange::Name),
        differs(&before.value, value).map(FieldChange::Value),
        differs(&before.description, description).map(FieldChange::Description),
        differs(&before.identifier, identifier).map(FieldChange::Identifier),
        differs(&before.states, states).map(FieldChange::States),
        differs(&before.bounds, bounds).map(FieldChange::Bounds),
        differs(&before.actions, actions).map(FieldChange::Actions),
        differs(&before.relations, relations).map(FieldChange::Relations),
        differs(&before.child_count, child_count).map(FieldChange::ChildCount),
        differs(&before.cut, cut).map(FieldChange::Cut),
    ]
    .into_iter()
    .flatten()
    .collect()
}
