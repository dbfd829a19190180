//! Ends a watch early if the app has nothing left to do.

use std::time::{Duration, Instant};

use deskhand_platform::{ActionReply, ProgramActivity};

use super::{super::expectation::Expectation, Observer};
use crate::act::timing;

/// Decides if an app will still react to an action.
///
/// An app at rest has answered the action and a later read, reports no events, and all its threads wait
/// for the user or for timers that end after the watch. It may still wait for another program that was
/// running before the action.
pub(super) struct RestWatch {
    sent: Instant,
    /// The app replied to the action, so it has received it, and its effect has no exact description.
    may_rest: bool,
    /// The app was at rest when it was last checked.
    was_at_rest: bool,
}

impl RestWatch {
    pub(super) fn start(expectation: &Expectation, reply: ActionReply) -> Self {
        let may_rest = !expectation.is_exact() && reply == ActionReply::Accepted;
        Self { sent: Instant::now(), may_rest, was_at_rest: false }
    }

    /// Returns `true` if the app is at rest for the second time in a row. `has_answered` tells if it
    /// answered a read just before: an app that waits for another program in a handler does not.
    pub(super) fn is_over(&mut self, observer: &Observer<'_>, has_answered: bool) -> bool {
        let elapsed = self.sent.elapsed();
        let is_at_rest = self.may_rest
            && has_answered
            && elapsed >= timing::MIN_REACTION_TIME
            && observer.is_at_rest(elapsed);
        std::mem::replace(&mut self.was_at_rest, is_at_rest) && is_at_rest
    }

    /// Returns a pause that is no longer than this one and ends when the app should be checked next.
    pub(super) fn pause(&self, longest: Duration) -> Duration {
        let until_check = timing::MIN_REACTION_TIME.saturating_sub(self.sent.elapsed());
        if self.was_at_rest {
            longest.min(timing::REST_RECHECK)
        } else if self.may_rest && !until_check.is_zero() {
            longest.min(until_check)
        } else {
            longest
        }
    }
}

impl Observer<'_> {
    /// Returns `true` if the app reports nothing and will not run by itself until the watch ends.
    fn is_at_rest(&self, elapsed: Duration) -> bool {
        let is_quiet =
            self.listener.as_ref().is_some_and(|one| one.quiet_time() >= timing::REST_QUIET);
        let Some(programs) = self.cx.desktop.programs.as_ref().filter(|_| is_quiet) else {
            return false;
        };
        let rest = timing::EFFECT_TIMEOUT.saturating_sub(elapsed);
        match programs.activity(self.target.app.pid, elapsed + timing::REST_QUIET) {
            Some(ProgramActivity::Waiting { main_timer, other_timer }) => {
                main_timer.is_none_or(|timer| timer >= rest)
                    && other_timer.is_none_or(|timer| timer >= timing::EFFECT_TIMEOUT)
            }
            Some(ProgramActivity::Busy) | None => false,
        }
    }
}
