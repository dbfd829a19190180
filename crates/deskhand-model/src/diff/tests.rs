//! Properties of diffs, checked on random trees.

use proptest::prelude::*;

use super::{Diff, DiffError};
use crate::{
    Cut, Explain, Node, NodeId, Notice, Rect, Relation, RelationKind, Role, Snapshot, State,
    States, Value,
    testing::{app, flat, node},
};

/// The description of a tree: each node with a number that selects its parent among the nodes
/// before it.
#[derive(Debug, Clone)]
struct Plan {
    nodes: Vec<(Node, usize)>,
    notices: Vec<Notice>,
    windows: u32,
}

impl Plan {
    fn build(&self) -> Snapshot {
        let mut children = vec![Vec::new(); self.nodes.len()];
        for (at, (_, choice)) in self.nodes.iter().enumerate().skip(1) {
            children[choice % at].push(at as u32);
        }
        let nodes = self.nodes.iter().map(|(node, _)| node.clone()).collect();
        let mut app = app();
        app.windows = self.windows;
        let mut built = Snapshot::assemble(app, nodes, &children);
        self.notices.iter().cloned().for_each(|notice| built.add_notice(notice));
        built
    }
}

fn words() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["", "a", "Save", "ä\u{1b}", "b c"]).prop_map(str::to_owned)
}

fn values() -> impl Strategy<Value = Option<Value>> {
    prop_oneof![
        Just(None),
        Just(Some(Value::Secret)),
        words().prop_map(|text| Some(Value::Text { length: text.chars().count(), text })),
        any::<f64>().prop_map(|now| Some(Value::Number { now, min: 0.0, max: 1.0, step: 0.1 })),
    ]
}

fn nodes() -> impl Strategy<Value = Node> {
    let looks = (0..Role::ALL.len(), words(), values(), 0..1_u64 << 36, any::<Option<(i8, u8)>>());
    let more = (0..40_u32, 0..3_u32, prop::option::of(Just(Cut::Many)), words());
    (looks, more).prop_map(|((role, name, value, states, place), (id, actions, cut, words))| {
        let mut node = Node::new(NodeId::new(format!("n{id}")), Role::ALL[role]);
        node.states = State::ALL.iter().copied().filter(|s| states & 1 << *s as u64 != 0).collect();
        node.bounds = place.map(|(x, side)| Rect::new(x.into(), 0, side.into(), 5));
        node.actions = vec!["click".to_owned(); actions as usize];
        node.relations = (0..actions % 2)
            .map(|_| Relation { kind: RelationKind::LabelFor, targets: vec![NodeId::new("n1")] })
            .collect();
        node.description.clone_from(&words);
        node.placeholder.clone_from(&words);
        node.identifier = words;
        Node { name, value, cut, child_count: id, ..node }
    })
}

fn plans() -> impl Strategy<Value = Plan> {
    let notices = prop::collection::vec(
        prop_oneof![
            Just(Notice::NotResponding),
            Just(Notice::AccessibilityOff { flag: "--on".into() })
        ],
        0..3,
    );
    (prop::collection::vec((nodes(), any::<usize>()), 0..40), notices, 0..3_u32).prop_map(
        |(mut nodes, notices, windows)| {
            let mut taken = std::collections::HashSet::new();
            nodes.retain(|(node, _)| taken.insert(node.id.clone()));
            Plan { nodes, notices, windows }
        },
    )
}

/// A few random edits of a tree: move, remove, add, change.
fn edits() -> impl Strategy<Value = Vec<(u8, usize, usize, Node)>> {
    prop::collection::vec((0..4_u8, any::<usize>(), any::<usize>(), nodes()), 0..8)
}

fn edited(plan: &Plan, edits: Vec<(u8, usize, usize, Node)>) -> Plan {
    let mut plan = plan.clone();
    for (nth, (what, at, choice, mut node)) in edits.into_iter().enumerate() {
        let at = at % plan.nodes.len().max(1);
        match what {
            0 => plan.nodes.iter_mut().skip(at).take(1).for_each(|entry| entry.1 = choice),
            1 if !plan.nodes.is_empty() => drop(plan.nodes.remove(at)),
            2 => {
                node.id = NodeId::new(format!("new{nth}"));
                plan.nodes.insert(at, (node, choice));
            }
            _ => plan.nodes.iter_mut().skip(at).take(1).for_each(|entry| {
                node.id = entry.0.id.clone();
                entry.0 = node.clone();
            }),
        }
    }
    plan
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn an_edited_tree_comes_back(plan in plans(), edits in edits()) {
        let (before, after) = (plan.build(), edited(&plan, edits).build());
        let diff = Diff::between(&before, &after);
        prop_assert_eq!(diff.apply(&before).unwrap(), after.clone());
        prop_assert_eq!(diff.is_empty(), before == after);
    }

    #[test]
    fn unrelated_trees_come_back(one in plans(), other in plans()) {
        let (before, after) = (one.build(), other.build());
        let diff = Diff::between(&before, &after);
        prop_assert_eq!(diff.apply(&before).unwrap(), after);
    }

    #[test]
    fn a_tree_does_not_differ_from_itself(plan in plans()) {
        let tree = plan.build();
        let diff = Diff::between(&tree, &tree.clone());
        prop_assert!(diff.is_empty());
        prop_assert_eq!(diff.apply(&tree).unwrap(), tree);
    }

    #[test]
    fn a_wrong_base_never_panics(one in plans(), other in plans(), base in plans()) {
        let diff = Diff::between(&one.build(), &other.build());
        let base = base.build();
        let applied = diff.apply(&base);
        prop_assert!(applied.is_err() || base.len() == diff.base_len);
    }
}

#[test]
fn a_diff_contains_only_changes() {
    let before = flat(["a", "b", "c"].map(node));
    let mut renamed = node("b");
    renamed.name = "other".into();
    renamed.states = States::NONE.with(State::Checked);
    let after = flat([node("a"), renamed, node("c")]);
    let diff = Diff::between(&before, &after);
    assert_eq!(diff.changed.len(), 1);
    assert_eq!(diff.changed[0].fields.len(), 2);
    assert!(diff.added.is_empty() && diff.removed.is_empty() && diff.orders.is_empty());
}

#[test]
fn a_moved_child_changes_only_the_child_list() {
    let before = flat(["a", "b", "c"].map(node));
    let after = flat(["c", "a", "b"].map(node));
    let diff = Diff::between(&before, &after);
    assert_eq!((diff.changed.len(), diff.orders.len()), (0, 1));
    assert_eq!(diff.apply(&before).unwrap(), after);
}

#[test]
fn duplicate_ids_survive_a_round_trip() {
    let before = flat(["a", "a", "b"].map(node));
    let after = flat(["b", "a", "a", "a"].map(node));
    assert_eq!(Diff::between(&before, &after).apply(&before).unwrap(), after);
}

#[test]
fn a_wrong_base_is_an_error_with_advice() {
    let before = flat(["a", "b"].map(node));
    let diff = Diff::between(&before, &flat(["a"].map(node)));
    let error = diff.apply(&flat(["x", "y"].map(node))).unwrap_err();
    assert!(matches!(error, DiffError::WrongBase { .. }));
    assert_eq!(error.code(), "other_base");
    assert!(error.advice().is_some());
}

#[test]
fn five_thousand_elements_are_compared_quickly() {
    let before = flat((0..5000).map(|n| node(&n.to_string())));
    let mut changed: Vec<Node> = (0..5000).rev().map(|n| node(&n.to_string())).collect();
    changed[7].name = "seven".into();
    let after = flat(changed);
    let start = std::time::Instant::now();
    let diff = Diff::between(&before, &after);
    let compared = start.elapsed();
    let again = diff.apply(&before).unwrap();
    println!("5,000 elements: between {compared:?}, apply {:?}", start.elapsed() - compared);
    assert_eq!(again, after);
    // Takes 1 ms with optimizations. The limit allows for a debug build on a busy machine.
    assert!(compared < std::time::Duration::from_millis(500), "{compared:?}");
}
