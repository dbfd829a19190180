//! `GET /metrics` in the Prometheus text format.

use axum::{
    extract::State as Shared,
    http::header::CONTENT_TYPE,
    response::{IntoResponse, Response},
};

use super::http::Endpoint;
use crate::server::meter::Levels;

/// The content type of the Prometheus text format.
const KIND: &str = "text/plain; version=0.0.4; charset=utf-8";

/// `GET /metrics`.
pub(super) async fn metrics(Shared(endpoint): Shared<Endpoint>) -> Response {
    let sessions = endpoint.sessions.all();
    let state = &endpoint.state;
    let levels = Levels {
        sessions: sessions.len(),
        streams: sessions.iter().map(|session| session.readers()).sum(),
        buffered_bytes: sessions.iter().map(|session| session.buffered()).sum(),
        subscriptions: state.engine.subscriptions(),
        tasks: state.tasks.standings(),
    };
    ([(CONTENT_TYPE, KIND)], state.meter.text(&levels)).into_response()
}
