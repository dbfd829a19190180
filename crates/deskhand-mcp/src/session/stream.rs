//! A reader of a session's event store, as the stream of an HTTP response.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use futures_util::Stream;
use rmcp::transport::streamable_http_server::session::ServerSseMessage;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{
    conversation::Session,
    events::{EventId, Found},
};

/// The events of one stream, from one position on.
#[derive(Debug)]
pub(crate) struct Reading(mpsc::Receiver<ServerSseMessage>);

impl Stream for Reading {
    type Item = ServerSseMessage;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(cx)
    }
}

/// Whether a stream starts with a priming event, which has only an id. With it, the client can resume
/// even if no other event was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Primed {
    /// It does.
    Yes,
    /// It does not: clients before 2025-11-25 treat every event as a message.
    No,
}

/// Reads the standalone stream of a session, in place of its current reader. The returned token is
/// cancelled when another reader takes over.
pub(crate) fn attach(session: &Arc<Session>, from: EventId) -> (Reading, CancellationToken) {
    let replaced = session.take_place(from.stream);
    (read(Arc::clone(session), from, Primed::No, replaced.clone()), replaced)
}

/// Reads the events after a position, until the stream ends or the receiver is dropped.
///
/// `replaced` is cancelled when another reader takes over.
pub(super) fn read(
    session: Arc<Session>,
    from: EventId,
    primed: Primed,
    replaced: CancellationToken,
) -> Reading {
    let (send, receive) = mpsc::channel(1);
    let reader = session.reading();
    tokio::spawn(async move {
        let _reader = reader;
        if primed == Primed::Yes
            && send.send(ServerSseMessage::priming(from.to_string(), RETRY)).await.is_err()
        {
            return;
        }
        let Some(mut news) = session.log().news(from.stream) else { return };
        let mut from = from;
        loop {
            news.mark_unchanged();
            if replaced.is_cancelled() {
                return;
            }
            let found = session.log().after(from, Instant::now());
            match found {
                Found::Event(event) => {
                    from = event.id;
                    let mut message = ServerSseMessage::priming(event.id.to_string(), RETRY);
                    message.retry = None;
                    message.message = Some(event.message);
                    if send.send(message).await.is_err() {
                        return;
                    }
                    session.log().handed(from, Instant::now());
                }
                Found::End => return,
                Found::Nothing => tokio::select! {
                    // Deliver the last events before the session ends.
                    biased;
                    changed = news.changed() => if changed.is_err() { return },
                    () = send.closed() => return,
                    () = session.ended() => return,
                    () = replaced.cancelled() => return,
                },
            }
        }
    });
    Reading(receive)
}
