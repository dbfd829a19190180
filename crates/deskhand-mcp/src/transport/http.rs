//! The HTTP server: routes and shutdown. Clients up to 2025-11-25 have sessions, clients of
//! 2026-07-28 send stateless requests, and HTTP+SSE of 2024-11-05 is served if it is enabled.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use axum::{
    Router, middleware,
    routing::{any, get, post},
};
use deskhand_engine::SessionKey;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use super::{
    auth::{self, Authenticator},
    connection_slots,
    echo::Echo,
    health::{self, HealthProbe},
    listen::{HttpConnections, HttpListener},
    mcp_endpoint, metrics,
    origin::{self, HostPolicy},
    sse, stdio,
    tls::Certificates,
};
use crate::{
    Error, HttpOptions, ListenAddress,
    server::{
        Handler, failure,
        state::{Connection, ServerState},
    },
    session::table::Sessions,
    timing,
    wire::uncancellable::Uncancellable,
};

/// The SDK's HTTP service.
pub(super) type Service = StreamableHttpService<Handler, Sessions>;

/// The state shared by all HTTP handlers.
#[derive(Clone)]
pub(super) struct HttpState {
    /// The state shared by all connections.
    pub(super) state: Arc<ServerState>,
    /// The SDK's HTTP service.
    pub(super) service: Service,
    /// All sessions.
    pub(super) sessions: Arc<Sessions>,
    /// Number of running stateless requests.
    pub(super) stateless_requests: Arc<AtomicUsize>,
    /// Cancelled at the end of the shutdown grace period.
    pub(super) shutdown: CancellationToken,
    /// Interval of the comments sent on an idle SSE stream.
    pub(super) heartbeat: Duration,
    /// Cached health of the desktop.
    pub(super) probe: Arc<HealthProbe>,
    /// Authentication.
    pub(super) auth: Arc<Authenticator>,
    /// Echoes messages for debugging.
    pub(super) echo: Echo,
    /// Timeout for the body of a request.
    pub(super) body_timeout: Duration,
}

/// Serves until the process receives a termination signal. `ready` is called with the URL.
pub(crate) fn serve(
    state: &Arc<ServerState>,
    options: &HttpOptions,
    ready: impl FnOnce(&str),
) -> Result<(), Error> {
    options.check()?;
    let start = |error: std::io::Error| Error::Startup { reason: error.to_string() };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(start)?;
    let served = runtime.block_on(async {
        let terminated = stdio::termination_token().map_err(start)?;
        let listener = match &options.listen {
            ListenAddress::Tcp(at) => {
                let tls = options.tls.clone().map(Certificates::load).transpose()?;
                let listener = HttpListener::tcp(*at, tls);
                listener.map_err(|error| Error::Startup { reason: format!("{at}: {error}") })?
            }
            ListenAddress::Unix(at) => HttpListener::unix(at)
                .await
                .map_err(|error| Error::Startup { reason: format!("{}: {error}", at.display()) })?,
        };
        let authenticator = Arc::new(Authenticator::new(options, &listener.url())?);
        ready(&listener.url());
        run(http_state(state, options, authenticator), options, listener, terminated).await;
        Ok(())
    });
    runtime.shutdown_timeout(timing::HTTP_FLUSH_TIMEOUT);
    served
}

async fn run(
    http: HttpState,
    options: &HttpOptions,
    listener: HttpListener,
    terminated: CancellationToken,
) {
    let router = router(http.clone(), options);
    let sessions = &http.sessions;
    let mut connections = HttpConnections::new(&options.limits);
    let mut sweep = tokio::time::interval(timing::SESSION_SWEEP_INTERVAL);
    {
        let accepting = connections.accept(&listener, &router);
        tokio::pin!(accepting);
        loop {
            tokio::select! {
                () = &mut accepting => break,
                _ = sweep.tick() => {
                    sessions.remove_inactive(Instant::now());
                    http.auth.remove_idle_clients();
                }
                () = terminated.cancelled() => break,
            }
        }
    }
    drop(listener);
    sessions.close();
    // Requests that take longer are answered with an error.
    let _ = tokio::time::timeout(timing::SHUTDOWN_TIMEOUT, async {
        while sessions.pending_requests() > 0 || http.stateless_requests.load(Ordering::Relaxed) > 0
        {
            tokio::time::sleep(timing::HTTP_DRAIN_INTERVAL).await;
        }
    })
    .await;
    sessions.end_all(&failure::shutting_down());
    http.shutdown.cancel();
    // Clients that do not read are disconnected.
    let _ = tokio::time::timeout(timing::HTTP_FLUSH_TIMEOUT, connections.end()).await;
}

fn http_state(
    state: &Arc<ServerState>,
    options: &HttpOptions,
    auth: Arc<Authenticator>,
) -> HttpState {
    let shared = Arc::clone(state);
    let on_end = move |session: &str| shared.end_session(&SessionKey::Id(session.into()));
    let sessions =
        Sessions::new(options.session_idle_timeout, options.limits.max_sessions, Box::new(on_end));
    let sessions = Arc::new(
        sessions
            .with_log_bytes(options.limits.resume_bytes)
            .with_uncancellable(Uncancellable::new(&state.tools)),
    );
    let config = StreamableHttpServerConfig::default()
        .with_sse_keep_alive(Some(options.heartbeat))
        .with_sse_retry(None)
        .with_json_response(true)
        // `origin::guard` has checked both.
        .disable_allowed_origins()
        .disable_allowed_hosts()
        .with_max_request_body_bytes(mcp_endpoint::MAX_BODY);
    let shared = Arc::clone(state);
    let service = StreamableHttpService::new(
        move || Ok(Handler::new(Connection::over_http(&shared))),
        Arc::clone(&sessions),
        config,
    );
    HttpState {
        state: Arc::clone(state),
        service,
        sessions,
        stateless_requests: Arc::default(),
        shutdown: CancellationToken::new(),
        heartbeat: options.heartbeat,
        probe: Arc::default(),
        auth,
        echo: Echo::new(options.echo),
        body_timeout: options.limits.read_timeout,
    }
}

fn router(http: HttpState, options: &HttpOptions) -> Router {
    let authenticator = Arc::clone(&http.auth);
    let host_policy = Arc::new(HostPolicy::new(options, authenticator.host()));
    let mut authenticated = Router::new()
        .route("/mcp", any(mcp_endpoint::handle))
        .route("/metrics", get(metrics::metrics));
    if options.sse {
        for (events, messages) in sse::PATHS {
            authenticated = authenticated
                .route(events, get(sse::open_stream))
                .route(messages, post(sse::post_message));
        }
    }
    let authenticated = authenticated
        .layer(middleware::from_fn(connection_slots::share_fairly))
        .layer(middleware::from_fn_with_state(Arc::clone(&authenticator), auth::require));
    let unauthenticated = Router::new()
        .route("/health", get(health::health))
        .layer(middleware::from_fn_with_state(Arc::clone(&authenticator), auth::identify));
    let about = Router::new()
        .route(auth::WELL_KNOWN, get(auth::describe))
        .route(&format!("{}/{{*resource}}", auth::WELL_KNOWN), get(auth::describe))
        .with_state(authenticator);
    let all = authenticated.merge(unauthenticated).with_state(http).merge(about);
    all.layer(middleware::from_fn_with_state(host_policy, origin::guard))
}
