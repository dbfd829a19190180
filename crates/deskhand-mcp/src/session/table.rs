//! The sessions there are, and which stream of a session a message belongs to.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use futures_util::Stream;
use rmcp::{
    model::{
        ClientJsonRpcMessage, ClientNotification, GetExtensions, GetMeta, JsonRpcMessage,
        ProgressToken, ProtocolVersion, RequestId, ServerJsonRpcMessage, ServerNotification,
        ServerResult,
    },
    service::OriginatingRequestId,
    transport::streamable_http_server::session::{ServerSseMessage, SessionId, SessionManager},
};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{
    events::{EventId, EventLog, Found, StreamId},
    stream::{self, Primed},
    wire::SessionTransport,
};
use crate::{server::client::Origin, wire::outbound};

/// How many sessions there may be.
const MOST: usize = 256;

/// How long a session without any sign of its client is kept, and how long one with results its
/// client has not read.
const IDLE: [Duration; 2] = [Duration::from_secs(3600), Duration::from_secs(4 * 3600)];

/// How many requests of one session wait for the handler.
const WAITING: usize = 64;

/// Why a session cannot do something.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refused {
    /// There is no such session.
    #[error("there is no such session")]
    NoSession,
    /// There is no such event in it.
    #[error("there is no such event in this session")]
    NoEvent,
    /// There are too many sessions.
    #[error("there are too many sessions")]
    TooMany,
    /// Too much waits to be read.
    #[error("too much waits to be read; read it first")]
    Full,
    /// It has ended.
    #[error("the session has ended")]
    Ended,
}

/// One session.
#[derive(Debug)]
pub(crate) struct Session {
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
    version: Option<ProtocolVersion>,
    requests: HashMap<RequestId, StreamId>,
    tokens: HashMap<ProgressToken, StreamId>,
}

/// Counts somebody who reads.
pub(super) struct Reader(Arc<Session>);

impl Drop for Reader {
    fn drop(&mut self) {
        self.0.readers.fetch_sub(1, Ordering::Relaxed);
        self.0.touch();
    }
}

impl Session {
    /// Its log.
    pub(super) fn log(&self) -> MutexGuard<'_, EventLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends a message of the handler's to the stream it belongs to.
    pub(super) fn append(&self, message: ServerJsonRpcMessage) {
        let mut routes = self.routes();
        let to = routes.stream(&message).unwrap_or(StreamId::Open);
        let is_last = matches!(message, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_));
        if is_last {
            routes.answered(to);
        }
        drop(routes);
        let mut log = self.log();
        log.append(to, outbound::rewrite(message));
        if is_last && to != StreamId::Open {
            log.finish(to);
        }
    }

    /// Ends when the session does.
    pub(super) async fn ended(&self) {
        self.ended.cancelled().await;
    }

    /// Ends it.
    pub(super) fn end(&self) {
        self.ended.cancel();
    }

    /// Counts a reader while it lives.
    pub(super) fn reading(self: &Arc<Self>) -> Reader {
        self.readers.fetch_add(1, Ordering::Relaxed);
        self.touch();
        Reader(Arc::clone(self))
    }

    /// The version it speaks, once that is agreed.
    pub(crate) fn version(&self) -> Option<ProtocolVersion> {
        self.routes().version.clone()
    }

    /// Whether a request of this id is not answered yet.
    pub(crate) fn is_running(&self, id: &RequestId) -> bool {
        self.routes().requests.contains_key(id)
    }

    /// Whether an event is one of its own.
    pub(crate) fn owns(&self, event: &str) -> bool {
        event.parse().is_ok_and(|id| self.log().owns(id))
    }

    async fn take(&self, message: ClientJsonRpcMessage) -> Result<(), Refused> {
        self.touch();
        if let JsonRpcMessage::Notification(notification) = &message
            && let ClientNotification::CancelledNotification(it) = &notification.notification
            && let Some(id) = &it.params.request_id
        {
            let stream = self.routes().requests.remove(id);
            if let Some(stream) = stream {
                // The protocol answers nothing to a cancelled request.
                self.log().abandon(stream, Instant::now());
            }
        }
        self.outgoing.send(message).await.map_err(|_| Refused::Ended)
    }

    fn open(&self, message: &ClientJsonRpcMessage) -> Result<StreamId, Refused> {
        let stream = self.log().open(Instant::now()).ok_or(Refused::Full)?;
        if let JsonRpcMessage::Request(request) = message {
            let mut routes = self.routes();
            routes.requests.insert(request.id.clone(), stream);
            if let Some(token) = request.request.get_meta().get_progress_token() {
                routes.tokens.insert(token, stream);
            }
        }
        Ok(stream)
    }

    fn is_idle(&self, now: Instant) -> bool {
        let patience = if self.log().has_unread() { IDLE[1] } else { IDLE[0] };
        self.is_at_rest() && now.duration_since(self.seen()) > patience
    }

    fn is_at_rest(&self) -> bool {
        self.readers.load(Ordering::Relaxed) == 0 && self.routes().requests.is_empty()
    }

    fn seen(&self) -> Instant {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn primed(&self) -> Primed {
        match self.version() {
            Some(version) if version == ProtocolVersion::V_2025_11_25 => Primed::Yes,
            Some(_) | None => Primed::No,
        }
    }

    /// Sends away who reads the open stream: a message goes to one reader alone.
    fn take_place(&self, stream: StreamId) -> CancellationToken {
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
    /// The stream a message belongs to; an answer ends what is known of its request.
    fn stream(&mut self, message: &ServerJsonRpcMessage) -> Option<StreamId> {
        match message {
            JsonRpcMessage::Response(response) => {
                if let ServerResult::InitializeResult(result) = &response.result {
                    self.version = Some(result.protocol_version.clone());
                }
                self.requests.remove(&response.id)
            }
            JsonRpcMessage::Error(error) => self.requests.remove(error.id.as_ref()?),
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

    fn answered(&mut self, stream: StreamId) {
        self.tokens.retain(|_, of| *of != stream);
    }
}

/// All sessions.
#[derive(Debug, Default)]
pub(crate) struct Sessions(Mutex<HashMap<SessionId, Arc<Session>>>);

impl Sessions {
    /// The session of an id.
    pub(crate) fn get(&self, id: &str) -> Option<Arc<Session>> {
        self.table().get(id).cloned()
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.table().len()
    }

    /// Ends sessions whose clients are long gone.
    pub(crate) fn sweep(&self, now: Instant) {
        self.table().retain(|_, session| {
            let idle = session.is_idle(now);
            if idle {
                session.end();
            }
            !idle
        });
    }

    /// Ends all.
    pub(crate) fn end(&self) {
        for (_, session) in self.table().drain() {
            session.end();
        }
    }

    fn known(&self, id: &SessionId) -> Result<Arc<Session>, Refused> {
        self.get(id).ok_or(Refused::NoSession)
    }

    fn table(&self) -> MutexGuard<'_, HashMap<SessionId, Arc<Session>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionManager for Sessions {
    type Error = Refused;
    type Transport = SessionTransport;

    async fn create_session(&self) -> Result<(SessionId, SessionTransport), Refused> {
        self.sweep(Instant::now());
        let mut table = self.table();
        if table.len() >= MOST {
            let at_rest = table.iter().filter(|(_, session)| session.is_at_rest());
            let oldest = at_rest.min_by_key(|(_, session)| session.seen());
            let oldest = oldest.map(|(id, _)| Arc::clone(id)).ok_or(Refused::TooMany)?;
            if let Some(session) = table.remove(&oldest) {
                session.end();
            }
        }
        let (outgoing, incoming) = mpsc::channel(WAITING);
        let session = Arc::new(Session {
            log: Mutex::default(),
            routes: Mutex::default(),
            outgoing,
            ended: CancellationToken::new(),
            readers: AtomicUsize::new(0),
            seen: Mutex::new(Instant::now()),
            reader: Mutex::default(),
        });
        let id: SessionId = uuid::Uuid::new_v4().to_string().into();
        table.insert(Arc::clone(&id), Arc::clone(&session));
        Ok((id, SessionTransport { session, incoming }))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Refused> {
        let session = self.known(id)?;
        let stream = session.open(&message)?;
        let mut news = session.log().news(stream).ok_or(Refused::Ended)?;
        session.take(message).await?;
        loop {
            news.mark_unchanged();
            let found = session.log().after(EventId { stream, place: 0 }, Instant::now());
            match found {
                Found::Event(event) => {
                    session.log().handed(event.id, Instant::now());
                    return Ok(Arc::unwrap_or_clone(event.message));
                }
                Found::End => return Err(Refused::Ended),
                Found::Nothing => tokio::select! {
                    changed = news.changed() => changed.map_err(|_| Refused::Ended)?,
                    () = session.ended() => return Err(Refused::Ended),
                },
            }
        }
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Refused> {
        Ok(self.get(id).is_some())
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Refused> {
        let session = self.table().remove(id);
        if let Some(session) = session {
            session.end();
        }
        Ok(())
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Refused> {
        let session = self.known(id)?;
        let stream = session.open(&message)?;
        let primed = session.primed();
        let reading = stream::read(
            Arc::clone(&session),
            EventId { stream, place: 0 },
            primed,
            CancellationToken::new(),
        );
        session.take(message).await?;
        Ok(reading)
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), Refused> {
        self.known(id)?.take(message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Refused> {
        let session = self.known(id)?;
        let (from, primed) = (session.log().last_handed(), session.primed());
        let replaced = session.take_place(from.stream);
        Ok(stream::read(session, from, primed, replaced))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Refused> {
        let session = self.known(id)?;
        let from: EventId = last_event_id.parse().map_err(|()| Refused::NoEvent)?;
        if !session.log().owns(from) {
            return Err(Refused::NoEvent);
        }
        let replaced = session.take_place(from.stream);
        Ok(stream::read(session, from, Primed::No, replaced))
    }
}
