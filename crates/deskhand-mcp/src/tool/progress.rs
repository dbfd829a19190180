//! The progress of a call: what the tool reports, and a heartbeat if it reports nothing for long.

use std::time::{Duration, Instant};

use deskhand_engine::Said;

use crate::ask::Voice;

/// Decides which progress notifications are sent. The progress value only grows.
#[derive(Debug)]
pub(super) struct Progress {
    begun: Instant,
    told: Option<Instant>,
    done: f64,
    total: Option<f64>,
}

/// A progress notification.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Step {
    /// The progress value.
    pub(super) done: f64,
    /// The final value, if it is known.
    pub(super) total: Option<f64>,
    /// The message.
    pub(super) words: String,
}

impl Progress {
    /// Creates a tracker for a call that starts now.
    pub(super) fn new(now: Instant) -> Self {
        Self { begun: now, told: None, done: 0.0, total: None }
    }

    /// Returns the notification for an event, or `None` if it has no progress or follows too soon.
    pub(super) fn took(&mut self, said: &Said, now: Instant) -> Option<Step> {
        let (done, total) = said.step?;
        let is_last = total.is_some_and(|total| done >= total);
        let too_soon = self.told.is_some_and(|told| now.duration_since(told) < PAUSE) && !is_last;
        if too_soon || !done.is_finite() || (self.told.is_some() && done <= self.done) {
            return None;
        }
        self.total = total;
        Some(self.tell(done, said.page.to_string().trim().to_owned(), now))
    }

    /// Returns the heartbeat if it is due.
    pub(super) fn lives(&mut self, now: Instant) -> Option<Step> {
        if self.told.is_some_and(|told| now.duration_since(told) < SIGN_OF_LIFE / 2) {
            return None;
        }
        let seconds = now.duration_since(self.begun).as_secs();
        // Slightly more each time: clients may reject progress that does not grow.
        Some(self.tell(self.done + 0.001, format!("working for {seconds} s"), now))
    }

    /// Returns the last notification, with the result.
    pub(super) fn ended(&mut self, words: String, now: Instant) -> Step {
        let done = self.done + 1.0;
        self.total = Some(done);
        self.tell(done, words, now)
    }

    fn tell(&mut self, done: f64, words: String, now: Instant) -> Step {
        self.done = done;
        self.told = Some(now);
        Step { done, total: self.total, words }
    }
}

impl Step {
    /// Sends the notification.
    pub(super) async fn send(self, voice: &Voice) {
        voice.say(&self.words);
        voice.client.progress(self.done, self.total, Some(self.words)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_only_grows_and_is_throttled() {
        let begun = Instant::now();
        let at = |ms| begun + Duration::from_millis(ms);
        let mut progress = Progress::new(begun);
        let step = |done| Said::progress(done, Some(10.0), "reading");
        assert_eq!(progress.took(&step(1.0), at(0)).unwrap().done, 1.0);
        assert_eq!(progress.took(&step(2.0), at(50)), None, "too soon");
        assert_eq!(progress.took(&step(3.0), at(150)).unwrap().done, 3.0);
        assert_eq!(progress.took(&step(2.0), at(300)), None, "backwards");
        assert_eq!(progress.took(&step(10.0), at(301)).unwrap().done, 10.0, "the last is always sent");
        assert_eq!(progress.took(&Said::warning("x"), at(900)), None);
    }

    #[test]
    fn a_silent_call_sends_a_heartbeat() {
        let begun = Instant::now();
        let mut progress = Progress::new(begun);
        let mut last = 0.0;
        for seconds in [5, 10, 15] {
            let step = progress.lives(begun + Duration::from_secs(seconds)).unwrap();
            assert!(step.done > last);
            last = step.done;
        }
        assert_eq!(progress.lives(begun + Duration::from_secs(16)), None);
    }
}
