//! The last look at an app, kept true by what the app reports, so that an action that follows soon
//! need not look at everything again.

use std::{
    collections::HashSet,
    time::{Duration, Instant},
};

use deskhand_model::{
    App, Diff, Event, EventKind, Node, NodeId, Role, Snapshot, State, diff::Field,
};
use deskhand_platform::{Deadline, Facets};

use super::heard::{Ear, Mark, lock};
use crate::Context;

/// How long after a whole look the reports alone are relied on.
const FRESH: Duration = Duration::from_secs(3);

/// With more news than this a whole look is no slower.
const MOST: usize = 24;

/// How long reading the news may take.
const READING: Duration = Duration::from_millis(250);

/// Whether an app reports all that changes, as far as was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Reports {
    /// Nothing has changed yet while it was listened to.
    #[default]
    Unknown,
    /// Every change seen had been reported.
    All,
    /// Something changed in silence.
    Some,
}

/// The last look at an app, and what is known of its reports.
#[derive(Default)]
pub(super) struct Recent {
    reports: Reports,
    kept: Option<Kept>,
}

struct Kept {
    snapshot: Snapshot,
    facets: Facets,
    /// What was heard later is news.
    mark: Mark,
    /// When everything was looked at.
    whole: Instant,
}

/// The last look brought up to date; `None` where only a whole look tells how things are.
pub(super) fn recall(cx: &Context<'_>, app: &App, ear: &Ear, facets: Facets) -> Option<Snapshot> {
    let mut recent = lock(&ear.recent);
    if recent.reports != Reports::All {
        return None;
    }
    let kept = recent.kept.take()?;
    let usable = kept.facets.covers(facets) && kept.whole.elapsed() < FRESH;
    if !usable || !ear.remembers(kept.mark) {
        return None;
    }
    let mark = ear.mark();
    let news = ear.since(kept.mark);
    let snapshot = brought_up_to_date(cx, app, kept.snapshot, kept.facets, &news)?;
    recent.kept = Some(Kept { snapshot: snapshot.clone(), mark, ..kept });
    Some(snapshot)
}

/// Keeps a whole look; what was heard after the mark is not in it for sure.
pub(super) fn keep(ear: &Ear, snapshot: Snapshot, facets: Facets, mark: Mark) {
    let kept = Kept { snapshot, facets, mark, whole: Instant::now() };
    lock(&ear.recent).kept = Some(kept);
}

/// Learns from two whole looks whether the app reported what is different.
pub(super) fn learn(ear: &Ear, before: &Snapshot, after: &Snapshot, since: Mark) {
    let heard = ear.since(since);
    let mut recent = lock(&ear.recent);
    recent.reports = match (recent.reports, reported(before, after, &heard)) {
        (Reports::Some, _) | (_, Some(false)) => Reports::Some,
        (Reports::All, _) | (_, Some(true)) => Reports::All,
        (Reports::Unknown, None) => Reports::Unknown,
    };
}

/// Relies on the reports of this app no longer.
pub(super) fn distrust(ear: &Ear) {
    lock(&ear.recent).reports = Reports::Some;
}

/// Whether everything that is different was reported; `None` when nothing is.
fn reported(before: &Snapshot, after: &Snapshot, heard: &[Event]) -> Option<bool> {
    let diff = Diff::between(before, after);
    let told: HashSet<&NodeId> = heard.iter().filter_map(|event| event.node.as_ref()).collect();
    let changed: Vec<&NodeId> = diff
        .changed
        .iter()
        .filter(|one| one.fields.iter().any(is_news))
        .map(|one| &one.id)
        .collect();
    let moved = !diff.added.is_empty() || !diff.removed.is_empty();
    if changed.is_empty() && !moved {
        return None;
    }
    let structure = heard.iter().any(|event| !is_about_one(event));
    Some(changed.iter().all(|id| told.contains(id)) && (!moved || structure))
}

/// Whether a difference is one that apps report: that the focus left an element, or that a window
/// is no longer the active one, is read anew each time.
fn is_news(field: &Field) -> bool {
    match field {
        Field::States(states) => State::ALL
            .iter()
            .filter(|state| !matches!(state, State::Focused | State::Active))
            .any(|state| states.before.has(*state) != states.after.has(*state)),
        Field::Role(_) | Field::Name(_) | Field::Value(_) | Field::ChildCount(_) => true,
        Field::Description(_)
        | Field::Identifier(_)
        | Field::Bounds(_)
        | Field::Actions(_)
        | Field::Relations(_)
        | Field::Cut(_) => false,
    }
}

/// Whether a report is about the element it names and nothing around it.
fn is_about_one(event: &Event) -> bool {
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

/// Reads again what was reported.
fn brought_up_to_date(
    cx: &Context<'_>,
    app: &App,
    snapshot: Snapshot,
    facets: Facets,
    news: &[Event],
) -> Option<Snapshot> {
    if news.is_empty() {
        return Some(snapshot);
    }
    if !news.iter().all(is_about_one) {
        return None;
    }
    let passing = |node: &Node| node.states.has(State::Focused) || node.states.has(State::Active);
    let mut wanted: HashSet<&NodeId> =
        news.iter().filter_map(|event| event.node.as_ref()).collect();
    // The items of a selection change without a report of their own.
    let selects: HashSet<&NodeId> = news
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
            // What is inside a password field is known for it only from above.
            let guarded = |up: deskhand_model::Index| snapshot.node(up).role == Role::Password;
            if snapshot.ancestors(at).any(guarded) {
                return None;
            }
            ids.push(node.id.clone());
        }
    }
    if found < named || ids.len() > MOST {
        return None;
    }
    let read = cx.desktop.tree.read(app, &ids, facets, Deadline::after(READING)).ok()?;
    let read: Vec<Node> = read.into_iter().collect::<Option<_>>()?;
    Some(snapshot.renewed(read))
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
    fn an_app_that_changes_in_silence_is_noticed() {
        let (before, after) = (window("one", &["box"]), window("two", &["box"]));
        let told = [event(EventKind::TitleChanged, "label")];
        assert_eq!(reported(&before, &after, &told), Some(true));
        let other = [event(EventKind::StateChanged, "box")];
        assert_eq!(reported(&before, &after, &other), Some(false));
        assert_eq!(reported(&before, &before, &[]), None, "nothing to learn from");
    }

    #[test]
    fn new_elements_must_be_announced() {
        let (before, after) = (window("one", &["box"]), window("one", &["box", "new"]));
        let told = [event(EventKind::ChildrenChanged, "root")];
        assert_eq!(reported(&before, &after, &told), Some(true));
        let other = [event(EventKind::StateChanged, "box")];
        assert_eq!(reported(&before, &after, &other), Some(false));
    }
}
