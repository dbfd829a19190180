//! What all connections share, and what one connection has of its own.

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

/// What all connections share.
pub(crate) struct State {
    /// Runs the calls.
    pub(crate) engine: Arc<Engine>,
    /// The tools that are offered.
    pub(crate) tools: Arc<Tools>,
    /// The tasks there are.
    pub(crate) tasks: Tasks,
    /// Seals what travels through clients.
    pub(crate) seals: Seals,
    /// Counts what happens.
    pub(crate) meter: Meter,
    /// Who is told of what changes.
    pub(crate) hub: Arc<Hub>,
    /// Results that were too large for their answers.
    pub(crate) shelf: Shelf,
    /// From which level on clients hear log records until they say otherwise.
    pub(crate) log_level: Level,
    /// Since when it serves.
    pub(crate) since: Instant,
    /// The sessions whose commands are bound to a folder of their clients.
    pub(crate) scopes: Fixed,
    /// The turns calls take.
    pub(crate) turns: Turns,
    /// What stands in for the tools while the protocol itself is tested.
    pub(crate) fixtures: Option<Fixtures>,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").finish_non_exhaustive()
    }
}

impl State {
    /// A server on an engine.
    ///
    /// # Errors
    ///
    /// When the options name tools that do not exist.
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

    /// Ends what a caller has set up, and all it has running.
    pub(crate) fn end_session(&self, key: &SessionKey) {
        if let SessionKey::Of(name) = key {
            self.scopes.forget(name);
        }
        self.engine.end_session(key);
    }
}

/// What one connection has of its own.
#[derive(Debug)]
pub(crate) struct Connection {
    /// What all share.
    pub(crate) state: Arc<State>,
    /// Its name; tasks belong to it.
    pub(crate) id: String,
    /// Cancelled when nothing more comes from its client.
    pub(crate) gone: CancellationToken,
    /// Who comes by it, where a request does not say.
    pub(crate) principal: Principal,
    own: OnceLock<SessionKey>,
    modern: SessionKey,
    /// From which level on it hears log records.
    pub(crate) level: Threshold,
    /// How many it has heard of late.
    pub(crate) records: Arc<Flow>,
    /// What was found in the folders its client works in.
    pub(crate) roots: Roots,
    /// What its calls have begun that goes on.
    pub(crate) begun: Begun,
    waiting: AtomicUsize,
    follows: OnceLock<()>,
}

impl Connection {
    /// A connection of HTTP: only a client of the handshake has a session there.
    pub(crate) fn over_http(state: &Arc<State>) -> Self {
        Self {
            principal: Principal::nobody(),
            own: OnceLock::new(),
            modern: SessionKey::Common,
            ..Self::own(state, CancellationToken::new())
        }
    }

    /// A connection with a session of its own; `gone` is cancelled when nothing more comes from its
    /// client.
    pub(crate) fn own(state: &Arc<State>, gone: CancellationToken) -> Self {
        Self::named(state, gone, &uuid::Uuid::new_v4().to_string())
    }

    /// The same by the name its client knows its session by.
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

    /// A place among the calls that run or wait, while there are fewer than `most`.
    pub(crate) fn queue(&self, most: usize) -> Option<Place<'_>> {
        let place = Place(&self.waiting);
        (self.waiting.fetch_add(1, Ordering::Relaxed) < most).then_some(place)
    }

    /// Whose connections and names the calls of a client use; in the later era those of everybody it
    /// speaks for are together.
    pub(crate) fn session(&self, client: &Client) -> SessionKey {
        match (&client.era, &self.modern) {
            (Era::Handshake(_), _) => self.own_session(client.session.clone()),
            (Era::Modern, SessionKey::Common) if !client.principal.name.is_empty() => {
                SessionKey::Of(Arc::clone(&client.principal.name))
            }
            (Era::Modern, modern) => modern.clone(),
        }
    }

    /// The session of a client of the handshake, by the name HTTP gave it where it did.
    pub(crate) fn own_session(&self, named: Option<Arc<str>>) -> SessionKey {
        let name = || named.unwrap_or_else(|| self.id.as_str().into());
        self.own.get_or_init(|| SessionKey::Of(name())).clone()
    }

    /// Who owns the tasks of a client; in the later era whoever it speaks for.
    pub(crate) fn owner<'a>(&'a self, client: &'a Client) -> &'a str {
        match client.era {
            Era::Handshake(_) => &self.id,
            Era::Modern => &client.principal.name,
        }
    }

    /// Notes that its client is told from now on which tools are offered; false when it was already.
    pub(crate) fn begin_to_follow(&self) -> bool {
        self.follows.set(()).is_ok()
    }

    /// Ends what belonged to it.
    fn end(&self) {
        tracing::debug!(session = self.id, "a connection ended");
        self.state.tasks.end_all_of(&self.id);
        self.state.hub.leave(&self.id);
        if let Some(own) = self.own.get() {
            self.state.end_session(own);
        }
        self.gone.cancel();
    }
}

/// Ends what belonged to a connection when nobody serves it any more.
#[derive(Debug)]
pub(crate) struct Ending(pub(crate) Arc<Connection>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// One place among the calls of a connection.
#[derive(Debug)]
pub(crate) struct Place<'a>(&'a AtomicUsize);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
