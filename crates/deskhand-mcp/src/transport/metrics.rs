//! `GET /metrics`: what the server counts, in the text form of Prometheus.

use axum::{
    extract::State as Shared,
    http::header::CONTENT_TYPE,
    response::{IntoResponse, Response},
};

use super::http::Endpoint;
use crate::server::meter::Levels;

/// The version of the text form.
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
