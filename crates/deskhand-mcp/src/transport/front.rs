//! The `/mcp` endpoint. Bodies are checked before the SDK sees them, so that errors are answered as
//! JSON-RPC, and task methods of 2025-11-25 are rewritten.

use std::time::Duration;

use axum::{
    body::{Body, Bytes, HttpBody, to_bytes},
    extract::State as Shared,
    http::{
        HeaderMap, HeaderValue, Method, Request, StatusCode,
        header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER},
        request::Parts,
    },
    response::{IntoResponse, Response},
};
use deskhand_engine::Mode;
use rmcp::model::{ErrorData, ProtocolVersion, RequestId};
use serde_json::{Map, Value};

use super::{accept, http::Endpoint, single::Single};
use crate::{
    server::{client::SESSION, failure, principal::Principal, scope},
    session::conversation::{Session, Spread},
    wire::{
        frame::{self, Frame, Refusal},
        inbound::{self, Handshake},
        ledger,
    },
};

/// Maximum size of a body in bytes.
pub(super) const LARGEST: usize = 4 * 1024 * 1024;

/// Maximum size in bytes of a response that contains only an error.
const SMALL: u64 = 4 * 1024;

const JSON: HeaderValue = HeaderValue::from_static(accept::JSON);

/// The `Accept` header the SDK expects.
const BOTH: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");

/// Serves one request to `/mcp`.
pub(super) async fn handle(Shared(endpoint): Shared<Endpoint>, request: Request<Body>) -> Response {
    let (mut parts, body) = request.into_parts();
    let who = Principal::of(&parts.extensions);
    if word(&parts.headers, SESSION).is_some_and(|id| endpoint.sessions.is_banned(id, &who)) {
        return elsewhere();
    }
    hide(&endpoint, &mut parts);
    let answered = match parts.method {
        Method::POST => post(&endpoint, parts, body).await,
        Method::DELETE => {
            let response = pass(&endpoint, parts, Bytes::new()).await;
            // Some clients treat every status but 200, 204 and 405 as a failure.
            Ok(match response.status() {
                StatusCode::ACCEPTED => StatusCode::NO_CONTENT.into_response(),
                _ => response,
            })
        }
        _ => get(&endpoint, parts).await,
    };
    answered.unwrap_or_else(|refused| refused)
}

/// Hides another principal's session: it looks like one that does not exist.
fn hide(endpoint: &Endpoint, parts: &mut Parts) {
    let Some(session) = word(&parts.headers, SESSION).and_then(|id| endpoint.sessions.get(id))
    else {
        return;
    };
    if !session.belongs_to(&Principal::of(&parts.extensions)) {
        parts.headers.insert(SESSION, HeaderValue::from_static("none"));
    }
}

async fn get(endpoint: &Endpoint, mut parts: Parts) -> Result<Response, Response> {
    let last = word(&parts.headers, "last-event-id");
    if let (Some(last), Some(session)) = (last, word(&parts.headers, SESSION))
        && let Some(session) = endpoint.sessions.get(session)
        && !session.owns(last)
    {
        let why = "Last-Event-ID: unknown event in this session";
        return Err(bad_request(why));
    }
    if accept::accepts(&parts.headers, accept::EVENTS) {
        parts.headers.insert(ACCEPT, BOTH);
    }
    Ok(pass(endpoint, parts, Bytes::new()).await)
}

async fn post(endpoint: &Endpoint, mut parts: Parts, body: Body) -> Result<Response, Response> {
    let bad = |refused: &Refusal| refusal(StatusCode::BAD_REQUEST, refused);
    check_kind(&parts.headers).map_err(|refused| *refused)?;
    let both = [accept::JSON, accept::EVENTS];
    if !parts.headers.contains_key(ACCEPT)
        || !both.iter().all(|kind| accept::accepts(&parts.headers, kind))
    {
        let why = "Accept: must include application/json and text/event-stream";
        let error = ErrorData::invalid_request(why, None);
        return Err(refusal(StatusCode::NOT_ACCEPTABLE, &Refusal::nameless(error)));
    }
    parts.headers.insert(ACCEPT, BOTH);
    let bytes = bytes(body, endpoint.patience).await?;
    let session = word(&parts.headers, SESSION).and_then(|id| endpoint.sessions.get(id));
    let session = session.filter(|session| session.spread() == Spread::ByRequest);
    let version = session.as_ref().and_then(|session| session.version());
    match frame::read(&bytes) {
        Frame::Bad(refused) => Err(bad(&refused)),
        Frame::Message(mut message) => {
            check(endpoint, session.as_deref(), &message).map_err(|refused| *refused)?;
            judge(&mut message, version.as_ref()).map_err(|refused| bad(&refused))?;
            let beyond = beyond(endpoint, &parts, &message);
            let single = if session.is_none() { Single::of(endpoint, &message) } else { None };
            let bytes = Bytes::from(Value::Object(message).to_string());
            let response = match single {
                Some(single) => single.serve(pass(endpoint, parts, bytes)).await,
                None => pass(endpoint, parts, bytes).await,
            };
            let Some(needed) = beyond.filter(|_| response.status().is_success()) else {
                return Ok(response);
            };
            // The policy check has refused and logged the call. The HTTP response says which scope it needs.
            let _ = to_bytes(response.into_body(), LARGEST).await;
            Ok(endpoint.door.needs_more(needed))
        }
        Frame::Batch(messages) if version == Some(ProtocolVersion::V_2025_03_26) => {
            batch(endpoint, session.as_deref(), &parts, messages).await
        }
        Frame::Batch(_) => Err(bad_request(frame::NO_BATCHES)),
    }
}

/// Returns the mode a call needs if the principal's mode does not allow it.
fn beyond(endpoint: &Endpoint, parts: &Parts, message: &Map<String, Value>) -> Option<Mode> {
    let ceiling = Principal::of(&parts.extensions).ceiling;
    if ceiling == Mode::Normal
        || message.get("method").and_then(Value::as_str) != Some("tools/call")
    {
        return None;
    }
    let tool = message.get("params")?.get("name")?.as_str()?;
    endpoint.state.tools.beyond(tool, ceiling)
}

/// Refuses a request that cannot be accepted now.
fn check(
    endpoint: &Endpoint,
    session: Option<&Session>,
    message: &Map<String, Value>,
) -> Result<(), Box<Response>> {
    if let Some(session) = session
        && works_elsewhere(endpoint, session, message)
    {
        return Err(Box::new(elsewhere()));
    }
    let Some(id) = request_id(message) else { return Ok(()) };
    let refuse = |status, error| {
        let id = message.get("id").cloned().unwrap_or_default();
        Err(Box::new(refusal(status, &Refusal::of(id, error))))
    };
    if endpoint.sessions.is_closing() {
        return refuse(StatusCode::SERVICE_UNAVAILABLE, failure::ending());
    }
    let Some(session) = session else { return Ok(()) };
    if session.is_running(&id) {
        let error = ErrorData::invalid_request(ledger::IN_USE, None);
        return refuse(StatusCode::BAD_REQUEST, error);
    }
    if message.get("method").and_then(Value::as_str) == Some("initialize") {
        let error = ErrorData::invalid_request(ledger::INITIALIZED, None);
        return refuse(StatusCode::BAD_REQUEST, error);
    }
    Ok(())
}

/// Revokes the session if a message says that the client's roots have changed and the session depends
/// on them. Returns `true` if it did.
pub(super) fn works_elsewhere(
    endpoint: &Endpoint,
    session: &Session,
    message: &Map<String, Value>,
) -> bool {
    let is_so = message.get("method").and_then(Value::as_str) == Some(scope::CHANGED)
        && endpoint.state.scopes.has(session.id());
    if is_so {
        endpoint.sessions.ban(session);
    }
    is_so
}

/// Creates the response for a session that ended because the client's roots changed.
pub(super) fn elsewhere() -> Response {
    refusal(StatusCode::FORBIDDEN, &Refusal::nameless(scope::changed()))
}

/// Refuses a body that is not declared as JSON.
pub(super) fn check_kind(headers: &HeaderMap) -> Result<(), Box<Response>> {
    if accept::sends_json(headers) {
        return Ok(());
    }
    let why = "Content-Type: expected application/json";
    let error = ErrorData::invalid_request(why, None);
    let refused = refusal(StatusCode::UNSUPPORTED_MEDIA_TYPE, &Refusal::nameless(error));
    Err(Box::new(refused))
}

/// Reads a body with a limit on size and time.
pub(super) async fn bytes(body: Body, patience: Duration) -> Result<Bytes, Response> {
    let refuse = |status, why: String| {
        refusal(status, &Refusal::nameless(ErrorData::invalid_request(why, None)))
    };
    let too_large = || {
        let why = format!("the message exceeds {LARGEST} bytes");
        refuse(StatusCode::PAYLOAD_TOO_LARGE, why)
    };
    // Refuse early if the declared size is too large.
    if usize::try_from(body.size_hint().lower()).is_ok_and(|least| least > LARGEST) {
        return Err(too_large());
    }
    match tokio::time::timeout(patience, to_bytes(body, LARGEST)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(_)) => Err(too_large()),
        Err(_) => {
            let why = format!("the body must arrive within {} s", patience.as_secs_f64());
            Err(refuse(StatusCode::REQUEST_TIMEOUT, why))
        }
    }
}

/// Serves the messages of a batch one by one. Their responses follow each other in one stream.
async fn batch(
    endpoint: &Endpoint,
    session: Option<&Session>,
    parts: &Parts,
    messages: Vec<Value>,
) -> Result<Response, Response> {
    let bad = |refused: &Refusal| refusal(StatusCode::BAD_REQUEST, refused);
    if messages.is_empty() {
        return Err(bad_request(frame::EMPTY));
    }
    let mut checked = Vec::new();
    for message in messages {
        let mut message = frame::message(message).map_err(|refused| bad(&refused))?;
        check(endpoint, session, &message).map_err(|refused| *refused)?;
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

/// Checks and rewrites a message.
fn judge(
    message: &mut Map<String, Value>,
    version: Option<&ProtocolVersion>,
) -> Result<(), Box<Refusal>> {
    let handshake = if version.is_some() { Handshake::Yes } else { Handshake::No };
    let id = message.get("id").cloned().unwrap_or_default();
    inbound::rewrite(message, handshake).map_err(|error| Refusal::of(id, error))
}

/// Forwards a request to the SDK, and converts its plain-text errors to JSON-RPC.
async fn pass(endpoint: &Endpoint, mut parts: Parts, body: Bytes) -> Response {
    parts.headers.remove(CONTENT_LENGTH);
    let request = Request::from_parts(parts, Body::from(body));
    let response = endpoint.service.handle(request).await.map(Body::new);
    let status = response.status();
    let is_json = response
        .headers()
        .get(CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    if is_json && status == StatusCode::OK {
        return timed(response).await;
    }
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

/// Sets the status 429 and `Retry-After` on a response that contains only a rate-limit error.
async fn timed(response: Response) -> Response {
    if response.body().size_hint().exact().is_none_or(|size| size > SMALL) {
        return response;
    }
    let (head, body) = response.into_parts();
    let bytes = to_bytes(body, LARGEST).await.unwrap_or_default();
    let wait = wait_ms(&bytes);
    let mut response = Response::from_parts(head, Body::from(bytes));
    if let Some(wait) = wait {
        *response.status_mut() = StatusCode::TOO_MANY_REQUESTS;
        let seconds = HeaderValue::from(wait.div_ceil(1000).max(1));
        response.headers_mut().insert(RETRY_AFTER, seconds);
    }
    response
}

/// Returns the wait time of a rate-limit error in milliseconds.
fn wait_ms(answer: &[u8]) -> Option<u64> {
    let answer: Value = serde_json::from_slice(answer).ok()?;
    let error = answer.get("error")?;
    let is_later = error["code"].as_i64() == Some(failure::NOT_NOW.0.into());
    is_later.then(|| error["data"]["retry_after_ms"].as_u64()).flatten()
}

fn bad_request(why: &'static str) -> Response {
    let error = ErrorData::invalid_request(why, None);
    refusal(StatusCode::BAD_REQUEST, &Refusal::nameless(error))
}

/// Converts an error response to an HTTP response.
pub(super) fn refusal(status: StatusCode, refused: &Refusal) -> Response {
    (status, [(CONTENT_TYPE, JSON)], refused.answer().to_string()).into_response()
}

/// Returns a header as text.
pub(super) fn word<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Returns the id of a message if it is a request.
pub(super) fn request_id(message: &Map<String, Value>) -> Option<RequestId> {
    if !message.contains_key("method") {
        return None;
    }
    serde_json::from_value(message.get("id")?.clone()).ok()
}
