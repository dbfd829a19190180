//! The places for connections: when all are taken, whoever keeps one without asking for anything gives
//! it up, so that many who only hold on keep nobody out.

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

/// The part of all places that is cleared at once, when there is none.
const AT_ONCE: usize = 16;

/// What a connection is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doing {
    /// Its client has asked for nothing, or not to the end.
    Waiting,
    /// It is being answered.
    Working,
}

#[derive(Debug)]
struct Pulse {
    doing: Doing,
    since: Instant,
    /// Whether it ever was answered.
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

/// All places.
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
    /// How many were told to give up their places and have not gone yet.
    leaving: usize,
}

impl Table {
    /// Tells those who only hold on to give way: who never asked for anything first, and of them who
    /// came first. Several at once, as they come in crowds.
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

/// A place that is taken.
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
    /// So many.
    pub(super) fn new(most: usize) -> Arc<Self> {
        let (taken, next, freed) = (Mutex::default(), AtomicU64::new(0), Notify::new());
        Arc::new(Self { most: most.max(1), taken, next, freed })
    }

    /// Takes one; waits while everybody has one and is being answered.
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
    /// Ends when the place must be given up.
    pub(super) async fn given_up(&self) {
        self.one.cut.cancelled().await;
    }

    /// What follows one request after the other on this connection.
    pub(super) fn watch(&self) -> Watch {
        Watch(Arc::clone(&self.one))
    }
}

/// Follows the requests of a connection.
#[derive(Debug, Clone)]
pub(super) struct Watch(Arc<One>);

impl Watch {
    /// A request's body, whose end is the end of asking.
    pub(super) fn asking(&self, body: Incoming) -> Asking {
        if body.is_end_stream() {
            self.0.is(Doing::Working);
        }
        Asking { body, watch: self.clone() }
    }

    /// An answer's body, whose end is the end of answering.
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

/// The body of an answer.
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
    async fn who_only_holds_on_gives_way_and_who_is_answered_does_not() {
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
    async fn who_never_asked_gives_way_before_who_did() {
        let places = Places::new(2);
        let old = places.take().await;
        drop(old.watch().answering(Body::empty()));
        let new = places.take().await;
        assert!(places.try_take().is_some());
        assert!(new.one.cut.is_cancelled() && !old.one.cut.is_cancelled());
    }

    #[tokio::test]
    async fn a_crowd_takes_hardly_more_places_than_there_are() {
        let places = Places::new(64);
        let crowd: Vec<Taken> = std::iter::from_fn(|| places.try_take()).take(1000).collect();
        assert!((64..=64 + 2 * 64_usize.div_ceil(AT_ONCE) + 1).contains(&crowd.len()));
        drop(crowd);
        let table = places.taken();
        assert_eq!((table.all.len(), table.leaving), (0, 0));
    }
}
