//! Stateless requests, as in 2026-07-28. They are counted while they run, and answered with an
//! error if the server shuts down first.

use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use axum::{
    body::{Body, BodyDataStream, Bytes},
    http::{StatusCode, header::CONTENT_TYPE},
    response::Response,
};
use futures_util::{StreamExt, stream};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::{accept, http::HttpState, mcp_endpoint};
use crate::{server::failure, wire::frame::ErrorResponse};

/// The method of the one request that lasts until its client closes it.
const LISTEN_METHOD: &str = "subscriptions/listen";

/// Returns `true` for the one request whose response is a stream of notifications.
pub(super) fn is_subscription(message: &Map<String, Value>) -> bool {
    message.get("method").and_then(Value::as_str) == Some(LISTEN_METHOD)
}

/// A stateless request.
pub(super) struct StatelessRequest {
    id: Value,
    shutdown: CancellationToken,
    _running: Option<RequestGuard>,
}

/// Counts a request until it is dropped.
struct RequestGuard(Arc<AtomicUsize>);

impl Drop for RequestGuard {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl StatelessRequest {
    /// Creates this from a message. Returns `None` for a notification or a response.
    pub(super) fn new(http: &HttpState, message: &Map<String, Value>) -> Option<Self> {
        mcp_endpoint::request_id(message)?;
        let running = (!is_subscription(message)).then(|| {
            http.stateless_requests.fetch_add(1, Ordering::Relaxed);
            RequestGuard(Arc::clone(&http.stateless_requests))
        });
        let id = message.get("id").cloned().unwrap_or_default();
        Some(Self { id, shutdown: http.shutdown.clone(), _running: running })
    }

    /// Serves the request until it is answered or the server shuts down.
    pub(super) async fn serve(self, answering: impl Future<Output = Response>) -> Response {
        let response = tokio::select! {
            biased;
            response = answering => response,
            () = self.shutdown.cancelled() => {
                return mcp_endpoint::http_error(StatusCode::SERVICE_UNAVAILABLE, &self.shutdown_error());
            }
        };
        let media_type = response.headers().get(CONTENT_TYPE);
        if !media_type.is_some_and(|media_type| {
            media_type.as_bytes().starts_with(accept::EVENT_STREAM.as_bytes())
        }) {
            return response;
        }
        response.map(|body| self.with_shutdown_event(body.into_data_stream()))
    }

    /// Wraps an event stream. It ends with an error event if the server shuts down first.
    fn with_shutdown_event(self, events: BodyDataStream) -> Body {
        let events_and_error = stream::unfold(Some((events, self)), |open| async move {
            let (mut events, request) = open?;
            tokio::select! {
                biased;
                chunk = events.next() => match chunk? {
                    Ok(chunk) => Some((Ok::<_, Infallible>(chunk), Some((events, request)))),
                    Err(_) => None,
                },
                () = request.shutdown.cancelled() => {
                    let event = format!("data: {}\n\n", request.shutdown_error().to_json());
                    Some((Ok(Bytes::from(event)), None))
                }
            }
        });
        Body::from_stream(events_and_error)
    }

    fn shutdown_error(&self) -> Box<ErrorResponse> {
        ErrorResponse::new(self.id.clone(), failure::shutting_down())
    }
}
