//! Decides when a view is read, and whether it has changed. Events are collected for a while. If none
//! arrive for long, the view is polled, because some apps do not send all events.

use std::time::{Duration, Instant};

/// The pause after a read, as a multiple of its duration: reads after events take at most a fifth of
/// an app's time, and polling at most a twentieth.
const REST: u32 = 4;
const LONG_REST: u32 = 20;

/// The meaning of silence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Silence {
    /// No events mean that nothing has changed.
    Trusted,
    /// Events may be missing: poll.
    Doubted,
}

/// The reason for a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Because {
    /// An event arrived.
    Heard,
    /// No event arrived for long. This is the first read since the last event.
    Silent,
    /// Still no event.
    StillSilent,
}

/// The read schedule of one view.
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
    /// Creates the schedule of a view that has not been read.
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

    /// Records an event.
    pub(super) fn heard(&mut self, now: Instant) {
        self.heard = now;
        self.polling = false;
        let soonest = (now + self.gathers).max(self.looked + self.took * REST);
        self.due.get_or_insert(soonest);
    }

    /// Returns the time of the next read, as far as it is known.
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

    /// Returns the reason to read now, or `None` if it is not time yet.
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

    /// Records a failed read: the view is read again soon.
    pub(super) fn missed(&mut self, now: Instant) {
        self.looked = now;
        self.due = Some(now + EVERY);
    }

    /// Records a read. Returns `true` if the view has changed.
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
    fn many_events_cause_one_read_and_an_equal_view_is_no_change() {
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
    fn a_failed_read_is_repeated_and_is_no_change() {
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
    fn slow_reads_are_followed_by_a_pause() {
        let now = Instant::now();
        let mut state = Settling::new(Duration::from_millis(100), now);
        state.saw(1, now, at(now, 400));
        state.heard(at(now, 401));
        assert_eq!(state.next(Silence::Trusted), Some(at(now, 2000)));
    }

    #[test]
    fn silence_causes_polling_until_an_event_arrives() {
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
