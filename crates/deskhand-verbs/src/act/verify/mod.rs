//! The act-and-verify loop: tries strategies in order until the app shows that one had an effect.
//!
//! A strategy never counts as successful because the app accepted it. An [`Observer`] reads the
//! element, the tree, the windows and the events of the app before and after each attempt, and an
//! [`Expectation`] says which change proves success.

mod app_events;
pub(crate) mod expectation;
mod observer;
mod picture;
pub(crate) mod side_effects;
pub(crate) mod snapshot_cache;
mod window_watch;

pub use self::app_events::EventListeners;
pub(crate) use self::{
    app_events::{EventListener, EventPosition, find_while_listening},
    expectation::Expectation,
};

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use deskhand_model::{
    Advice, Delivery, Diff, Node, Snapshot, State, Step,
    outline::{ChangeOutline, ChangeOutlineOptions},
};
use deskhand_platform::{ActionReply, Deadline, Error as PlatformError, NodeAction, WalkOptions};

use self::{
    expectation::{ElementState, Progress},
    observer::Observer,
};
use super::{
    real_input,
    target::{self, ActionTarget},
    timing,
};
use crate::{
    Context, Error, Result,
    effect::{ActionEffect, ActionOutcome, Evidence, EvidenceKind, FailedAttempt},
};

/// Returns the next step for an app that does not update the tree of a minimized window.
pub(crate) fn stale_tree_advice() -> Advice {
    Advice::from("its window is minimized, and this app does not keep its tree up to date then: ")
        .text("restore it with ")
        .step(Step::RestoreWindow { id: None })
        .text(" and look again")
}

/// Returns the next step for a state that changed without a reaction of the app.
fn silent_change_advice() -> Advice {
    Advice::from(
        "the state changed, but the app may not have reacted to it: look at the app, or use ",
    )
    .step(Step::FocusMode)
}

/// The result of sending an action.
pub(crate) enum SendOutcome {
    /// The action was sent, and the app replied.
    Replied(ActionReply),
    /// The action could not be sent, for this reason. Nothing happened.
    Impossible(String),
    /// Keys were sent that should have led to the element and did not, for this reason.
    Missed(String),
}

type SendFn<'a> = Box<dyn Fn(&Context<'_>, &ActionTarget) -> Result<SendOutcome> + 'a>;

/// One way to perform an action.
pub(crate) struct Strategy<'a> {
    /// The name of the strategy in results.
    pub name: String,
    run: SendFn<'a>,
    in_foreground: bool,
    /// The strategy changes the state of the target without running the code of the app that a user
    /// would run. The state alone does not confirm such an action.
    is_silent: bool,
}

impl<'a> Strategy<'a> {
    /// Creates a strategy from a closure.
    pub(crate) fn new(
        name: impl Into<String>,
        run: impl Fn(&Context<'_>, &ActionTarget) -> Result<SendOutcome> + 'a,
    ) -> Self {
        Self { name: name.into(), run: Box::new(run), in_foreground: false, is_silent: false }
    }

    /// Marks the strategy as one that brings the window to the front on purpose.
    #[must_use]
    pub(crate) fn in_foreground(self) -> Self {
        Self { in_foreground: true, ..self }
    }

    /// Marks the strategy as one that may not run the code of the app.
    #[must_use]
    pub(crate) fn silent(self) -> Self {
        Self { is_silent: true, ..self }
    }

    /// Marks the strategy as one whose goal is the state of the target, which then confirms it.
    #[must_use]
    pub(crate) fn for_state(self) -> Self {
        Self { is_silent: false, ..self }
    }

    /// Returns `true` if the strategy may not run the code of the app.
    pub(crate) fn is_silent(&self) -> bool {
        self.is_silent
    }

    /// Creates a strategy that sends an accessibility action to the target itself.
    pub(crate) fn accessibility(name: impl Into<String>, act: NodeAction) -> Self {
        Self::new(name, move |cx, target| perform(cx, target, &act))
    }
}

/// Sends an accessibility action to the target.
pub(crate) fn perform(
    cx: &Context<'_>,
    target: &ActionTarget,
    act: &NodeAction,
) -> Result<SendOutcome> {
    let deadline = Deadline::after(timing::ACTION_TIMEOUT);
    let reply = cx.desktop.tree.perform(&target.app, &target.node.id, act, deadline);
    // Qt answers an unknown request as if the element did not exist.
    if matches!(reply, Err(PlatformError::Gone { .. }))
        && target::read_now(cx, &target.app, &target.node.id).is_ok()
    {
        return Ok(SendOutcome::Impossible("the app does not support the request".to_owned()));
    }
    send_outcome(reply)
}

/// Converts the reply or error of the platform into the result of an attempt.
pub(crate) fn send_outcome(reply: deskhand_platform::Result<ActionReply>) -> Result<SendOutcome> {
    match reply {
        Ok(reply) => Ok(SendOutcome::Replied(reply)),
        Err(PlatformError::Unsupported { why, .. }) => Ok(SendOutcome::Impossible(why)),
        // The platform looks the element up before it sends anything.
        Err(error @ PlatformError::Gone { .. }) => Err(Error::Platform(error)),
        Err(error @ PlatformError::Timeout { .. }) => {
            Err(Error::SendFailed { error, delivery: Delivery::Unknown })
        }
        Err(error) => Err(real_input::input_error(error)),
    }
}

/// The target before an attempt that seemed to have no effect.
struct EarlierAttempt {
    strategy: String,
    before: ElementState,
}

impl EarlierAttempt {
    /// Returns the outcome of the earlier attempt if its effect has shown up since. A busy app may
    /// react late, and another strategy would then perform the action twice.
    fn late_effect(
        &self,
        expectation: &Expectation,
        observer: &Observer<'_>,
    ) -> Option<ActionOutcome> {
        match observer.progress_since(expectation, &self.before) {
            Progress::Met(evidence) => Some(ActionOutcome::confirmed(&self.strategy, evidence)),
            Progress::Different(_) | Progress::Pending => None,
        }
    }
}

/// Tries the strategies in order until one has, or may have, the expected effect.
///
/// The outcome lists the strategies that failed before. `next_step` is the advice for the case that
/// all of them fail.
pub(crate) fn act_and_verify(
    cx: &Context<'_>,
    mut target: ActionTarget,
    listener: Option<Arc<EventListener>>,
    expectation: &Expectation,
    strategies: &[Strategy<'_>],
    next_step: impl Into<Advice>,
) -> Result<ActionOutcome> {
    wait_for_earlier_effects(cx, &mut target, listener.as_deref());
    let mut failed_attempts: Vec<FailedAttempt> = Vec::new();
    let mut earlier_attempt: Option<EarlierAttempt> = None;
    let mut looks_different = false;
    // Something was sent, and it is not known what it did.
    let mut is_uncertain = false;
    for strategy in strategies {
        if cx.cancel.is_cancelled() {
            let delivery =
                if earlier_attempt.is_some() { Delivery::Sent } else { Delivery::NotSent };
            return Err(Error::Cancelled { delivery });
        }
        if strategy.is_silent {
            wait_for_late_effects(cx, &mut target, listener.as_deref());
        }
        let mut observer = Observer::start(cx, &target, expectation, listener.clone());
        let stale = observer.is_stale();
        if failed_attempts.is_empty() && expectation.is_met(observer.before()) {
            let text = format!("{} is already in that state", target.label());
            let mut outcome =
                ActionOutcome::confirmed("nothing to do", Evidence::new(EvidenceKind::State, text));
            if stale {
                outcome.effect = ActionEffect::Unverified;
                outcome.next_step = Some(stale_tree_advice());
            } else if *expectation == Expectation::HasState(State::Focused, true)
                && !strategy.in_foreground
            {
                // Firefox still reports the focus in windows that have lost the keyboard.
                outcome.effect = ActionEffect::Unverified;
            }
            return Ok(with_target(outcome, &target));
        }
        if let Some(outcome) =
            earlier_attempt.as_ref().and_then(|earlier| earlier.late_effect(expectation, &observer))
        {
            failed_attempts.retain(|one| one.strategy != outcome.strategy);
            return Ok(with_target(ActionOutcome { failed_attempts, ..outcome }, &target));
        }
        observer.mark_sent();
        let was_sent = earlier_attempt.is_some() || is_uncertain;
        let failed = |why: String| FailedAttempt { strategy: strategy.name.clone(), why };
        let reply = match (strategy.run)(cx, &target) {
            Ok(SendOutcome::Replied(reply)) => reply,
            Ok(SendOutcome::Impossible(why)) => {
                failed_attempts.push(failed(why));
                continue;
            }
            Ok(SendOutcome::Missed(why)) => {
                failed_attempts.push(failed(why));
                is_uncertain = true;
                // The keys may have changed what the next strategy compares.
                wait_for_earlier_effects(cx, &mut target, listener.as_deref());
                continue;
            }
            // An error would hide that an earlier strategy was sent.
            Err(error) if was_sent && !error.stops_call() => {
                failed_attempts.push(failed(error.to_string()));
                is_uncertain = true;
                continue;
            }
            Err(error) => return Err(error),
        };
        let mut observation = observer.watch(expectation, reply);
        if cx.cancel.is_cancelled() && observation.verdict != ActionEffect::Confirmed {
            return Err(Error::Cancelled { delivery: Delivery::Sent });
        }
        if observation.verdict == ActionEffect::NoEffect && !observation.reverted {
            looks_different |= observer.looks_different();
            is_uncertain |= observer.is_picture_missing(expectation);
            // Another strategy would toggle the element a second time.
            let may_have_worked = looks_different && *expectation == Expectation::Toggled;
            if stale || may_have_worked {
                observation.verdict = ActionEffect::Unverified;
            }
        }
        if observation.verdict == ActionEffect::NoEffect && !observation.reverted {
            let why = match reply {
                ActionReply::Accepted => "the app accepted the request but nothing changed",
                ActionReply::Declined => "the app declined the request and nothing changed",
                ActionReply::Unanswered => "the app did not answer and nothing changed",
            };
            failed_attempts
                .push(FailedAttempt { strategy: strategy.name.clone(), why: why.to_owned() });
            earlier_attempt = Some(EarlierAttempt {
                strategy: strategy.name.clone(),
                before: observer.before().clone(),
            });
            continue;
        }
        let after = observation.after.take().or_else(|| {
            if !observation.settled {
                observer.settle();
            }
            observer.snapshot_after()
        });
        if strategy.is_silent
            && observation.verdict == ActionEffect::Confirmed
            && !after.as_ref().is_some_and(|after| observer.has_reaction(after))
        {
            observation.verdict = ActionEffect::Unverified;
        }
        let message = after.as_ref().is_some_and(|after| observer.has_new_message(after));
        if observation.verdict == ActionEffect::Confirmed && (message || stale) {
            observation.verdict =
                if message { ActionEffect::Partial } else { ActionEffect::Unverified };
        }
        if observation.verdict == ActionEffect::Unverified
            && !stale
            && !expectation.is_exact()
            && let Some(evidence) = after.as_ref().and_then(|after| observer.gone_evidence(after))
        {
            observation.verdict = ActionEffect::Confirmed;
            observation.evidence.push(evidence);
        }
        observer.record_effect(&observation);
        if observation.verdict == ActionEffect::Confirmed
            && !observation.evidence.iter().any(|one| one.kind == EvidenceKind::Window)
        {
            observation.evidence.extend(observer.windows().opened_or_closed());
        }
        if !strategy.in_foreground {
            let opened = observation.evidence.iter().any(|one| one.kind == EvidenceKind::Window);
            observation.evidence.extend(observer.windows().restore_focus(opened));
        }
        observation.evidence.extend(observer.windows().other_program());
        let mut outcome = ActionOutcome {
            evidence: observation.evidence,
            ..ActionOutcome::new(observation.verdict, &strategy.name)
        };
        outcome.changes = describe_changes(&mut target, after.as_ref());
        outcome.failed_attempts = failed_attempts;
        outcome.next_step = match observation.verdict {
            ActionEffect::Unverified if stale => Some(stale_tree_advice()),
            ActionEffect::Unverified if strategy.is_silent => Some(silent_change_advice()),
            ActionEffect::Unverified => {
                let next =
                    "the result could not be verified: read the tree again, or take a screenshot";
                Some(next.into())
            }
            ActionEffect::Partial if message => {
                Some("the app opened a message: read it and answer it before you continue".into())
            }
            ActionEffect::Partial => Some("check the current state before you continue".into()),
            ActionEffect::NoEffect => Some(
                "the app undid the change: look for a message or a condition that it requires"
                    .into(),
            ),
            ActionEffect::Confirmed | ActionEffect::Refused => None,
        };
        if let Err(error) = target.tree.save_refs() {
            // The action landed, so the call does not fail.
            let why = format!("the new refs could not be stored ({error}): read the tree again");
            outcome.next_step.get_or_insert(why.into());
        }
        return Ok(with_target(outcome, &target));
    }
    let verdict = match &earlier_attempt {
        _ if is_uncertain || looks_different => ActionEffect::Unverified,
        Some(_) => ActionEffect::NoEffect,
        None => ActionEffect::Refused,
    };
    let strategy = earlier_attempt.map_or_else(|| "none".to_owned(), |earlier| earlier.strategy);
    let outcome = ActionOutcome { failed_attempts, ..ActionOutcome::new(verdict, strategy) }
        .with_next_step(next_step);
    Ok(with_target(outcome, &target))
}

/// Waits longer before a strategy that only a reaction of the app confirms: a folder that an earlier
/// action opened still changes labels half a second later.
fn wait_for_late_effects(
    cx: &Context<'_>,
    target: &mut ActionTarget,
    listener: Option<&EventListener>,
) {
    if let Some(listener) = listener {
        listener.wait_until_quiet(timing::LATE_EFFECT_QUIET, timing::MAX_LATE_EFFECT_WAIT);
    }
    wait_for_earlier_effects(cx, target, listener);
}

/// Waits until the app has finished its reaction to an earlier action, and reads the app again if
/// that changed something. Otherwise late changes would count as effects of this action.
fn wait_for_earlier_effects(
    cx: &Context<'_>,
    target: &mut ActionTarget,
    listener: Option<&EventListener>,
) {
    let Some(listener) = listener else { return };
    listener.wait_until_quiet(timing::QUIET_BEFORE, timing::MAX_QUIET_BEFORE);
    if !listener.has_changes_since(target.events_from) {
        return;
    }
    let events_from = listener.position();
    let started = Instant::now();
    let within = WalkOptions::with_fields(target.tree.facets);
    // If the app or the element cannot be read now, the action itself reports that.
    let Ok(now) = cx.desktop.tree.walk(&target.app, &target.app.root, &within, cx.deadline) else {
        return;
    };
    let now = now.with_ids_from(&target.tree.snapshot);
    let Some(index) = now.position(&target.node.id) else { return };
    let Ok(node) = target::read_now(cx, &target.app, &target.node.id) else { return };
    let name = std::mem::take(&mut target.node.name);
    target.node = if node.name.is_empty() { Node { name, ..node } } else { node };
    (target.index, target.read_time) = (index, started.elapsed());
    (target.events_from, target.from_cache) = (Some(events_from), false);
    target.tree.snapshot = now;
}

fn with_target(outcome: ActionOutcome, target: &ActionTarget) -> ActionOutcome {
    ActionOutcome {
        element_ref: Some(target.reference.clone()),
        ..outcome.on(target.description())
    }
}

/// Formats the changes in the app as a few lines.
fn describe_changes(target: &mut ActionTarget, after: Option<&Snapshot>) -> Vec<String> {
    let Some(after) = after else { return Vec::new() };
    let tree = &mut target.tree;
    let diff = Diff::between(&tree.snapshot, after);
    if diff.is_empty() {
        return Vec::new();
    }
    let refs = &mut tree.refs;
    let changes = ChangeOutline::new(
        &diff,
        &tree.snapshot,
        after,
        &ChangeOutlineOptions::default(),
        &mut |s, at| refs.assign(s, at).to_string(),
    );
    if changes.total() == 0 {
        return Vec::new();
    }
    changes.lines().iter().map(ToString::to_string).collect()
}

/// Polls until the condition holds or the time is over. The pause between two polls grows.
pub(crate) fn poll_until(limit: Duration, mut condition: impl FnMut() -> bool) -> bool {
    let started = Instant::now();
    let mut pause = timing::FIRST_POLL;
    loop {
        if condition() {
            return true;
        }
        if started.elapsed() >= limit {
            return false;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(timing::MAX_POLL);
    }
}

#[cfg(test)]
mod tests;
