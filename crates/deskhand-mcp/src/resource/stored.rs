//! Results that were too large for their reply, stored for a while under an unguessable id.

use std::{collections::VecDeque, sync::Arc, time::Instant};

use parking_lot::Mutex;

use crate::timing;

/// The media type of JSON results.
pub(crate) const JSON: &str = "application/json";

/// Maximum total size of the stored results.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// A stored result.
#[derive(Debug, Clone)]
pub(crate) struct StoredResult {
    /// The media type.
    pub(crate) mime: &'static str,
    /// The content.
    pub(crate) text: Arc<str>,
}

/// The stored results, oldest first.
#[derive(Debug, Default)]
pub(crate) struct ResultStore(Mutex<VecDeque<(String, Instant, StoredResult)>>);

impl ResultStore {
    /// Stores a result and returns its id. Removes expired results, and the oldest ones if there is
    /// too much.
    pub(crate) fn insert(&self, mime: &'static str, text: String, now: Instant) -> String {
        let id = uuid::Uuid::new_v4().simple().to_string();
        let mut all = self.0.lock();
        all.push_back((id.clone(), now, StoredResult { mime, text: text.into() }));
        let mut bytes: usize = all.iter().map(|(_, _, stored)| stored.text.len()).sum();
        while all.len() > 1
            && (bytes > MAX_BYTES
                || all.front().is_some_and(|(_, since, _)| {
                    now.duration_since(*since) > timing::STORED_RESULT_TTL
                }))
        {
            bytes -= all.pop_front().map_or(0, |(_, _, stored)| stored.text.len());
        }
        id
    }

    /// Returns a stored result.
    pub(crate) fn get(&self, id: &str, now: Instant) -> Option<StoredResult> {
        let mut all = self.0.lock();
        all.retain(|(_, since, _)| now.duration_since(*since) <= timing::STORED_RESULT_TTL);
        all.iter().find(|(name, _, _)| name == id).map(|(_, _, stored)| stored.clone())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_result_expires() {
        let (store, now) = (ResultStore::default(), Instant::now());
        let id = store.insert("text/plain", "words".to_owned(), now);
        assert_eq!(&*store.get(&id, now + timing::STORED_RESULT_TTL).unwrap().text, "words");
        assert!(store.get("other", now).is_none());
        assert!(store.get(&id, now + timing::STORED_RESULT_TTL + Duration::from_secs(1)).is_none());
        assert!(store.0.lock().is_empty());
    }

    #[test]
    fn the_oldest_results_are_removed_first() {
        let (store, now) = (ResultStore::default(), Instant::now());
        let large = || "x".repeat(MAX_BYTES / 4 + 1);
        let ids: Vec<String> = (0..5).map(|_| store.insert("text/plain", large(), now)).collect();
        let there: Vec<bool> = ids.iter().map(|id| store.get(id, now).is_some()).collect();
        assert_eq!(there, [false, false, true, true, true]);
    }
}
