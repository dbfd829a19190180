//! Results that were too large for their reply, stored for a while under an unguessable id.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// The media type of JSON results.
pub(crate) const JSON: &str = "application/json";

/// Maximum total size of the stored results.
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// A stored result.
#[derive(Debug, Clone)]
pub(crate) struct Kept {
    /// The media type.
    pub(crate) mime: &'static str,
    /// The content.
    pub(crate) text: Arc<str>,
}

/// The stored results, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Shelf(Mutex<VecDeque<(String, Instant, Kept)>>);

impl Shelf {
    /// Stores a result and returns its id. Removes expired results, and the oldest ones if there is
    /// too much.
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

    /// Returns a stored result.
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
    fn a_result_expires() {
        let (shelf, now) = (Shelf::default(), Instant::now());
        let id = shelf.keep("text/plain", "words".to_owned(), now);
        assert_eq!(&*shelf.get(&id, now + LIFE).unwrap().text, "words");
        assert!(shelf.get("other", now).is_none());
        assert!(shelf.get(&id, now + LIFE + Duration::from_secs(1)).is_none());
        assert!(shelf.lock().is_empty());
    }

    #[test]
    fn the_oldest_results_are_removed_first() {
        let (shelf, now) = (Shelf::default(), Instant::now());
        let large = || "x".repeat(MOST_BYTES / 4 + 1);
        let ids: Vec<String> = (0..5).map(|_| shelf.keep("text/plain", large(), now)).collect();
        let there: Vec<bool> = ids.iter().map(|id| shelf.get(id, now).is_some()).collect();
        assert_eq!(there, [false, false, true, true, true]);
    }
}
