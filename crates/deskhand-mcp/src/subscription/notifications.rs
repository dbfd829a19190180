//! The notifications that a client has not received yet. Watchers never wait for a client: several
//! changes of one resource become one notification if the client reads slowly.

use std::collections::VecDeque;

use parking_lot::Mutex;
use tokio::{sync::Notify, time::Instant};

use crate::timing;

/// A notification to a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PendingNotification {
    /// A resource has changed.
    ResourceUpdated(String),
    /// The list of resources has changed.
    ResourceListChanged,
    /// The list of prompts has changed.
    PromptListChanged,
    /// An app sends no events.
    SilenceWarning(String),
}

/// The notifications of a client.
#[derive(Debug, Default)]
pub(crate) struct NotificationQueue {
    queued: Mutex<QueuedNotifications>,
    added: Notify,
}

#[derive(Debug, Default)]
struct QueuedNotifications {
    waiting: VecDeque<PendingNotification>,
    /// The times at which changes of lists are due. Several changes in a row cause one notification.
    resources_due: Option<Instant>,
    prompts_due: Option<Instant>,
}

impl QueuedNotifications {
    /// Takes the change of a list that is due.
    fn take_due(&mut self, now: Instant) -> Option<PendingNotification> {
        let is_due = |due: &mut Instant| *due <= now;
        if self.resources_due.take_if(is_due).is_some() {
            return Some(PendingNotification::ResourceListChanged);
        }
        self.prompts_due.take_if(is_due).map(|_| PendingNotification::PromptListChanged)
    }
}

impl NotificationQueue {
    /// Adds a notification, unless the same one is already queued.
    pub(super) fn push(&self, notification: PendingNotification) {
        let mut queued = self.queued.lock();
        match notification {
            PendingNotification::ResourceListChanged => {
                queued.resources_due.get_or_insert(Instant::now() + timing::LIST_CHANGE_DELAY);
            }
            PendingNotification::PromptListChanged => {
                queued.prompts_due.get_or_insert(Instant::now() + timing::LIST_CHANGE_DELAY);
            }
            PendingNotification::ResourceUpdated(_) | PendingNotification::SilenceWarning(_) => {
                if !queued.waiting.contains(&notification) {
                    queued.waiting.push_back(notification);
                }
            }
        }
        drop(queued);
        self.added.notify_one();
    }

    /// Removes the notifications of a resource.
    pub(super) fn remove(&self, uri: &str) {
        let is_other = |notification: &PendingNotification| match notification {
            PendingNotification::ResourceUpdated(updated) => updated != uri,
            PendingNotification::ResourceListChanged
            | PendingNotification::PromptListChanged
            | PendingNotification::SilenceWarning(_) => true,
        };
        self.queued.lock().waiting.retain(is_other);
    }

    /// Waits for the next notification.
    pub(super) async fn next(&self) -> PendingNotification {
        loop {
            let due = {
                let mut queued = self.queued.lock();
                if let Some(notification) = queued.waiting.pop_front() {
                    return notification;
                }
                if let Some(changed) = queued.take_due(Instant::now()) {
                    return changed;
                }
                queued.resources_due.into_iter().chain(queued.prompts_due).min()
            };
            match due {
                None => self.added.notified().await,
                Some(due) => tokio::select! {
                    () = self.added.notified() => {}
                    () = tokio::time::sleep_until(due) => {}
                },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn updated(uri: &str) -> PendingNotification {
        PendingNotification::ResourceUpdated(uri.to_owned())
    }

    #[tokio::test(start_paused = true)]
    async fn duplicates_are_merged_and_list_changes_are_collected() {
        let queue = NotificationQueue::default();
        let begun = Instant::now();
        for notification in [
            PendingNotification::ResourceListChanged,
            PendingNotification::PromptListChanged,
            updated("a"),
            updated("b"),
            updated("a"),
            PendingNotification::ResourceListChanged,
            PendingNotification::PromptListChanged,
        ] {
            queue.push(notification);
        }
        queue.remove("b");
        assert_eq!(queue.next().await, updated("a"));
        assert_eq!(queue.next().await, PendingNotification::ResourceListChanged);
        assert_eq!(queue.next().await, PendingNotification::PromptListChanged);
        assert_eq!(begun.elapsed(), timing::LIST_CHANGE_DELAY);
        let silent = tokio::time::timeout(Duration::from_secs(9), queue.next()).await;
        assert!(silent.is_err());
        queue.push(updated("a"));
        assert_eq!(queue.next().await, updated("a"));
    }
}
