//! Slots for connections. When all are taken, idle connections are closed, so that many idle
//! clients cannot keep others out.

use std::{
    collections::HashMap,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll, ready},
    time::Instant,
};

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, Incoming, SizeHint};
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// The divisor for the number of connections closed at once: a sixteenth of all slots.
const CLOSE_DIVISOR: usize = 16;

/// The activity of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ConnectionActivity {
    /// No request, or an incomplete one.
    Idle,
    /// A complete request is being answered.
    Responding,
}

#[derive(Debug)]
struct ActivityState {
    kind: ConnectionActivity,
    since: Instant,
    /// Set once a request was answered.
    was_answered: bool,
}

/// One connection.
#[derive(Debug)]
struct SlotState {
    activity: Mutex<ActivityState>,
    revoked_token: CancellationToken,
}

impl SlotState {
    fn set_activity(&self, kind: ConnectionActivity) {
        let mut activity = self.activity.lock();
        if activity.kind != kind {
            activity.was_answered |= activity.kind == ConnectionActivity::Responding;
            (activity.kind, activity.since) = (kind, Instant::now());
        }
    }
}

/// All slots.
#[derive(Debug)]
pub(super) struct ConnectionSlots {
    max: usize,
    table: Mutex<SlotTable>,
    next: AtomicU64,
    freed: Notify,
}

#[derive(Debug, Default)]
struct SlotTable {
    all: HashMap<u64, Arc<SlotState>>,
    /// Number of connections that were asked to close and have not closed yet.
    closing: usize,
}

impl SlotTable {
    /// Closes idle connections: those that never sent a request first, then the oldest. Closes
    /// several at once, because idle clients come in large numbers.
    fn close_idle(&mut self, count: usize) {
        let mut idle: Vec<_> = self
            .all
            .iter()
            .filter_map(|(id, slot)| {
                let activity = slot.activity.lock();
                (activity.kind == ConnectionActivity::Idle).then_some((
                    activity.was_answered,
                    activity.since,
                    *id,
                ))
            })
            .collect();
        idle.sort_unstable();
        for (_, _, id) in idle.into_iter().take(count) {
            if let Some(slot) = self.all.remove(&id) {
                slot.revoked_token.cancel();
                self.closing += 1;
            }
        }
    }
}

/// A taken slot.
pub(super) struct ConnectionSlot {
    all: Arc<ConnectionSlots>,
    id: u64,
    slot: Arc<SlotState>,
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let mut table = self.all.table.lock();
        if table.all.remove(&self.id).is_none() {
            table.closing -= 1;
        }
        drop(table);
        self.all.freed.notify_one();
    }
}

impl ConnectionSlots {
    /// Creates `max` slots.
    pub(super) fn new(max: usize) -> Arc<Self> {
        let (table, next, freed) = (Mutex::default(), AtomicU64::new(0), Notify::new());
        Arc::new(Self { max: max.max(1), table, next, freed })
    }

    /// Takes a slot. Waits while all connections are being answered.
    pub(super) async fn acquire(self: &Arc<Self>) -> ConnectionSlot {
        loop {
            if let Some(acquired) = self.try_acquire() {
                return acquired;
            }
            self.freed.notified().await;
        }
    }

    fn try_acquire(self: &Arc<Self>) -> Option<ConnectionSlot> {
        let mut table = self.table.lock();
        let close_count = self.max.div_ceil(CLOSE_DIVISOR);
        if table.all.len() >= self.max && table.closing < close_count {
            table.close_idle(close_count);
        }
        if table.all.len() >= self.max || table.closing > 2 * close_count {
            return None;
        }
        let activity = ActivityState {
            kind: ConnectionActivity::Idle,
            since: Instant::now(),
            was_answered: false,
        };
        let slot = Arc::new(SlotState {
            activity: Mutex::new(activity),
            revoked_token: CancellationToken::new(),
        });
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        table.all.insert(id, Arc::clone(&slot));
        Some(ConnectionSlot { all: Arc::clone(self), id, slot })
    }
}

impl ConnectionSlot {
    /// Waits until the slot is revoked.
    pub(super) async fn revoked(&self) {
        self.slot.revoked_token.cancelled().await;
    }

    /// Returns a tracker for the requests of this connection.
    pub(super) fn tracker(&self) -> ActivityTracker {
        ActivityTracker(Arc::clone(&self.slot))
    }
}

/// Tracks the requests of a connection.
#[derive(Debug, Clone)]
pub(super) struct ActivityTracker(Arc<SlotState>);

impl ActivityTracker {
    /// Wraps the body of a request. Its end starts the response phase.
    pub(super) fn request_body(&self, body: Incoming) -> RequestBody {
        if body.is_end_stream() {
            self.0.set_activity(ConnectionActivity::Responding);
        }
        RequestBody { body, tracker: self.clone() }
    }

    /// Wraps the body of a response. Its end makes the connection idle.
    pub(super) fn response_body(&self, body: Body) -> ResponseBody {
        self.0.set_activity(ConnectionActivity::Responding);
        ResponseBody { body, tracker: self.clone() }
    }
}

/// The body of a request.
pub(super) struct RequestBody {
    body: Incoming,
    tracker: ActivityTracker,
}

impl HttpBody for RequestBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        if frame.is_none() || self.body.is_end_stream() {
            self.tracker.0.set_activity(ConnectionActivity::Responding);
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
pub(super) struct ResponseBody {
    body: Body,
    tracker: ActivityTracker,
}

impl Drop for ResponseBody {
    fn drop(&mut self) {
        self.tracker.0.set_activity(ConnectionActivity::Idle);
    }
}

impl HttpBody for ResponseBody {
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
        let slots = ConnectionSlots::new(2);
        let (first, second) = (slots.acquire().await, slots.acquire().await);
        let answering = first.tracker().response_body(Body::empty());
        let third = slots.try_acquire().unwrap();
        assert!(
            second.slot.revoked_token.is_cancelled() && !first.slot.revoked_token.is_cancelled()
        );
        drop(second);
        let too = third.tracker().response_body(Body::empty());
        assert!(slots.try_acquire().is_none());
        assert!(
            !first.slot.revoked_token.is_cancelled() && !third.slot.revoked_token.is_cancelled()
        );
        drop((answering, too));
        assert!(slots.try_acquire().is_some());
        assert!(
            first.slot.revoked_token.is_cancelled() && !third.slot.revoked_token.is_cancelled()
        );
    }

    #[tokio::test]
    async fn connections_without_a_request_are_closed_first() {
        let slots = ConnectionSlots::new(2);
        let old = slots.acquire().await;
        drop(old.tracker().response_body(Body::empty()));
        let new = slots.acquire().await;
        assert!(slots.try_acquire().is_some());
        assert!(new.slot.revoked_token.is_cancelled() && !old.slot.revoked_token.is_cancelled());
    }

    #[tokio::test]
    async fn many_connections_hardly_exceed_the_limit() {
        let slots = ConnectionSlots::new(64);
        let crowd: Vec<ConnectionSlot> =
            std::iter::from_fn(|| slots.try_acquire()).take(1000).collect();
        assert!((64..=64 + 2 * 64_usize.div_ceil(CLOSE_DIVISOR) + 1).contains(&crowd.len()));
        drop(crowd);
        let table = slots.table.lock();
        assert_eq!((table.all.len(), table.closing), (0, 0));
    }
}
