//! A reader of a session's log, as the stream a response is made of.

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

/// How long a client should wait before it comes back.
pub(crate) const RETRY: Duration = Duration::from_secs(3);

/// What is read of one stream from one place on.
#[derive(Debug)]
pub(crate) struct Reading(mpsc::Receiver<ServerSseMessage>);

impl Stream for Reading {
    type Item = ServerSseMessage;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(cx)
    }
}

/// Whether a reader begins with an event that only has a name, so that it can come back even if
/// nothing else was sent yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Primed {
    /// It does.
    Yes,
    /// It does not: clients of before 2025-11-25 take every event for a message.
    No,
}

/// Reads the open stream of a session from a place on, in place of who reads it now; what is returned
/// with it is cancelled when another takes over.
pub(crate) fn attach(session: &Arc<Session>, from: EventId) -> (Reading, CancellationToken) {
    let replaced = session.take_place(from.stream);
    (read(Arc::clone(session), from, Primed::No, replaced.clone()), replaced)
}

/// Reads what comes after a place, until the stream ends or nobody reads on.
///
/// `replaced` is cancelled when another takes its place.
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
                    // What came last is read before the end.
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
