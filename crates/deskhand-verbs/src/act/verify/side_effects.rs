//! Changes elsewhere in the app that an action may have caused, and the elements that change by
//! themselves.

use std::collections::HashSet;

use deskhand_model::{
    App, Diff, Event, EventKind, Index, Node, NodeId, Role, Snapshot, State, States,
    diff::{ChildOrder, FieldChange, NodeSource},
};
use deskhand_platform::Deadline;

use super::expectation::{format_value, is_feedback};
use crate::{
    Context,
    act::{
        target::{SNAPSHOT_FACETS, label},
        timing, visibility,
    },
    effect::{Evidence, EvidenceKind},
};

/// States whose changes say nothing about an action.
const IGNORED_STATES: &[&str] = &["showing", "visible", "busy", "active", "has-tooltip", "defunct"];

/// Returns `true` if an event of another element may be an effect of the action.
pub(crate) fn is_effect_elsewhere(event: &Event) -> bool {
    match event.kind {
        EventKind::ValueChanged | EventKind::TitleChanged | EventKind::SelectionChanged => true,
        EventKind::StateChanged => !IGNORED_STATES.contains(&event.detail.as_str()),
        EventKind::FocusChanged
        | EventKind::WindowCreated
        | EventKind::WindowDestroyed
        | EventKind::WindowActivated
        | EventKind::ChildrenChanged
        | EventKind::AppStarted
        | EventKind::AppQuit => false,
    }
}

/// Returns `true` if the event, without an action to explain it, shows that its element updates
/// itself.
pub(crate) fn is_self_update(event: &Event) -> bool {
    is_effect_elsewhere(event) || event.kind == EventKind::ChildrenChanged
}

/// Returns `true` for elements that update themselves by nature: progress bars, animations and
/// clocks.
fn is_self_updating(node: &Node) -> bool {
    matches!(node.role, Role::ProgressBar | Role::Animation | Role::LevelBar)
        || visibility::looks_like_time(&node.name)
        || node.text().is_some_and(visibility::looks_like_time)
}

/// Reads elements that reported a change and returns the first real difference.
pub(crate) fn read_changes(
    cx: &Context<'_>,
    app: &App,
    before: &Snapshot,
    ids: &[NodeId],
) -> Option<(NodeId, Evidence)> {
    let deadline = Deadline::after(timing::CHANGED_READ_TIMEOUT);
    // The next tree read finds the elements that cannot be read now.
    let now = cx.desktop.tree.read(app, ids, SNAPSHOT_FACETS, deadline).ok()?;
    now.into_iter().flatten().find_map(|node| {
        let was = before.node(before.position(&node.id)?);
        if is_self_updating(&node) || is_self_updating(was) {
            return None;
        }
        compare(was, &node).map(|evidence| (node.id.clone(), evidence))
    })
}

/// Returns a difference of one element that counts as an effect.
fn compare(was: &Node, now: &Node) -> Option<Evidence> {
    let what = label(now);
    // GTK 4 names some elements after their content, which a read of a single element does not
    // include.
    if was.name != now.name && !now.name.is_empty() {
        return Some(Evidence::change(EvidenceKind::Title, label(was), &was.name, &now.name));
    }
    if was.value != now.value && now.value.is_some() {
        return Some(Evidence::change(
            EvidenceKind::Text,
            what,
            format_value(&was.value),
            format_value(&now.value),
        ));
    }
    state_change(now.role, was.states, now.states)
        .map(|(before, after)| Evidence::change(EvidenceKind::State, what, before, after))
}

/// States whose changes count as effects.
const MEANINGFUL_STATES: &[State] = &[
    State::Checked,
    State::Mixed,
    State::Pressed,
    State::Selected,
    State::Expanded,
    State::Enabled,
    State::Modal,
    State::Invalid,
    State::Minimized,
    State::Editable,
];

fn state_change(role: Role, was: States, now: States) -> Option<(String, String)> {
    let mut states = MEANINGFUL_STATES.iter().filter(|state| !is_feedback(role, **state));
    let state = states.find(|state| was.has(**state) != now.has(**state))?;
    let word = |on: bool| format!("{}{}", if on { "" } else { "not " }, state.word());
    Some((word(was.has(*state)), word(now.has(*state))))
}

/// Returns the elements that differ between two snapshots.
pub(crate) fn changed_elements(before: &Snapshot, after: &Snapshot) -> HashSet<NodeId> {
    let diff = Diff::between(before, after);
    let mut found = HashSet::new();
    // Chromium replaces a text element whenever its text changes, so its parent counts as changed,
    // too.
    for one in diff.removed {
        found.extend(before.parent(one.before).map(|up| before.node(up).id.clone()));
        found.insert(one.id);
    }
    for one in diff.added {
        found.extend(after.parent(one.after).map(|up| after.node(up).id.clone()));
        found.insert(one.node.id);
    }
    found.extend(diff.changed.into_iter().map(|one| one.id));
    found
}

/// Returns the differences between two snapshots that count as effects, without elements that
/// update themselves.
pub(crate) fn differences(
    before: &Snapshot,
    after: &Snapshot,
    self_updating: &HashSet<NodeId>,
) -> Vec<Evidence> {
    let diff = Diff::between(before, after);
    let mut found = Vec::new();
    for change in &diff.changed {
        let (was, now) = (before.node(change.before), after.node(change.after));
        if self_updating.contains(&change.id) || is_self_updating(was) || is_self_updating(now) {
            continue;
        }
        found.extend(compare(was, now).or_else(|| visibility_change(was, now, &change.fields)));
    }
    let showing = |node: &Node| node.states.has(State::Showing);
    let in_self_updating = |snapshot: &Snapshot, at: Index| {
        snapshot.parent(at).is_some_and(|up| self_updating.contains(&snapshot.node(up).id))
    };
    for added in diff.added.iter().filter(|one| showing(&one.node) && !is_self_updating(&one.node))
    {
        if !self_updating.contains(&added.node.id) && !in_self_updating(after, added.after) {
            let text = format!("{} appeared", label(&added.node));
            found.push(Evidence::new(EvidenceKind::Elements, text));
        }
    }
    for removed in &diff.removed {
        let was = before.node(removed.before);
        let is_stable =
            !self_updating.contains(&removed.id) && !in_self_updating(before, removed.before);
        if showing(was) && is_stable && !is_self_updating(was) {
            found.push(Evidence::new(EvidenceKind::Elements, format!("{} is gone", label(was))));
        }
    }
    found.extend(diff.orders.iter().filter_map(|order| reordering(before, order)));
    found
}

/// Returns evidence if the elements that a container kept are in another order, as after sorting.
fn reordering(before: &Snapshot, order: &ChildOrder) -> Option<Evidence> {
    let NodeSource::Kept(parent) = order.parent else { return None };
    let kept: Vec<Index> = order
        .children
        .iter()
        .filter_map(|child| match child {
            NodeSource::Kept(at) => Some(*at),
            NodeSource::Added(_) => None,
        })
        .collect();
    let container = before.node(parent);
    // Windows change their order when another one becomes active.
    let is_content = !container.role.is_window() && container.role != Role::Application;
    (is_content && !kept.is_sorted()).then(|| {
        let text = format!("the elements of {} have another order", label(container));
        Evidence::new(EvidenceKind::Elements, text)
    })
}

/// Returns evidence of an element that came into view or left it, such as a menu or a page.
fn visibility_change(was: &Node, now: &Node, fields: &[FieldChange]) -> Option<Evidence> {
    let states = fields.iter().any(|field| matches!(field, FieldChange::States(_)));
    let (before, after) = (was.states.has(State::Showing), now.states.has(State::Showing));
    if !states || before == after {
        return None;
    }
    let how = if after { "came into view" } else { "left the view" };
    Some(Evidence::new(EvidenceKind::Elements, format!("{} {how}", label(now))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{app, element};

    fn list(rows: &[&str]) -> Snapshot {
        let mut nodes = vec![element("list", Role::List)];
        nodes.extend(rows.iter().map(|row| element(row, Role::ListItem)));
        let mut children = vec![(1..nodes.len() as u32).collect::<Vec<u32>>()];
        children.extend(rows.iter().map(|_| Vec::new()));
        Snapshot::assemble(app("list"), nodes, &children)
    }

    #[test]
    fn a_sorted_list_is_evidence_and_an_unchanged_one_is_not() {
        let sorted = differences(&list(&["b", "a"]), &list(&["a", "b"]), &HashSet::new());
        let text = "the elements of list \"list\" have another order";
        assert_eq!(sorted, [Evidence::new(EvidenceKind::Elements, text)]);
        assert!(differences(&list(&["b", "a"]), &list(&["b", "a"]), &HashSet::new()).is_empty());
    }
}
