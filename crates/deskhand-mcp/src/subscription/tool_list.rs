//! `notifications/tools/list_changed`. Several changes in a row cause one notification.

use std::sync::Arc;

use rmcp::{
    Peer, RoleServer,
    model::{ServerNotification, ToolListChangedNotification},
};
use tokio::{sync::watch, time::Instant};

use crate::{server::state::Connection, timing, tool::list::ToolList};

/// Changes of the tool list that a client has not been notified of.
#[derive(Debug)]
pub(super) struct ToolListChanges {
    changes: watch::Receiver<Option<std::time::Instant>>,
    due: Option<Instant>,
}

impl ToolListChanges {
    /// Starts to collect changes.
    pub(super) fn new(tools: &ToolList) -> Self {
        Self { changes: tools.subscribe_changes(), due: None }
    }

    /// Starts to collect changes for a subscription that was just acknowledged. The SDK sends the
    /// acknowledgement before it calls the server, and a client may rely on it at once, so a change
    /// in between counts.
    pub(super) fn since_acknowledgement(tools: &ToolList) -> Self {
        let mut this = Self::new(tools);
        let latest = *this.changes.borrow();
        if latest.is_some_and(|at| at.elapsed() < timing::ACKNOWLEDGEMENT_TIME) {
            this.changes.mark_changed();
        }
        this
    }

    /// Waits until the client should be notified. Cancel-safe: no change is lost if this is
    /// dropped.
    pub(super) async fn next(&mut self) {
        loop {
            match self.due {
                None if self.changes.changed().await.is_ok() => {
                    self.due = Some(Instant::now() + timing::LIST_CHANGE_DELAY);
                }
                // The tool list no longer changes.
                None => std::future::pending().await,
                Some(due) => {
                    tokio::time::sleep_until(due).await;
                    self.due = None;
                    self.changes.mark_unchanged();
                    return;
                }
            }
        }
    }
}

/// Notifies a client of tool-list changes as long as it is connected.
pub(crate) fn notify_changes(connection: &Arc<Connection>, peer: &Peer<RoleServer>) {
    if !connection.mark_tool_list_followed() {
        return;
    }
    let mut changes = ToolListChanges::new(&connection.state.tools);
    let (closed, peer) = (connection.closed.clone(), peer.clone());
    tokio::spawn(async move {
        let sending = async {
            loop {
                changes.next().await;
                let notification = ToolListChangedNotification::default();
                let notification = ServerNotification::ToolListChangedNotification(notification);
                if peer.send_notification(notification).await.is_err() {
                    return;
                }
            }
        };
        tokio::select! {
            biased;
            () = closed.cancelled() => {}
            () = sending => {}
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn many_changes_cause_one_notification() {
        let sender = watch::Sender::new(None);
        let mut changes = ToolListChanges { changes: sender.subscribe(), due: None };
        for _ in 0..1000 {
            sender.send_replace(Some(std::time::Instant::now()));
        }
        let begun = Instant::now();
        // A cancelled wait loses no change.
        let early = tokio::time::timeout(timing::LIST_CHANGE_DELAY / 2, changes.next()).await;
        assert!(early.is_err());
        changes.next().await;
        assert_eq!(begun.elapsed(), timing::LIST_CHANGE_DELAY);
        assert!(tokio::time::timeout(timing::LIST_CHANGE_DELAY * 9, changes.next()).await.is_err());
        sender.send_replace(Some(std::time::Instant::now()));
        changes.next().await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_change_right_after_the_acknowledgement_is_not_lost() {
        let tools = ToolList::new(Vec::new());
        let wait = timing::LIST_CHANGE_DELAY * 9;
        let mut quiet = ToolListChanges::since_acknowledgement(&tools);
        assert!(tokio::time::timeout(wait, quiet.next()).await.is_err());
        tools.note_change();
        let mut changes = ToolListChanges::since_acknowledgement(&tools);
        assert!(tokio::time::timeout(wait, changes.next()).await.is_ok());
        let mut later = ToolListChanges::new(&tools);
        assert!(tokio::time::timeout(wait, later.next()).await.is_err());
    }
}
