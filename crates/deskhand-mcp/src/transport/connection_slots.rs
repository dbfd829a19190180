//! Slots for connections. When all are taken, idle connections are closed, so that many idle
//! clients cannot keep others out. If none is idle, the principal with the most connections gives one
//! up for another principal.

use std::{
    collections::HashMap,
    pin::Pin,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll, ready},
    time::Instant,
};

use axum::{
    body::{Body, Bytes, HttpBody},
    extract::Request,
    http::{
        HeaderValue, StatusCode,
        header::{CONNECTION, CONTENT_TYPE, RETRY_AFTER},
    },
    middleware::Next,
    response::{IntoResponse, Response},
};
use hyper::body::{Frame, Incoming, SizeHint};
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::accept;
use crate::{
    server::{failure, principal::Principal},
    wire::frame::ErrorResponse,
};

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
    /// The name of the principal whose requests it carries, once one was authenticated.
    principal: OnceLock<Arc<str>>,
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

impl SlotTable {
    /// Returns the ids of the connections of each principal.
    fn by_principal(&self) -> HashMap<&str, Vec<u64>> {
        let mut all: HashMap<&str, Vec<u64>> = HashMap::new();
        for (id, slot) in &self.all {
            if let Some(principal) = slot.principal.get() {
                all.entry(principal).or_default().push(*id);
            }
        }
        all
    }

    /// Makes room for a connection of a principal, if there are too many: closes an idle one, or one
    /// of the principal with the most. Returns `false` if that is this principal.
    fn make_room(&mut self, own: &Arc<SlotState>, principal: &str, max: usize) -> bool {
        if self.all.len() <= max {
            return true;
        }
        let connections = self.by_principal();
        let own_count = connections.get(principal).map_or(0, Vec::len);
        let largest = connections.into_values().max_by_key(Vec::len).unwrap_or_default();
        let is_larger = largest.len() > own_count;
        let others = self.all.iter().filter(|(_, slot)| !Arc::ptr_eq(slot, own));
        let candidates = others.filter_map(|(id, slot)| {
            let activity = slot.activity.lock();
            let is_idle = activity.kind == ConnectionActivity::Idle;
            let can_close = is_idle || (is_larger && largest.contains(id));
            can_close.then_some((!is_idle, activity.since, *id))
        });
        let Some((_, _, oldest)) = candidates.min() else { return false };
        if let Some(slot) = self.all.remove(&oldest) {
            slot.revoked_token.cancel();
            self.closing += 1;
        }
        true
    }
}

/// Limits the connections of the principal that sends a request, if there are too many.
pub(super) async fn share_fairly(mut request: Request, next: Next) -> Response {
    let principal = Principal::from_http(request.extensions());
    let tracker = request.extensions_mut().remove::<ActivityTracker>();
    if tracker.is_none_or(|tracker| tracker.identify(&principal.name)) {
        return next.run(request).await;
    }
    let error =
        failure::unavailable("too many connections; use fewer, or try again later".to_owned());
    let body = ErrorResponse::without_id(error).to_json().to_string();
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static(accept::JSON)),
        (CONNECTION, HeaderValue::from_static("close")),
        (RETRY_AFTER, HeaderValue::from_static("1")),
    ];
    (StatusCode::SERVICE_UNAVAILABLE, headers, body).into_response()
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
        // A few connections above the limit are accepted, because only their first request tells
        // whose they are.
        if table.all.len() >= self.max + close_count || table.closing > 2 * close_count {
            return None;
        }
        let activity = ActivityState {
            kind: ConnectionActivity::Idle,
            since: Instant::now(),
            was_answered: false,
        };
        let slot = Arc::new(SlotState {
            activity: Mutex::new(activity),
            principal: OnceLock::new(),
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
        ActivityTracker { slot: Arc::clone(&self.slot), all: Arc::clone(&self.all) }
    }
}

/// Tracks the requests of a connection.
#[derive(Debug, Clone)]
pub(super) struct ActivityTracker {
    slot: Arc<SlotState>,
    all: Arc<ConnectionSlots>,
}

impl ActivityTracker {
    /// Records the principal of a request. Returns `false` if there are too many connections and this
    /// one is the one to close.
    fn identify(&self, principal: &Arc<str>) -> bool {
        if self.slot.principal.get().is_some() {
            return true;
        }
        let mut table = self.all.table.lock();
        // Requests of one connection come one after the other.
        self.slot.principal.get_or_init(|| Arc::clone(principal));
        table.make_room(&self.slot, principal, self.all.max)
    }

    /// Wraps the body of a request. Its end starts the response phase.
    pub(super) fn request_body(&self, body: Incoming) -> RequestBody {
        if body.is_end_stream() {
            self.slot.set_activity(ConnectionActivity::Responding);
        }
        RequestBody { body, tracker: self.clone() }
    }

    /// Wraps the body of a response. Its end makes the connection idle.
    pub(super) fn response_body(&self, body: Body) -> ResponseBody {
        self.slot.set_activity(ConnectionActivity::Responding);
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
            self.tracker.slot.set_activity(ConnectionActivity::Responding);
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
        self.tracker.slot.set_activity(ConnectionActivity::Idle);
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
        let above = slots.try_acquire().unwrap();
        let third_busy = above.tracker().response_body(Body::empty());
        assert!(slots.try_acquire().is_none());
        drop((third_busy, above));
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
    async fn the_principal_with_the_most_connections_gives_one_up() {
        let slots = ConnectionSlots::new(16);
        let [ann, bob]: [Arc<str>; 2] = ["ann".into(), "bob".into()];
        let mut busy = Vec::new();
        let mut open = |principal: &Arc<str>| {
            let connection = slots.try_acquire().unwrap();
            busy.push(connection.tracker().response_body(Body::empty()));
            let is_admitted = connection.tracker().identify(principal);
            (connection, is_admitted)
        };
        let first_of_ann = open(&ann).0;
        let others: Vec<_> = (1..16).map(|_| open(&ann)).collect();
        assert!(others.iter().all(|(_, is_admitted)| *is_admitted));
        let (above, is_admitted) = open(&ann);
        assert!(!is_admitted, "ann has the most connections");
        drop(above);
        let (of_bob, is_admitted) = open(&bob);
        assert!(is_admitted && first_of_ann.slot.revoked_token.is_cancelled());
        assert!(!of_bob.slot.revoked_token.is_cancelled());
        assert!(others.iter().all(|(one, _)| !one.slot.revoked_token.is_cancelled()));
    }

    #[tokio::test]
    async fn many_connections_hardly_exceed_the_limit() {
        let slots = ConnectionSlots::new(64);
        let crowd: Vec<ConnectionSlot> =
            std::iter::from_fn(|| slots.try_acquire()).take(1000).collect();
        assert!((64..=64 + 3 * 64_usize.div_ceil(CLOSE_DIVISOR) + 1).contains(&crowd.len()));
        drop(crowd);
        let table = slots.table.lock();
        assert_eq!((table.all.len(), table.closing), (0, 0));
    }
}
