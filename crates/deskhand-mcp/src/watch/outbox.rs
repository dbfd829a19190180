//! What one client is still to be told. Whoever hears of a change never waits for a client: a client
//! that reads slowly is told once of what changed many times.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{sync::Notify, time::Instant};

/// How long changes of the list are gathered.
const GATHERED: Duration = Duration::from_millis(250);

/// One thing to tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Note {
    /// What a resource shows has changed.
    Updated(String),
    /// There are other resources than before.
    List,
    /// Something is not as it should be.
    Warning(String),
}

/// What a client is to be told.
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
    /// Puts something in, unless it waits already.
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

    /// Takes out what is about a resource nobody wants to hear of any more.
    pub(super) fn forget(&self, uri: &str) {
        self.lock().waiting.retain(|note| !matches!(note, Note::Updated(of) if of == uri));
    }

    /// Waits for the next thing to tell.
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
    async fn what_changed_twice_is_told_once_and_lists_are_gathered() {
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
