//! All HTTP sessions, and the interface through which the SDK uses them.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use futures_util::Stream;
use parking_lot::Mutex;
use rmcp::{
    model::{ClientJsonRpcMessage, ErrorData, GetExtensions, JsonRpcMessage, ServerJsonRpcMessage},
    transport::streamable_http_server::session::{ServerSseMessage, SessionId, SessionManager},
};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{
    budget::MemoryBudget,
    event_store::{EventId, NextEvent},
    http_session::{HttpSession, StreamMode},
    revoked::RevokedSessions,
    stream::{self, Priming},
    transport::SessionTransport,
};
use crate::{server::principal::Principal, wire::uncancellable::Uncancellable};

/// Maximum number of messages of one session queued for the handler.
const MAX_QUEUED: usize = 64;

/// An error of a session.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SessionError {
    /// The session does not exist.
    #[error("unknown session")]
    UnknownSession,
    /// The event is not in the event store.
    #[error("unknown event in this session")]
    UnknownEvent,
    /// There are too many sessions.
    #[error("too many sessions")]
    TooManySessions,
    /// Too many events are undelivered.
    #[error("too many undelivered events; read them first")]
    TooManyUndelivered,
    /// The session has ended.
    #[error("the session has ended")]
    Ended,
}

/// A callback that ends everything else that belongs to a session.
pub(crate) type OnEnd = Box<dyn Fn(&str) + Send + Sync>;

/// All HTTP sessions.
pub(crate) struct Sessions {
    table: Mutex<HashMap<SessionId, Arc<HttpSession>>>,
    idle_timeout: Duration,
    max_sessions: usize,
    closing: AtomicBool,
    budget: MemoryBudget,
    revoked: RevokedSessions,
    uncancellable: Uncancellable,
    on_end: OnEnd,
}

impl std::fmt::Debug for Sessions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sessions").finish_non_exhaustive()
    }
}

impl Sessions {
    /// Creates a table of at most `max_sessions` sessions, which end after `idle_timeout` without
    /// activity. `on_end` is called for each session that ends.
    pub(crate) fn new(idle_timeout: Duration, max_sessions: usize, on_end: OnEnd) -> Self {
        Self {
            table: Mutex::default(),
            idle_timeout,
            max_sessions: max_sessions.max(1),
            closing: AtomicBool::new(false),
            budget: MemoryBudget::default(),
            revoked: RevokedSessions::default(),
            uncancellable: Uncancellable::default(),
            on_end,
        }
    }

    /// Sets the maximum number of bytes in the resumption log of one session.
    pub(crate) fn with_log_bytes(self, log_bytes: usize) -> Self {
        Self { budget: self.budget.with_log_bytes(log_bytes), ..self }
    }

    /// Sets the tools whose calls cannot be cancelled.
    pub(crate) fn with_uncancellable(self, uncancellable: Uncancellable) -> Self {
        Self { uncancellable, ..self }
    }

    /// Creates a session.
    pub(crate) fn create(
        &self,
        stream_mode: StreamMode,
    ) -> Result<(SessionId, SessionTransport), SessionError> {
        self.remove_inactive(Instant::now());
        let mut table = self.table.lock();
        if table.len() >= self.max_sessions {
            let evicted = session_to_evict(&table).ok_or(SessionError::TooManySessions)?;
            if let Some(session) = table.remove(&evicted) {
                self.end_session(&session);
            }
        }
        let (outgoing, incoming) = mpsc::channel(MAX_QUEUED);
        let id: SessionId = uuid::Uuid::new_v4().to_string().into();
        let name = Arc::clone(&id);
        let (budget, uncancellable) = (self.budget.clone(), self.uncancellable.clone());
        let session =
            Arc::new(HttpSession::new(name, stream_mode, outgoing, budget, uncancellable));
        table.insert(Arc::clone(&id), Arc::clone(&session));
        Ok((id, SessionTransport { session, incoming }))
    }

    /// Returns a session.
    pub(crate) fn get(&self, id: &str) -> Option<Arc<HttpSession>> {
        self.table.lock().get(id).cloned()
    }

    /// Returns all sessions.
    pub(crate) fn all(&self) -> Vec<Arc<HttpSession>> {
        self.table.lock().values().cloned().collect()
    }

    /// Ends and removes a session.
    pub(crate) fn remove(&self, id: &str) {
        let session = self.table.lock().remove(id);
        if let Some(session) = session {
            self.end_session(&session);
        }
    }

    fn end_session(&self, session: &HttpSession) {
        session.end();
        (self.on_end)(session.id());
    }

    /// Ends a session because of a client's action. The client gets an explanation from now on.
    pub(crate) fn revoke(&self, session: &HttpSession) {
        self.revoked.insert(session.id(), session.owner());
        self.remove(session.id());
    }

    /// Returns `true` if this principal's session was revoked.
    pub(crate) fn is_revoked(&self, id: &str, who: &Principal) -> bool {
        self.revoked.contains(id, who)
    }

    /// Ends inactive sessions.
    pub(crate) fn remove_inactive(&self, now: Instant) {
        let is_idle =
            |_: &SessionId, session: &mut Arc<HttpSession>| session.is_idle(now, self.idle_timeout);
        let idle: Vec<_> = self.table.lock().extract_if(is_idle).collect();
        for (_, session) in idle {
            self.end_session(&session);
        }
        for session in self.all() {
            session.events().trim_log(now);
        }
        self.free_memory();
    }

    /// If all sessions together store too much, clears the event stores of inactive sessions, least
    /// recently active first.
    pub(crate) fn free_memory(&self) {
        if !self.budget.is_exceeded() {
            return;
        }
        let mut inactive = self.all();
        inactive.retain(|session| session.is_inactive());
        inactive.sort_by_key(|session| session.last_activity());
        for session in inactive.iter().take_while(|_| self.budget.is_exceeded()) {
            session.events().clear();
        }
    }

    /// Stops accepting requests.
    pub(crate) fn close(&self) {
        self.closing.store(true, Ordering::Relaxed);
    }

    /// Returns `true` if no more requests are accepted.
    pub(crate) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Relaxed)
    }

    /// Returns the number of pending requests.
    pub(crate) fn pending_requests(&self) -> usize {
        self.all().iter().map(|session| session.pending_requests()).sum()
    }

    /// Ends all sessions. Pending requests are answered with an error.
    pub(crate) fn end_all(&self, error: &ErrorData) {
        let all: Vec<_> = self.table.lock().drain().collect();
        for (_, session) in all {
            session.fail_pending(error);
            self.end_session(&session);
        }
    }

    /// Returns a session of Streamable HTTP.
    fn streamable_session(&self, id: &SessionId) -> Result<Arc<HttpSession>, SessionError> {
        let session =
            self.get(id).filter(|session| session.stream_mode() == StreamMode::PerRequest);
        session.ok_or(SessionError::UnknownSession)
    }
}

/// Returns the inactive session to evict: of the owner with the most sessions, the least recently
/// active one.
fn session_to_evict(table: &HashMap<SessionId, Arc<HttpSession>>) -> Option<SessionId> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for session in table.values() {
        *counts.entry(session.owner()).or_default() += 1;
    }
    let inactive = table.iter().filter(|(_, session)| session.is_inactive());
    let evicted = inactive.min_by_key(|(_, session)| {
        let count = counts.get(session.owner()).copied().unwrap_or_default();
        (std::cmp::Reverse(count), session.last_activity())
    });
    evicted.map(|(id, _)| Arc::clone(id))
}

impl SessionManager for Sessions {
    type Error = SessionError;
    type Transport = SessionTransport;

    async fn create_session(&self) -> Result<(SessionId, SessionTransport), SessionError> {
        self.create(StreamMode::PerRequest)
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, SessionError> {
        let session = self.streamable_session(id)?;
        if let JsonRpcMessage::Request(request) = &message
            && let Some(owner) = Principal::from_message(request.request.extensions())
        {
            session.set_owner(&owner);
        }
        let stream = session.open_stream(&message)?;
        let mut changed_signal = session.events().subscribe(stream).ok_or(SessionError::Ended)?;
        session.receive(message).await?;
        loop {
            changed_signal.mark_unchanged();
            let next = session.events().next_after(EventId { stream, sequence: 0 }, Instant::now());
            match next {
                NextEvent::Event(event) => {
                    session.events().mark_delivered(event.id, Instant::now());
                    return Ok(Arc::unwrap_or_clone(event.message));
                }
                NextEvent::End => return Err(SessionError::Ended),
                NextEvent::Pending => tokio::select! {
                    changed = changed_signal.changed() => changed.map_err(|_| SessionError::Ended)?,
                    () = session.wait_ended() => return Err(SessionError::Ended),
                },
            }
        }
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, SessionError> {
        Ok(self.streamable_session(id).is_ok())
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), SessionError> {
        if self.streamable_session(id).is_ok() {
            self.remove(id);
        }
        Ok(())
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        let session = self.streamable_session(id)?;
        self.free_memory();
        let stream = session.open_stream(&message)?;
        let priming = session.priming();
        let reader = stream::read_events(
            Arc::clone(&session),
            EventId { stream, sequence: 0 },
            priming,
            CancellationToken::new(),
        );
        session.receive(message).await?;
        Ok(reader)
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), SessionError> {
        self.streamable_session(id)?.receive(message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        let session = self.streamable_session(id)?;
        let (from, priming) = (session.events().last_delivered(), session.priming());
        let replaced = session.replace_reader(from.stream);
        Ok(stream::read_events(session, from, priming, replaced))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        let session = self.streamable_session(id)?;
        let from: EventId = last_event_id.parse().map_err(|()| SessionError::UnknownEvent)?;
        if !session.events().can_resume_after(from) {
            return Err(SessionError::UnknownEvent);
        }
        let replaced = session.replace_reader(from.stream);
        Ok(stream::read_events(session, from, Priming::No, replaced))
    }
}

#[cfg(test)]
mod tests {
    use deskhand_engine::SecurityMode;
    use rmcp::model::{ClientRequest, CustomResult, PingRequest, RequestId, ServerResult};
    use serde_json::json;

    use super::*;

    const LONG: Duration = Duration::from_secs(3600);

    fn principal(name: &str) -> Principal {
        Principal::oauth("https://id.example", name, SecurityMode::Normal, Instant::now() + LONG)
    }

    fn create_session_for(sessions: &Sessions, owner: &Principal) -> SessionId {
        let (id, transport) = sessions.create(StreamMode::PerRequest).unwrap();
        transport.session.set_owner(owner);
        id
    }

    #[test]
    fn the_first_owner_keeps_a_session() {
        let sessions = Sessions::new(LONG, 8, Box::new(|_| {}));
        let (ann, bob) = (principal("ann"), principal("bob"));
        let id = create_session_for(&sessions, &ann);
        let session = sessions.get(&id).unwrap();
        session.set_owner(&bob);
        assert!(session.belongs_to(&ann) && !session.belongs_to(&bob));
        let unclaimed = sessions.create(StreamMode::PerRequest).unwrap().1;
        assert!(!unclaimed.session.belongs_to(&Principal::owner()));
    }

    #[test]
    fn a_client_with_many_sessions_evicts_its_own() {
        let sessions = Sessions::new(LONG, 4, Box::new(|_| {}));
        let quiet = create_session_for(&sessions, &principal("ann"));
        let many: Vec<SessionId> =
            (0..20).map(|_| create_session_for(&sessions, &principal("bob"))).collect();
        assert!(sessions.get(&quiet).is_some());
        let kept = many.iter().filter(|id| sessions.get(id).is_some()).count();
        assert_eq!(kept, 3);
    }

    #[test]
    fn stored_bytes_are_limited_and_the_oldest_sessions_are_cleared() {
        let mut sessions = Sessions::new(LONG, 16, Box::new(|_| {}));
        sessions.budget = MemoryBudget::new(500_000);
        let id = RequestId::Number(1);
        let large = || {
            let result = CustomResult(json!({ "text": "x".repeat(99_000) }));
            JsonRpcMessage::response(ServerResult::CustomResult(result), id.clone())
        };
        let ping = ClientRequest::PingRequest(PingRequest::default());
        let ask = JsonRpcMessage::request(ping, id.clone());
        let all: Vec<Arc<HttpSession>> = (0..8)
            .map(|_| {
                let session =
                    sessions.get(&create_session_for(&sessions, &principal("ann"))).unwrap();
                session.open_stream(&ask).unwrap();
                session.append(large());
                sessions.free_memory();
                session
            })
            .collect();
        let kept: Vec<bool> = all.iter().map(|session| session.buffered_bytes() > 0).collect();
        assert_eq!(kept, [false, false, false, true, true, true, true, true]);
        drop(all);
        sessions.end_all(&ErrorData::internal_error("the end", None));
        assert!(!sessions.budget.is_exceeded());
    }

    #[test]
    fn an_inactive_session_ends() {
        let sessions = Sessions::new(LONG, 4, Box::new(|_| {}));
        let id = create_session_for(&sessions, &principal("ann"));
        sessions.remove_inactive(Instant::now());
        assert!(sessions.get(&id).is_some());
        sessions.remove_inactive(Instant::now() + LONG + Duration::from_secs(1));
        assert!(sessions.get(&id).is_none());
    }
}
