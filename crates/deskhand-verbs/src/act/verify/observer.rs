//! Reads an app before and after an action and judges the effect.
//!
//! The reply of the app only decides how long to wait; it is never evidence.

use std::{
    collections::HashSet,
    sync::Arc,
    time::{Duration, Instant},
};

use deskhand_model::{Event, Node, NodeId, Role, Snapshot, State};
use deskhand_platform::{
    ActionReply, Deadline, Error as PlatformError, NodeFields, TextContent, WalkOptions,
};

use super::{
    app_events::{EventListener, EventPosition},
    expectation::{ElementState, Expectation, Progress},
    side_effects, snapshot_cache,
    window_watch::WindowWatch,
};
use crate::{
    Context,
    act::{
        real_input, scroll, select,
        target::{ActionTarget, SNAPSHOT_FACETS},
        timing,
    },
    effect::{ActionEffect, Evidence, EvidenceKind},
};

/// The state of an app before an action, and the means to compare it with later states.
pub(crate) struct Observer<'a> {
    cx: &'a Context<'a>,
    target: &'a ActionTarget,
    id: NodeId,
    what: String,
    before: ElementState,
    windows: WindowWatch<'a>,
    listener: Option<Arc<EventListener>>,
    position: Option<EventPosition>,
}

/// The judgement on an action.
#[derive(Debug)]
pub(crate) struct Observation {
    pub verdict: ActionEffect,
    pub evidence: Vec<Evidence>,
    /// The tree after the action, if it was read.
    pub after: Option<Snapshot>,
    /// The elements that show the effect.
    changed_nodes: Vec<NodeId>,
}

impl Observation {
    fn new(verdict: ActionEffect, evidence: Vec<Evidence>) -> Self {
        Self { verdict, evidence, after: None, changed_nodes: Vec::new() }
    }
}

/// The result of reading the target once.
enum ElementReading {
    Present(Box<ElementState>),
    Gone,
    AppGone,
    NoAnswer,
}

impl<'a> Observer<'a> {
    /// Records the current state.
    pub(crate) fn start(
        cx: &'a Context<'a>,
        target: &'a ActionTarget,
        expectation: &Expectation,
        listener: Option<Arc<EventListener>>,
    ) -> Self {
        let id = target.node.id.clone();
        let position = listener.as_ref().map(|listener| listener.position());
        let mut observer = Self {
            cx,
            target,
            id,
            what: target.label(),
            before: ElementState {
                node: target.node.clone(),
                text: None,
                choice: None,
                in_view: false,
            },
            windows: WindowWatch::start(cx.desktop.windows.as_deref(), target.app.pid),
            position,
            listener,
        };
        observer.before.text = observer.read_text(expectation).unwrap_or_default();
        let has_choice = select::has_choice(&target.node);
        observer.before.choice = has_choice.then(|| observer.read_choice()).flatten();
        observer.before.in_view = observer.in_view(expectation, &target.node);
        observer
    }

    /// Returns the state of the target before the action.
    pub(crate) fn before(&self) -> &ElementState {
        &self.before
    }

    /// Returns `true` if the tree may be outdated. Browsers do not update the pages of minimized
    /// windows.
    pub(crate) fn is_stale(&self) -> bool {
        real_input::stops_updating_minimized(&self.target.app) && self.windows.all_minimized()
    }

    /// Marks the moment at which the action is sent. Only later events count.
    pub(crate) fn mark_sent(&mut self) {
        self.position = self.listener.as_ref().map(|listener| listener.position());
    }

    /// Watches the app until the expectation is met or no further change is likely.
    pub(crate) fn watch(&self, expectation: &Expectation, reply: ActionReply) -> Observation {
        let timeout = match reply {
            ActionReply::Declined => timing::DECLINED_TIMEOUT,
            ActionReply::Accepted | ActionReply::Unanswered => timing::EFFECT_TIMEOUT,
        };
        let started = Instant::now();
        let mut last_change = started;
        let mut different: Option<Evidence> = None;
        // The effect is unknown while the app is too busy to answer.
        let mut no_answer = true;
        let mut tree_reads =
            timing::TREE_READS_MS.iter().map(|ms| Duration::from_millis(*ms)).peekable();
        let mut pause = timing::FIRST_POLL;
        loop {
            let position = self.listener.as_ref().map(|listener| listener.position());
            let reading = self.read_element(expectation);
            no_answer &= matches!(reading, ElementReading::NoAnswer);
            match reading {
                ElementReading::Present(now) => {
                    match expectation.progress(&self.before, &now, &self.what) {
                        Progress::Met(evidence) => return self.confirmed(evidence),
                        Progress::Different(evidence) => {
                            // Long texts arrive in pieces.
                            if different.as_ref() != Some(&evidence) {
                                last_change = Instant::now();
                            }
                            different = Some(evidence);
                        }
                        Progress::Pending => {}
                    }
                }
                ElementReading::Gone => {
                    let evidence =
                        Evidence::new(EvidenceKind::Elements, format!("{} is gone", self.what));
                    if !expectation.is_exact() {
                        return self.confirmed(evidence);
                    }
                    different = Some(evidence);
                }
                ElementReading::AppGone => return self.app_gone(expectation),
                ElementReading::NoAnswer => {}
            }
            if let Some(evidence) = self.windows.opened_or_closed() {
                if !expectation.is_exact() {
                    return self.confirmed(evidence);
                }
                different.get_or_insert(evidence);
            }
            if !expectation.is_exact() {
                if let Some((changed_nodes, evidence)) = self.event_evidence(expectation) {
                    return Observation {
                        changed_nodes: vec![changed_nodes],
                        ..self.confirmed(evidence)
                    };
                }
                let due = tree_reads.next_if(|at| started.elapsed() >= *at).is_some();
                if due && let Some(observation) = self.side_effects_elsewhere(expectation) {
                    return observation;
                }
            }
            if self.cx.cancel.is_cancelled() {
                return Observation::new(ActionEffect::Unverified, Vec::new());
            }
            let is_over = !no_answer && last_change.elapsed() >= timeout;
            if is_over || started.elapsed() >= timing::MAX_EFFECT_TIME {
                break;
            }
            self.wait(position, pause);
            pause = (pause * 2).min(timing::MAX_WATCH_POLL);
        }
        if self.target.from_cache
            && !expectation.is_exact()
            && let Some(listener) = &self.listener
        {
            snapshot_cache::mark_incomplete(listener);
        }
        if no_answer {
            return Observation::new(ActionEffect::Unverified, Vec::new());
        }
        match (different, expectation.is_exact(), reply) {
            (Some(evidence), ..) => Observation::new(ActionEffect::Partial, vec![evidence]),
            (None, true, ActionReply::Accepted | ActionReply::Declined)
            | (None, false, ActionReply::Declined) => {
                Observation::new(ActionEffect::NoEffect, Vec::new())
            }
            (None, true, ActionReply::Unanswered)
            | (None, false, ActionReply::Accepted | ActionReply::Unanswered) => {
                Observation::new(ActionEffect::Unverified, Vec::new())
            }
        }
    }

    /// Compares the target now with an earlier state.
    pub(crate) fn progress_since(
        &self,
        expectation: &Expectation,
        before: &ElementState,
    ) -> Progress {
        match self.read_element(expectation) {
            ElementReading::Present(now) => expectation.progress(before, &now, &self.what),
            ElementReading::Gone | ElementReading::AppGone | ElementReading::NoAnswer => {
                Progress::Pending
            }
        }
    }

    /// Returns the windows before the action.
    pub(crate) fn windows(&self) -> &WindowWatch<'a> {
        &self.windows
    }

    /// Returns evidence if the target is missing from a later snapshot. A page that loads slowly
    /// takes its button away only then.
    pub(crate) fn gone_evidence(&self, after: &Snapshot) -> Option<Evidence> {
        is_missing(after, &self.id)
            .then(|| Evidence::new(EvidenceKind::Elements, format!("{} is gone", self.what)))
    }

    /// Waits until the app has finished its reaction, so that the next read shows all of it.
    pub(crate) fn settle(&self) {
        let started = Instant::now();
        // Qt 5 shows a button as pressed for 100 ms before it performs the action.
        let may_hold_down =
            self.before.node.role == Role::Button && !self.before.node.states.has(State::Pressed);
        let mut quiet = timing::SETTLE_QUIET;
        while may_hold_down && started.elapsed() < timing::MAX_SETTLE {
            match self.read_element(&Expectation::AnyChange) {
                ElementReading::Present(now) if now.node.states.has(State::Pressed) => {
                    quiet = timing::RELEASE_QUIET;
                    std::thread::sleep(timing::HELD_BUTTON_POLL);
                }
                ElementReading::Present(_)
                | ElementReading::Gone
                | ElementReading::AppGone
                | ElementReading::NoAnswer => break,
            }
        }
        let Some(listener) = &self.listener else { return };
        while started.elapsed() < timing::MAX_SETTLE + timing::RELEASE_QUIET {
            let position = listener.position();
            listener.wait_for_event(position, quiet);
            if listener.events_since(position).is_empty() {
                return;
            }
        }
    }

    /// Remembers which elements the action changed. The next time, their events are evidence at
    /// once.
    pub(crate) fn record_effect(&self, observation: &Observation) {
        if let (Some(listener), Some(position)) = (&self.listener, self.position)
            && observation.verdict == ActionEffect::Confirmed
        {
            listener.record_effect(&self.id, observation.changed_nodes.clone(), position);
        }
    }

    /// Returns the tree after the action, from the cache and events if possible.
    pub(crate) fn snapshot_after(&self) -> Option<Snapshot> {
        let (target, facets) = (self.target, self.target.tree.facets);
        let Some(listener) = &self.listener else { return self.read_tree() };
        if target.from_cache
            && let Some(after) = snapshot_cache::load(self.cx, &target.app, listener, facets)
        {
            return Some(after);
        }
        let position = listener.position();
        let after = self.read_tree()?;
        if let Some(since) = target.events_from
            && !target.from_cache
        {
            snapshot_cache::learn_coverage(listener, &target.tree.snapshot, &after, since);
        }
        snapshot_cache::store(listener, after.clone(), facets, position);
        Some(after)
    }

    /// Reads the whole tree; `None` if that takes too long.
    pub(crate) fn read_tree(&self) -> Option<Snapshot> {
        if self.target.read_time > timing::MAX_TREE_READ {
            return None;
        }
        let deadline = Deadline::after(timing::MAX_TREE_READ * 2);
        let app = &self.target.app;
        // Without this read, the outcome lists no other changes.
        let within = WalkOptions::with_fields(self.target.tree.facets);
        let after = self.cx.desktop.tree.walk(app, &app.root, &within, deadline).ok()?;
        Some(after.with_ids_from(&self.target.tree.snapshot))
    }

    fn confirmed(&self, evidence: Evidence) -> Observation {
        Observation::new(ActionEffect::Confirmed, vec![evidence])
    }

    fn app_gone(&self, expectation: &Expectation) -> Observation {
        let evidence =
            Evidence::new(EvidenceKind::Process, format!("{} ended", self.target.app.name));
        let verdict =
            if expectation.is_exact() { ActionEffect::Partial } else { ActionEffect::Confirmed };
        Observation::new(verdict, vec![evidence])
    }

    fn wait(&self, position: Option<EventPosition>, pause: Duration) {
        match (&self.listener, position) {
            (Some(listener), Some(position)) => listener.wait_for_event(position, pause),
            (Some(_) | None, _) => std::thread::sleep(pause),
        }
    }

    /// Reads the text if the expectation needs it. An element without text is judged by its value.
    fn read_text(
        &self,
        expectation: &Expectation,
    ) -> deskhand_platform::Result<Option<TextContent>> {
        if !expectation.needs_text() {
            return Ok(None);
        }
        let deadline = Deadline::after(timing::ELEMENT_READ_TIMEOUT * 4);
        self.cx.desktop.tree.text(&self.target.app, &self.id, deadline)
    }

    fn read_element(&self, expectation: &Expectation) -> ElementReading {
        let deadline = Deadline::after(timing::ELEMENT_READ_TIMEOUT);
        let ids = std::slice::from_ref(&self.id);
        // Reading the bounds costs as much as all the rest.
        let what = NodeFields {
            bounds: *expectation == Expectation::InView,
            hidden: true,
            ..SNAPSHOT_FACETS
        };
        match self.cx.desktop.tree.read(&self.target.app, ids, what, deadline) {
            Ok(mut nodes) => match nodes.pop().flatten() {
                Some(mut node) => {
                    if node.name.is_empty() {
                        node.name.clone_from(&self.before.node.name);
                    }
                    let choice = self.before.choice.as_ref().and_then(|_| self.read_choice());
                    let in_view = self.in_view(expectation, &node);
                    let Ok(text) = self.read_text(expectation) else {
                        return ElementReading::NoAnswer;
                    };
                    ElementReading::Present(Box::new(ElementState { node, text, choice, in_view }))
                }
                None => ElementReading::Gone,
            },
            Err(PlatformError::Gone { .. } | PlatformError::Disconnected { .. }) => {
                if self.app_runs() { ElementReading::Gone } else { ElementReading::AppGone }
            }
            Err(_) => ElementReading::NoAnswer,
        }
    }

    /// Reads the current choice of the target.
    fn read_choice(&self) -> Option<String> {
        select::current_choice(
            self.cx,
            &self.target.app,
            &self.id,
            Deadline::after(timing::ELEMENT_READ_TIMEOUT),
        )
    }

    fn in_view(&self, expectation: &Expectation, node: &Node) -> bool {
        *expectation == Expectation::InView
            && scroll::is_in_view(
                self.cx,
                self.target,
                node,
                Deadline::after(timing::ELEMENT_READ_TIMEOUT),
            )
    }

    fn app_runs(&self) -> bool {
        let apps = self.cx.desktop.tree.apps(Deadline::after(timing::ELEMENT_READ_TIMEOUT));
        // A failed list says nothing about the app.
        apps.map_or(true, |apps| apps.iter().any(|app| app.id == self.target.app.id))
    }

    /// Returns evidence from events that only the action can have caused: events of the target
    /// itself, or of an element that was quiet for a long time before.
    fn event_evidence(&self, expectation: &Expectation) -> Option<(NodeId, Evidence)> {
        let (listener, position) = (self.listener.as_ref()?, self.position?);
        let events = listener.events_since(position);
        let own = events.iter().filter(|event| expectation.accepts_event(event)).find(|event| {
            event.node.as_ref() == Some(&self.id) && side_effects::is_effect_on_target(event)
        });
        if let Some(event) = own {
            let text = format!("{} reported {}", self.what, side_effects::describe_event(event));
            return Some((self.id.clone(), Evidence::new(EvidenceKind::Event, text)));
        }
        if self.is_stale() {
            return None;
        }
        let is_quiet = |event: &&Event| {
            side_effects::is_effect_elsewhere(event)
                && event.node.as_ref().is_some_and(|node| {
                    listener.quiet_time_before(position, node, &self.id) >= timing::QUIET_PERIOD
                })
        };
        let quiet: Vec<NodeId> =
            events.iter().filter(is_quiet).filter_map(|event| event.node.clone()).take(8).collect();
        if quiet.is_empty() {
            return None;
        }
        side_effects::read_changes(self.cx, &self.target.app, &self.target.tree.snapshot, &quiet)
            .filter(|(_, evidence)| expectation.accepts_evidence(evidence))
    }

    /// Returns changes elsewhere in the app that do not repeat by themselves.
    fn side_effects_elsewhere(&self, expectation: &Expectation) -> Option<Observation> {
        // A cached snapshot misses unreported changes, and a browser updates a minimized window
        // only now and then. Both would be mistaken for effects.
        if self.target.from_cache || self.is_stale() {
            return None;
        }
        let before = &self.target.tree.snapshot;
        let after = self.read_tree()?;
        if side_effects::differences(before, &after, &HashSet::new()).is_empty() {
            return None;
        }
        std::thread::sleep(timing::CONTROL_DELAY);
        let later = self.read_tree()?;
        let later = later.with_ids_from(&after);
        let mut self_updating: HashSet<NodeId> = side_effects::changed_elements(&after, &later);
        if let (Some(listener), Some(position)) = (&self.listener, self.position) {
            // A busy page may show the same time in two reads, although its clock runs.
            self_updating.extend(listener.self_updating(
                position,
                timing::QUIET_PERIOD,
                side_effects::is_self_update,
            ));
        }
        let mut evidence = side_effects::differences(before, &after, &self_updating);
        evidence.retain(|one| expectation.accepts_evidence(one));
        if evidence.iter().all(|one| one.kind == EvidenceKind::Elements) && !evidence.is_empty() {
            // A busy page redraws its clock late, after a whole second.
            std::thread::sleep(timing::SECOND_CONTROL_DELAY);
            let last = self.read_tree()?.with_ids_from(&after);
            self_updating.extend(side_effects::changed_elements(&after, &last));
            evidence = side_effects::differences(before, &after, &self_updating);
            evidence.retain(|one| expectation.accepts_evidence(one));
        }
        if evidence.is_empty() {
            return None;
        }
        evidence.truncate(4);
        let changed = side_effects::changed_elements(before, &after).into_iter();
        let changed_nodes = changed.filter(|id| !self_updating.contains(id)).collect();
        Some(Observation {
            verdict: ActionEffect::Confirmed,
            evidence,
            after: Some(later),
            changed_nodes,
        })
    }
}

/// Returns `true` if a complete snapshot lacks the element.
fn is_missing(after: &Snapshot, id: &NodeId) -> bool {
    after.cuts().next().is_none() && after.position(id).is_none()
}

#[cfg(test)]
mod tests {
    use deskhand_model::{Cut, Node, Role};

    use super::*;
    use crate::testing::app;

    #[test]
    fn an_element_is_missing_only_from_a_complete_snapshot() {
        let tree_with = |cut: Option<Cut>| {
            let mut page = Node::new(NodeId::new("page"), Role::WebDocument);
            page.cut = cut;
            Snapshot::assemble(app("page"), vec![page], &[Vec::new()])
        };
        assert!(is_missing(&tree_with(None), &NodeId::new("button")));
        assert!(!is_missing(&tree_with(None), &NodeId::new("page")));
        assert!(!is_missing(&tree_with(Some(Cut::Deadline)), &NodeId::new("button")));
    }
}
