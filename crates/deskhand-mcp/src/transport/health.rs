//! `GET /health`.

use std::{sync::Arc, time::Instant};

use axum::{
    Json,
    body::Body,
    extract::State as Shared,
    http::Request,
    response::{IntoResponse, Response},
};
use deskhand_engine::{Call, CallOptions, Vocabulary};
use parking_lot::Mutex;
use serde_json::json;

use super::http::HttpState;
use crate::{
    server::{principal::Principal, state::ServerState},
    timing,
};

/// The tool used to check that the desktop answers.
const PROBE_TOOL: &str = "ax_is_accessible";

/// The start time of the server and the cached status of the desktop.
#[derive(Debug)]
pub(super) struct HealthProbe {
    started: Instant,
    last: Mutex<Option<(Instant, DesktopStatus)>>,
}

impl Default for HealthProbe {
    fn default() -> Self {
        Self { started: Instant::now(), last: Mutex::default() }
    }
}

/// The status of the desktop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DesktopStatus {
    Ok,
    Frozen,
}

impl DesktopStatus {
    fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Frozen => "frozen",
        }
    }
}

impl HealthProbe {
    async fn desktop(&self, state: &Arc<ServerState>) -> DesktopStatus {
        let last = *self.last.lock();
        if let Some((_, desktop)) =
            last.filter(|(then, _)| then.elapsed() < timing::HEALTH_CACHE_TTL)
        {
            return desktop;
        }
        let engine = Arc::clone(&state.engine);
        let asking = tokio::task::spawn_blocking(move || {
            let call = Call::internal(Vocabulary::Ax.tool(PROBE_TOOL), json!({}));
            // Any reply in time counts, even a failure.
            let _ = engine.call(call, &CallOptions::non_interactive(&|_| true));
        });
        let desktop = match tokio::time::timeout(timing::HEALTH_PROBE_TIMEOUT, asking).await {
            Ok(Ok(())) => DesktopStatus::Ok,
            Ok(Err(_)) | Err(_) => DesktopStatus::Frozen,
        };
        let mut last = self.last.lock();
        *last = Some((Instant::now(), desktop));
        desktop
    }
}

/// `GET /health`. Unauthenticated clients only learn that the server is running.
pub(super) async fn health(Shared(http): Shared<HttpState>, request: Request<Body>) -> Response {
    if Principal::from_http(request.extensions()).is_same(&Principal::anonymous()) {
        return Json(json!({ "status": "ok" })).into_response();
    }
    let desktop = http.probe.desktop(&http.state).await;
    Json(json!({
        "status": "ok",
        "version": env!("CARGO_PKG_VERSION"),
        "uptime_seconds": http.probe.started.elapsed().as_secs(),
        "sessions": http.sessions.all().len(),
        "desktop": desktop.as_str(),
    }))
    .into_response()
}
