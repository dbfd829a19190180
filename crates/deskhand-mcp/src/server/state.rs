//! The state shared by all connections, and the state of one connection.

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

use deskhand_engine::{Engine, SessionKey};
use tokio_util::sync::CancellationToken;

use super::{
    begun::Begun,
    client::{Client, Era},
    log::{Flow, Level, Threshold},
    meter::Meter,
    principal::Principal,
    scope::Fixed,
    turns::Turns,
};
use crate::{
    Error, Options,
    ask::{Seals, roots::Roots},
    conformance::Fixtures,
    resource::kept::Shelf,
    task::store::Tasks,
    tool::list::Tools,
    watch::hub::Hub,
};

/// The state shared by all connections.
pub(crate) struct State {
    /// Runs the calls.
    pub(crate) engine: Arc<Engine>,
    /// The offered tools.
    pub(crate) tools: Arc<Tools>,
    /// All tasks.
    pub(crate) tasks: Tasks,
    /// Seals request state that travels through clients.
    pub(crate) seals: Seals,
    /// Metrics.
    pub(crate) meter: Meter,
    /// Resource subscriptions.
    pub(crate) hub: Arc<Hub>,
    /// Results that were too large for their reply.
    pub(crate) shelf: Shelf,
    /// Lowest level of the log records sent to clients that have not set a level.
    pub(crate) log_level: Level,
    /// The time the server started.
    pub(crate) since: Instant,
    /// Sessions whose commands are confined to a root of their client.
    pub(crate) scopes: Fixed,
    /// Permits that limit the number of concurrent calls.
    pub(crate) turns: Turns,
    /// Replaces the tools with fixtures for the conformance suite.
    pub(crate) fixtures: Option<Fixtures>,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").finish_non_exhaustive()
    }
}

impl State {
    /// Creates the state of a server.
    ///
    /// # Errors
    ///
    /// Returns an error if the options name a tool that does not exist.
    pub(crate) fn new(engine: Engine, options: &Options) -> Result<Self, Error> {
        let fixtures = options.conformance.then(Fixtures::default);
        let tools = match &fixtures {
            Some(_) => Arc::new(Fixtures::tools()),
            None => Tools::following(engine.catalogue(), &options.selection, engine.policy())?,
        };
        let turns = Turns::new(engine.at_once());
        let engine = Arc::new(engine);
        Ok(Self {
            hub: Hub::new(Arc::clone(&engine)),
            shelf: Shelf::default(),
            log_level: options.log_level,
            since: Instant::now(),
            engine,
            tools,
            tasks: Tasks::default(),
            seals: Seals::new(),
            meter: Meter::new()?,
            scopes: Fixed::default(),
            turns,
            fixtures,
        })
    }

    /// Ends a session and everything that runs in it.
    pub(crate) fn end_session(&self, key: &SessionKey) {
        if let SessionKey::Of(name) = key {
            self.scopes.forget(name);
        }
        self.engine.end_session(key);
    }
}

/// The state of one connection.
#[derive(Debug)]
pub(crate) struct Connection {
    /// The shared state.
    pub(crate) state: Arc<State>,
    /// The id of the connection. Tasks belong to it.
    pub(crate) id: String,
    /// Cancelled when the connection closes.
    pub(crate) gone: CancellationToken,
    /// The principal of requests that carry none.
    pub(crate) principal: Principal,
    own: OnceLock<SessionKey>,
    modern: SessionKey,
    /// Lowest level of the log records sent to the client.
    pub(crate) level: Threshold,
    /// Rate limit of log records.
    pub(crate) records: Arc<Flow>,
    /// The client's roots.
    pub(crate) roots: Roots,
    /// Background operations started by calls of this connection.
    pub(crate) begun: Begun,
    waiting: AtomicUsize,
    follows: OnceLock<()>,
}

impl Connection {
    /// Creates an HTTP connection. Only clients that send `initialize` have a session there.
    pub(crate) fn over_http(state: &Arc<State>) -> Self {
        Self {
            principal: Principal::nobody(),
            own: OnceLock::new(),
            modern: SessionKey::Common,
            ..Self::own(state, CancellationToken::new())
        }
    }

    /// Creates a connection with a session of its own. `gone` is cancelled when the client closes it.
    pub(crate) fn own(state: &Arc<State>, gone: CancellationToken) -> Self {
        Self::named(state, gone, &uuid::Uuid::new_v4().to_string())
    }

    /// Creates a connection whose session has the given id.
    pub(crate) fn named(state: &Arc<State>, gone: CancellationToken, id: &str) -> Self {
        let own = SessionKey::Of(id.into());
        Self {
            state: Arc::clone(state),
            id: id.to_owned(),
            gone,
            principal: Principal::owner(),
            modern: own.clone(),
            own: own.into(),
            level: Threshold::at(state.log_level),
            records: Arc::default(),
            roots: Roots::default(),
            begun: Begun::default(),
            waiting: AtomicUsize::new(0),
            follows: OnceLock::new(),
        }
    }

    /// Reserves a slot for a call. Returns `None` if `most` calls are running or waiting.
    pub(crate) fn queue(&self, most: usize) -> Option<Place<'_>> {
        let place = Place(&self.waiting);
        (self.waiting.fetch_add(1, Ordering::Relaxed) < most).then_some(place)
    }

    /// Returns the engine session of a client. In the stateless era, all requests of a principal share
    /// one.
    pub(crate) fn session(&self, client: &Client) -> SessionKey {
        match (&client.era, &self.modern) {
            (Era::Handshake(_), _) => self.own_session(client.session.clone()),
            (Era::Modern, SessionKey::Common) if !client.principal.name.is_empty() => {
                SessionKey::Of(Arc::clone(&client.principal.name))
            }
            (Era::Modern, modern) => modern.clone(),
        }
    }

    /// Returns the session of a client that sent `initialize`, under its HTTP session id if it has one.
    pub(crate) fn own_session(&self, named: Option<Arc<str>>) -> SessionKey {
        let name = || named.unwrap_or_else(|| self.id.as_str().into());
        self.own.get_or_init(|| SessionKey::Of(name())).clone()
    }

    /// Returns the owner of a client's tasks: the connection, or the principal in the stateless era.
    pub(crate) fn owner<'a>(&'a self, client: &'a Client) -> &'a str {
        match client.era {
            Era::Handshake(_) => &self.id,
            Era::Modern => &client.principal.name,
        }
    }

    /// Marks that tool-list changes are sent to the client. Returns `false` if they already were.
    pub(crate) fn begin_to_follow(&self) -> bool {
        self.follows.set(()).is_ok()
    }

    /// Ends everything that belongs to the connection.
    fn end(&self) {
        tracing::debug!(session = self.id, "connection closed");
        self.state.tasks.end_all_of(&self.id);
        self.state.hub.leave(&self.id);
        if let Some(own) = self.own.get() {
            self.state.end_session(own);
        }
        self.gone.cancel();
    }
}

/// Ends a connection when its last handler is dropped.
#[derive(Debug)]
pub(crate) struct Ending(pub(crate) Arc<Connection>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// A slot for one call of a connection.
#[derive(Debug)]
pub(crate) struct Place<'a>(&'a AtomicUsize);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
