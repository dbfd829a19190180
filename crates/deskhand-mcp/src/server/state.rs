//! What all connections share, and what one connection has of its own.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

use deskhand_engine::{Engine, SessionKey};
use rmcp::model::RequestStateCodec;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::{
    client::Era,
    log::{Flow, Threshold},
    meter::Meter,
};
use crate::{
    Error, Options, ask::roots::Roots, conformance::Fixtures, resource::kept::Shelf,
    task::store::Tasks, tool::list::Tools, watch::hub::Hub,
};

/// How many calls run at once.
const AT_ONCE: usize = 10;

/// What all connections share.
pub(crate) struct State {
    /// Runs the calls.
    pub(crate) engine: Arc<Engine>,
    /// The tools that are offered.
    pub(crate) tools: Tools,
    /// The tasks there are.
    pub(crate) tasks: Tasks,
    /// Seals what travels through clients.
    pub(crate) codec: RequestStateCodec,
    /// Counts what happens.
    pub(crate) meter: Meter,
    /// Who is told of what changes.
    pub(crate) hub: Arc<Hub>,
    /// Results that were too large for their answers.
    pub(crate) shelf: Shelf,
    /// Since when it serves.
    pub(crate) since: Instant,
    /// The turns calls take.
    pub(crate) turns: Arc<Semaphore>,
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
            Some(_) => Fixtures::tools(),
            None => Tools::selected(engine.catalogue(), &options.selection)?,
        };
        let mut key = uuid::Uuid::new_v4().as_bytes().to_vec();
        key.extend_from_slice(uuid::Uuid::new_v4().as_bytes());
        let engine = Arc::new(engine);
        Ok(Self {
            hub: Hub::new(Arc::clone(&engine)),
            shelf: Shelf::default(),
            since: Instant::now(),
            engine,
            tools,
            tasks: Tasks::default(),
            codec: RequestStateCodec::new_unchecked(key),
            meter: Meter::new()?,
            turns: Arc::new(Semaphore::new(AT_ONCE)),
            fixtures,
        })
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
    own: SessionKey,
    modern: SessionKey,
    /// From which level on it hears log records.
    pub(crate) level: Threshold,
    /// How many it has heard of late.
    pub(crate) records: Arc<Flow>,
    /// What was found in the folders its client works in.
    pub(crate) roots: Roots,
    waiting: AtomicUsize,
}

impl Connection {
    /// A connection of HTTP: only a client of the handshake has a session there.
    pub(crate) fn over_http(state: &Arc<State>) -> Self {
        Self { modern: SessionKey::Common, ..Self::own(state, CancellationToken::new()) }
    }

    /// A connection with a session of its own; `gone` is cancelled when nothing more comes from its
    /// client.
    pub(crate) fn own(state: &Arc<State>, gone: CancellationToken) -> Self {
        let id = uuid::Uuid::new_v4().to_string();
        let own = SessionKey::Of(id.as_str().into());
        Self {
            state: Arc::clone(state),
            id,
            gone,
            modern: own.clone(),
            own,
            level: Threshold::default(),
            records: Arc::default(),
            roots: Roots::default(),
            waiting: AtomicUsize::new(0),
        }
    }

    /// A place among the calls that run or wait, while there are fewer than `most`.
    pub(crate) fn queue(&self, most: usize) -> Option<Place<'_>> {
        let place = Place(&self.waiting);
        (self.waiting.fetch_add(1, Ordering::Relaxed) < most).then_some(place)
    }

    /// Whose connections and names the calls of a client use.
    pub(crate) fn session(&self, era: &Era) -> SessionKey {
        match era {
            Era::Handshake(_) => self.own.clone(),
            Era::Modern => self.modern.clone(),
        }
    }

    /// Who owns the tasks of a client; in the later era whoever knows a task's name may have it.
    pub(crate) fn owner(&self, era: &Era) -> &str {
        match era {
            Era::Handshake(_) => &self.id,
            Era::Modern => "",
        }
    }

    /// Ends what belonged to it.
    fn end(&self) {
        self.state.tasks.end_all_of(&self.id);
        self.state.hub.leave(&self.id);
        self.state.engine.end_session(&self.own);
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
