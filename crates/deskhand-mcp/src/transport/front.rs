//! What every HTTP request meets first: its body is read and judged here, so that what is wrong
//! with it is answered as JSON-RPC, and tasks of 2025-11-25 find their way.

use axum::{
    body::{Body, Bytes, to_bytes},
    http::{
        HeaderMap, HeaderValue, Method, Request, StatusCode,
        header::{CONTENT_LENGTH, CONTENT_TYPE},
        request::Parts,
    },
    response::{IntoResponse, Response},
};
use rmcp::model::{ErrorData, ProtocolVersion, RequestId};
use serde_json::{Map, Value};

use super::{
    http::Endpoint,
    origin::{self, Page},
};
use crate::{
    server::failure,
    wire::{
        frame::{self, Frame, Refusal},
        inbound::{self, Handshake},
    },
};

/// How large a body may be.
pub(super) const LARGEST: usize = 4 * 1024 * 1024;

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Serves one request.
pub(super) async fn handle(endpoint: &Endpoint, request: Request<Body>) -> Response {
    let (parts, body) = request.into_parts();
    let page = Page::of(&parts.headers);
    if matches!(page, Page::Foreign) {
        let error =
            ErrorData::invalid_request("Origin: pages of other machines may not call", None);
        return refusal(StatusCode::FORBIDDEN, &Refusal::nameless(error));
    }
    let answered = match parts.method {
        Method::OPTIONS => Ok(origin::preflight(&parts.headers)),
        Method::POST => post(endpoint, parts, body).await,
        Method::DELETE => {
            let response = pass(endpoint, parts, Bytes::new()).await;
            // Clients take anything but 200, 204 and 405 for a failure.
            Ok(match response.status() {
                StatusCode::ACCEPTED => StatusCode::NO_CONTENT.into_response(),
                _ => response,
            })
        }
        _ => get(endpoint, parts).await,
    };
    let mut response = answered.unwrap_or_else(|refused| refused);
    page.admit(&mut response);
    response
}

async fn get(endpoint: &Endpoint, parts: Parts) -> Result<Response, Response> {
    let last = word(&parts.headers, "last-event-id");
    if let (Some(last), Some(session)) = (last, word(&parts.headers, "mcp-session-id"))
        && let Some(session) = endpoint.sessions.get(session)
        && !session.owns(last)
    {
        let why = "Last-Event-ID: there is no such event in this session";
        let error = ErrorData::invalid_request(why, None);
        return Err(refusal(StatusCode::BAD_REQUEST, &Refusal::nameless(error)));
    }
    Ok(pass(endpoint, parts, Bytes::new()).await)
}

async fn post(endpoint: &Endpoint, parts: Parts, body: Body) -> Result<Response, Response> {
    let bad = |refused: &Refusal| refusal(StatusCode::BAD_REQUEST, refused);
    let bytes = to_bytes(body, LARGEST).await.map_err(|_| {
        let why = format!("a message has at most {LARGEST} bytes");
        let error = ErrorData::invalid_request(why, None);
        refusal(StatusCode::PAYLOAD_TOO_LARGE, &Refusal::nameless(error))
    })?;
    let session = word(&parts.headers, "mcp-session-id").and_then(|id| endpoint.sessions.get(id));
    let version = session.as_ref().and_then(|session| session.version());
    match frame::read(&bytes) {
        Frame::Bad(refused) => Err(bad(&refused)),
        Frame::Message(mut message) => {
            if let Some(session) = &session
                && let Some(id) = request_id(&message)
                && session.is_running(&id)
            {
                let why = "id: another request of this id is not answered yet";
                let id = message.get("id").cloned().unwrap_or_default();
                return Err(bad(&Refusal::of(id, ErrorData::invalid_request(why, None))));
            }
            judge(&mut message, version.as_ref()).map_err(|refused| bad(&refused))?;
            let bytes = Bytes::from(Value::Object(message).to_string());
            Ok(pass(endpoint, parts, bytes).await)
        }
        Frame::Batch(messages) if version == Some(ProtocolVersion::V_2025_03_26) => {
            batch(endpoint, &parts, messages).await
        }
        Frame::Batch(_) => {
            let why = "batches exist in protocol version 2025-03-26 alone";
            Err(bad(&Refusal::nameless(ErrorData::invalid_request(why, None))))
        }
    }
}

/// Serves the messages of a batch one by one; what they answer follows one another in one stream.
async fn batch(
    endpoint: &Endpoint,
    parts: &Parts,
    messages: Vec<Value>,
) -> Result<Response, Response> {
    let bad = |refused: &Refusal| refusal(StatusCode::BAD_REQUEST, refused);
    if messages.is_empty() {
        let error = ErrorData::invalid_request("a batch has at least one message", None);
        return Err(bad(&Refusal::nameless(error)));
    }
    let mut checked = Vec::new();
    for message in messages {
        let mut message = frame::message(message).map_err(|refused| bad(&refused))?;
        judge(&mut message, Some(&ProtocolVersion::V_2025_03_26))
            .map_err(|refused| bad(&refused))?;
        checked.push(message);
    }
    let mut streams = Vec::new();
    for message in checked {
        let asks = request_id(&message).is_some();
        let bytes = Bytes::from(Value::Object(message).to_string());
        let response = pass(endpoint, parts.clone(), bytes).await;
        if response.status().is_client_error() || response.status().is_server_error() {
            return Err(response);
        }
        if asks {
            streams.push(response);
        }
    }
    let mut streams = streams.into_iter();
    let Some(first) = streams.next() else { return Ok(StatusCode::ACCEPTED.into_response()) };
    let (head, body) = first.into_parts();
    let bodies = std::iter::once(body).chain(streams.map(Response::into_body));
    let joined = futures_util::StreamExt::flat_map(
        futures_util::stream::iter(bodies.collect::<Vec<_>>()),
        Body::into_data_stream,
    );
    Ok(Response::from_parts(head, Body::from_stream(joined)))
}

/// Refuses or rewrites a message.
fn judge(
    message: &mut Map<String, Value>,
    version: Option<&ProtocolVersion>,
) -> Result<(), Box<Refusal>> {
    let handshake = if version.is_some() { Handshake::Yes } else { Handshake::No };
    let id = message.get("id").cloned().unwrap_or_default();
    inbound::rewrite(message, handshake).map_err(|error| Refusal::of(id, error))
}

/// Hands a request to the SDK, and puts what it says in plain words into JSON-RPC.
async fn pass(endpoint: &Endpoint, mut parts: Parts, body: Bytes) -> Response {
    parts.headers.remove(CONTENT_LENGTH);
    let request = Request::from_parts(parts, Body::from(body));
    let response = endpoint.service.handle(request).await.map(Body::new);
    let status = response.status();
    let is_json = response
        .headers()
        .get(CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    if is_json || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let (head, body) = response.into_parts();
    let words = to_bytes(body, LARGEST).await.unwrap_or_default();
    let words = String::from_utf8_lossy(&words).into_owned();
    let error = if status.is_server_error() {
        failure::not_now(words)
    } else {
        ErrorData::invalid_request(words, None)
    };
    let mut response = refusal(status, &Refusal::nameless(error));
    for (name, value) in &head.headers {
        if name != CONTENT_TYPE && name != CONTENT_LENGTH {
            response.headers_mut().insert(name, value.clone());
        }
    }
    response
}

fn refusal(status: StatusCode, refused: &Refusal) -> Response {
    (status, [(CONTENT_TYPE, JSON)], refused.answer().to_string()).into_response()
}

fn word<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn request_id(message: &Map<String, Value>) -> Option<RequestId> {
    if !message.contains_key("method") {
        return None;
    }
    serde_json::from_value(message.get("id")?.clone()).ok()
}
