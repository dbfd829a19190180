//! Finds the target element of an action and waits until it is ready.

use std::time::{Duration, Instant};

use deskhand_locate::{Guess, OtherMatches, Purpose, Query, Strategy, WantedValue};
use deskhand_model::{App, Index, Node, NodeId, Rect, Role, Snapshot, State, outline::quote};
use deskhand_platform::{ActionReply, NodeAction, NodeFields, WalkOptions};

use super::{
    modality::Modality,
    scroll, target_window, timing,
    verify::{EventListener, EventPosition, snapshot_cache},
    visibility::{self, window_index},
};
use crate::{
    Context, Error, Result,
    error::Condition,
    tree::{
        self, ActionMatch, SearchResult, TreeRead,
        activity::{self, Activity},
    },
};

/// The number of characters of a name that a label shows.
const MAX_NAME_CHARS: usize = 60;

/// The conditions for an action on an element. In addition, the element must exist, match alone and
/// be enabled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Readiness {
    /// The element must accept text.
    pub editable: bool,
    /// The pointer must reach the element: it is visible, at rest and not covered.
    pub pointer: bool,
    /// The element need only exist. It may be disabled or invisible, because it is only read or
    /// scrolled to.
    pub exists_only: bool,
    /// The use of the element. It decides between several matches.
    pub purpose: Purpose,
}

impl Readiness {
    /// Ready for an accessibility action.
    pub(crate) const ACTION: Readiness =
        Readiness { editable: false, pointer: false, exists_only: false, purpose: Purpose::Act };
    /// Ready for text.
    pub(crate) const TEXT: Readiness =
        Readiness { editable: true, purpose: Purpose::TypeText, ..Self::ACTION };
    /// Ready for the selection of its items.
    pub(crate) const SELECTION: Readiness =
        Readiness { purpose: Purpose::SelectItems, ..Self::ACTION };
    /// Ready for the pointer.
    pub(crate) const POINTER: Readiness = Readiness { pointer: true, ..Self::ACTION };
    /// Only present.
    pub(crate) const EXISTS: Readiness = Readiness { exists_only: true, ..Self::ACTION };

    /// Ready for a value.
    pub(crate) fn for_value(value: &str) -> Self {
        Self { purpose: Purpose::SetValue(WantedValue::of(value)), ..Self::ACTION }
    }
}

/// An element that is ready for an action.
pub(crate) struct ActionTarget {
    /// The app.
    pub app: App,
    /// The snapshot in which the element was found.
    pub tree: TreeRead,
    /// The position of the element in the snapshot.
    pub index: Index,
    /// The element itself, just read, with its actions and bounds.
    pub node: Node,
    /// The ref of the element.
    pub reference: String,
    /// The other matches of the query.
    pub others: OtherMatches,
    /// The reason why the element is only a guess, if it is one.
    pub guess: Option<Guess>,
    /// The method by which the ref or path was healed; `None` if its own element was found.
    pub healed: Option<deskhand_locate::heal::HealedMatch>,
    /// The time that reading the tree took.
    pub read_time: Duration,
    /// The position in the app's events before the tree was read; `None` without a listener.
    pub events_from: Option<EventPosition>,
    /// `true` if the snapshot comes from the cache, updated from events.
    pub from_cache: bool,
}

impl ActionTarget {
    /// Returns the element in words, such as `button "Save"`.
    pub(crate) fn label(&self) -> String {
        label(&self.node)
    }

    /// Returns a description of the element, with remarks on how it was chosen.
    pub(crate) fn description(&self) -> String {
        let others = (self.others.count() > 0).then(|| self.others.to_string());
        let healed = self.healed.map(|healed| {
            let percent = (healed.confidence * 100.0).round();
            format!("healed by {}, confidence {percent} %", healed.by.word())
        });
        let guess = self.guess.map(|guess| guess.to_string());
        let remarks: Vec<String> = healed.into_iter().chain(guess).chain(others).collect();
        match remarks[..] {
            [] => self.label(),
            _ => format!("{} ({})", self.label(), remarks.join("; ")),
        }
    }

    /// Returns the window element that contains the target.
    pub(crate) fn window(&self) -> Option<&Node> {
        window_index(&self.tree.snapshot, self.index).map(|at| self.tree.snapshot.node(at))
    }
}

/// Returns an element in words, such as `button "Save"`.
pub(crate) fn label(node: &Node) -> String {
    if node.name.is_empty() {
        node.role.short().to_owned()
    } else {
        format!("{} {}", node.role.short(), quote(&node.name, MAX_NAME_CHARS))
    }
}

/// The facets read of the whole app before and after an action: enough to find changes.
pub(crate) const SNAPSHOT_FACETS: NodeFields = NodeFields { values: true, ..NodeFields::MINIMAL };

/// The facets read of the target itself.
pub(crate) const ELEMENT_FACETS: NodeFields = NodeFields { relations: false, ..NodeFields::ALL };

/// Waits until the only element that matches a query is ready.
pub(crate) fn wait_until_ready(
    cx: &Context<'_>,
    app: &App,
    query: &str,
    readiness: Readiness,
) -> Result<ActionTarget> {
    let query = Query::parse(query, Strategy::Auto)?;
    let listener = cx.listeners.get(&app.id);
    let found =
        |result: SearchResult<ActionMatch>, start: ReadStart, from_cache, scrolled: &mut bool| {
            let read_time = start.time.elapsed();
            let SearchResult { tree, found: ActionMatch { located, modality } } = result;
            let at = located.index;
            let place = Place { snapshot: &tree.snapshot, at, modality: &modality };
            let node = check_ready(cx, app, place, readiness, query.text(), scrolled)?;
            cx.consent.record_target(app, &node);
            let events_from = start.position;
            Ok(ActionTarget {
                app: app.clone(),
                tree,
                index: at,
                node,
                reference: located.reference.to_string(),
                others: located.others,
                guess: located.guess,
                healed: located.healed,
                read_time,
                events_from,
                from_cache,
            })
        };
    let purpose = readiness.purpose;
    if let Some(listener) = &listener {
        let start = ReadStart::now(Some(listener));
        // If the cached snapshot causes any problem, a new read decides.
        let known = snapshot_cache::load(cx, app, listener, SNAPSHOT_FACETS)
            .and_then(|snapshot| {
                tree::find_in_snapshot(cx, app, &query, snapshot, SNAPSHOT_FACETS, purpose)
                    .ok()
                    .flatten()
            })
            .and_then(|result| found(result, start, true, &mut true).ok());
        if let Some(target) = known {
            return Ok(target);
        }
    }
    wait_for(cx, app, |scrolled| {
        let start = ReadStart::now(listener.as_deref());
        let result = tree::find_action_target(cx, app, &query, SNAPSHOT_FACETS, purpose)?;
        found(result, start, false, scrolled)
    })
}

/// The moment at which a read started.
#[derive(Clone, Copy)]
struct ReadStart {
    time: Instant,
    position: Option<EventPosition>,
}

impl ReadStart {
    fn now(listener: Option<&EventListener>) -> Self {
        Self { time: Instant::now(), position: listener.map(EventListener::position) }
    }
}

/// Reads the app again and returns the target with a known id.
pub(crate) fn from_id(cx: &Context<'_>, app: &App, id: &NodeId) -> Result<ActionTarget> {
    let start = ReadStart::now(cx.listeners.get(&app.id).as_deref());
    let mut tree = TreeRead::of_app(cx, app, &WalkOptions::with_fields(SNAPSHOT_FACETS))?;
    let read_time = start.time.elapsed();
    let node = read_now(cx, app, id)?;
    let gone = || deskhand_platform::Error::Gone { what: "the element".to_owned() };
    let at = tree.snapshot.position(id).ok_or_else(gone)?;
    let reference = tree.assign_ref(at).to_string();
    cx.consent.record_target(app, &node);
    let (app, events_from) = (app.clone(), start.position);
    Ok(ActionTarget {
        app,
        tree,
        index: at,
        node,
        reference,
        others: OtherMatches::default(),
        guess: None,
        healed: None,
        read_time,
        events_from,
        from_cache: false,
    })
}

/// Waits until the focused element of an app accepts text.
pub(crate) fn wait_for_focused(cx: &Context<'_>, app: &App) -> Result<ActionTarget> {
    wait_for(cx, app, |scrolled| {
        let start = ReadStart::now(cx.listeners.get(&app.id).as_deref());
        let mut tree = TreeRead::of_app(cx, app, &WalkOptions::with_fields(SNAPSHOT_FACETS))?;
        let read_time = start.time.elapsed();
        let at = visibility::focused_index(&tree.snapshot).ok_or_else(|| Error::NotReady {
            query: "the focused element".to_owned(),
            condition: Condition::Focused,
            last_state: "no element of the app has the keyboard focus".to_owned(),
        })?;
        let modality = Modality::read(cx, app, &tree.snapshot);
        let place = Place { snapshot: &tree.snapshot, at, modality: &modality };
        let node = check_ready(cx, app, place, Readiness::TEXT, "the focused element", scrolled)?;
        cx.consent.record_target(app, &node);
        let reference = tree.assign_ref(at).to_string();
        tree.save_refs()?;
        let (app, events_from) = (app.clone(), start.position);
        Ok(ActionTarget {
            app,
            tree,
            index: at,
            node,
            reference,
            others: OtherMatches::default(),
            guess: None,
            healed: None,
            read_time,
            events_from,
            from_cache: false,
        })
    })
}

/// Repeats an attempt until it succeeds, the deadline is over, or the app is idle and the attempt
/// would fail again.
fn wait_for(
    cx: &Context<'_>,
    app: &App,
    mut attempt: impl FnMut(&mut bool) -> Result<ActionTarget>,
) -> Result<ActionTarget> {
    let started = Instant::now();
    let mut scrolled = false;
    let mut reason = None;
    let mut is_idle = false;
    loop {
        match attempt(&mut scrolled) {
            Ok(target) => return Ok(target),
            // The last problem with the element says more than a timeout.
            Err(Error::Platform(deskhand_platform::Error::Timeout { what })) => {
                let late = deskhand_platform::Error::Timeout { what };
                return Err(reason.unwrap_or(Error::Platform(late)));
            }
            Err(error) => {
                let quiet_period = quiet_period(&error);
                if !may_resolve(&error, started)
                    || (is_idle && quiet_period.is_some())
                    || cx.deadline.remaining() < timing::READY_POLL_INTERVAL * 2
                {
                    let lost =
                        matches!(error, Error::Locate(deskhand_locate::Error::NoMatch { .. }));
                    return Err(if lost { reason.unwrap_or(error) } else { error });
                }
                // A read that was cut short finds nothing, which says nothing about the element.
                let cut_short = matches!(error, Error::Locate(_)) && reason.is_some();
                if !cut_short {
                    reason = Some(error);
                }
                is_idle = match quiet_period {
                    // The first repetition follows soon, because many apps are only a moment late.
                    Some(period) if started.elapsed() >= timing::READY_POLL_INTERVAL => {
                        let period = period.min(cx.deadline.remaining());
                        activity::wait_for_activity(cx, app, period)? == Activity::Idle
                    }
                    Some(_) | None => false,
                };
            }
        }
        cx.cancel.sleep(timing::READY_POLL_INTERVAL)?;
    }
}

/// Returns the time after which an idle app will not resolve the problem; `None` for a problem that
/// does not depend on the app alone.
fn quiet_period(error: &Error) -> Option<Duration> {
    if matches!(error, Error::Locate(deskhand_locate::Error::NoMatch { .. })) {
        return Some(crate::timing::MISSING_QUIET_PERIOD);
    }
    let Error::NotReady { condition, .. } = error else { return None };
    match condition {
        Condition::Visible | Condition::Enabled | Condition::Editable => {
            Some(crate::timing::UNREADY_QUIET_PERIOD)
        }
        Condition::Stable | Condition::Uncovered | Condition::Unblocked | Condition::Focused => {
            None
        }
    }
}

/// Returns `true` if the problem may resolve by waiting.
fn may_resolve(error: &Error, started: Instant) -> bool {
    let always = matches!(
        error,
        Error::NotReady { .. } | Error::Locate(deskhand_locate::Error::NoMatch { .. })
    );
    // A dialog waits for an answer, which this call does not give.
    let briefly = matches!(
        error,
        Error::NotReady { condition: Condition::Unblocked, .. }
            | Error::Locate(deskhand_locate::Error::Ambiguous { .. })
    );
    if briefly { started.elapsed() < timing::AMBIGUITY_TIMEOUT } else { always }
}

/// The place of an element in its app.
#[derive(Clone, Copy)]
struct Place<'a> {
    snapshot: &'a Snapshot,
    at: Index,
    modality: &'a Modality,
}

/// Reads the element and checks that it is ready.
fn check_ready(
    cx: &Context<'_>,
    app: &App,
    Place { snapshot, at, modality }: Place<'_>,
    readiness: Readiness,
    query: &str,
    scrolled: &mut bool,
) -> Result<Node> {
    let id = &snapshot.node(at).id;
    let mut node = read_now(cx, app, id)?;
    if node.name.is_empty() {
        // Some names come from the content, which only a tree read includes.
        node.name.clone_from(&snapshot.node(at).name);
    }
    if readiness.exists_only {
        return Ok(node);
    }
    let not_ready = |condition: Condition, last_state: String| {
        Err(Error::NotReady { query: query.to_owned(), condition, last_state })
    };
    let window = window_index(snapshot, at);
    if let Some(title) = window.and_then(|window| modality.blocker_of(snapshot, window)) {
        return not_ready(Condition::Unblocked, format!("window \"{title}\" is open above it"));
    }
    let is_visible = if readiness.pointer {
        node.states.has(State::Showing) && has_area(&node)
    } else {
        visibility::is_shown(snapshot, at, &node)
            || is_in_minimized_window(cx, app, snapshot, at, &node)
    };
    if !is_visible {
        // Scrolling does not show the items of a closed menu.
        if !*scrolled && !is_in_menu(snapshot, at) {
            *scrolled = true;
            let deadline = cx.deadline.at_most(timing::REVEAL_TIMEOUT);
            let reply = cx.desktop.tree.perform(app, id, &NodeAction::Reveal, deadline);
            if reply != Ok(ActionReply::Accepted) {
                // If the element cannot be scrolled, it is reported as invisible below.
                let _moved = scroll::move_scroll_bars(cx, app, snapshot, at, &node);
            }
        }
        return not_ready(Condition::Visible, describe_state(&node));
    }
    if !node.states.has(State::Enabled) && visibility::reports_enabled(&node) {
        return not_ready(Condition::Enabled, describe_state(&node));
    }
    if readiness.editable && !visibility::is_editable(&node) {
        return not_ready(Condition::Editable, describe_state(&node));
    }
    if readiness.pointer {
        std::thread::sleep(timing::STABILITY_DELAY);
        let reread = read_now(cx, app, id)?;
        if reread.bounds != node.bounds {
            let moved =
                format!("it moved from {} to {}", format_bounds(&node), format_bounds(&reread));
            return not_ready(Condition::Stable, moved);
        }
    }
    Ok(node)
}

/// Returns `true` for menu items and everything else inside a menu.
fn is_in_menu(snapshot: &Snapshot, at: Index) -> bool {
    std::iter::once(at).chain(snapshot.ancestors(at)).any(|up| {
        matches!(
            snapshot.node(up).role,
            Role::Menu
                | Role::PopupMenu
                | Role::MenuItem
                | Role::CheckMenuItem
                | Role::RadioMenuItem
        )
    })
}

/// Returns `true` if an element is invisible only because its window is minimized. Firefox reports
/// such a window as showing.
fn is_in_minimized_window(
    cx: &Context<'_>,
    app: &App,
    snapshot: &Snapshot,
    at: Index,
    node: &Node,
) -> bool {
    if !node.states.has(State::Visible) {
        return false;
    }
    let title = window_index(snapshot, at).map_or("", |window| snapshot.node(window).name.as_str());
    target_window::find_app_window(cx, app, title).is_some_and(|window| window.minimized)
}

/// Reads the current state of an element.
pub(crate) fn read_now(cx: &Context<'_>, app: &App, id: &NodeId) -> Result<Node> {
    let ids = std::slice::from_ref(id);
    let read = cx.desktop.tree.read(app, ids, ELEMENT_FACETS, cx.deadline)?.pop().flatten();
    read.ok_or_else(|| {
        Error::Platform(deskhand_platform::Error::Gone { what: "the element".to_owned() })
    })
}

fn has_area(node: &Node) -> bool {
    node.bounds.is_some_and(|bounds| !bounds.is_empty())
}

fn format_bounds(node: &Node) -> String {
    match node.bounds {
        Some(Rect { x, y, width, height }) => format!("{x},{y} {width}x{height}"),
        None => "nowhere".to_owned(),
    }
}

fn describe_state(node: &Node) -> String {
    let states: Vec<&str> = node.states.iter().map(State::word).collect();
    format!("{} at {} [{}]", label(node), format_bounds(node), states.join(" "))
}

#[cfg(test)]
mod tests;
