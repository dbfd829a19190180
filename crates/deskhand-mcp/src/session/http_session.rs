//! One HTTP session: routing of messages to streams, pending requests, and readers.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use axum::http::request::Parts;
use parking_lot::{Mutex, MutexGuard};
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
    budget::MemoryBudget,
    event_store::{EventId, EventStore, StreamId},
    stream::Priming,
    table::SessionError,
};
use crate::{
    server::{client::RelatedRequest, principal::Principal},
    timing,
    transport::single_response::OnlyResponse,
    wire::{connection_state, outbound, uncancellable::Uncancellable},
};

/// Factor for the idle timeout of a session with undelivered results.
const UNREAD_IDLE_FACTOR: u32 = 4;

/// The distribution of messages over streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StreamMode {
    /// Each request has its own stream (Streamable HTTP).
    PerRequest,
    /// All messages share one stream (HTTP+SSE of 2024-11-05).
    Single,
}

/// An HTTP session.
#[derive(Debug)]
pub(crate) struct HttpSession {
    id: SessionId,
    stream_mode: StreamMode,
    owner: OnceLock<Arc<str>>,
    events: Mutex<EventStore>,
    routes: Mutex<MessageRoutes>,
    outgoing: mpsc::Sender<ClientJsonRpcMessage>,
    ended: CancellationToken,
    readers: AtomicUsize,
    last_activity: Mutex<Instant>,
    standalone_reader: Mutex<CancellationToken>,
}

#[derive(Debug, Default)]
struct MessageRoutes {
    uncancellable: Uncancellable,
    uncancellable_requests: HashSet<RequestId>,
    started: bool,
    version: Option<ProtocolVersion>,
    requests: HashMap<RequestId, StreamId>,
    /// Streams of requests whose clients accept only the response there.
    response_streams: HashSet<StreamId>,
    progress_tokens: HashMap<ProgressToken, StreamId>,
}

/// The decision about a client's message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MessageDecision {
    /// Pass it to the handler.
    Accept,
    /// Ignore it.
    Ignore,
}

/// Counts a reader until it is dropped.
pub(super) struct ReaderGuard(Arc<HttpSession>);

impl Drop for ReaderGuard {
    fn drop(&mut self) {
        self.0.readers.fetch_sub(1, Ordering::Relaxed);
        self.0.touch();
    }
}

impl HttpSession {
    /// Creates a session whose messages are forwarded to `outgoing`.
    pub(super) fn new(
        id: SessionId,
        stream_mode: StreamMode,
        outgoing: mpsc::Sender<ClientJsonRpcMessage>,
        budget: MemoryBudget,
        uncancellable: Uncancellable,
    ) -> Self {
        Self {
            id,
            stream_mode,
            owner: OnceLock::new(),
            events: Mutex::new(EventStore::new(budget)),
            routes: Mutex::new(MessageRoutes { uncancellable, ..MessageRoutes::default() }),
            outgoing,
            ended: CancellationToken::new(),
            readers: AtomicUsize::new(0),
            last_activity: Mutex::new(Instant::now()),
            standalone_reader: Mutex::default(),
        }
    }

    /// Returns the session id.
    pub(crate) fn id(&self) -> &SessionId {
        &self.id
    }

    /// Locks the event store.
    pub(super) fn events(&self) -> MutexGuard<'_, EventStore> {
        self.events.lock()
    }

    /// Sets the owner. Only the first call has an effect.
    pub(crate) fn set_owner(&self, owner: &Principal) {
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
    pub(crate) fn stream_mode(&self) -> StreamMode {
        self.stream_mode
    }

    /// Returns the number of bytes in the event store.
    pub(crate) fn buffered_bytes(&self) -> usize {
        self.events().bytes()
    }

    /// Returns the number of readers.
    pub(crate) fn readers(&self) -> usize {
        self.readers.load(Ordering::Relaxed)
    }

    /// Returns the number of pending requests.
    pub(super) fn pending_requests(&self) -> usize {
        self.routes.lock().requests.len()
    }

    /// Appends a message of the handler to the stream it belongs to. A response to a request that
    /// is not pending is dropped.
    pub(crate) fn append(&self, message: ServerJsonRpcMessage) {
        let mut routes = self.routes.lock();
        let is_response = matches!(message, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_));
        let is_error_without_id =
            matches!(&message, JsonRpcMessage::Error(error) if error.id.is_none());
        let to = match routes.stream_of(&message) {
            Some(stream) => stream,
            None if is_response && !is_error_without_id => return,
            None => StreamId::Standalone,
        };
        if is_response && to != StreamId::Standalone {
            routes.remove_progress_token(to);
            routes.response_streams.remove(&to);
        }
        drop(routes);
        let mut events = self.events();
        events.append(to, outbound::rewrite(message));
        if is_response && to != StreamId::Standalone {
            events.finish(to);
        }
    }

    /// Answers all pending requests with an error.
    pub(super) fn fail_pending(&self, error: &ErrorData) {
        let open: Vec<RequestId> = self.routes.lock().requests.keys().cloned().collect();
        for id in open {
            self.append(JsonRpcMessage::error(error.clone(), Some(id)));
        }
    }

    /// Waits until the session ends.
    pub(crate) async fn wait_ended(&self) {
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
    pub(super) fn add_reader(self: &Arc<Self>) -> ReaderGuard {
        self.readers.fetch_add(1, Ordering::Relaxed);
        self.touch();
        ReaderGuard(Arc::clone(self))
    }

    /// Returns the negotiated protocol version.
    pub(crate) fn version(&self) -> Option<ProtocolVersion> {
        self.routes.lock().version.clone()
    }

    /// Returns `true` if a request with this id is pending.
    pub(crate) fn is_pending(&self, id: &RequestId) -> bool {
        self.routes.lock().requests.contains_key(id)
    }

    /// Returns `true` if the event store can resume after this event.
    pub(crate) fn can_resume_after(&self, event: &str) -> bool {
        event.parse().is_ok_and(|id| self.events().can_resume_after(id))
    }

    /// Returns the last event of the standalone stream that was delivered.
    pub(crate) fn last_delivered(&self) -> EventId {
        self.events().last_delivered()
    }

    /// Checks if a message can be accepted now.
    pub(crate) fn check_message(
        &self,
        message: &ClientJsonRpcMessage,
    ) -> Result<MessageDecision, ErrorData> {
        let mut routes = self.routes.lock();
        let JsonRpcMessage::Request(request) = message else {
            // Before the first request, the SDK would close the connection on any other message.
            return Ok(if routes.started {
                MessageDecision::Accept
            } else {
                MessageDecision::Ignore
            });
        };
        if routes.requests.contains_key(&request.id) {
            return Err(ErrorData::invalid_request(connection_state::ID_IN_USE, None));
        }
        if routes.started && matches!(request.request, ClientRequest::InitializeRequest(_)) {
            return Err(ErrorData::invalid_request(connection_state::ALREADY_INITIALIZED, None));
        }
        routes.started |= connection_state::starts_connection(&request.request);
        Ok(MessageDecision::Accept)
    }

    /// Forwards a message of the client to the handler.
    pub(crate) async fn receive(&self, message: ClientJsonRpcMessage) -> Result<(), SessionError> {
        self.touch();
        if let JsonRpcMessage::Notification(notification) = &message
            && let ClientNotification::CancelledNotification(it) = &notification.notification
            && let Some(id) = &it.params.request_id
        {
            if self.routes.lock().uncancellable_requests.contains(id) {
                return Ok(());
            }
            let stream = self.routes.lock().cancel_request(id);
            // A cancelled request gets no response.
            if let Some(stream) = stream.filter(|stream| *stream != StreamId::Standalone) {
                self.events().abandon(stream, Instant::now());
            }
        }
        self.outgoing.send(message).await.map_err(|_| SessionError::Ended)
    }

    /// Opens the stream for the response to a message.
    pub(crate) fn open_stream(
        &self,
        message: &ClientJsonRpcMessage,
    ) -> Result<StreamId, SessionError> {
        let stream = match self.stream_mode {
            StreamMode::PerRequest => self.events().open(Instant::now()),
            StreamMode::Single => {
                self.events().accepts_requests(Instant::now()).then_some(StreamId::Standalone)
            }
        };
        let stream = stream.ok_or(SessionError::TooManyUndelivered)?;
        if let JsonRpcMessage::Request(request) = message {
            let mut routes = self.routes.lock();
            routes.requests.insert(request.id.clone(), stream);
            if routes.uncancellable.contains(&request.request) {
                routes.uncancellable_requests.insert(request.id.clone());
            }
            let http = request.request.extensions().get::<Parts>();
            let has_one_response =
                http.is_some_and(|parts| parts.extensions.get::<OnlyResponse>().is_some());
            if has_one_response {
                routes.response_streams.insert(stream);
            } else if let Some(token) = request.request.get_meta().get_progress_token()
                && stream != StreamId::Standalone
            {
                routes.progress_tokens.insert(token, stream);
            }
        }
        Ok(stream)
    }

    /// Returns `true` if the client has been inactive for too long.
    pub(super) fn is_idle(&self, now: Instant, idle_timeout: Duration) -> bool {
        let idle_timeout = match self.stream_mode {
            StreamMode::PerRequest => idle_timeout,
            StreamMode::Single => idle_timeout.min(timing::SSE_SESSION_IDLE_TIMEOUT),
        };
        let idle_timeout = if self.events().has_undelivered() {
            idle_timeout * UNREAD_IDLE_FACTOR
        } else {
            idle_timeout
        };
        self.is_inactive() && now.saturating_duration_since(self.last_activity()) > idle_timeout
    }

    /// Returns `true` if the session has no reader and no pending request.
    pub(super) fn is_inactive(&self) -> bool {
        self.readers() == 0 && self.pending_requests() == 0
    }

    /// Returns the time of the client's last activity.
    pub(super) fn last_activity(&self) -> Instant {
        *self.last_activity.lock()
    }

    /// Returns whether readers start with a priming event.
    pub(super) fn priming(&self) -> Priming {
        match self.version() {
            Some(version) if version == ProtocolVersion::V_2025_11_25 => Priming::Yes,
            Some(_) | None => Priming::No,
        }
    }

    /// Disconnects the current reader of the standalone stream: a message goes to one reader only.
    pub(super) fn replace_reader(&self, stream: StreamId) -> CancellationToken {
        let token = CancellationToken::new();
        if stream == StreamId::Standalone {
            let mut reader = self.standalone_reader.lock();
            std::mem::replace(&mut *reader, token.clone()).cancel();
        }
        token
    }

    fn touch(&self) {
        *self.last_activity.lock() = Instant::now();
    }
}

impl MessageRoutes {
    /// Returns the stream a message belongs to. A response ends its request.
    fn stream_of(&mut self, message: &ServerJsonRpcMessage) -> Option<StreamId> {
        match message {
            JsonRpcMessage::Response(response) => {
                if let ServerResult::InitializeResult(result) = &response.result {
                    self.version = Some(result.protocol_version.clone());
                }
                self.remove_request(&response.id)
            }
            JsonRpcMessage::Error(error) => self.remove_request(error.id.as_ref()?),
            JsonRpcMessage::Request(request) => {
                let origin = request.request.extensions().get::<OriginatingRequestId>()?;
                self.stream_with_messages(&origin.0)
            }
            JsonRpcMessage::Notification(notification) => {
                let notification = &notification.notification;
                if let ServerNotification::ProgressNotification(it) = notification {
                    return self.progress_tokens.get(&it.params.progress_token).copied();
                }
                let origin = notification.extensions().get::<RelatedRequest>()?;
                self.stream_with_messages(&origin.0)
            }
        }
    }

    /// Returns the stream of a request, if it carries other messages than the response.
    fn stream_with_messages(&self, id: &RequestId) -> Option<StreamId> {
        let stream = self.requests.get(id).copied()?;
        (!self.response_streams.contains(&stream)).then_some(stream)
    }

    /// Removes an answered request and returns its stream.
    fn remove_request(&mut self, id: &RequestId) -> Option<StreamId> {
        self.uncancellable_requests.remove(id);
        self.requests.remove(id)
    }

    /// Removes a cancelled request and returns its stream.
    fn cancel_request(&mut self, id: &RequestId) -> Option<StreamId> {
        let stream = self.requests.remove(id)?;
        self.remove_progress_token(stream);
        self.response_streams.remove(&stream);
        Some(stream)
    }

    fn remove_progress_token(&mut self, stream: StreamId) {
        self.progress_tokens.retain(|_, of| *of != stream);
    }
}

#[cfg(test)]
mod tests;
