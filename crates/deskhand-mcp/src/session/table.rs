//! All HTTP sessions, and the interface through which the SDK uses them.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use futures_util::Stream;
use rmcp::{
    model::{ClientJsonRpcMessage, ErrorData, GetExtensions, JsonRpcMessage, ServerJsonRpcMessage},
    transport::streamable_http_server::session::{ServerSseMessage, SessionId, SessionManager},
};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{
    banned::Banned,
    budget::Budget,
    conversation::{Session, Spread},
    events::{EventId, Found},
    stream::{self, Primed},
    wire::SessionTransport,
};
use crate::{server::principal::Principal, wire::steadfast::Steadfast};

/// Maximum number of messages of one session queued for the handler.
const WAITING: usize = 64;

/// An error of a session.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refused {
    /// The session does not exist.
    #[error("unknown session")]
    NoSession,
    /// The event is not in the event store.
    #[error("unknown event in this session")]
    NoEvent,
    /// There are too many sessions.
    #[error("too many sessions")]
    TooMany,
    /// Too many events are undelivered.
    #[error("too many undelivered events; read them first")]
    Full,
    /// The session has ended.
    #[error("the session has ended")]
    Ended,
}

/// A callback that ends everything else that belongs to a session.
pub(crate) type OnEnd = Box<dyn Fn(&str) + Send + Sync>;

/// All HTTP sessions.
pub(crate) struct Sessions {
    table: Mutex<HashMap<SessionId, Arc<Session>>>,
    idle: Duration,
    most: usize,
    closing: AtomicBool,
    budget: Budget,
    banned: Banned,
    steadfast: Steadfast,
    on_end: OnEnd,
}

impl std::fmt::Debug for Sessions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sessions").finish_non_exhaustive()
    }
}

impl Sessions {
    /// Creates a table of at most `most` sessions, which end after `idle` without activity. `on_end` is
    /// called for each session that ends.
    pub(crate) fn new(idle: Duration, most: usize, on_end: OnEnd) -> Self {
        Self {
            table: Mutex::default(),
            idle,
            most: most.max(1),
            closing: AtomicBool::new(false),
            budget: Budget::default(),
            banned: Banned::default(),
            steadfast: Steadfast::default(),
            on_end,
        }
    }

    /// Sets the tools whose calls cannot be cancelled.
    pub(crate) fn with(self, steadfast: Steadfast) -> Self {
        Self { steadfast, ..self }
    }

    /// Creates a session.
    pub(crate) fn create(&self, spread: Spread) -> Result<(SessionId, SessionTransport), Refused> {
        self.sweep(Instant::now());
        let mut table = self.table();
        if table.len() >= self.most {
            let given_up = least_missed(&table).ok_or(Refused::TooMany)?;
            if let Some(session) = table.remove(&given_up) {
                self.over(&session);
            }
        }
        let (outgoing, incoming) = mpsc::channel(WAITING);
        let id: SessionId = uuid::Uuid::new_v4().to_string().into();
        let name = Arc::clone(&id);
        let (budget, steadfast) = (self.budget.clone(), self.steadfast.clone());
        let session = Arc::new(Session::new(name, spread, outgoing, budget, steadfast));
        table.insert(Arc::clone(&id), Arc::clone(&session));
        Ok((id, SessionTransport { session, incoming }))
    }

    /// Returns a session.
    pub(crate) fn get(&self, id: &str) -> Option<Arc<Session>> {
        self.table().get(id).cloned()
    }

    /// Returns all sessions.
    pub(crate) fn all(&self) -> Vec<Arc<Session>> {
        self.table().values().cloned().collect()
    }

    /// Ends and removes a session.
    pub(crate) fn remove(&self, id: &str) {
        let session = self.table().remove(id);
        if let Some(session) = session {
            self.over(&session);
        }
    }

    fn over(&self, session: &Session) {
        session.end();
        (self.on_end)(session.id());
    }

    /// Ends a session because of a client's action. The client gets an explanation from now on.
    pub(crate) fn ban(&self, session: &Session) {
        self.banned.note(session.id(), session.owner());
        self.remove(session.id());
    }

    /// Returns `true` if this principal's session was revoked.
    pub(crate) fn is_banned(&self, id: &str, who: &Principal) -> bool {
        self.banned.has(id, who)
    }

    /// Ends inactive sessions.
    pub(crate) fn sweep(&self, now: Instant) {
        let is_idle = |_: &SessionId, session: &mut Arc<Session>| session.is_idle(now, self.idle);
        let idle: Vec<_> = self.table().extract_if(is_idle).collect();
        for (_, session) in idle {
            self.over(&session);
        }
        self.relieve();
    }

    /// If all sessions together store too much, clears the event stores of inactive sessions, least
    /// recently active first.
    pub(crate) fn relieve(&self) {
        if !self.budget.is_spent() {
            return;
        }
        let mut at_rest = self.all();
        at_rest.retain(|session| session.is_at_rest());
        at_rest.sort_by_key(|session| session.seen());
        for session in at_rest.iter().take_while(|_| self.budget.is_spent()) {
            session.log().clear();
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
    pub(crate) fn unanswered(&self) -> usize {
        self.all().iter().map(|session| session.unanswered()).sum()
    }

    /// Ends all sessions. Pending requests are answered with an error.
    pub(crate) fn end(&self, error: &ErrorData) {
        let all: Vec<_> = self.table().drain().collect();
        for (_, session) in all {
            session.cut(error);
            self.over(&session);
        }
    }

    /// Returns a session of Streamable HTTP.
    fn known(&self, id: &SessionId) -> Result<Arc<Session>, Refused> {
        let session = self.get(id).filter(|session| session.spread() == Spread::ByRequest);
        session.ok_or(Refused::NoSession)
    }

    fn table(&self) -> MutexGuard<'_, HashMap<SessionId, Arc<Session>>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the inactive session to evict: of the owner with the most sessions, the least recently
/// active one.
fn least_missed(table: &HashMap<SessionId, Arc<Session>>) -> Option<SessionId> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for session in table.values() {
        *counts.entry(session.owner()).or_default() += 1;
    }
    let at_rest = table.iter().filter(|(_, session)| session.is_at_rest());
    let given_up = at_rest.min_by_key(|(_, session)| {
        let count = counts.get(session.owner()).copied().unwrap_or_default();
        (std::cmp::Reverse(count), session.seen())
    });
    given_up.map(|(id, _)| Arc::clone(id))
}

impl SessionManager for Sessions {
    type Error = Refused;
    type Transport = SessionTransport;

    async fn create_session(&self) -> Result<(SessionId, SessionTransport), Refused> {
        self.create(Spread::ByRequest)
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Refused> {
        let session = self.known(id)?;
        if let JsonRpcMessage::Request(request) = &message
            && let Some(owner) = Principal::carried(request.request.extensions())
        {
            session.give_to(&owner);
        }
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
        Ok(self.known(id).is_ok())
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Refused> {
        if self.known(id).is_ok() {
            self.remove(id);
        }
        Ok(())
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Refused> {
        let session = self.known(id)?;
        self.relieve();
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

#[cfg(test)]
mod tests {
    use deskhand_engine::Mode;
    use rmcp::model::{ClientRequest, CustomResult, PingRequest, RequestId, ServerResult};
    use serde_json::json;

    use super::*;

    const LONG: Duration = Duration::from_secs(3600);

    fn person(name: &str) -> Principal {
        Principal::vouched("https://id.example", name, Mode::Normal, Instant::now() + LONG)
    }

    fn begin(sessions: &Sessions, owner: &Principal) -> SessionId {
        let (id, transport) = sessions.create(Spread::ByRequest).unwrap();
        transport.session.give_to(owner);
        id
    }

    #[test]
    fn the_first_owner_keeps_a_session() {
        let sessions = Sessions::new(LONG, 8, Box::new(|_| {}));
        let (ann, bob) = (person("ann"), person("bob"));
        let id = begin(&sessions, &ann);
        let session = sessions.get(&id).unwrap();
        session.give_to(&bob);
        assert!(session.belongs_to(&ann) && !session.belongs_to(&bob));
        let unclaimed = sessions.create(Spread::ByRequest).unwrap().1;
        assert!(!unclaimed.session.belongs_to(&Principal::owner()));
    }

    #[test]
    fn a_client_with_many_sessions_evicts_its_own() {
        let sessions = Sessions::new(LONG, 4, Box::new(|_| {}));
        let quiet = begin(&sessions, &person("ann"));
        let many: Vec<SessionId> = (0..20).map(|_| begin(&sessions, &person("bob"))).collect();
        assert!(sessions.get(&quiet).is_some());
        let kept = many.iter().filter(|id| sessions.get(id).is_some()).count();
        assert_eq!(kept, 3);
    }

    #[test]
    fn stored_bytes_are_limited_and_the_oldest_sessions_are_cleared() {
        let mut sessions = Sessions::new(LONG, 16, Box::new(|_| {}));
        sessions.budget = Budget::of(500_000);
        let id = RequestId::Number(1);
        let large = || {
            let result = CustomResult(json!({ "text": "x".repeat(99_000) }));
            JsonRpcMessage::response(ServerResult::CustomResult(result), id.clone())
        };
        let ping = ClientRequest::PingRequest(PingRequest::default());
        let ask = JsonRpcMessage::request(ping, id.clone());
        let all: Vec<Arc<Session>> = (0..8)
            .map(|_| {
                let session = sessions.get(&begin(&sessions, &person("ann"))).unwrap();
                session.open(&ask).unwrap();
                session.append(large());
                sessions.relieve();
                session
            })
            .collect();
        let kept: Vec<bool> = all.iter().map(|session| session.buffered() > 0).collect();
        assert_eq!(kept, [false, false, false, true, true, true, true, true]);
        drop(all);
        sessions.end(&ErrorData::internal_error("the end", None));
        assert!(!sessions.budget.is_spent());
    }

    #[test]
    fn an_inactive_session_ends() {
        let sessions = Sessions::new(LONG, 4, Box::new(|_| {}));
        let id = begin(&sessions, &person("ann"));
        sessions.sweep(Instant::now());
        assert!(sessions.get(&id).is_some());
        sessions.sweep(Instant::now() + LONG + Duration::from_secs(1));
        assert!(sessions.get(&id).is_none());
    }
}
