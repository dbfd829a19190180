//! Reads an app before and after an action and judges the effect.
//!
//! The reply of the app only decides how long to wait; it is never evidence.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use deskhand_model::{Index, Node, NodeId, Role, Snapshot, State};
use deskhand_platform::{ActionReply, Deadline, WalkOptions};

mod elsewhere;
mod reading;
mod rest;

use self::{reading::ElementReading, rest::RestWatch};
use super::{
    app_events::{EventListener, EventPosition},
    expectation::{ElementState, Expectation, Progress},
    picture::Picture,
    snapshot_cache,
    window_watch::WindowWatch,
};
use crate::{
    Context,
    act::{real_input, select, target::ActionTarget, timing},
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
    /// The picture of the target, if the expectation may be met without a report in the tree and the
    /// target can be seen.
    picture: Option<Picture<'a>>,
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
    /// The app had settled when the effect was confirmed.
    pub settled: bool,
    /// The app made the expected change and undid it.
    pub reverted: bool,
    /// The elements that show the effect.
    changed_nodes: Vec<NodeId>,
}

impl Observation {
    fn new(verdict: ActionEffect, evidence: Vec<Evidence>) -> Self {
        Self {
            verdict,
            evidence,
            after: None,
            settled: false,
            reverted: false,
            changed_nodes: Vec::new(),
        }
    }
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
            picture: None,
            position,
            listener,
        };
        if expectation.may_be_unreported() {
            observer.picture = Picture::of_target(cx, target);
        }
        observer.before.text = observer.read_text(expectation).unwrap_or_default();
        let has_choice = select::has_choice(&target.node);
        observer.before.choice = has_choice.then(|| observer.read_choice()).flatten();
        observer.before.in_view = observer.in_view(expectation, &target.node);
        if observer.is_selected_in_container(expectation, &target.node) {
            observer.before.node.states = target.node.states.with(State::Selected);
        }
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

    /// Returns `true` if the target looks different from before.
    pub(crate) fn looks_different(&self) -> bool {
        self.picture.as_ref().is_some_and(Picture::has_changed)
    }

    /// Returns `true` if the target may look different although nothing shows it: the tree does not
    /// always report such an effect, and the desktop has a screen but no picture of the target.
    pub(crate) fn is_picture_missing(&self, expectation: &Expectation) -> bool {
        expectation.may_be_unreported()
            && self.picture.is_none()
            && self.cx.desktop.screen.is_some()
    }

    /// Marks the moment at which the action is sent. Only later events count.
    pub(crate) fn mark_sent(&mut self) {
        self.position = self.listener.as_ref().map(|listener| listener.position());
    }

    /// Watches the app until the expectation is met or no further change is likely.
    pub(crate) fn watch(&self, expectation: &Expectation, reply: ActionReply) -> Observation {
        let mut timeout = match reply {
            ActionReply::Declined => timing::DECLINED_TIMEOUT,
            ActionReply::Accepted | ActionReply::Unanswered => timing::EFFECT_TIMEOUT,
        };
        let started = Instant::now();
        let mut last_change = started;
        let mut different: Option<Evidence> = None;
        let mut reverted: Option<Evidence> = None;
        // The effect is unknown while the app is too busy to answer.
        let mut no_answer = true;
        let mut tree_reads =
            timing::TREE_READS_MS.iter().map(|ms| Duration::from_millis(*ms)).peekable();
        let mut pause = timing::FIRST_POLL;
        let mut rest = RestWatch::start(expectation, reply);
        loop {
            let position = self.listener.as_ref().map(|listener| listener.position());
            let reading = self.read_element(expectation);
            let has_answered = !matches!(reading, ElementReading::NoAnswer);
            no_answer &= !has_answered;
            match reading {
                ElementReading::Present(now) => {
                    match expectation.progress(&self.before, &now, &self.what) {
                        // A counter may have changed by itself. Reading the tree twice decides.
                        Progress::Met(evidence)
                            if !expectation.is_exact() && evidence.is_counter() => {}
                        Progress::Met(evidence) => match self.is_still_met(expectation) {
                            Some(true) => {
                                let settled = true;
                                return Observation { settled, ..self.confirmed(evidence) };
                            }
                            Some(false) => {
                                if expectation.is_exact() {
                                    timeout = timing::DECLINED_TIMEOUT;
                                }
                                last_change = Instant::now();
                                reverted = Some(evidence);
                            }
                            None => {}
                        },
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
                    if expectation.is_exact() {
                        different = Some(evidence);
                    } else if self.has_left() {
                        return self.confirmed(evidence);
                    }
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
                if due
                    && let Some(observation) =
                        self.side_effects_elsewhere(expectation, started.elapsed())
                {
                    return observation;
                }
            }
            if self.cx.cancel.is_cancelled() {
                return Observation::new(ActionEffect::Unverified, Vec::new());
            }
            let is_over = !no_answer
                && (last_change.elapsed() >= timeout || rest.is_over(self, has_answered));
            if is_over || started.elapsed() >= timing::MAX_EFFECT_TIME {
                break;
            }
            self.wait(position, rest.pause(pause));
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
        // A change on the way to the goal counts only if it is still there at the end.
        if expectation.is_exact()
            && let Some(evidence) = &different
            && evidence.kind != EvidenceKind::Window
            && self.is_as_before(expectation)
        {
            reverted = different.take();
        }
        if let Some(evidence) = reverted.filter(|_| different.is_none() && expectation.is_exact()) {
            let (before, after) = (evidence.before.clone(), evidence.after.clone());
            let undone = Evidence { before: after, after: before, ..evidence.clone() };
            return Observation {
                reverted: true,
                ..Observation::new(ActionEffect::NoEffect, vec![evidence, undone])
            };
        }
        // The last look: a busy app may have reacted after the last tree read.
        if !expectation.is_exact()
            && let Some(observation) = self.side_effects_elsewhere(expectation, started.elapsed())
        {
            return observation;
        }
        if different.is_none()
            && expectation.is_exact()
            && let Some(elsewhere) = self.side_effects_elsewhere(expectation, started.elapsed())
        {
            return Observation { verdict: ActionEffect::Partial, ..elsewhere };
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
        (is_missing(after, &self.id) && !self.is_recreated(after))
            .then(|| Evidence::new(EvidenceKind::Elements, format!("{} is gone", self.what)))
    }

    /// Waits until the app has finished its reaction, so that the next read shows all of it.
    pub(crate) fn settle(&self) {
        let started = Instant::now();
        // Qt 5 shows a button as pressed for 100 ms before it performs the action.
        let may_hold_down =
            self.before.node.role == Role::Button && !self.before.node.states.has(State::Pressed);
        let mut quiet =
            if self.reports_late() { timing::SLOW_SETTLE_QUIET } else { timing::SETTLE_QUIET };
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
        let Some(listener) = &self.listener else { return std::thread::sleep(quiet) };
        while started.elapsed() < timing::MAX_SETTLE + timing::RELEASE_QUIET {
            let position = listener.position();
            listener.wait_for_event(position, quiet);
            if listener.events_since(position).is_empty() {
                return;
            }
        }
    }

    /// Returns `true` for elements of web pages and Java apps, which report changes late.
    fn reports_late(&self) -> bool {
        self.target.app.toolkit.name.starts_with("J2SE") || self.is_in_page()
    }

    fn is_in_page(&self) -> bool {
        let snapshot = &self.target.tree.snapshot;
        let is_page = |up: Index| snapshot.node(up).role == Role::WebDocument;
        snapshot.ancestors(self.target.index).any(is_page)
    }

    /// Waits until the app has settled and returns `true` if the expectation is still met; `None` if
    /// the app is too busy to answer. Apps undo changes that they do not accept, and rewrite texts,
    /// shortly after they happen.
    fn is_still_met(&self, expectation: &Expectation) -> Option<bool> {
        self.settle();
        if expectation.is_exact() && self.is_in_page() {
            std::thread::sleep(timing::PAGE_UNDO_TIME);
        }
        match self.read_element(expectation) {
            ElementReading::Present(now) => Some(matches!(
                expectation.progress(&self.before, &now, &self.what),
                Progress::Met(_)
            )),
            // The element did its work and disappeared, as the button of a dialog does.
            ElementReading::Gone | ElementReading::AppGone => Some(true),
            ElementReading::NoAnswer => None,
        }
    }

    /// Returns `true` if the target is in the state that it had before the action.
    fn is_as_before(&self, expectation: &Expectation) -> bool {
        match self.read_element(expectation) {
            ElementReading::Present(now) => {
                expectation.progress(&self.before, &now, &self.what) == Progress::Pending
            }
            ElementReading::Gone | ElementReading::AppGone | ElementReading::NoAnswer => false,
        }
    }

    /// Returns `true` if a dialog answers a click on one of its buttons with a message: a question or
    /// a refusal. The button has not done its work then.
    pub(crate) fn has_new_message(&self, after: &Snapshot) -> bool {
        let before = &self.target.tree.snapshot;
        let is_dialog = |window: &Node| {
            matches!(window.role, Role::Dialog | Role::FileChooser | Role::Alert)
                || window.states.has(State::Modal)
        };
        let Some(window) = self.target.window().filter(|window| is_dialog(window)) else {
            return false;
        };
        let is_new_message = |at: Index| {
            let window = after.node(at);
            window.role == Role::Alert && before.position(&window.id).is_none()
        };
        after.position(&window.id).is_some() && after.children(Index::ROOT).any(is_new_message)
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
