//! Slots for connections. When all are taken, idle connections are closed, so that many idle clients
//! cannot keep others out.

use std::{
    collections::HashMap,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll, ready},
    time::Instant,
};

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, Incoming, SizeHint};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// The divisor for the number of connections closed at once: a sixteenth of all slots.
const AT_ONCE: usize = 16;

/// The activity of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doing {
    /// No request, or an incomplete one.
    Waiting,
    /// A complete request is being answered.
    Working,
}

#[derive(Debug)]
struct Pulse {
    doing: Doing,
    since: Instant,
    /// Whether a request was ever answered.
    is_known: bool,
}

/// One connection.
#[derive(Debug)]
struct One {
    pulse: Mutex<Pulse>,
    cut: CancellationToken,
}

impl One {
    fn pulse(&self) -> MutexGuard<'_, Pulse> {
        self.pulse.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is(&self, doing: Doing) {
        let mut pulse = self.pulse();
        if pulse.doing != doing {
            pulse.is_known |= pulse.doing == Doing::Working;
            (pulse.doing, pulse.since) = (doing, Instant::now());
        }
    }
}

/// All slots.
#[derive(Debug)]
pub(super) struct Places {
    most: usize,
    taken: Mutex<Table>,
    next: AtomicU64,
    freed: Notify,
}

#[derive(Debug, Default)]
struct Table {
    all: HashMap<u64, Arc<One>>,
    /// Number of connections that were asked to close and have not closed yet.
    leaving: usize,
}

impl Table {
    /// Closes idle connections: those that never sent a request first, then the oldest. Closes several at
    /// once, because idle clients come in large numbers.
    fn clear(&mut self, how_many: usize) {
        let mut idle: Vec<_> = self
            .all
            .iter()
            .filter_map(|(id, one)| {
                let pulse = one.pulse();
                (pulse.doing == Doing::Waiting).then_some((pulse.is_known, pulse.since, *id))
            })
            .collect();
        idle.sort_unstable();
        for (_, _, id) in idle.into_iter().take(how_many) {
            if let Some(one) = self.all.remove(&id) {
                one.cut.cancel();
                self.leaving += 1;
            }
        }
    }
}

/// A taken slot.
pub(super) struct Taken {
    all: Arc<Places>,
    id: u64,
    one: Arc<One>,
}

impl Drop for Taken {
    fn drop(&mut self) {
        let mut table = self.all.taken();
        if table.all.remove(&self.id).is_none() {
            table.leaving -= 1;
        }
        drop(table);
        self.all.freed.notify_one();
    }
}

impl Places {
    /// Creates `most` slots.
    pub(super) fn new(most: usize) -> Arc<Self> {
        let (taken, next, freed) = (Mutex::default(), AtomicU64::new(0), Notify::new());
        Arc::new(Self { most: most.max(1), taken, next, freed })
    }

    /// Takes a slot. Waits while all connections are being answered.
    pub(super) async fn take(self: &Arc<Self>) -> Taken {
        loop {
            if let Some(taken) = self.try_take() {
                return taken;
            }
            self.freed.notified().await;
        }
    }

    fn try_take(self: &Arc<Self>) -> Option<Taken> {
        let mut table = self.taken();
        let at_once = self.most.div_ceil(AT_ONCE);
        if table.all.len() >= self.most && table.leaving < at_once {
            table.clear(at_once);
        }
        if table.all.len() >= self.most || table.leaving > 2 * at_once {
            return None;
        }
        let pulse = Pulse { doing: Doing::Waiting, since: Instant::now(), is_known: false };
        let one = Arc::new(One { pulse: Mutex::new(pulse), cut: CancellationToken::new() });
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        table.all.insert(id, Arc::clone(&one));
        Some(Taken { all: Arc::clone(self), id, one })
    }

    fn taken(&self) -> MutexGuard<'_, Table> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Taken {
    /// Waits until the slot is revoked.
    pub(super) async fn given_up(&self) {
        self.one.cut.cancelled().await;
    }

    /// Returns a tracker for the requests of this connection.
    pub(super) fn watch(&self) -> Watch {
        Watch(Arc::clone(&self.one))
    }
}

/// Tracks the requests of a connection.
#[derive(Debug, Clone)]
pub(super) struct Watch(Arc<One>);

impl Watch {
    /// Wraps the body of a request. Its end starts the response phase.
    pub(super) fn asking(&self, body: Incoming) -> Asking {
        if body.is_end_stream() {
            self.0.is(Doing::Working);
        }
        Asking { body, watch: self.clone() }
    }

    /// Wraps the body of a response. Its end makes the connection idle.
    pub(super) fn answering(&self, body: Body) -> Answering {
        self.0.is(Doing::Working);
        Answering { body, watch: self.clone() }
    }
}

/// The body of a request.
pub(super) struct Asking {
    body: Incoming,
    watch: Watch,
}

impl HttpBody for Asking {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        if frame.is_none() || self.body.is_end_stream() {
            self.watch.0.is(Doing::Working);
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The body of a response.
pub(super) struct Answering {
    body: Body,
    watch: Watch,
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.watch.0.is(Doing::Waiting);
    }
}

impl HttpBody for Answering {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn idle_connections_are_closed_and_active_ones_are_not() {
        let places = Places::new(2);
        let (first, second) = (places.take().await, places.take().await);
        let answering = first.watch().answering(Body::empty());
        let third = places.try_take().unwrap();
        assert!(second.one.cut.is_cancelled() && !first.one.cut.is_cancelled());
        drop(second);
        let too = third.watch().answering(Body::empty());
        assert!(places.try_take().is_none());
        assert!(!first.one.cut.is_cancelled() && !third.one.cut.is_cancelled());
        drop((answering, too));
        assert!(places.try_take().is_some());
        assert!(first.one.cut.is_cancelled() && !third.one.cut.is_cancelled());
    }

    #[tokio::test]
    async fn connections_without_a_request_are_closed_first() {
        let places = Places::new(2);
        let old = places.take().await;
        drop(old.watch().answering(Body::empty()));
        let new = places.take().await;
        assert!(places.try_take().is_some());
        assert!(new.one.cut.is_cancelled() && !old.one.cut.is_cancelled());
    }

    #[tokio::test]
    async fn many_connections_hardly_exceed_the_limit() {
        let places = Places::new(64);
        let crowd: Vec<Taken> = std::iter::from_fn(|| places.try_take()).take(1000).collect();
        assert!((64..=64 + 2 * 64_usize.div_ceil(AT_ONCE) + 1).contains(&crowd.len()));
        drop(crowd);
        let table = places.taken();
        assert_eq!((table.all.len(), table.leaving), (0, 0));
    }
}
