//! Stateless requests, as in 2026-07-28. They are counted while they run, and answered with an error if
//! the server shuts down first.

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

use super::{accept, front, http::Endpoint};
use crate::{server::failure, wire::frame::Refusal};

/// The method of the one request that lasts until its client closes it.
const LISTEN: &str = "subscriptions/listen";

/// A stateless request.
pub(super) struct Single {
    id: Value,
    cut: CancellationToken,
    _running: Option<Running>,
}

/// Counts a request until it is dropped.
struct Running(Arc<AtomicUsize>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Single {
    /// Creates this from a message. Returns `None` for a notification or a response.
    pub(super) fn of(endpoint: &Endpoint, message: &Map<String, Value>) -> Option<Self> {
        front::request_id(message)?;
        let lasts = message.get("method").and_then(Value::as_str) == Some(LISTEN);
        let running = (!lasts).then(|| {
            endpoint.singles.fetch_add(1, Ordering::Relaxed);
            Running(Arc::clone(&endpoint.singles))
        });
        let id = message.get("id").cloned().unwrap_or_default();
        Some(Self { id, cut: endpoint.cut.clone(), _running: running })
    }

    /// Serves the request until it is answered or the server shuts down.
    pub(super) async fn serve(self, answering: impl Future<Output = Response>) -> Response {
        let response = tokio::select! {
            biased;
            response = answering => response,
            () = self.cut.cancelled() => {
                return front::refusal(StatusCode::SERVICE_UNAVAILABLE, &self.refusal());
            }
        };
        let kind = response.headers().get(CONTENT_TYPE);
        if !kind.is_some_and(|kind| kind.as_bytes().starts_with(accept::EVENTS.as_bytes())) {
            return response;
        }
        response.map(|body| self.told(body.into_data_stream()))
    }

    /// Wraps an event stream. It ends with an error event if the server shuts down first.
    fn told(self, events: BodyDataStream) -> Body {
        let told = stream::unfold(Some((events, self)), |open| async move {
            let (mut events, single) = open?;
            tokio::select! {
                biased;
                chunk = events.next() => match chunk? {
                    Ok(chunk) => Some((Ok::<_, Infallible>(chunk), Some((events, single)))),
                    Err(_) => None,
                },
                () = single.cut.cancelled() => {
                    let event = format!("data: {}\n\n", single.refusal().answer());
                    Some((Ok(Bytes::from(event)), None))
                }
            }
        });
        Body::from_stream(told)
    }

    fn refusal(&self) -> Box<Refusal> {
        Refusal::of(self.id.clone(), failure::ending())
    }
}
