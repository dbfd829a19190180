//! `notifications/tools/list_changed`. Several changes in a row cause one notification.

use std::{sync::Arc, time::Duration};

use rmcp::{
    Peer, RoleServer,
    model::{ServerNotification, ToolListChangedNotification},
};
use tokio::{sync::watch, time::Instant};

use crate::{server::state::Connection, tool::list::Tools};

/// Changes of the tool list that a client has not been notified of.
#[derive(Debug)]
pub(super) struct News {
    news: watch::Receiver<u64>,
    due: Option<Instant>,
}

impl News {
    /// Starts to collect changes.
    pub(super) fn of(tools: &Tools) -> Self {
        Self { news: tools.news(), due: None }
    }

    /// Waits until the client should be notified. Cancel-safe: no change is lost if this is dropped.
    pub(super) async fn next(&mut self) {
        loop {
            match self.due {
                None if self.news.changed().await.is_ok() => {
                    self.due = Some(Instant::now() + GATHERED);
                }
                // The tool list no longer changes.
                None => std::future::pending().await,
                Some(due) => {
                    tokio::time::sleep_until(due).await;
                    self.due = None;
                    self.news.mark_unchanged();
                    return;
                }
            }
        }
    }
}

/// Notifies a client of tool-list changes as long as it is connected.
pub(crate) fn follow(connection: &Arc<Connection>, peer: &Peer<RoleServer>) {
    if !connection.begin_to_follow() {
        return;
    }
    let mut news = News::of(&connection.state.tools);
    let (gone, peer) = (connection.gone.clone(), peer.clone());
    tokio::spawn(async move {
        let telling = async {
            loop {
                news.next().await;
                let note = ToolListChangedNotification::default();
                let note = ServerNotification::ToolListChangedNotification(note);
                if peer.send_notification(note).await.is_err() {
                    return;
                }
            }
        };
        tokio::select! {
            biased;
            () = gone.cancelled() => {}
            () = telling => {}
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn many_changes_cause_one_notification() {
        let changes = watch::Sender::new(0);
        let mut news = News { news: changes.subscribe(), due: None };
        for _ in 0..1000 {
            changes.send_modify(|turn| *turn += 1);
        }
        let begun = Instant::now();
        // A cancelled wait loses no change.
        let early = tokio::time::timeout(GATHERED / 2, news.next()).await;
        assert!(early.is_err());
        news.next().await;
        assert_eq!(begun.elapsed(), GATHERED);
        assert!(tokio::time::timeout(GATHERED * 9, news.next()).await.is_err());
        changes.send_modify(|turn| *turn += 1);
        news.next().await;
    }
}
