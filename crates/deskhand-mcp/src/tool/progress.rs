//! The progress of a call: what the tool reports, and a heartbeat if it reports nothing for long.

use std::time::Instant;

use deskhand_engine::ProgressEvent;

use crate::{input::ClientPrompt, timing};

/// Decides which progress notifications are sent. The progress value only grows.
#[derive(Debug)]
pub(super) struct ProgressTracker {
    started: Instant,
    last_sent: Option<Instant>,
    progress: f64,
    total: Option<f64>,
}

/// A progress notification.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ProgressStep {
    /// The progress value.
    pub(super) progress: f64,
    /// The final value, if it is known.
    pub(super) total: Option<f64>,
    /// The message.
    pub(super) message: String,
}

impl ProgressTracker {
    /// Creates a tracker for a call that starts now.
    pub(super) fn new(now: Instant) -> Self {
        Self { started: now, last_sent: None, progress: 0.0, total: None }
    }

    /// Returns the notification for an event, or `None` if it has no progress or follows too soon.
    pub(super) fn report(&mut self, event: &ProgressEvent, now: Instant) -> Option<ProgressStep> {
        let (progress, total) = event.progress?;
        let is_last = total.is_some_and(|total| progress >= total);
        let too_soon =
            self.last_sent.is_some_and(|sent| now.duration_since(sent) < timing::PROGRESS_INTERVAL)
                && !is_last;
        if too_soon
            || !progress.is_finite()
            || (self.last_sent.is_some() && progress <= self.progress)
        {
            return None;
        }
        self.total = total;
        Some(self.step(progress, event.text.to_string().trim().to_owned(), now))
    }

    /// Returns the heartbeat if it is due.
    pub(super) fn heartbeat(&mut self, now: Instant) -> Option<ProgressStep> {
        if self
            .last_sent
            .is_some_and(|sent| now.duration_since(sent) < timing::HEARTBEAT_INTERVAL / 2)
        {
            return None;
        }
        let seconds = now.duration_since(self.started).as_secs();
        // Slightly more each time: clients may reject progress that does not grow.
        Some(self.step(self.progress + 0.001, format!("working for {seconds} s"), now))
    }

    /// Returns the last notification, with the result.
    pub(super) fn finish(&mut self, message: String, now: Instant) -> ProgressStep {
        let progress = self.progress + 1.0;
        self.total = Some(progress);
        self.step(progress, message, now)
    }

    fn step(&mut self, progress: f64, message: String, now: Instant) -> ProgressStep {
        self.progress = progress;
        self.last_sent = Some(now);
        ProgressStep { progress, total: self.total, message }
    }
}

impl ProgressStep {
    /// Sends the notification.
    pub(super) async fn send(self, prompt: &ClientPrompt) {
        prompt.set_status_message(&self.message);
        prompt.client.progress(self.progress, self.total, Some(self.message)).await;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn progress_only_grows_and_is_throttled() {
        let started = Instant::now();
        let at = |ms| started + Duration::from_millis(ms);
        let mut progress = ProgressTracker::new(started);
        let step = |progress| ProgressEvent::progress(progress, Some(10.0), "reading");
        assert_eq!(progress.report(&step(1.0), at(0)).unwrap().progress, 1.0);
        assert_eq!(progress.report(&step(2.0), at(50)), None, "too soon");
        assert_eq!(progress.report(&step(3.0), at(150)).unwrap().progress, 3.0);
        assert_eq!(progress.report(&step(2.0), at(300)), None, "backwards");
        assert_eq!(
            progress.report(&step(10.0), at(301)).unwrap().progress,
            10.0,
            "the last is always sent"
        );
        assert_eq!(progress.report(&ProgressEvent::warning("x"), at(900)), None);
    }

    #[test]
    fn a_silent_call_sends_a_heartbeat() {
        let started = Instant::now();
        let mut progress = ProgressTracker::new(started);
        let mut last = 0.0;
        for seconds in [5, 10, 15] {
            let step = progress.heartbeat(started + Duration::from_secs(seconds)).unwrap();
            assert!(step.progress > last);
            last = step.progress;
        }
        assert_eq!(progress.heartbeat(started + Duration::from_secs(16)), None);
    }
}
