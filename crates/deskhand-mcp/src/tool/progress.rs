//! How far a call has come: what the tool says, and a sign of life where it says nothing for long.

use std::time::{Duration, Instant};

use deskhand_engine::Said;

use crate::ask::Voice;

/// How often a silent call shows that it lives.
pub(super) const SIGN_OF_LIFE: Duration = Duration::from_secs(5);

/// The least time between two steps that are told.
const PAUSE: Duration = Duration::from_millis(100);

/// What a client is told next; what it is told only ever grows.
#[derive(Debug)]
pub(super) struct Progress {
    begun: Instant,
    told: Option<Instant>,
    done: f64,
    total: Option<f64>,
}

/// One step to tell.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Step {
    /// How far.
    pub(super) done: f64,
    /// How far it goes, where that is known.
    pub(super) total: Option<f64>,
    /// In words.
    pub(super) words: String,
}

impl Progress {
    /// Nothing is told yet.
    pub(super) fn new(now: Instant) -> Self {
        Self { begun: now, told: None, done: 0.0, total: None }
    }

    /// The step a tool took, unless it is none or comes too soon after the last.
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

    /// The sign of life that is due, if one is.
    pub(super) fn lives(&mut self, now: Instant) -> Option<Step> {
        if self.told.is_some_and(|told| now.duration_since(told) < SIGN_OF_LIFE / 2) {
            return None;
        }
        let seconds = now.duration_since(self.begun).as_secs();
        // A sliver more each time: clients may refuse progress that stands still.
        Some(self.tell(self.done + 0.001, format!("working for {seconds} s"), now))
    }

    /// The last step: what it came to.
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
    /// Sends it.
    pub(super) async fn send(self, voice: &Voice) {
        voice.say(&self.words);
        voice.client.progress(self.done, self.total, Some(self.words)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_only_grows_and_is_not_told_too_often() {
        let begun = Instant::now();
        let at = |ms| begun + Duration::from_millis(ms);
        let mut progress = Progress::new(begun);
        let step = |done| Said::progress(done, Some(10.0), "reading");
        assert_eq!(progress.took(&step(1.0), at(0)).unwrap().done, 1.0);
        assert_eq!(progress.took(&step(2.0), at(50)), None, "too soon");
        assert_eq!(progress.took(&step(3.0), at(150)).unwrap().done, 3.0);
        assert_eq!(progress.took(&step(2.0), at(300)), None, "backwards");
        assert_eq!(progress.took(&step(10.0), at(301)).unwrap().done, 10.0, "the last always");
        assert_eq!(progress.took(&Said::warning("x"), at(900)), None);
    }

    #[test]
    fn a_silent_call_shows_that_it_lives() {
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
