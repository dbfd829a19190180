//! Telling clients that other tools are offered than before; many changes in a row are told once.

use std::{sync::Arc, time::Duration};

use rmcp::{
    Peer, RoleServer,
    model::{ServerNotification, ToolListChangedNotification},
};
use tokio::{sync::watch, time::Instant};

use crate::{server::state::Connection, tool::list::Tools};

/// How long changes are gathered.
const GATHERED: Duration = Duration::from_millis(250);

/// What one client is still to be told.
#[derive(Debug)]
pub(super) struct News {
    news: watch::Receiver<u64>,
    due: Option<Instant>,
}

impl News {
    /// What changes from now on.
    pub(super) fn of(tools: &Tools) -> Self {
        Self { news: tools.news(), due: None }
    }

    /// Ends when a client is to be told; whoever stops waiting and waits again misses nothing.
    pub(super) async fn next(&mut self) {
        loop {
            match self.due {
                None if self.news.changed().await.is_ok() => {
                    self.due = Some(Instant::now() + GATHERED);
                }
                // Nothing changes any more.
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

/// Tells a client of the handshake from now on, as long as it is there.
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
    async fn a_storm_of_changes_is_told_once_and_none_is_missed() {
        let changes = watch::Sender::new(0);
        let mut news = News { news: changes.subscribe(), due: None };
        for _ in 0..1000 {
            changes.send_modify(|turn| *turn += 1);
        }
        let begun = Instant::now();
        // Who gives up waiting in between hears of it all the same.
        let early = tokio::time::timeout(GATHERED / 2, news.next()).await;
        assert!(early.is_err());
        news.next().await;
        assert_eq!(begun.elapsed(), GATHERED);
        assert!(tokio::time::timeout(GATHERED * 9, news.next()).await.is_err());
        changes.send_modify(|turn| *turn += 1);
        news.next().await;
    }
}
