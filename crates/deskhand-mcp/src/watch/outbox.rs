//! The notifications that a client has not received yet. Watchers never wait for a client: several
//! changes of one resource become one notification if the client reads slowly.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{sync::Notify, time::Instant};

/// A notification to a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Note {
    /// A resource has changed.
    Updated(String),
    /// The list of resources has changed.
    List,
    /// An app sends no events.
    Warning(String),
}

/// The notifications of a client.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    notes: Mutex<Notes>,
    news: Notify,
}

#[derive(Debug, Default)]
struct Notes {
    waiting: VecDeque<Note>,
    list: Option<Instant>,
}

impl Outbox {
    /// Adds a notification, unless the same one is already queued.
    pub(super) fn put(&self, note: Note) {
        let mut notes = self.lock();
        match note {
            Note::List => {
                notes.list.get_or_insert(Instant::now() + GATHERED);
            }
            Note::Updated(_) | Note::Warning(_) => {
                if !notes.waiting.contains(&note) {
                    notes.waiting.push_back(note);
                }
            }
        }
        drop(notes);
        self.news.notify_one();
    }

    /// Removes the notifications of a resource.
    pub(super) fn forget(&self, uri: &str) {
        self.lock().waiting.retain(|note| !matches!(note, Note::Updated(of) if of == uri));
    }

    /// Waits for the next notification.
    pub(super) async fn next(&self) -> Note {
        loop {
            let due = {
                let mut notes = self.lock();
                if let Some(note) = notes.waiting.pop_front() {
                    return note;
                }
                if notes.list.is_some_and(|due| due <= Instant::now()) {
                    notes.list = None;
                    return Note::List;
                }
                notes.list
            };
            match due {
                None => self.news.notified().await,
                Some(due) => tokio::select! {
                    () = self.news.notified() => {}
                    () = tokio::time::sleep_until(due) => {}
                },
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn updated(uri: &str) -> Note {
        Note::Updated(uri.to_owned())
    }

    #[tokio::test(start_paused = true)]
    async fn duplicates_are_merged_and_list_changes_are_collected() {
        let outbox = Outbox::default();
        let begun = Instant::now();
        for note in [Note::List, updated("a"), updated("b"), updated("a"), Note::List] {
            outbox.put(note);
        }
        outbox.forget("b");
        assert_eq!(outbox.next().await, updated("a"));
        assert_eq!(outbox.next().await, Note::List);
        assert_eq!(begun.elapsed(), GATHERED);
        let silent = tokio::time::timeout(Duration::from_secs(9), outbox.next()).await;
        assert!(silent.is_err());
        outbox.put(updated("a"));
        assert_eq!(outbox.next().await, updated("a"));
    }
}
