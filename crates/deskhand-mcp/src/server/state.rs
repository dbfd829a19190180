//! The state shared by all connections, and the state of one connection.

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

use deskhand_engine::{Call, Engine, Origin, SessionKey, ToolKey};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{
    call_permits::CallPermits,
    client::{Client, Era},
    log::{LogLevel, LogLimiter, LogThreshold},
    metrics::Metrics,
    operations::BackgroundOperations,
    principal::Principal,
    scope::SessionScopes,
};
use crate::{
    Error, ServerOptions,
    conformance::Fixtures,
    input::{StateSigner, roots::Roots},
    resource::stored::ResultStore,
    subscription::registry::Subscriptions,
    task::store::Tasks,
    tool::list::ToolList,
};

/// The state shared by all connections.
pub(crate) struct ServerState {
    /// Runs the calls.
    pub(crate) engine: Arc<Engine>,
    /// The offered tools.
    pub(crate) tools: Arc<ToolList>,
    /// All tasks.
    pub(crate) tasks: Tasks,
    /// Seals request state that travels through clients.
    pub(crate) state_signer: StateSigner,
    /// Metrics.
    pub(crate) metrics: Metrics,
    /// Resource subscriptions.
    pub(crate) subscriptions: Arc<Subscriptions>,
    /// Results that were too large for their reply.
    pub(crate) stored_results: ResultStore,
    /// Lowest level of the log records sent to clients that have not set a level.
    pub(crate) log_level: LogLevel,
    /// A website about this server, for people.
    pub(crate) website_url: Option<String>,
    /// The time the server started.
    pub(crate) started: Instant,
    /// Sessions whose commands are confined to a root of their client.
    pub(crate) session_scopes: SessionScopes,
    /// Permits that limit the number of concurrent calls.
    pub(crate) call_permits: CallPermits,
    /// Replaces the tools with fixtures for the conformance suite.
    pub(crate) fixtures: Option<Fixtures>,
}

impl std::fmt::Debug for ServerState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerState").finish_non_exhaustive()
    }
}

impl ServerState {
    /// Creates the state of a server.
    ///
    /// # Errors
    ///
    /// Returns an error if the options name a tool that does not exist.
    pub(crate) fn new(engine: Engine, options: &ServerOptions) -> Result<Self, Error> {
        let fixtures = Fixtures::from_options(options);
        let tools = match &fixtures {
            Some(fixtures) => Arc::new(fixtures.tools()),
            None => {
                ToolList::live(engine.catalogue(), &options.selection, engine.policy().clone())?
            }
        };
        let call_permits = CallPermits::new(engine.max_concurrent());
        let engine = Arc::new(engine);
        Ok(Self {
            subscriptions: Subscriptions::new(Arc::clone(&engine)),
            stored_results: ResultStore::default(),
            log_level: options.log_level,
            website_url: options.website_url.clone(),
            started: Instant::now(),
            engine,
            tools,
            tasks: Tasks::default(),
            state_signer: StateSigner::new(),
            metrics: Metrics::new()?,
            session_scopes: SessionScopes::default(),
            call_permits,
            fixtures,
        })
    }

    /// Ends a session and everything that runs in it.
    pub(crate) fn end_session(&self, key: &SessionKey) {
        if let SessionKey::Id(name) = key {
            self.session_scopes.remove(name);
        }
        self.engine.end_session(key);
    }
}

/// The state of one connection.
#[derive(Debug)]
pub(crate) struct Connection {
    /// The shared state.
    pub(crate) state: Arc<ServerState>,
    /// The id of the connection. Tasks belong to it.
    pub(crate) id: String,
    /// Cancelled when the connection closes.
    pub(crate) closed: CancellationToken,
    /// The principal of requests that carry none.
    pub(crate) principal: Principal,
    own: OnceLock<SessionKey>,
    stateless: SessionKey,
    /// Lowest level of the log records sent to the client.
    pub(crate) log_level: LogThreshold,
    /// Rate limit of log records.
    pub(crate) log_limiter: Arc<LogLimiter>,
    /// The client's roots.
    pub(crate) roots: Roots,
    /// Background operations started by calls of this connection.
    pub(crate) operations: BackgroundOperations,
    pending_calls: AtomicUsize,
    tool_list_followed: OnceLock<()>,
}

impl Connection {
    /// Creates an HTTP connection. Only clients that send `initialize` have a session there.
    pub(crate) fn over_http(state: &Arc<ServerState>) -> Self {
        Self {
            principal: Principal::anonymous(),
            own: OnceLock::new(),
            stateless: SessionKey::Shared,
            ..Self::with_own_session(state, CancellationToken::new())
        }
    }

    /// Creates a connection with its own session. `closed` is cancelled when the client closes it.
    pub(crate) fn with_own_session(state: &Arc<ServerState>, closed: CancellationToken) -> Self {
        Self::with_id(state, closed, &uuid::Uuid::new_v4().to_string())
    }

    /// Creates a connection whose session has the given id.
    pub(crate) fn with_id(state: &Arc<ServerState>, closed: CancellationToken, id: &str) -> Self {
        let own = SessionKey::Id(id.into());
        Self {
            state: Arc::clone(state),
            id: id.to_owned(),
            closed,
            principal: Principal::owner(),
            stateless: own.clone(),
            own: own.into(),
            log_level: LogThreshold::new(state.log_level),
            log_limiter: Arc::default(),
            roots: Roots::default(),
            operations: BackgroundOperations::default(),
            pending_calls: AtomicUsize::new(0),
            tool_list_followed: OnceLock::new(),
        }
    }

    /// Reserves a slot for a call. Returns `None` if `max` calls are running or waiting.
    pub(crate) fn reserve_call_slot(&self, max: usize) -> Option<CallSlot<'_>> {
        let slot = CallSlot(&self.pending_calls);
        (self.pending_calls.fetch_add(1, Ordering::Relaxed) < max).then_some(slot)
    }

    /// Returns the engine session of a client. In the stateless era, all requests of a principal
    /// share one.
    pub(crate) fn session(&self, client: &Client) -> SessionKey {
        match (&client.era, &self.stateless) {
            (Era::Handshake(_), _) => self.own_session(client.session.clone()),
            (Era::Stateless, SessionKey::Shared) if !client.principal.name.is_empty() => {
                SessionKey::Id(Arc::clone(&client.principal.name))
            }
            (Era::Stateless, stateless) => stateless.clone(),
        }
    }

    /// Creates a call of a tool for a client.
    pub(crate) fn engine_call(&self, client: &Client, tool: ToolKey, arguments: Value) -> Call {
        Call {
            origin: Origin::Mcp,
            session: self.session(client),
            principal: client.principal.audit_name(),
            caller_mode: client.principal.ceiling,
            ..Call::internal(tool, arguments)
        }
    }

    /// Returns the session of a client that sent `initialize`, under its HTTP session id if it has
    /// one.
    pub(crate) fn own_session(&self, http_id: Option<Arc<str>>) -> SessionKey {
        let name = || http_id.unwrap_or_else(|| self.id.as_str().into());
        self.own.get_or_init(|| SessionKey::Id(name())).clone()
    }

    /// Returns the owner of a client's tasks: the connection, or the principal in the stateless
    /// era.
    pub(crate) fn task_owner<'a>(&'a self, client: &'a Client) -> &'a str {
        match client.era {
            Era::Handshake(_) => &self.id,
            Era::Stateless => &client.principal.name,
        }
    }

    /// Marks that tool-list changes are sent to the client. Returns `false` if they already were.
    pub(crate) fn mark_tool_list_followed(&self) -> bool {
        self.tool_list_followed.set(()).is_ok()
    }

    /// Ends everything that belongs to the connection.
    fn end(&self) {
        tracing::debug!(session = self.id, "connection closed");
        self.state.tasks.cancel_all(&self.id);
        self.state.subscriptions.remove_client(&self.id);
        if let Some(own) = self.own.get() {
            self.state.end_session(own);
        }
        self.closed.cancel();
    }
}

/// Ends a connection when its last handler is dropped.
#[derive(Debug)]
pub(crate) struct ConnectionGuard(pub(crate) Arc<Connection>);

impl Drop for ConnectionGuard {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// A slot for one call of a connection.
#[derive(Debug)]
pub(crate) struct CallSlot<'a>(&'a AtomicUsize);

impl Drop for CallSlot<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
