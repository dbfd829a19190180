//! The HTTP server: routes and shutdown. Clients up to 2025-11-25 have sessions, clients of 2026-07-28
//! send stateless requests, and HTTP+SSE of 2024-11-05 is served if it is enabled.

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
    auth::{self, Door},
    front,
    health::{self, Probe},
    listen::{Connections, Entrance},
    metrics,
    origin::{self, Names},
    sse, stdio, tls,
};
use crate::{
    Error, Place, Web,
    server::{
        Handler, failure,
        state::{Connection, State},
    },
    session::table::Sessions,
    wire::steadfast::Steadfast,
};

/// The SDK's HTTP service.
pub(super) type Service = StreamableHttpService<Handler, Sessions>;

/// The state shared by all HTTP handlers.
#[derive(Clone)]
pub(super) struct Endpoint {
    /// The state shared by all connections.
    pub(super) state: Arc<State>,
    /// The SDK's HTTP service.
    pub(super) service: Service,
    /// All sessions.
    pub(super) sessions: Arc<Sessions>,
    /// Number of running stateless requests.
    pub(super) singles: Arc<AtomicUsize>,
    /// Cancelled at the end of the shutdown grace period.
    pub(super) cut: CancellationToken,
    /// Interval of the comments sent on an idle SSE stream.
    pub(super) heartbeat: Duration,
    /// Cached health of the desktop.
    pub(super) probe: Arc<Probe>,
    /// Authentication.
    pub(super) door: Arc<Door>,
    /// Timeout for the body of a request.
    pub(super) patience: Duration,
}

/// Serves until the process receives a termination signal. `ready` is called with the URL.
pub(crate) fn serve(state: &Arc<State>, web: &Web, ready: impl FnOnce(&str)) -> Result<(), Error> {
    web.check()?;
    let start = |error: std::io::Error| Error::Start { why: error.to_string() };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(start)?;
    let served = runtime.block_on(async {
        let ended = stdio::ended().map_err(start)?;
        let entrance = match &web.at {
            Place::Address(at) => {
                let tls = web.tls.as_ref().map(tls::acceptor).transpose()?;
                let entrance = Entrance::port(*at, tls);
                entrance.map_err(|error| Error::Start { why: format!("{at}: {error}") })?
            }
            Place::Socket(at) => Entrance::path(at)
                .await
                .map_err(|error| Error::Start { why: format!("{}: {error}", at.display()) })?,
        };
        let door = Arc::new(Door::new(web, &entrance.name())?);
        ready(&entrance.name());
        run(endpoint(state, web, door), web, entrance, ended).await;
        Ok(())
    });
    runtime.shutdown_timeout(TO_READ);
    served
}

async fn run(endpoint: Endpoint, web: &Web, entrance: Entrance, ended: CancellationToken) {
    let router = router(endpoint.clone(), web);
    let sessions = &endpoint.sessions;
    let mut connections = Connections::new(&web.bounds);
    let mut sweep = tokio::time::interval(SWEEP);
    {
        let accepting = connections.accept(&entrance, &router);
        tokio::pin!(accepting);
        loop {
            tokio::select! {
                () = &mut accepting => break,
                _ = sweep.tick() => {
                    sessions.sweep(Instant::now());
                    endpoint.door.forget();
                }
                () = ended.cancelled() => break,
            }
        }
    }
    drop(entrance);
    sessions.close();
    // Requests that take longer are answered with an error.
    let _ = tokio::time::timeout(TO_FINISH, async {
        while sessions.unanswered() > 0 || endpoint.singles.load(Ordering::Relaxed) > 0 {
            tokio::time::sleep(LOOK).await;
        }
    })
    .await;
    sessions.end(&failure::ending());
    endpoint.cut.cancel();
    // Clients that do not read are disconnected.
    let _ = tokio::time::timeout(TO_READ, connections.end()).await;
}

fn endpoint(state: &Arc<State>, web: &Web, door: Arc<Door>) -> Endpoint {
    let shared = Arc::clone(state);
    let on_end = move |session: &str| shared.end_session(&SessionKey::Of(session.into()));
    let sessions = Sessions::new(web.idle, web.bounds.sessions, Box::new(on_end));
    let sessions = Arc::new(sessions.with(Steadfast::of(&state.tools)));
    let config = StreamableHttpServerConfig::default()
        .with_sse_keep_alive(Some(web.heartbeat))
        .with_sse_retry(None)
        .with_json_response(true)
        // `origin::guard` has checked both.
        .disable_allowed_origins()
        .disable_allowed_hosts()
        .with_max_request_body_bytes(front::LARGEST);
    let shared = Arc::clone(state);
    let service = StreamableHttpService::new(
        move || Ok(Handler::new(Connection::over_http(&shared))),
        Arc::clone(&sessions),
        config,
    );
    Endpoint {
        state: Arc::clone(state),
        service,
        sessions,
        singles: Arc::default(),
        cut: CancellationToken::new(),
        heartbeat: web.heartbeat,
        probe: Arc::default(),
        door,
        patience: web.bounds.read,
    }
}

fn router(endpoint: Endpoint, web: &Web) -> Router {
    let door = Arc::clone(&endpoint.door);
    let names = Arc::new(Names::new(web, door.host()));
    let mut inside =
        Router::new().route("/mcp", any(front::handle)).route("/metrics", get(metrics::metrics));
    if web.sse {
        for (events, messages) in sse::ADDRESSES {
            inside = inside.route(events, get(sse::listen)).route(messages, post(sse::take));
        }
    }
    let inside = inside.layer(middleware::from_fn_with_state(Arc::clone(&door), auth::guard));
    let outside = Router::new()
        .route("/health", get(health::health))
        .layer(middleware::from_fn_with_state(Arc::clone(&door), auth::note));
    let about = Router::new()
        .route(auth::WELL_KNOWN, get(auth::describe))
        .route(&format!("{}/{{*resource}}", auth::WELL_KNOWN), get(auth::describe))
        .with_state(door);
    let all = inside.merge(outside).with_state(endpoint).merge(about);
    all.layer(middleware::from_fn_with_state(names, origin::guard))
}
