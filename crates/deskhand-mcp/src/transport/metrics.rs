//! `GET /metrics` in the Prometheus text format.

use axum::{
    extract::State as Shared,
    http::header::CONTENT_TYPE,
    response::{IntoResponse, Response},
};

use super::http::HttpState;
use crate::server::metrics::Gauges;

/// The content type of the Prometheus text format.
const CONTENT_TYPE_TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// `GET /metrics`.
pub(super) async fn metrics(Shared(http): Shared<HttpState>) -> Response {
    let sessions = http.sessions.all();
    let state = &http.state;
    let gauges = Gauges {
        sessions: sessions.len(),
        streams: sessions.iter().map(|session| session.readers()).sum(),
        buffered_bytes: sessions.iter().map(|session| session.buffered_bytes()).sum(),
        subscriptions: state.engine.subscriptions(),
        tasks: state.tasks.count_by_status(),
    };
    ([(CONTENT_TYPE, CONTENT_TYPE_TEXT)], state.metrics.encode(&gauges)).into_response()
}
