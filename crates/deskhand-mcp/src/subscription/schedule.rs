//! Decides when a view is read, and whether it has changed. Events are collected for a while. If
//! none arrive for long, the view is polled, because some apps do not send all events.

use std::time::{Duration, Instant};

use crate::timing;

/// The pause after a read, as a multiple of its duration: reads after events take at most a fifth
/// of an app's time, and polling at most a twentieth.
const EVENT_READ_PAUSE: u32 = 4;
const POLL_PAUSE: u32 = 20;

/// The meaning of silence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SilencePolicy {
    /// No events mean that nothing has changed.
    Trust,
    /// Events may be missing: poll.
    Poll,
}

/// The reason for a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadReason {
    /// An event arrived.
    Event,
    /// No event arrived for long. This is the first read since the last event.
    Silent,
    /// Still no event.
    StillSilent,
}

/// The read schedule of one view.
#[derive(Debug)]
pub(super) struct ReadSchedule {
    change_delay: Duration,
    digest: Option<u64>,
    due: Option<Instant>,
    last_event: Instant,
    last_read: Instant,
    read_duration: Duration,
    polling: bool,
}

impl ReadSchedule {
    /// Creates the schedule of a view that has not been read.
    pub(super) fn new(change_delay: Duration, now: Instant) -> Self {
        Self {
            change_delay,
            digest: None,
            due: None,
            last_event: now,
            last_read: now,
            read_duration: Duration::ZERO,
            polling: false,
        }
    }

    /// Records an event.
    pub(super) fn record_event(&mut self, now: Instant) {
        self.last_event = now;
        self.polling = false;
        let earliest =
            (now + self.change_delay).max(self.last_read + self.read_duration * EVENT_READ_PAUSE);
        self.due.get_or_insert(earliest);
    }

    /// Returns the time of the next read, as far as it is known.
    pub(super) fn next(&self, silence: SilencePolicy) -> Option<Instant> {
        let poll = match silence {
            SilencePolicy::Trust => None,
            SilencePolicy::Poll if self.polling => Some(
                self.last_read + timing::VIEW_POLL_INTERVAL.max(self.read_duration * POLL_PAUSE),
            ),
            SilencePolicy::Poll => Some(self.last_event + timing::SILENCE_TIMEOUT),
        };
        self.due.into_iter().chain(poll).min()
    }

    /// Returns the reason to read now, or `None` if it is not time yet.
    pub(super) fn due_reason(
        &mut self,
        silence: SilencePolicy,
        now: Instant,
    ) -> Option<ReadReason> {
        if self.due.is_some_and(|due| due <= now) {
            return Some(ReadReason::Event);
        }
        if self.next(silence).is_none_or(|next| next > now) {
            return None;
        }
        if std::mem::replace(&mut self.polling, true) {
            Some(ReadReason::StillSilent)
        } else {
            Some(ReadReason::Silent)
        }
    }

    /// Records a failed read: the view is read again soon.
    pub(super) fn record_failure(&mut self, now: Instant) {
        self.last_read = now;
        self.due = Some(now + timing::VIEW_POLL_INTERVAL);
    }

    /// Records a read. Returns `true` if the view has changed.
    pub(super) fn record_read(&mut self, new_digest: u64, began: Instant, now: Instant) -> bool {
        self.due = None;
        self.last_read = now;
        self.read_duration = now.duration_since(began);
        self.digest.replace(new_digest) != Some(new_digest)
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
        let mut tree = ReadSchedule::new(Duration::from_millis(500), now);
        assert!(tree.record_read(1, now, now));
        for ms in [100, 200, 550] {
            tree.record_event(at(now, ms));
        }
        assert_eq!(tree.due_reason(SilencePolicy::Poll, at(now, 599)), None);
        assert_eq!(tree.due_reason(SilencePolicy::Poll, at(now, 600)), Some(ReadReason::Event));
        assert!(!tree.record_read(1, at(now, 600), at(now, 610)));
        assert_eq!(tree.next(SilencePolicy::Trust), None);
        tree.record_event(at(now, 700));
        assert_eq!(tree.due_reason(SilencePolicy::Poll, at(now, 1200)), Some(ReadReason::Event));
        assert!(tree.record_read(2, at(now, 1200), at(now, 1210)));
    }

    #[test]
    fn a_failed_read_is_repeated_and_is_no_change() {
        let now = Instant::now();
        let mut tree = ReadSchedule::new(Duration::ZERO, now);
        tree.record_read(1, now, now);
        tree.record_event(at(now, 10));
        tree.record_failure(at(now, 2_000));
        assert_eq!(tree.due_reason(SilencePolicy::Trust, at(now, 2_999)), None);
        assert_eq!(tree.due_reason(SilencePolicy::Trust, at(now, 3_000)), Some(ReadReason::Event));
        assert!(!tree.record_read(1, at(now, 3_000), at(now, 3_010)));
    }

    #[test]
    fn slow_reads_are_followed_by_a_pause() {
        let now = Instant::now();
        let mut state = ReadSchedule::new(Duration::from_millis(100), now);
        state.record_read(1, now, at(now, 400));
        state.record_event(at(now, 401));
        assert_eq!(state.next(SilencePolicy::Trust), Some(at(now, 2000)));
    }

    #[test]
    fn silence_causes_polling_until_an_event_arrives() {
        let now = Instant::now();
        let mut state = ReadSchedule::new(Duration::ZERO, now);
        state.record_read(1, now, now);
        assert_eq!(state.due_reason(SilencePolicy::Trust, at(now, 60_000)), None);
        assert_eq!(state.due_reason(SilencePolicy::Poll, at(now, 4_999)), None);
        assert_eq!(state.due_reason(SilencePolicy::Poll, at(now, 5_000)), Some(ReadReason::Silent));
        assert!(state.record_read(2, at(now, 5_000), at(now, 5_010)));
        assert_eq!(state.due_reason(SilencePolicy::Poll, at(now, 6_009)), None);
        assert_eq!(
            state.due_reason(SilencePolicy::Poll, at(now, 6_010)),
            Some(ReadReason::StillSilent)
        );
        state.record_read(2, at(now, 6_010), at(now, 6_020));
        state.record_event(at(now, 6_100));
        assert_eq!(state.due_reason(SilencePolicy::Poll, at(now, 6_100)), Some(ReadReason::Event));
        state.record_read(2, at(now, 6_100), at(now, 6_110));
        assert_eq!(state.due_reason(SilencePolicy::Poll, at(now, 11_099)), None);
        assert_eq!(
            state.due_reason(SilencePolicy::Poll, at(now, 11_100)),
            Some(ReadReason::Silent)
        );
    }
}
