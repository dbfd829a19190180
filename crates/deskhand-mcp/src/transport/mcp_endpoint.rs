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
use deskhand_engine::SecurityMode;
use rmcp::model::{ErrorData, ProtocolVersion, RequestId};
use serde_json::{Map, Value};

use super::{
    accept::{self, ResponseForm},
    http::HttpState,
    single_response::{self, OnlyResponse},
    stateless::{self, StatelessRequest},
};
use crate::{
    server::{client::SESSION_HEADER, failure, principal::Principal, scope},
    session::http_session::{HttpSession, StreamMode},
    wire::{
        connection_state,
        frame::{self, ErrorResponse, Frame},
        inbound::{self, Handshake},
    },
};

/// Maximum size of a body in bytes.
pub(super) const MAX_BODY: usize = 4 * 1024 * 1024;

/// Maximum size in bytes of a response that contains only an error.
const MAX_ERROR_BODY: u64 = 4 * 1024;

const JSON: HeaderValue = HeaderValue::from_static(accept::JSON);

/// The `Accept` header the SDK expects.
const BOTH_MEDIA_TYPES: HeaderValue =
    HeaderValue::from_static("application/json, text/event-stream");

/// Serves one request to `/mcp`.
pub(super) async fn handle(Shared(http): Shared<HttpState>, request: Request<Body>) -> Response {
    let (mut parts, body) = request.into_parts();
    let who = Principal::from_http(&parts.extensions);
    if header_text(&parts.headers, SESSION_HEADER)
        .is_some_and(|id| http.sessions.is_revoked(id, &who))
    {
        return roots_changed_response();
    }
    hide_foreign_session(&http, &mut parts);
    let echo = http.echo;
    let answered = match parts.method {
        Method::POST => post(&http, parts, body).await,
        Method::DELETE => {
            let response = forward(&http, parts, Bytes::new()).await;
            // Some clients treat every status but 200, 204 and 405 as a failure.
            Ok(match response.status() {
                StatusCode::ACCEPTED => StatusCode::NO_CONTENT.into_response(),
                _ => response,
            })
        }
        _ => get(&http, parts).await,
    };
    echo.response(answered.unwrap_or_else(|error| error))
}

/// Hides another principal's session: it looks like one that does not exist.
fn hide_foreign_session(http: &HttpState, parts: &mut Parts) {
    let Some(session) =
        header_text(&parts.headers, SESSION_HEADER).and_then(|id| http.sessions.get(id))
    else {
        return;
    };
    if !session.belongs_to(&Principal::from_http(&parts.extensions)) {
        parts.headers.insert(SESSION_HEADER, HeaderValue::from_static("none"));
    }
}

async fn get(http: &HttpState, mut parts: Parts) -> Result<Response, Response> {
    let last = header_text(&parts.headers, "last-event-id");
    if let (Some(last), Some(session)) = (last, header_text(&parts.headers, SESSION_HEADER))
        && let Some(session) = http.sessions.get(session)
        && !session.can_resume_after(last)
    {
        let why = "Last-Event-ID: unknown event in this session";
        return Err(bad_request(why));
    }
    if accept::accepts(&parts.headers, accept::EVENT_STREAM) {
        parts.headers.insert(ACCEPT, BOTH_MEDIA_TYPES);
    }
    Ok(forward(http, parts, Bytes::new()).await)
}

async fn post(http: &HttpState, mut parts: Parts, body: Body) -> Result<Response, Response> {
    let bad = |error: &ErrorResponse| http_error(StatusCode::BAD_REQUEST, error);
    check_content_type(&parts.headers).map_err(|error| *error)?;
    let Some(form) = ResponseForm::accepted(&parts.headers) else {
        return Err(not_acceptable("Accept: must include application/json or text/event-stream"));
    };
    parts.headers.insert(ACCEPT, BOTH_MEDIA_TYPES);
    if form == ResponseForm::Json {
        parts.extensions.insert(OnlyResponse);
    }
    let bytes = read_body(body, http.body_timeout).await?;
    http.echo.request(&bytes);
    let session = header_text(&parts.headers, SESSION_HEADER).and_then(|id| http.sessions.get(id));
    let session = session.filter(|session| session.stream_mode() == StreamMode::PerRequest);
    let version = session.as_ref().and_then(|session| session.version());
    match frame::parse(&bytes) {
        Frame::Invalid(error) => Err(bad(&error)),
        Frame::Message(mut message) => {
            check_request(http, session.as_deref(), &message).map_err(|error| *error)?;
            rewrite(&mut message, version.as_ref()).map_err(|error| bad(&error))?;
            if form == ResponseForm::Json && stateless::is_subscription(&message) {
                return Err(not_acceptable("Accept: a subscription needs text/event-stream"));
            }
            let required = required_mode(http, &parts, &message);
            let id = message.get("id").cloned().unwrap_or_default();
            let stateless =
                if session.is_none() { StatelessRequest::new(http, &message) } else { None };
            // Serialized again, although the SDK parses it a second time: the SDK then sees exactly
            // the message that was checked here, whatever duplicate keys the body had.
            let bytes = Bytes::from(Value::Object(message).to_string());
            let response = match stateless {
                Some(stateless) => stateless.serve(forward(http, parts, bytes)).await,
                None => forward(http, parts, bytes).await,
            };
            let response = match form {
                ResponseForm::Any => response,
                ResponseForm::Json => {
                    add_retry_after(single_response::as_json(response, &id).await).await
                }
                ResponseForm::Stream => single_response::as_stream(response).await,
            };
            let Some(needed) = required.filter(|_| response.status().is_success()) else {
                return Ok(response);
            };
            // The policy check has refused and logged the call. The HTTP response says which scope
            // it needs.
            let _ = to_bytes(response.into_body(), MAX_BODY).await;
            Ok(http.auth.insufficient_scope(needed))
        }
        Frame::Batch(messages) if version == Some(ProtocolVersion::V_2025_03_26) => {
            batch(http, session.as_deref(), &parts, messages, form).await
        }
        Frame::Batch(_) => Err(bad_request(frame::NO_BATCHES)),
    }
}

/// Returns the mode a call needs if the principal's mode does not allow it.
fn required_mode(
    http: &HttpState,
    parts: &Parts,
    message: &Map<String, Value>,
) -> Option<SecurityMode> {
    let ceiling = Principal::from_http(&parts.extensions).ceiling;
    if ceiling == SecurityMode::Normal
        || message.get("method").and_then(Value::as_str) != Some("tools/call")
    {
        return None;
    }
    let tool = message.get("params")?.get("name")?.as_str()?;
    http.state.tools.required_mode(tool, ceiling)
}

/// Refuses a request that cannot be accepted now.
fn check_request(
    http: &HttpState,
    session: Option<&HttpSession>,
    message: &Map<String, Value>,
) -> Result<(), Box<Response>> {
    if let Some(session) = session
        && revoke_if_roots_changed(http, session, message)
    {
        return Err(Box::new(roots_changed_response()));
    }
    let Some(id) = request_id(message) else { return Ok(()) };
    let refuse = |status, error| {
        let id = message.get("id").cloned().unwrap_or_default();
        Err(Box::new(http_error(status, &ErrorResponse::new(id, error))))
    };
    if http.sessions.is_closing() {
        return refuse(StatusCode::SERVICE_UNAVAILABLE, failure::shutting_down());
    }
    let Some(session) = session else { return Ok(()) };
    if session.is_pending(&id) {
        let error = ErrorData::invalid_request(connection_state::ID_IN_USE, None);
        return refuse(StatusCode::BAD_REQUEST, error);
    }
    if message.get("method").and_then(Value::as_str) == Some("initialize") {
        let error = ErrorData::invalid_request(connection_state::ALREADY_INITIALIZED, None);
        return refuse(StatusCode::BAD_REQUEST, error);
    }
    Ok(())
}

/// Revokes the session if a message says that the client's roots have changed and the session
/// depends on them. Returns `true` if it did.
pub(super) fn revoke_if_roots_changed(
    http: &HttpState,
    session: &HttpSession,
    message: &Map<String, Value>,
) -> bool {
    let has_changed = message.get("method").and_then(Value::as_str)
        == Some(scope::ROOTS_LIST_CHANGED)
        && http.state.session_scopes.contains(session.id());
    if has_changed {
        http.sessions.revoke(session);
    }
    has_changed
}

/// Creates the response for a session that ended because the client's roots changed.
pub(super) fn roots_changed_response() -> Response {
    http_error(StatusCode::FORBIDDEN, &ErrorResponse::without_id(scope::roots_changed_error()))
}

/// Refuses a body that is not declared as JSON.
pub(super) fn check_content_type(headers: &HeaderMap) -> Result<(), Box<Response>> {
    if accept::sends_json(headers) {
        return Ok(());
    }
    let why = "Content-Type: expected application/json";
    let error = ErrorData::invalid_request(why, None);
    let error = http_error(StatusCode::UNSUPPORTED_MEDIA_TYPE, &ErrorResponse::without_id(error));
    Err(Box::new(error))
}

/// Reads a body with a limit on size and time.
pub(super) async fn read_body(body: Body, time_limit: Duration) -> Result<Bytes, Response> {
    let refuse = |status, why: String| {
        http_error(status, &ErrorResponse::without_id(ErrorData::invalid_request(why, None)))
    };
    let too_large = || {
        let why = format!("the message exceeds {MAX_BODY} bytes");
        refuse(StatusCode::PAYLOAD_TOO_LARGE, why)
    };
    // Refuse early if the declared size is too large.
    if usize::try_from(body.size_hint().lower()).is_ok_and(|least| least > MAX_BODY) {
        return Err(too_large());
    }
    match tokio::time::timeout(time_limit, to_bytes(body, MAX_BODY)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(_)) => Err(too_large()),
        Err(_) => {
            let why = format!("the body must arrive within {} s", time_limit.as_secs_f64());
            Err(refuse(StatusCode::REQUEST_TIMEOUT, why))
        }
    }
}

/// Serves the messages of a batch one by one. Their responses follow each other in one stream, or are
/// an array.
async fn batch(
    http: &HttpState,
    session: Option<&HttpSession>,
    parts: &Parts,
    messages: Vec<Value>,
    form: ResponseForm,
) -> Result<Response, Response> {
    let bad = |error: &ErrorResponse| http_error(StatusCode::BAD_REQUEST, error);
    if messages.is_empty() {
        return Err(bad_request(frame::EMPTY_BATCH));
    }
    let mut checked = Vec::new();
    for message in messages {
        let mut message = frame::check_message(message).map_err(|error| bad(&error))?;
        check_request(http, session, &message).map_err(|error| *error)?;
        rewrite(&mut message, Some(&ProtocolVersion::V_2025_03_26)).map_err(|error| bad(&error))?;
        checked.push(message);
    }
    let mut streams = Vec::new();
    for message in checked {
        let is_request = request_id(&message).is_some();
        let id = message.get("id").cloned().unwrap_or_default();
        let bytes = Bytes::from(Value::Object(message).to_string());
        let response = forward(http, parts.clone(), bytes).await;
        if response.status().is_client_error() || response.status().is_server_error() {
            return Err(response);
        }
        if is_request {
            streams.push((id, response));
        }
    }
    if form == ResponseForm::Json && !streams.is_empty() {
        return Ok(join_as_array(streams).await);
    }
    let streams: Vec<Response> = streams.into_iter().map(|(_, response)| response).collect();
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

/// Waits for the responses in event streams and returns them as a JSON array.
async fn join_as_array(streams: Vec<(Value, Response)>) -> Response {
    let mut responses = Vec::new();
    for (id, stream) in streams {
        responses.extend(single_response::response_in(stream.into_body(), &id).await);
    }
    ([(CONTENT_TYPE, JSON)], format!("[{}]", responses.join(","))).into_response()
}

/// Checks and rewrites a message.
fn rewrite(
    message: &mut Map<String, Value>,
    version: Option<&ProtocolVersion>,
) -> Result<(), Box<ErrorResponse>> {
    let handshake = if version.is_some() { Handshake::Yes } else { Handshake::No };
    let id = message.get("id").cloned().unwrap_or_default();
    inbound::rewrite(message, handshake).map_err(|error| ErrorResponse::new(id, error))
}

/// Forwards a request to the SDK, and converts its plain-text errors to JSON-RPC.
async fn forward(http: &HttpState, mut parts: Parts, body: Bytes) -> Response {
    parts.headers.remove(CONTENT_LENGTH);
    let request = Request::from_parts(parts, Body::from(body));
    let response = http.service.handle(request).await.map(Body::new);
    let status = response.status();
    let is_json = response
        .headers()
        .get(CONTENT_TYPE)
        .is_some_and(|media_type| media_type.as_bytes().starts_with(b"application/json"));
    if is_json && status == StatusCode::OK {
        return add_retry_after(response).await;
    }
    if is_json || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let (head, body) = response.into_parts();
    let text = to_bytes(body, MAX_BODY).await.unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    let error = if status.is_server_error() {
        failure::unavailable(text)
    } else {
        ErrorData::invalid_request(text, None)
    };
    let mut response = http_error(status, &ErrorResponse::without_id(error));
    for (name, value) in &head.headers {
        if name != CONTENT_TYPE && name != CONTENT_LENGTH {
            response.headers_mut().insert(name, value.clone());
        }
    }
    response
}

/// Sets the status 429 and `Retry-After` on a response that contains only a rate-limit error.
async fn add_retry_after(response: Response) -> Response {
    if response.body().size_hint().exact().is_none_or(|size| size > MAX_ERROR_BODY) {
        return response;
    }
    let (head, body) = response.into_parts();
    let bytes = to_bytes(body, MAX_BODY).await.unwrap_or_default();
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
    let is_unavailable = error["code"].as_i64() == Some(failure::UNAVAILABLE.0.into());
    is_unavailable.then(|| error["data"]["retry_after_ms"].as_u64()).flatten()
}

fn not_acceptable(why: &'static str) -> Response {
    let error = ErrorData::invalid_request(why, None);
    http_error(StatusCode::NOT_ACCEPTABLE, &ErrorResponse::without_id(error))
}

fn bad_request(why: &'static str) -> Response {
    let error = ErrorData::invalid_request(why, None);
    http_error(StatusCode::BAD_REQUEST, &ErrorResponse::without_id(error))
}

/// Converts an error response to an HTTP response.
pub(super) fn http_error(status: StatusCode, error: &ErrorResponse) -> Response {
    (status, [(CONTENT_TYPE, JSON)], error.to_json().to_string()).into_response()
}

/// Returns a header as text.
pub(super) fn header_text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Returns the id of a message if it is a request.
pub(super) fn request_id(message: &Map<String, Value>) -> Option<RequestId> {
    if !message.contains_key("method") {
        return None;
    }
    serde_json::from_value(message.get("id")?.clone()).ok()
}
