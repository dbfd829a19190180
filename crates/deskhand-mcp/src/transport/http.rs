//! Streamable HTTP: sessions for clients of the handshake, single requests for the others.

use std::{
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use axum::{Router, body::Body, extract::State as Shared, http::Request, response::Response};
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::{
    front,
    health::{self, Since},
    stdio,
};
use crate::{
    Error,
    server::{
        Handler,
        state::{Connection, State},
    },
    session::table::Sessions,
};

/// How often a silent stream shows that it lives.
const HEARTBEAT: Duration = Duration::from_secs(30);

/// How long what runs may take to end when the server is asked to.
const TO_FINISH: Duration = Duration::from_secs(5);

/// How often sessions of clients that are gone are looked for.
const SWEEP: Duration = Duration::from_secs(60);

/// The SDK's half of a server.
pub(super) type Service = StreamableHttpService<Handler, Sessions>;

/// What every request finds.
#[derive(Clone)]
pub(super) struct Endpoint {
    /// The SDK's half.
    pub(super) service: Service,
    /// The sessions.
    pub(super) sessions: Arc<Sessions>,
    /// Since when it serves.
    pub(super) since: Since,
}

/// Serves at an address until the process is asked to end; `ready` is told where.
pub(crate) fn serve(
    state: &Arc<State>,
    at: SocketAddr,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), Error> {
    let start = |error: std::io::Error| Error::Start { why: error.to_string() };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(start)?;
    let served = runtime.block_on(async {
        let ended = stdio::ended().map_err(start)?;
        let listener = TcpListener::bind(at)
            .await
            .map_err(|error| Error::Start { why: format!("{at}: {error}") })?;
        ready(listener.local_addr().map_err(start)?);
        run(state, listener, ended).await.map_err(start)
    });
    runtime.shutdown_timeout(TO_FINISH);
    served
}

async fn run(
    state: &Arc<State>,
    listener: TcpListener,
    ended: CancellationToken,
) -> std::io::Result<()> {
    let sessions = Arc::new(Sessions::default());
    let cut = CancellationToken::new();
    let config = StreamableHttpServerConfig::default()
        .with_sse_keep_alive(Some(HEARTBEAT))
        .with_sse_retry(None)
        .with_json_response(true)
        // Judged before it comes that far.
        .disable_allowed_origins()
        .with_max_request_body_bytes(front::LARGEST)
        .with_cancellation_token(cut.clone());
    let shared = Arc::clone(state);
    let service = StreamableHttpService::new(
        move || Ok(Handler::new(Connection::over_http(&shared))),
        Arc::clone(&sessions),
        config,
    );
    let since = Since(Instant::now());
    let endpoint = Endpoint { service, sessions: Arc::clone(&sessions), since };
    let router = Router::new()
        .route("/mcp", axum::routing::any(any))
        .route("/health", axum::routing::get(health::health))
        .with_state(endpoint);
    let listener = axum::serve::ListenerExt::tap_io(listener, |stream| {
        // Small messages must not wait for each other; a socket that refuses is slower, no more.
        let _ = stream.set_nodelay(true);
    });
    let serving = axum::serve(listener, router)
        .with_graceful_shutdown(ended.clone().cancelled_owned())
        .into_future();
    tokio::pin!(serving);
    let mut sweep = tokio::time::interval(SWEEP);
    loop {
        tokio::select! {
            done = &mut serving => return done,
            _ = sweep.tick() => sessions.sweep(Instant::now()),
            () = ended.cancelled() => break,
        }
    }
    let finished = tokio::time::timeout(TO_FINISH, &mut serving).await;
    cut.cancel();
    sessions.end();
    finished.unwrap_or(Ok(()))
}

async fn any(Shared(endpoint): Shared<Endpoint>, request: Request<Body>) -> Response {
    front::handle(&endpoint, request).await
}
