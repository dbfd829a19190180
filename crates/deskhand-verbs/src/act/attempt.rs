//! Tries the ways of doing something, one after the other, until one is seen to work.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use deskhand_model::{
    Delivery, Diff, Snapshot, State,
    outline::{ChangeOptions, Changes},
};
use deskhand_platform::{Act, Deadline, Error as PlatformError, Reply};

use super::{
    goal::{Goal, Moment, Standing},
    heard::Ear,
    observe::Observer,
    target::{self, Target},
};
use crate::{
    Context, Error, Result,
    effect::{Done, Evidence, Sign, Tried, Verdict},
};

/// How long an app may take to be told; a busy one takes its time.
const ANSWER: Duration = Duration::from_secs(2);

/// What to do about an app that does not keep its tree up to date.
pub(super) const STALE: &str = "its window is minimized, and this app does not keep its tree up to date then: \
                     restore it with `deskhand window restore` and look again";

/// What sending came to.
pub enum Sent {
    /// It was sent, and this was the reply.
    Replied(Reply),
    /// It could not be sent; nothing happened.
    Impossible(String),
}

type Run<'w> = Box<dyn Fn(&Context<'_>, &Target) -> Result<Sent> + 'w>;

/// One way of doing something.
pub struct Way<'w> {
    /// What answers call it.
    pub name: String,
    run: Run<'w>,
    in_front: bool,
}

impl<'w> Way<'w> {
    /// A way of one's own.
    pub fn new(
        name: impl Into<String>,
        run: impl Fn(&Context<'_>, &Target) -> Result<Sent> + 'w,
    ) -> Self {
        Self { name: name.into(), run: Box::new(run), in_front: false }
    }

    /// The same way, which is meant to bring the window forward.
    #[must_use]
    pub fn in_front(self) -> Self {
        Self { in_front: true, ..self }
    }

    /// Through accessibility, on the element itself.
    pub fn tree(name: impl Into<String>, act: Act) -> Self {
        Self::new(name, move |cx, target| perform(cx, target, &act))
    }
}

/// Does something to the element through accessibility.
pub(super) fn perform(cx: &Context<'_>, target: &Target, act: &Act) -> Result<Sent> {
    let by = Deadline::after(ANSWER);
    let reply = cx.desktop.tree.perform(&target.app, &target.node.id, act, by);
    // Qt says of an element that there is none when it is asked for something Qt does not know.
    if matches!(reply, Err(PlatformError::Gone { .. }))
        && target::fresh(cx, &target.app, &target.node.id).is_ok()
    {
        return Ok(Sent::Impossible("the app does not know how".to_owned()));
    }
    sent(reply)
}

/// What a reply or a failure below the seam means for an attempt.
pub(super) fn sent(reply: deskhand_platform::Result<Reply>) -> Result<Sent> {
    match reply {
        Ok(reply) => Ok(Sent::Replied(reply)),
        Err(PlatformError::Unsupported { why, .. }) => Ok(Sent::Impossible(why)),
        // The element was looked for by the call itself, before anything was sent.
        Err(error @ PlatformError::Gone { .. }) => Err(Error::Platform(error)),
        Err(error @ PlatformError::Timeout { .. }) => {
            Err(Error::Lost { error, delivery: Delivery::Unknown })
        }
        Err(error) => Err(super::by_hand::lost(error)),
    }
}

/// An element before a way that seemed to come to nothing.
struct Before {
    way: String,
    moment: Moment,
}

impl Before {
    /// What the way came to after all, on an app that was busy: doing it again in another way would be
    /// once too often.
    fn late(&self, goal: &Goal, observer: &Observer<'_>) -> Option<Done> {
        match observer.since(goal, &self.moment) {
            Standing::Reached(evidence) => Some(Done::confirmed(&self.way, evidence)),
            Standing::Astray(_) | Standing::NotYet => None,
        }
    }
}

/// Tries each way until one is seen to reach the goal, or may have.
pub(super) fn attempt(
    cx: &Context<'_>,
    mut target: Target,
    ear: Option<Arc<Ear>>,
    goal: &Goal,
    ways: &[Way<'_>],
    escalation: &str,
) -> Result<Done> {
    let mut tried: Vec<Tried> = Vec::new();
    let mut last_sent: Option<Before> = None;
    for way in ways {
        if cx.stop.asked() {
            let delivery = if last_sent.is_some() { Delivery::Sent } else { Delivery::NotSent };
            return Err(Error::Stopped { delivery });
        }
        let mut observer = Observer::begin(cx, &target, goal, ear.clone());
        let stale = observer.is_stale();
        if tried.is_empty() && goal.is_reached(observer.before()) {
            let words = format!("{} is already so", target.label());
            let mut done = Done::confirmed("nothing to do", Evidence::of(Sign::State, words));
            if stale {
                done.effect = Verdict::Unverified;
                done.escalation = Some(STALE.to_owned());
            } else if *goal == Goal::Is(State::Focused, true) && !way.in_front {
                // Firefox goes on saying so in windows that have lost the keyboard.
                done.effect = Verdict::Unverified;
            }
            return Ok(named(done, &target));
        }
        if let Some(done) = last_sent.as_ref().and_then(|last| last.late(goal, &observer)) {
            tried.retain(|one| one.way != done.way);
            return Ok(named(Done { tried, ..done }, &target));
        }
        observer.sent();
        let reply = match (way.run)(cx, &target)? {
            Sent::Replied(reply) => reply,
            Sent::Impossible(why) => {
                tried.push(Tried { way: way.name.clone(), why });
                continue;
            }
        };
        let mut seen = observer.watch(goal, reply);
        if cx.stop.asked() && seen.verdict != Verdict::Confirmed {
            return Err(Error::Stopped { delivery: Delivery::Sent });
        }
        if stale && seen.verdict == Verdict::NoEffect {
            seen.verdict = Verdict::Unverified;
        }
        if seen.verdict == Verdict::NoEffect {
            let why = match reply {
                Reply::Accepted => "the app said yes and nothing changed",
                Reply::Declined => "the app declined and nothing changed",
                Reply::Unanswered => "the app gave no answer and nothing changed",
            };
            tried.push(Tried { way: way.name.clone(), why: why.to_owned() });
            last_sent = Some(Before { way: way.name.clone(), moment: observer.before().clone() });
            continue;
        }
        let after = seen.after.take().or_else(|| {
            observer.settle();
            observer.outcome()
        });
        if seen.verdict == Verdict::Unverified
            && !stale
            && !goal.is_exact()
            && let Some(evidence) = after.as_ref().and_then(|after| observer.gone_by(after))
        {
            seen.verdict = Verdict::Confirmed;
            seen.evidence.push(evidence);
        }
        observer.remember(&seen);
        if seen.verdict == Verdict::Confirmed
            && !seen.evidence.iter().any(|one| one.sign == Sign::Window)
        {
            seen.evidence.extend(observer.windows().news());
        }
        if !way.in_front {
            let opened = seen.evidence.iter().any(|one| one.sign == Sign::Window);
            seen.evidence.extend(observer.windows().give_back(opened));
        }
        let mut done = Done { evidence: seen.evidence, ..Done::new(seen.verdict, &way.name) };
        done.changes = changes(&mut target, after.as_ref());
        done.tried = tried;
        done.escalation = match seen.verdict {
            Verdict::Unverified if stale => Some(STALE.to_owned()),
            Verdict::Unverified => {
                let next = "nothing that can be observed tells: look again, or take a screenshot";
                Some(next.to_owned())
            }
            Verdict::Partial => Some("look at what it became before going on".to_owned()),
            Verdict::Confirmed | Verdict::NoEffect | Verdict::Refused => None,
        };
        target.look.keep()?;
        return Ok(named(done, &target));
    }
    let verdict = if last_sent.is_some() { Verdict::NoEffect } else { Verdict::Refused };
    let way = last_sent.map_or_else(|| "none".to_owned(), |last| last.way);
    let done = Done { tried, ..Done::new(verdict, way) }.or_else(escalation);
    Ok(named(done, &target))
}

fn named(done: Done, target: &Target) -> Done {
    Done { element_ref: Some(target.reference.clone()), ..done.to(target.label()) }
}

/// What changed in the app, in a few lines.
fn changes(target: &mut Target, after: Option<&Snapshot>) -> Vec<String> {
    let Some(after) = after else { return Vec::new() };
    let look = &mut target.look;
    let diff = Diff::between(&look.snapshot, after);
    if diff.is_empty() {
        return Vec::new();
    }
    let refs = &mut look.refs;
    let changes =
        Changes::of(&diff, &look.snapshot, after, &ChangeOptions::default(), &mut |s, at| {
            refs.assign(s, at).to_string()
        });
    if changes.total() == 0 {
        return Vec::new();
    }
    changes.lines().iter().map(ToString::to_string).collect()
}

/// Waits for a condition, looking often at first and then less so.
pub(super) fn until(limit: Duration, mut done: impl FnMut() -> bool) -> bool {
    let begun = Instant::now();
    let mut pause = Duration::from_millis(2);
    loop {
        if done() {
            return true;
        }
        if begun.elapsed() >= limit {
            return false;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(30));
    }
}
