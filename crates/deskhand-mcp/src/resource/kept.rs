//! Results that were too large for their answer, kept for a while under a name nobody guesses.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// The media type of what programs read.
pub(crate) const JSON: &str = "application/json";

/// How long one is kept.
const LIFE: Duration = Duration::from_secs(600);

/// How many bytes all have together.
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// One result.
#[derive(Debug, Clone)]
pub(crate) struct Kept {
    /// Its media type.
    pub(crate) mime: &'static str,
    /// It.
    pub(crate) text: Arc<str>,
}

/// The results that are kept, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct Shelf(Mutex<VecDeque<(String, Instant, Kept)>>);

impl Shelf {
    /// Keeps a result and gives it a name.
    pub(crate) fn keep(&self, mime: &'static str, text: String, now: Instant) -> String {
        let id = uuid::Uuid::new_v4().simple().to_string();
        let mut all = self.lock();
        all.push_back((id.clone(), now, Kept { mime, text: text.into() }));
        let mut bytes: usize = all.iter().map(|(_, _, kept)| kept.text.len()).sum();
        while all.len() > 1
            && (bytes > MOST_BYTES
                || all.front().is_some_and(|(_, since, _)| now.duration_since(*since) > LIFE))
        {
            bytes -= all.pop_front().map_or(0, |(_, _, kept)| kept.text.len());
        }
        id
    }

    /// The result of a name, while it is kept.
    pub(crate) fn get(&self, id: &str, now: Instant) -> Option<Kept> {
        let mut all = self.lock();
        all.retain(|(_, since, _)| now.duration_since(*since) <= LIFE);
        all.iter().find(|(name, _, _)| name == id).map(|(_, _, kept)| kept.clone())
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(String, Instant, Kept)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_kept_for_its_time_and_no_longer() {
        let (shelf, now) = (Shelf::default(), Instant::now());
        let id = shelf.keep("text/plain", "words".to_owned(), now);
        assert_eq!(&*shelf.get(&id, now + LIFE).unwrap().text, "words");
        assert!(shelf.get("other", now).is_none());
        assert!(shelf.get(&id, now + LIFE + Duration::from_secs(1)).is_none());
        assert!(shelf.lock().is_empty());
    }

    #[test]
    fn the_oldest_go_when_there_is_too_much() {
        let (shelf, now) = (Shelf::default(), Instant::now());
        let large = || "x".repeat(MOST_BYTES / 4 + 1);
        let ids: Vec<String> = (0..5).map(|_| shelf.keep("text/plain", large(), now)).collect();
        let there: Vec<bool> = ids.iter().map(|id| shelf.get(id, now).is_some()).collect();
        assert_eq!(there, [false, false, true, true, true]);
    }
}
