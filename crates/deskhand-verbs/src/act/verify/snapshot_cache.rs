//! The latest snapshot of an app, updated from its events, so that the next action need not read
//! the whole tree.

use std::{collections::HashSet, time::Instant};

use deskhand_model::{
    App, Diff, Event, EventKind, Node, NodeId, Role, Snapshot, State, diff::FieldChange,
};
use deskhand_platform::{Deadline, NodeFields};

use super::app_events::{EventListener, EventPosition};
use crate::{Context, act::timing};

/// With more elements than this, reading the whole tree is as fast.
const MAX_REREADS: usize = 24;

/// Says if the app sends an event for every change, as far as it was observed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum EventCoverage {
    /// Nothing has changed yet while the listener was open.
    #[default]
    Unknown,
    /// Every observed change had an event.
    Complete,
    /// A change had no event.
    Incomplete,
}

/// The latest snapshot of an app, and the completeness of its events.
#[derive(Default)]
pub(crate) struct SnapshotCache {
    coverage: EventCoverage,
    entry: Option<CachedSnapshot>,
}

struct CachedSnapshot {
    snapshot: Snapshot,
    facets: NodeFields,
    /// Later events are not part of the snapshot.
    position: EventPosition,
    /// The time at which the whole tree was read.
    read_at: Instant,
}

/// Returns the cached snapshot, updated from events; `None` if the whole tree must be read.
pub(crate) fn load(
    cx: &Context<'_>,
    app: &App,
    listener: &EventListener,
    facets: NodeFields,
) -> Option<Snapshot> {
    let mut cache = listener.cache.lock();
    if cache.coverage != EventCoverage::Complete {
        return None;
    }
    let entry = cache.entry.take()?;
    let usable = entry.facets.contains(facets) && entry.read_at.elapsed() < timing::CACHE_LIFETIME;
    if !usable || !listener.has_all_since(entry.position) {
        return None;
    }
    let position = listener.position();
    let events = listener.events_since(entry.position);
    let snapshot = apply_events(cx, app, entry.snapshot, entry.facets, &events)?;
    cache.entry = Some(CachedSnapshot { snapshot: snapshot.clone(), position, ..entry });
    Some(snapshot)
}

/// Stores a complete snapshot. Events after the position may be missing from it.
pub(crate) fn store(
    listener: &EventListener,
    snapshot: Snapshot,
    facets: NodeFields,
    position: EventPosition,
) {
    let entry = CachedSnapshot { snapshot, facets, position, read_at: Instant::now() };
    listener.cache.lock().entry = Some(entry);
}

/// Learns from two complete snapshots if the app sent events for their differences.
pub(crate) fn learn_coverage(
    listener: &EventListener,
    before: &Snapshot,
    after: &Snapshot,
    from: EventPosition,
) {
    let events = listener.events_since(from);
    let mut cache = listener.cache.lock();
    cache.coverage = match (cache.coverage, all_reported(before, after, &events)) {
        (EventCoverage::Incomplete, _) | (_, Some(false)) => EventCoverage::Incomplete,
        (EventCoverage::Complete, _) | (_, Some(true)) => EventCoverage::Complete,
        (EventCoverage::Unknown, None) => EventCoverage::Unknown,
    };
}

/// Stops relying on the events of this app.
pub(crate) fn mark_incomplete(listener: &EventListener) {
    listener.cache.lock().coverage = EventCoverage::Incomplete;
}

/// Returns `true` if every difference had an event; `None` if there is no difference.
fn all_reported(before: &Snapshot, after: &Snapshot, events: &[Event]) -> Option<bool> {
    let diff = Diff::between(before, after);
    let reporting: HashSet<&NodeId> =
        events.iter().filter_map(|event| event.node.as_ref()).collect();
    let changed: Vec<&NodeId> = diff
        .changed
        .iter()
        .filter(|one| one.fields.iter().any(is_reported_field))
        .map(|one| &one.id)
        .collect();
    let moved = !diff.added.is_empty() || !diff.removed.is_empty();
    if changed.is_empty() && !moved {
        return None;
    }
    let structure = events.iter().any(|event| !concerns_only_its_element(event));
    Some(changed.iter().all(|id| reporting.contains(id)) && (!moved || structure))
}

/// Returns `true` for differences that apps report. A lost focus and an inactive window are read
/// again each time instead.
fn is_reported_field(field: &FieldChange) -> bool {
    match field {
        FieldChange::States(states) => State::ALL
            .iter()
            .filter(|state| !matches!(state, State::Focused | State::Active))
            .any(|state| states.before.has(*state) != states.after.has(*state)),
        FieldChange::Role(_)
        | FieldChange::Name(_)
        | FieldChange::Value(_)
        | FieldChange::ChildCount(_) => true,
        FieldChange::Description(_)
        | FieldChange::Placeholder(_)
        | FieldChange::Identifier(_)
        | FieldChange::Bounds(_)
        | FieldChange::Actions(_)
        | FieldChange::Relations(_)
        | FieldChange::Cut(_) => false,
    }
}

/// Returns `true` if the event concerns only the element it names.
fn concerns_only_its_element(event: &Event) -> bool {
    match event.kind {
        EventKind::ValueChanged
        | EventKind::FocusChanged
        | EventKind::TitleChanged
        | EventKind::SelectionChanged
        | EventKind::WindowActivated => true,
        EventKind::StateChanged => !matches!(event.detail.as_str(), "showing" | "visible"),
        EventKind::WindowCreated
        | EventKind::WindowDestroyed
        | EventKind::ChildrenChanged
        | EventKind::AppStarted
        | EventKind::AppQuit => false,
    }
}

/// Reads the elements again that the events name.
fn apply_events(
    cx: &Context<'_>,
    app: &App,
    snapshot: Snapshot,
    facets: NodeFields,
    events: &[Event],
) -> Option<Snapshot> {
    if events.is_empty() {
        return Some(snapshot);
    }
    if !events.iter().all(concerns_only_its_element) {
        return None;
    }
    let passing = |node: &Node| node.states.has(State::Focused) || node.states.has(State::Active);
    let mut wanted: HashSet<&NodeId> =
        events.iter().filter_map(|event| event.node.as_ref()).collect();
    // The items of a selection change without separate events.
    let selects: HashSet<&NodeId> = events
        .iter()
        .filter(|event| event.kind == EventKind::SelectionChanged)
        .filter_map(|event| event.node.as_ref())
        .collect();
    let named = wanted.len();
    let mut found = 0;
    let mut ids = Vec::new();
    for (at, node) in snapshot.iter() {
        let is_named = wanted.remove(&node.id);
        found += usize::from(is_named);
        let in_selection =
            snapshot.parent(at).is_some_and(|up| selects.contains(&snapshot.node(up).id));
        if is_named || in_selection || passing(node) {
            // Elements inside a password field are recognized as secret only from above.
            let is_password = |up: deskhand_model::Index| snapshot.node(up).role == Role::Password;
            if snapshot.ancestors(at).any(is_password) {
                return None;
            }
            ids.push(node.id.clone());
        }
    }
    if found < named || ids.len() > MAX_REREADS {
        return None;
    }
    let read =
        cx.desktop.tree.read(app, &ids, facets, Deadline::after(timing::REREAD_TIMEOUT)).ok()?;
    let read: Vec<Node> = read.into_iter().collect::<Option<_>>()?;
    Some(snapshot.with_updated_nodes(read))
}

#[cfg(test)]
mod tests {
    use deskhand_model::AppId;

    use super::*;
    use crate::testing::app;

    fn window(label: &str, boxes: &[&str]) -> Snapshot {
        let app = app("root");
        let mut nodes = vec![Node::new(NodeId::new("root"), Role::Application)];
        nodes.push(Node::new(NodeId::new("label"), Role::Label));
        nodes[1].name = label.to_owned();
        nodes.extend(boxes.iter().map(|id| Node::new(NodeId::new(*id), Role::CheckBox)));
        let below = (1..nodes.len() as u32).collect();
        let children: Vec<Vec<u32>> =
            std::iter::once(below).chain(nodes.iter().skip(1).map(|_| Vec::new())).collect();
        Snapshot::assemble(app, nodes, &children)
    }

    fn event(kind: EventKind, node: &str) -> Event {
        let node = Some(NodeId::new(node));
        Event { kind, app: AppId("a".to_owned()), node, detail: String::new(), on: true }
    }

    #[test]
    fn a_change_without_an_event_is_noticed() {
        let (before, after) = (window("one", &["box"]), window("two", &["box"]));
        let reporting = [event(EventKind::TitleChanged, "label")];
        assert_eq!(all_reported(&before, &after, &reporting), Some(true));
        let other = [event(EventKind::StateChanged, "box")];
        assert_eq!(all_reported(&before, &after, &other), Some(false));
        assert_eq!(all_reported(&before, &before, &[]), None, "nothing to learn from");
    }

    #[test]
    fn new_elements_need_a_structure_event() {
        let (before, after) = (window("one", &["box"]), window("one", &["box", "new"]));
        let reporting = [event(EventKind::ChildrenChanged, "root")];
        assert_eq!(all_reported(&before, &after, &reporting), Some(true));
        let other = [event(EventKind::StateChanged, "box")];
        assert_eq!(all_reported(&before, &after, &other), Some(false));
    }
}
