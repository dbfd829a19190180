//! When something is looked at, and whether what was seen is news. Changes are gathered for a while;
//! after a long silence it is looked at unasked, since apps may forget to tell.

use std::time::{Duration, Instant};

/// How long nothing may be heard before it is looked at unasked.
const SILENCE: Duration = Duration::from_secs(5);

/// How often then.
const EVERY: Duration = Duration::from_secs(1);

/// How much longer than a look the rest after it is: of an app's time no more than a fifth goes
/// into looks that were called for, and a twentieth into others.
const REST: u32 = 4;
const LONG_REST: u32 = 20;

/// Whether silence is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Silence {
    /// Nothing is heard because nothing happens.
    Trusted,
    /// It may have been missed.
    Doubted,
}

/// Why it is time to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Because {
    /// Something was heard.
    Heard,
    /// Nothing was heard for long, for the first time since something was.
    Silent,
    /// It is still silent.
    StillSilent,
}

/// The state of one thing that is looked at.
#[derive(Debug)]
pub(super) struct Settling {
    gathers: Duration,
    seen: Option<u64>,
    due: Option<Instant>,
    heard: Instant,
    looked: Instant,
    took: Duration,
    polling: bool,
}

impl Settling {
    /// Something nobody has looked at yet.
    pub(super) fn new(gathers: Duration, now: Instant) -> Self {
        Self {
            gathers,
            seen: None,
            due: None,
            heard: now,
            looked: now,
            took: Duration::ZERO,
            polling: false,
        }
    }

    /// Notes that something was heard.
    pub(super) fn heard(&mut self, now: Instant) {
        self.heard = now;
        self.polling = false;
        let soonest = (now + self.gathers).max(self.looked + self.took * REST);
        self.due.get_or_insert(soonest);
    }

    /// When it is to be looked at next, as far as is known now.
    pub(super) fn next(&self, silence: Silence) -> Option<Instant> {
        let poll = match silence {
            Silence::Trusted => None,
            Silence::Doubted if self.polling => {
                Some(self.looked + EVERY.max(self.took * LONG_REST))
            }
            Silence::Doubted => Some(self.heard + SILENCE),
        };
        self.due.into_iter().chain(poll).min()
    }

    /// Whether it is time to look, and why.
    pub(super) fn is_due(&mut self, silence: Silence, now: Instant) -> Option<Because> {
        if self.due.is_some_and(|due| due <= now) {
            return Some(Because::Heard);
        }
        if self.next(silence).is_none_or(|next| next > now) {
            return None;
        }
        if std::mem::replace(&mut self.polling, true) {
            Some(Because::StillSilent)
        } else {
            Some(Because::Silent)
        }
    }

    /// Notes that too little was seen to tell: it is looked at again soon.
    pub(super) fn missed(&mut self, now: Instant) {
        self.looked = now;
        self.due = Some(now + EVERY);
    }

    /// Notes what was seen; whether it is news.
    pub(super) fn saw(&mut self, mark: u64, began: Instant, now: Instant) -> bool {
        self.due = None;
        self.looked = now;
        self.took = now.duration_since(began);
        self.seen.replace(mark) != Some(mark)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(begun: Instant, ms: u64) -> Instant {
        begun + Duration::from_millis(ms)
    }

    #[test]
    fn many_changes_are_one_look_and_the_same_is_no_news() {
        let now = Instant::now();
        let mut tree = Settling::new(Duration::from_millis(500), now);
        assert!(tree.saw(1, now, now));
        for ms in [100, 200, 550] {
            tree.heard(at(now, ms));
        }
        assert_eq!(tree.is_due(Silence::Doubted, at(now, 599)), None);
        assert_eq!(tree.is_due(Silence::Doubted, at(now, 600)), Some(Because::Heard));
        assert!(!tree.saw(1, at(now, 600), at(now, 610)));
        assert_eq!(tree.next(Silence::Trusted), None);
        tree.heard(at(now, 700));
        assert_eq!(tree.is_due(Silence::Doubted, at(now, 1200)), Some(Because::Heard));
        assert!(tree.saw(2, at(now, 1200), at(now, 1210)));
    }

    #[test]
    fn what_could_not_be_seen_is_looked_at_again_and_is_no_news() {
        let now = Instant::now();
        let mut tree = Settling::new(Duration::ZERO, now);
        tree.saw(1, now, now);
        tree.heard(at(now, 10));
        tree.missed(at(now, 2_000));
        assert_eq!(tree.is_due(Silence::Trusted, at(now, 2_999)), None);
        assert_eq!(tree.is_due(Silence::Trusted, at(now, 3_000)), Some(Because::Heard));
        assert!(!tree.saw(1, at(now, 3_000), at(now, 3_010)));
    }

    #[test]
    fn what_is_slow_to_look_at_is_given_a_rest() {
        let now = Instant::now();
        let mut state = Settling::new(Duration::from_millis(100), now);
        state.saw(1, now, at(now, 400));
        state.heard(at(now, 401));
        assert_eq!(state.next(Silence::Trusted), Some(at(now, 2000)));
    }

    #[test]
    fn after_a_long_silence_it_is_looked_at_until_something_is_heard() {
        let now = Instant::now();
        let mut state = Settling::new(Duration::ZERO, now);
        state.saw(1, now, now);
        assert_eq!(state.is_due(Silence::Trusted, at(now, 60_000)), None);
        assert_eq!(state.is_due(Silence::Doubted, at(now, 4_999)), None);
        assert_eq!(state.is_due(Silence::Doubted, at(now, 5_000)), Some(Because::Silent));
        assert!(state.saw(2, at(now, 5_000), at(now, 5_010)));
        assert_eq!(state.is_due(Silence::Doubted, at(now, 6_009)), None);
        assert_eq!(state.is_due(Silence::Doubted, at(now, 6_010)), Some(Because::StillSilent));
        state.saw(2, at(now, 6_010), at(now, 6_020));
        state.heard(at(now, 6_100));
        assert_eq!(state.is_due(Silence::Doubted, at(now, 6_100)), Some(Because::Heard));
        state.saw(2, at(now, 6_100), at(now, 6_110));
        assert_eq!(state.is_due(Silence::Doubted, at(now, 11_099)), None);
        assert_eq!(state.is_due(Silence::Doubted, at(now, 11_100)), Some(Because::Silent));
    }
}
