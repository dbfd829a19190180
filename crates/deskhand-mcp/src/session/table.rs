//! The sessions there are, and how the SDK reaches them.

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

/// Ends what else belongs to the session of a name.
pub(crate) type OnEnd = Box<dyn Fn(&str) + Send + Sync>;

/// All sessions.
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
    /// So many sessions at most, kept so long without any sign of their clients; `on_end` is called for
    /// each that ends.
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

    /// The same, with calls that are answered in any case.
    pub(crate) fn with(self, steadfast: Steadfast) -> Self {
        Self { steadfast, ..self }
    }

    /// Makes a session.
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

    /// The session of an id.
    pub(crate) fn get(&self, id: &str) -> Option<Arc<Session>> {
        self.table().get(id).cloned()
    }

    /// All there are.
    pub(crate) fn all(&self) -> Vec<Arc<Session>> {
        self.table().values().cloned().collect()
    }

    /// Ends and forgets one.
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

    /// Ends one for what its client did; the client is told so from now on.
    pub(crate) fn ban(&self, session: &Session) {
        self.banned.note(session.id(), session.owner());
        self.remove(session.id());
    }

    /// Whether a session of somebody's was ended for what they did.
    pub(crate) fn is_banned(&self, id: &str, who: &Principal) -> bool {
        self.banned.has(id, who)
    }

    /// Ends sessions whose clients are long gone.
    pub(crate) fn sweep(&self, now: Instant) {
        let is_idle = |_: &SessionId, session: &mut Arc<Session>| session.is_idle(now, self.idle);
        let idle: Vec<_> = self.table().extract_if(is_idle).collect();
        for (_, session) in idle {
            self.over(&session);
        }
        self.relieve();
    }

    /// Where all together keep too much, sessions at rest forget what they have, whose client was silent
    /// longest first.
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

    /// Takes no more requests.
    pub(crate) fn close(&self) {
        self.closing.store(true, Ordering::Relaxed);
    }

    /// Whether no more requests are taken.
    pub(crate) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Relaxed)
    }

    /// How many requests are not answered yet.
    pub(crate) fn unanswered(&self) -> usize {
        self.all().iter().map(|session| session.unanswered()).sum()
    }

    /// Ends all; what is not answered yet is answered with an error.
    pub(crate) fn end(&self, error: &ErrorData) {
        let all: Vec<_> = self.table().drain().collect();
        for (_, session) in all {
            session.cut(error);
            self.over(&session);
        }
    }

    /// The session of an id, where it is one of Streamable HTTP.
    fn known(&self, id: &SessionId) -> Result<Arc<Session>, Refused> {
        let session = self.get(id).filter(|session| session.spread() == Spread::ByRequest);
        session.ok_or(Refused::NoSession)
    }

    fn table(&self) -> MutexGuard<'_, HashMap<SessionId, Arc<Session>>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The session at rest to give up: of whoever has the most of them, the one that was silent longest.
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
    fn a_session_stays_whose_it_was_first() {
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
    fn who_opens_many_sessions_loses_their_own() {
        let sessions = Sessions::new(LONG, 4, Box::new(|_| {}));
        let quiet = begin(&sessions, &person("ann"));
        let many: Vec<SessionId> = (0..20).map(|_| begin(&sessions, &person("bob"))).collect();
        assert!(sessions.get(&quiet).is_some());
        let kept = many.iter().filter(|id| sessions.get(id).is_some()).count();
        assert_eq!(kept, 3);
    }

    #[test]
    fn what_all_keep_together_is_bounded_and_the_oldest_goes_first() {
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
    fn a_session_whose_client_is_long_silent_ends() {
        let sessions = Sessions::new(LONG, 4, Box::new(|_| {}));
        let id = begin(&sessions, &person("ann"));
        sessions.sweep(Instant::now());
        assert!(sessions.get(&id).is_some());
        sessions.sweep(Instant::now() + LONG + Duration::from_secs(1));
        assert!(sessions.get(&id).is_none());
    }
}
