//! `GET /health`.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use axum::{
    Json,
    body::Body,
    extract::State as Shared,
    http::Request,
    response::{IntoResponse, Response},
};
use deskhand_engine::{Call, Door, Form, Mode, SessionKey, Surroundings};
use serde_json::json;

use super::http::Endpoint;
use crate::server::{principal::Principal, state::State};

/// The tool used to check that the desktop answers.
const ASKED: &str = "ax_is_accessible";

/// The start time of the server and the cached status of the desktop.
#[derive(Debug)]
pub(super) struct Probe {
    since: Instant,
    last: Mutex<Option<(Instant, Desktop)>>,
}

impl Default for Probe {
    fn default() -> Self {
        Self { since: Instant::now(), last: Mutex::default() }
    }
}

/// The status of the desktop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Desktop {
    Ok,
    Frozen,
}

impl Desktop {
    fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Frozen => "frozen",
        }
    }
}

impl Probe {
    async fn desktop(&self, state: &Arc<State>) -> Desktop {
        let last = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, desktop)) = last.filter(|(then, _)| then.elapsed() < FRESH) {
            return desktop;
        }
        let engine = Arc::clone(&state.engine);
        let asking = tokio::task::spawn_blocking(move || {
            let call = Call {
                tool: ASKED.to_owned(),
                arguments: json!({}),
                form: Form::Data,
                door: Door::Own,
                session: SessionKey::Common,
                principal: None,
                ceiling: Mode::Normal,
            };
            // Any reply in time counts, even a failure.
            let _ = engine.call(call, &Surroundings::alone(&|_| true));
        });
        let desktop = match tokio::time::timeout(PATIENCE, asking).await {
            Ok(Ok(())) => Desktop::Ok,
            Ok(Err(_)) | Err(_) => Desktop::Frozen,
        };
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        *last = Some((Instant::now(), desktop));
        desktop
    }
}

/// `GET /health`. Unauthenticated clients only learn that the server is running.
pub(super) async fn health(Shared(endpoint): Shared<Endpoint>, request: Request<Body>) -> Response {
    if Principal::of(request.extensions()).is(&Principal::nobody()) {
        return Json(json!({ "status": "ok" })).into_response();
    }
    let desktop = endpoint.probe.desktop(&endpoint.state).await;
    Json(json!({
        "status": "ok",
        "version": env!("CARGO_PKG_VERSION"),
        "uptime_seconds": endpoint.probe.since.elapsed().as_secs(),
        "sessions": endpoint.sessions.all().len(),
        "desktop": desktop.word(),
    }))
    .into_response()
}
