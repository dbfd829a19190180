//! Builds the JSON form from a snapshot.

use super::{MAX_NESTING, NodeJson, RangeJson, RelationJson, ValueJson};
use crate::{Index, NameSource, Names, NodeId, Snapshot, Value};
use std::collections::HashMap;

type Refs<'a> = &'a mut dyn FnMut(&Snapshot, Index) -> String;

impl NodeJson {
    /// Returns an element with everything below it, nested at most [`MAX_NESTING`] levels deep.
    pub fn tree(snapshot: &Snapshot, root: Index, refs: Refs<'_>) -> Self {
        let mut flat = Self::flat(snapshot, root, refs);
        // Children come after their parents. Going backwards, each element is complete when it
        // moves into its parent, so no recursion is needed.
        let base = root.get();
        for at in snapshot.subtree(root).collect::<Vec<_>>().into_iter().rev() {
            let Some(mut node) = flat.pop() else { break };
            node.children.reverse();
            node.parent = None;
            if node.depth >= MAX_NESTING && snapshot.subtree_len(at) > 1 {
                node.cut = Some("nesting");
            }
            match snapshot.parent(at).filter(|_| at != root) {
                None => return node,
                Some(_) if node.depth > MAX_NESTING => {}
                Some(parent) => flat[parent.get() - base].children.push(node),
            }
        }
        Self::one(snapshot, root, refs)
    }

    /// Returns an element and everything below it as a list in document order, each with the ref of
    /// its parent.
    pub fn flat(snapshot: &Snapshot, root: Index, refs: Refs<'_>) -> Vec<Self> {
        let positions = snapshot.positions();
        let names = Names::of(snapshot);
        let base = root.get();
        let mut flat: Vec<Self> = Vec::with_capacity(snapshot.subtree_len(root));
        for at in snapshot.subtree(root) {
            let mut node = build(snapshot, at, &positions, &names, refs);
            if let Some(parent) = snapshot.parent(at).filter(|_| at != root) {
                let parent = &flat[parent.get() - base];
                node.depth = parent.depth + 1;
                node.parent = Some(parent.reference.clone());
            }
            flat.push(node);
        }
        flat
    }

    /// Returns one element without its children.
    pub fn one(snapshot: &Snapshot, at: Index, refs: Refs<'_>) -> Self {
        build(snapshot, at, &snapshot.positions(), &Names::of(snapshot), refs)
    }
}

fn build(
    snapshot: &Snapshot,
    at: Index,
    positions: &HashMap<&NodeId, Index>,
    names: &Names<'_>,
    refs: Refs<'_>,
) -> NodeJson {
    let node = snapshot.node(at);
    let (value, value_length, range) = match &node.value {
        Some(Value::Text { text, length }) => {
            let whole = text.chars().count() == *length;
            (Some(ValueJson::Text(text.clone())), (!whole).then_some(*length), None)
        }
        Some(Value::Number { now, min, max, step }) => {
            let range = RangeJson { min: *min, max: *max, step: (*step > 0.0).then_some(*step) };
            (Some(ValueJson::Number(*now)), None, Some(range))
        }
        Some(Value::Secret) | None => (None, None, None),
    };
    let relations = node
        .relations
        .iter()
        .map(|relation| RelationJson {
            kind: relation.kind.word(),
            refs: relation
                .targets
                .iter()
                .filter_map(|id| positions.get(id))
                .map(|target| refs(snapshot, *target))
                .collect(),
            targets: relation.targets.len(),
        })
        .collect();
    let name = names.name(at).filter(|name| name.source != NameSource::Own);
    NodeJson {
        reference: refs(snapshot, at),
        id: node.id.as_str().to_owned(),
        role: node.role.ax(),
        kind: node.role.short(),
        title: node.name.clone(),
        name: name.map(|name| name.text.to_owned()).unwrap_or_default(),
        name_source: name.map(|name| name.source.word()),
        value,
        value_length,
        range,
        secret: matches!(node.value, Some(Value::Secret)),
        description: node.description.clone(),
        identifier: node.identifier.clone(),
        states: node.states.iter().map(crate::State::word).collect(),
        bounds: node.bounds,
        actions: node.actions.clone(),
        relations,
        child_count: node.child_count,
        cut: node.cut.map(crate::Cut::word),
        depth: 0,
        parent: None,
        children: Vec::new(),
    }
}
