//! A reader of a session's event store, as the stream of an HTTP response.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Instant,
};

use futures_util::Stream;
use rmcp::transport::streamable_http_server::session::ServerSseMessage;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{
    event_store::{EventId, NextEvent},
    http_session::HttpSession,
};
use crate::timing;

/// The events of one stream, from one position on.
#[derive(Debug)]
pub(crate) struct EventReader(mpsc::Receiver<ServerSseMessage>);

impl Stream for EventReader {
    type Item = ServerSseMessage;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(cx)
    }
}

/// Selects if a stream starts with a priming event, which has only an id. With it, the client can
/// resume even if no other event was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Priming {
    /// It does.
    Yes,
    /// It does not: clients before 2025-11-25 treat every event as a message.
    No,
}

/// Reads the standalone stream of a session, in place of its current reader. The returned token is
/// cancelled when another reader takes over.
pub(crate) fn attach_reader(
    session: &Arc<HttpSession>,
    from: EventId,
) -> (EventReader, CancellationToken) {
    let replaced = session.replace_reader(from.stream);
    (read_events(Arc::clone(session), from, Priming::No, replaced.clone()), replaced)
}

/// Reads the events after a position, until the stream ends or the receiver is dropped.
///
/// `replaced` is cancelled when another reader takes over.
pub(super) fn read_events(
    session: Arc<HttpSession>,
    from: EventId,
    priming: Priming,
    replaced: CancellationToken,
) -> EventReader {
    let (send, receive) = mpsc::channel(1);
    let reader = session.add_reader();
    tokio::spawn(async move {
        let _reader = reader;
        if priming == Priming::Yes
            && send
                .send(ServerSseMessage::priming(from.to_string(), timing::SSE_RETRY))
                .await
                .is_err()
        {
            return;
        }
        let Some(mut changed_signal) = session.events().subscribe(from.stream) else { return };
        let mut from = from;
        loop {
            changed_signal.mark_unchanged();
            if replaced.is_cancelled() {
                return;
            }
            let next = session.events().next_after(from, Instant::now());
            match next {
                NextEvent::Event(event) => {
                    from = event.id;
                    let mut message =
                        ServerSseMessage::priming(event.id.to_string(), timing::SSE_RETRY);
                    message.retry = None;
                    message.message = Some(event.message);
                    if send.send(message).await.is_err() {
                        return;
                    }
                    session.events().mark_delivered(from, Instant::now());
                }
                NextEvent::End => return,
                NextEvent::Pending => tokio::select! {
                    // Deliver the last events before the session ends.
                    biased;
                    changed = changed_signal.changed() => if changed.is_err() { return },
                    () = send.closed() => return,
                    () = session.wait_ended() => return,
                    () = replaced.cancelled() => return,
                },
            }
        }
    });
    EventReader(receive)
}
