//! Whether the server is well, for whoever watches over it.

use std::time::Instant;

use axum::{
    Json,
    extract::State as Shared,
    response::{IntoResponse, Response},
};
use serde_json::json;

use super::http::Endpoint;

/// Since when a server serves.
#[derive(Debug, Clone, Copy)]
pub(super) struct Since(pub(super) Instant);

/// `GET /health`.
pub(super) async fn health(Shared(endpoint): Shared<Endpoint>) -> Response {
    Json(json!({
        "status": "ok",
        "version": env!("CARGO_PKG_VERSION"),
        "uptime_seconds": endpoint.since.0.elapsed().as_secs(),
        "sessions": endpoint.sessions.count(),
    }))
    .into_response()
}
