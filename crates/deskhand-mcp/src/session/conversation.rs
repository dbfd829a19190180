//! One HTTP session: routing of messages to streams, pending requests, and readers.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use rmcp::{
    model::{
        ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorData, GetExtensions, GetMeta,
        JsonRpcMessage, ProgressToken, ProtocolVersion, RequestId, ServerJsonRpcMessage,
        ServerNotification, ServerResult,
    },
    service::OriginatingRequestId,
    transport::streamable_http_server::session::SessionId,
};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{
    budget::Budget,
    events::{EventId, EventLog, StreamId},
    stream::Primed,
    table::Refused,
};
use crate::{
    server::{client::Origin, principal::Principal},
    wire::{ledger, outbound, steadfast::Steadfast},
};

/// The distribution of messages over streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spread {
    /// Each request has its own stream (Streamable HTTP).
    ByRequest,
    /// All messages share one stream (HTTP+SSE of 2024-11-05).
    Together,
}

/// An HTTP session.
#[derive(Debug)]
pub(crate) struct Session {
    id: SessionId,
    spread: Spread,
    owner: OnceLock<Arc<str>>,
    log: Mutex<EventLog>,
    routes: Mutex<Routes>,
    outgoing: mpsc::Sender<ClientJsonRpcMessage>,
    ended: CancellationToken,
    readers: AtomicUsize,
    seen: Mutex<Instant>,
    reader: Mutex<CancellationToken>,
}

#[derive(Debug, Default)]
struct Routes {
    steadfast: Steadfast,
    staying: HashSet<RequestId>,
    begun: bool,
    version: Option<ProtocolVersion>,
    requests: HashMap<RequestId, StreamId>,
    tokens: HashMap<ProgressToken, StreamId>,
}

/// The decision about a client's message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Admitted {
    /// Pass it to the handler.
    Yes,
    /// Ignore it.
    LetBe,
}

/// Counts a reader until it is dropped.
pub(super) struct Reader(Arc<Session>);

impl Drop for Reader {
    fn drop(&mut self) {
        self.0.readers.fetch_sub(1, Ordering::Relaxed);
        self.0.touch();
    }
}

impl Session {
    /// Creates a session whose messages are forwarded to `outgoing`.
    pub(super) fn new(
        id: SessionId,
        spread: Spread,
        outgoing: mpsc::Sender<ClientJsonRpcMessage>,
        budget: Budget,
        steadfast: Steadfast,
    ) -> Self {
        Self {
            id,
            spread,
            owner: OnceLock::new(),
            log: Mutex::new(EventLog::within(budget)),
            routes: Mutex::new(Routes { steadfast, ..Routes::default() }),
            outgoing,
            ended: CancellationToken::new(),
            readers: AtomicUsize::new(0),
            seen: Mutex::new(Instant::now()),
            reader: Mutex::default(),
        }
    }

    /// Returns the session id.
    pub(crate) fn id(&self) -> &SessionId {
        &self.id
    }

    /// Locks the event store.
    pub(super) fn log(&self) -> MutexGuard<'_, EventLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the owner. Only the first call has an effect.
    pub(crate) fn give_to(&self, owner: &Principal) {
        self.owner.get_or_init(|| Arc::clone(&owner.name));
    }

    /// Returns `true` if the principal owns the session.
    pub(crate) fn belongs_to(&self, who: &Principal) -> bool {
        self.owner.get().is_some_and(|owner| *owner == who.name)
    }

    /// Returns the name of the owner, or an empty string.
    pub(super) fn owner(&self) -> &str {
        self.owner.get().map_or("", |owner| owner)
    }

    /// Returns the stream mode.
    pub(crate) fn spread(&self) -> Spread {
        self.spread
    }

    /// Returns the number of bytes in the event store.
    pub(crate) fn buffered(&self) -> usize {
        self.log().bytes()
    }

    /// Returns the number of readers.
    pub(crate) fn readers(&self) -> usize {
        self.readers.load(Ordering::Relaxed)
    }

    /// Returns the number of pending requests.
    pub(super) fn unanswered(&self) -> usize {
        self.routes().requests.len()
    }

    /// Appends a message of the handler to the stream it belongs to. A response to a request that is
    /// not pending is dropped.
    pub(crate) fn append(&self, message: ServerJsonRpcMessage) {
        let mut routes = self.routes();
        let is_last = matches!(message, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_));
        let is_to_nobody = matches!(&message, JsonRpcMessage::Error(error) if error.id.is_none());
        let to = match routes.stream(&message) {
            Some(stream) => stream,
            None if is_last && !is_to_nobody => return,
            None => StreamId::Open,
        };
        if is_last && to != StreamId::Open {
            routes.answered(to);
        }
        drop(routes);
        let mut log = self.log();
        log.append(to, outbound::rewrite(message));
        if is_last && to != StreamId::Open {
            log.finish(to);
        }
    }

    /// Answers all pending requests with an error.
    pub(super) fn cut(&self, error: &ErrorData) {
        let open: Vec<RequestId> = self.routes().requests.keys().cloned().collect();
        for id in open {
            self.append(JsonRpcMessage::error(error.clone(), Some(id)));
        }
    }

    /// Waits until the session ends.
    pub(crate) async fn ended(&self) {
        self.ended.cancelled().await;
    }

    /// Returns a token that is cancelled when the session ends.
    pub(crate) fn end_token(&self) -> CancellationToken {
        self.ended.clone()
    }

    /// Ends the session.
    pub(super) fn end(&self) {
        self.ended.cancel();
    }

    /// Counts a reader until the returned guard is dropped.
    pub(super) fn reading(self: &Arc<Self>) -> Reader {
        self.readers.fetch_add(1, Ordering::Relaxed);
        self.touch();
        Reader(Arc::clone(self))
    }

    /// Returns the negotiated protocol version.
    pub(crate) fn version(&self) -> Option<ProtocolVersion> {
        self.routes().version.clone()
    }

    /// Returns `true` if a request with this id is pending.
    pub(crate) fn is_running(&self, id: &RequestId) -> bool {
        self.routes().requests.contains_key(id)
    }

    /// Returns `true` if the event store can resume after this event.
    pub(crate) fn owns(&self, event: &str) -> bool {
        event.parse().is_ok_and(|id| self.log().owns(id))
    }

    /// Returns the last event of the standalone stream that was delivered.
    pub(crate) fn last_handed(&self) -> EventId {
        self.log().last_handed()
    }

    /// Checks if a message can be accepted now.
    pub(crate) fn admits(&self, message: &ClientJsonRpcMessage) -> Result<Admitted, ErrorData> {
        let mut routes = self.routes();
        let JsonRpcMessage::Request(request) = message else {
            // Before that, only requests are valid; the SDK would close the connection.
            return Ok(if routes.begun { Admitted::Yes } else { Admitted::LetBe });
        };
        if routes.requests.contains_key(&request.id) {
            return Err(ErrorData::invalid_request(ledger::IN_USE, None));
        }
        if routes.begun && matches!(request.request, ClientRequest::InitializeRequest(_)) {
            return Err(ErrorData::invalid_request(ledger::INITIALIZED, None));
        }
        routes.begun |= ledger::begins(&request.request);
        Ok(Admitted::Yes)
    }

    /// Forwards a message of the client to the handler.
    pub(crate) async fn take(&self, message: ClientJsonRpcMessage) -> Result<(), Refused> {
        self.touch();
        if let JsonRpcMessage::Notification(notification) = &message
            && let ClientNotification::CancelledNotification(it) = &notification.notification
            && let Some(id) = &it.params.request_id
        {
            if self.routes().staying.contains(id) {
                return Ok(());
            }
            let stream = self.routes().cancelled(id);
            // A cancelled request gets no response.
            if let Some(stream) = stream.filter(|stream| *stream != StreamId::Open) {
                self.log().abandon(stream, Instant::now());
            }
        }
        self.outgoing.send(message).await.map_err(|_| Refused::Ended)
    }

    /// Opens the stream for the response to a message.
    pub(crate) fn open(&self, message: &ClientJsonRpcMessage) -> Result<StreamId, Refused> {
        let stream = match self.spread {
            Spread::ByRequest => self.log().open(Instant::now()),
            Spread::Together => self.log().has_room(Instant::now()).then_some(StreamId::Open),
        };
        let stream = stream.ok_or(Refused::Full)?;
        if let JsonRpcMessage::Request(request) = message {
            let mut routes = self.routes();
            routes.requests.insert(request.id.clone(), stream);
            if routes.steadfast.has(&request.request) {
                routes.staying.insert(request.id.clone());
            }
            if let Some(token) = request.request.get_meta().get_progress_token()
                && stream != StreamId::Open
            {
                routes.tokens.insert(token, stream);
            }
        }
        Ok(stream)
    }

    /// Returns `true` if the client has been inactive for too long.
    pub(super) fn is_idle(&self, now: Instant, patience: Duration) -> bool {
        let patience = match self.spread {
            Spread::ByRequest => patience,
            Spread::Together => patience.min(UNREAD),
        };
        let patience = if self.log().has_unread() { patience * LONGER } else { patience };
        self.is_at_rest() && now.saturating_duration_since(self.seen()) > patience
    }

    /// Returns `true` if the session has no reader and no pending request.
    pub(super) fn is_at_rest(&self) -> bool {
        self.readers() == 0 && self.unanswered() == 0
    }

    /// Returns the time of the client's last activity.
    pub(super) fn seen(&self) -> Instant {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether readers start with a priming event.
    pub(super) fn primed(&self) -> Primed {
        match self.version() {
            Some(version) if version == ProtocolVersion::V_2025_11_25 => Primed::Yes,
            Some(_) | None => Primed::No,
        }
    }

    /// Disconnects the current reader of the standalone stream: a message goes to one reader only.
    pub(super) fn take_place(&self, stream: StreamId) -> CancellationToken {
        let mine = CancellationToken::new();
        if stream == StreamId::Open {
            let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *reader, mine.clone()).cancel();
        }
        mine
    }

    fn touch(&self) {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    fn routes(&self) -> MutexGuard<'_, Routes> {
        self.routes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Routes {
    /// Returns the stream a message belongs to. A response ends its request.
    fn stream(&mut self, message: &ServerJsonRpcMessage) -> Option<StreamId> {
        match message {
            JsonRpcMessage::Response(response) => {
                if let ServerResult::InitializeResult(result) = &response.result {
                    self.version = Some(result.protocol_version.clone());
                }
                self.over(&response.id)
            }
            JsonRpcMessage::Error(error) => self.over(error.id.as_ref()?),
            JsonRpcMessage::Request(request) => {
                let origin = request.request.extensions().get::<OriginatingRequestId>()?;
                self.requests.get(&origin.0).copied()
            }
            JsonRpcMessage::Notification(notification) => {
                let notification = &notification.notification;
                if let ServerNotification::ProgressNotification(it) = notification {
                    return self.tokens.get(&it.params.progress_token).copied();
                }
                let origin = notification.extensions().get::<Origin>()?;
                self.requests.get(&origin.0).copied()
            }
        }
    }

    /// Removes an answered request and returns its stream.
    fn over(&mut self, id: &RequestId) -> Option<StreamId> {
        self.staying.remove(id);
        self.requests.remove(id)
    }

    /// Removes a cancelled request and returns its stream.
    fn cancelled(&mut self, id: &RequestId) -> Option<StreamId> {
        let stream = self.requests.remove(id)?;
        self.answered(stream);
        Some(stream)
    }

    fn answered(&mut self, stream: StreamId) {
        self.tokens.retain(|_, of| *of != stream);
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::{CancelledNotificationParam, EmptyObject, PingRequest};

    use super::*;
    use crate::session::events::Found;

    fn session(spread: Spread) -> (Session, mpsc::Receiver<ClientJsonRpcMessage>) {
        let (outgoing, taken) = mpsc::channel(8);
        (Session::new("s".into(), spread, outgoing, Budget::default(), Steadfast::default()), taken)
    }

    fn ping(id: i64) -> ClientJsonRpcMessage {
        let request = ClientRequest::PingRequest(PingRequest::default());
        JsonRpcMessage::request(request, RequestId::Number(id))
    }

    fn pong(id: i64) -> ServerJsonRpcMessage {
        let result = ServerResult::EmptyResult(EmptyObject {});
        JsonRpcMessage::response(result, RequestId::Number(id))
    }

    fn count(session: &Session, stream: StreamId) -> usize {
        let mut from = EventId { stream, place: 0 };
        let mut count = 0;
        while let Found::Event(event) = session.log().after(from, Instant::now()) {
            from = event.id;
            count += 1;
        }
        count
    }

    #[test]
    fn a_failed_request_is_not_answered_again() {
        for spread in [Spread::ByRequest, Spread::Together] {
            let (session, _taken) = session(spread);
            let stream = session.open(&ping(1)).unwrap();
            session.cut(&ErrorData::internal_error("the server ends", None));
            session.append(pong(1));
            assert_eq!(count(&session, stream), 1, "{spread:?}");
            assert_eq!(count(&session, StreamId::Open), usize::from(spread == Spread::Together));
        }
    }

    fn cancel(id: i64) -> ClientJsonRpcMessage {
        let given_up = CancelledNotificationParam::new(Some(RequestId::Number(id)), None);
        JsonRpcMessage::notification(ClientNotification::CancelledNotification(
            rmcp::model::CancelledNotification::new(given_up),
        ))
    }

    #[tokio::test]
    async fn a_cancelled_request_is_not_answered() {
        for spread in [Spread::ByRequest, Spread::Together] {
            let (session, _taken) = session(spread);
            session.open(&ping(1)).unwrap();
            session.take(cancel(1)).await.unwrap();
            session.append(pong(1));
            assert_eq!(count(&session, StreamId::Open), 0, "{spread:?}");
        }
    }

    #[tokio::test]
    async fn a_cancelled_request_leaves_no_progress_token() {
        let (session, _taken) = session(Spread::ByRequest);
        let token = |text: &str| ProgressToken(rmcp::model::NumberOrString::String(text.into()));
        for (id, text) in [(1, "first"), (2, "second")] {
            let mut message = ping(id);
            if let JsonRpcMessage::Request(request) = &mut message {
                request.request.get_meta_mut().set_progress_token(token(text));
            }
            session.open(&message).unwrap();
        }
        session.take(cancel(1)).await.unwrap();
        assert_eq!(session.routes().tokens.keys().collect::<Vec<_>>(), [&token("second")]);
        assert_eq!(session.unanswered(), 1);
    }

    #[test]
    fn an_error_without_id_goes_to_the_standalone_stream() {
        let (session, _taken) = session(Spread::Together);
        session.append(JsonRpcMessage::error(ErrorData::parse_error("no JSON", None), None));
        assert_eq!(count(&session, StreamId::Open), 1);
    }
}
