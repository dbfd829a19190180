//! HTTP: what is served where, and how that ends. Sessions for clients of the handshake, single
//! requests for the others, and one stream a client for those of 2024-11-05 where that is asked for.

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
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use super::{
    front,
    health::{self, Probe},
    listen::{Connections, Entrance},
    metrics, origin, sse, stdio,
};
use crate::{
    Error, Place, Web,
    server::{
        Handler, failure,
        state::{Connection, State},
    },
    session::table::Sessions,
};

/// How long what runs may take to end when the server is asked to.
const TO_FINISH: Duration = Duration::from_secs(5);

/// How long clients may take to read what they are told then.
const TO_READ: Duration = Duration::from_secs(2);

/// How often a server that ends looks whether everything is answered.
const LOOK: Duration = Duration::from_millis(10);

/// How often sessions of clients that are gone are looked for.
const SWEEP: Duration = Duration::from_secs(30);

/// The SDK's half of a server.
pub(super) type Service = StreamableHttpService<Handler, Sessions>;

/// What every request finds.
#[derive(Clone)]
pub(super) struct Endpoint {
    /// What all connections share.
    pub(super) state: Arc<State>,
    /// The SDK's half.
    pub(super) service: Service,
    /// The sessions.
    pub(super) sessions: Arc<Sessions>,
    /// How many requests without a session run.
    pub(super) singles: Arc<AtomicUsize>,
    /// Cancelled when nothing more is waited for.
    pub(super) cut: CancellationToken,
    /// How often a silent stream shows that it lives.
    pub(super) heartbeat: Duration,
    /// Whether the desktop answers.
    pub(super) probe: Arc<Probe>,
}

/// Serves until the process is asked to end; `ready` is told where.
pub(crate) fn serve(state: &Arc<State>, web: &Web, ready: impl FnOnce(&str)) -> Result<(), Error> {
    let start = |error: std::io::Error| Error::Start { why: error.to_string() };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(start)?;
    let served = runtime.block_on(async {
        let ended = stdio::ended().map_err(start)?;
        let entrance = match &web.at {
            Place::Address(at) if !at.ip().is_loopback() => {
                return Err(Error::Reachable { at: *at });
            }
            Place::Address(at) => Entrance::port(*at)
                .await
                .map_err(|error| Error::Start { why: format!("{at}: {error}") })?,
            Place::Socket(at) => Entrance::path(at)
                .map_err(|error| Error::Start { why: format!("{}: {error}", at.display()) })?,
        };
        ready(&entrance.name());
        run(state, web, entrance, ended).await;
        Ok(())
    });
    runtime.shutdown_timeout(TO_READ);
    served
}

async fn run(state: &Arc<State>, web: &Web, entrance: Entrance, ended: CancellationToken) {
    let endpoint = endpoint(state, web);
    let router = router(endpoint.clone(), web);
    let sessions = &endpoint.sessions;
    let mut connections = Connections::new();
    let mut sweep = tokio::time::interval(SWEEP);
    {
        let accepting = connections.accept(&entrance, &router);
        tokio::pin!(accepting);
        loop {
            tokio::select! {
                () = &mut accepting => break,
                _ = sweep.tick() => sessions.sweep(Instant::now()),
                () = ended.cancelled() => break,
            }
        }
    }
    drop(entrance);
    sessions.close();
    // Who takes longer is told that it was too long.
    let _ = tokio::time::timeout(TO_FINISH, async {
        while sessions.unanswered() > 0 || endpoint.singles.load(Ordering::Relaxed) > 0 {
            tokio::time::sleep(LOOK).await;
        }
    })
    .await;
    sessions.end(&failure::ending());
    endpoint.cut.cancel();
    // Who does not read is cut off.
    let _ = tokio::time::timeout(TO_READ, connections.end()).await;
}

fn endpoint(state: &Arc<State>, web: &Web) -> Endpoint {
    let sessions = Arc::new(Sessions::new(web.idle));
    let config = StreamableHttpServerConfig::default()
        .with_sse_keep_alive(Some(web.heartbeat))
        .with_sse_retry(None)
        .with_json_response(true)
        // Both are judged before they come that far.
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
    }
}

fn router(endpoint: Endpoint, web: &Web) -> Router {
    let mut router = Router::new()
        .route("/mcp", any(front::handle))
        .route("/health", get(health::health))
        .route("/metrics", get(metrics::metrics));
    if web.sse {
        for (events, messages) in sse::ADDRESSES {
            router = router.route(events, get(sse::listen)).route(messages, post(sse::take));
        }
    }
    router.with_state(endpoint).layer(middleware::from_fn(origin::guard))
}
