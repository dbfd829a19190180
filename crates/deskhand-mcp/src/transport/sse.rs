//! HTTP+SSE of 2024-11-05: one stream to the client, and its messages by POST. The first event
//! contains the URL for the POSTs. Event ids allow a client to resume the stream.

use std::{convert::Infallible, pin::Pin, sync::Arc};

use axum::{
    body::Body,
    extract::{Query, State as Shared},
    http::{HeaderValue, Request, StatusCode, request::Parts},
    response::{
        IntoResponse, Response, Sse,
        sse::{Event, KeepAlive},
    },
};
use futures_util::{Stream, StreamExt, stream};
use rmcp::{
    model::{ErrorData, GetExtensions, JsonRpcMessage, ProtocolVersion},
    service::serve_server_with_ct,
    transport::streamable_http_server::session::ServerSseMessage,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{accept, http::HttpState, mcp_endpoint};
use crate::{
    server::{Handler, failure, principal::Principal, state::Connection},
    session::{
        event_store::EventId,
        http_session::{HttpSession, MessageDecision, StreamMode},
        stream as reading,
        table::SessionError,
    },
    timing,
    wire::{
        frame::{self, ErrorResponse, Frame},
        inbound::{self, Handshake},
    },
};

/// The paths of stream and messages.
pub(super) const PATHS: [(&str, &str); 2] = [("/sse", "/messages"), ("/events", "/message")];

/// Separates the session id from the event id in an SSE event id.
const EVENT_ID_SEPARATOR: char = '/';

/// The query parameters.
#[derive(Debug, Deserialize)]
pub(super) struct SessionQuery {
    #[serde(rename = "sessionId")]
    session: Option<String>,
}

/// `GET /sse`: opens the stream of a new session, or resumes one.
pub(super) async fn open_stream(
    Shared(http): Shared<HttpState>,
    Query(query): Query<SessionQuery>,
    request: Request<Body>,
) -> Response {
    let (parts, _) = request.into_parts();
    http.echo.response(stream_response(&http, query, &parts).unwrap_or_else(|refused| *refused))
}

fn stream_response(
    http: &HttpState,
    query: SessionQuery,
    parts: &Parts,
) -> Result<Response, Box<Response>> {
    if !accept::accepts(&parts.headers, accept::EVENT_STREAM) {
        let why = "Accept: must include text/event-stream";
        return Err(Box::new(invalid_request(StatusCode::NOT_ACCEPTABLE, why)));
    }
    let principal = Principal::from_http(&parts.extensions);
    let last = mcp_endpoint::header_text(&parts.headers, "last-event-id").map(|last| {
        last.rsplit_once(EVENT_ID_SEPARATOR)
            .map(|(session, event)| (session.to_owned(), event.to_owned()))
    });
    let last = match last {
        Some(None) => return Err(Box::new(unknown_event())),
        Some(Some(last)) => Some(last),
        None => None,
    };
    let requested = query.session.or_else(|| last.as_ref().map(|(session, _)| session.clone()));
    let (id, session, from) = match requested {
        None => {
            let (id, session) = start_session(http, &principal)?;
            let from = session.last_delivered();
            (id, session, from)
        }
        Some(id) => {
            if http.sessions.is_revoked(&id, &principal) {
                return Err(Box::new(mcp_endpoint::roots_changed_response()));
            }
            let session =
                find_session(http, &id, &principal).ok_or_else(|| Box::new(unknown_session()))?;
            let from = match last {
                None => session.last_delivered(),
                Some((of, event)) if of == id && session.can_resume_after(&event) => {
                    event.parse::<EventId>().map_err(|()| Box::new(unknown_event()))?
                }
                Some(_) => return Err(Box::new(unknown_event())),
            };
            (id, session, from)
        }
    };
    let path = parts.uri.path();
    let pair = PATHS.iter().find(|(events, _)| *events == path);
    let to = pair.map_or("/messages", |(_, messages)| messages);
    let address = format!("{to}?sessionId={id}");
    let first = Event::default()
        .id(format!("{id}{EVENT_ID_SEPARATOR}{from}"))
        .retry(timing::SSE_RETRY)
        .event("endpoint")
        .data(address);
    let beat = Event::default().event("heartbeat").data("ping");
    let alive = KeepAlive::new().interval(http.heartbeat).event(beat);
    let events = stream::iter([first]).chain(messages(id, &session, from)).map(Ok::<_, Infallible>);
    let mut response = Sse::new(events).keep_alive(alive).into_response();
    // Keep proxies from buffering events.
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

/// Returns a session of this transport that belongs to the principal.
fn find_session(http: &HttpState, id: &str, principal: &Principal) -> Option<Arc<HttpSession>> {
    let session = http.sessions.get(id)?;
    (session.stream_mode() == StreamMode::Single && session.belongs_to(principal))
        .then_some(session)
}

/// Creates a session and starts to serve it.
fn start_session(
    http: &HttpState,
    owner: &Principal,
) -> Result<(String, Arc<HttpSession>), Box<Response>> {
    if http.sessions.is_closing() {
        return Err(Box::new(unavailable(failure::shutting_down())));
    }
    let created = http.sessions.create(StreamMode::Single);
    let (id, transport) =
        created.map_err(|why| Box::new(unavailable(failure::unavailable(why.to_string()))))?;
    let session = Arc::clone(&transport.session);
    session.set_owner(owner);
    let connection = Connection::with_id(&http.state, session.end_token(), &id);
    let (sessions, name) = (Arc::clone(&http.sessions), Arc::clone(&id));
    let running = session.end_token();
    tokio::spawn(async move {
        let handler = Handler::new(connection);
        if let Ok(service) = serve_server_with_ct(handler, transport, running).await {
            // The result does not matter: the client is gone.
            let _ = service.waiting().await;
        }
        sessions.remove(&name);
    });
    Ok((id.to_string(), session))
}

type BoxedEvents = Pin<Box<dyn Stream<Item = Event> + Send>>;

/// Returns the events of a session from a position on, and a last event with the reason for the
/// end.
fn messages(id: String, session: &Arc<HttpSession>, from: EventId) -> BoxedEvents {
    let (reading, replaced) = reading::attach_reader(session, from);
    let message = move |it: ServerSseMessage| {
        let name = format!("{id}{EVENT_ID_SEPARATOR}{}", it.event_id.unwrap_or_default());
        let event = Event::default().id(name).event("message");
        it.message.map(|message| event.data(json!(*message).to_string()))
    };
    let messages = reading.filter_map(move |it| std::future::ready(message(it)));
    let end = stream::once(async move {
        if replaced.is_cancelled() {
            let why = failure::unavailable("another connection now reads this session");
            let error = json!({ "code": why.code.0, "message": why.message });
            Event::default().event("error").data(error.to_string())
        } else {
            Event::default().event("complete").data("the session has ended")
        }
    });
    messages.chain(end).boxed()
}

/// `POST /messages`: accepts a message. The response comes on the stream.
pub(super) async fn post_message(
    Shared(http): Shared<HttpState>,
    Query(query): Query<SessionQuery>,
    request: Request<Body>,
) -> Response {
    let (parts, body) = request.into_parts();
    let accepted = accept_body(&http, query, &parts, body).await;
    match accepted {
        Ok(()) => (StatusCode::ACCEPTED, "Accepted").into_response(),
        Err(refused) => refused,
    }
}

async fn accept_body(
    http: &HttpState,
    query: SessionQuery,
    parts: &Parts,
    body: Body,
) -> Result<(), Response> {
    let Some(id) = query.session else {
        let why = "sessionId: missing; the first event of the stream contains the URL";
        return Err(invalid_request(StatusCode::BAD_REQUEST, why));
    };
    let principal = Principal::from_http(&parts.extensions);
    if http.sessions.is_revoked(&id, &principal) {
        return Err(mcp_endpoint::roots_changed_response());
    }
    let session = find_session(http, &id, &principal).ok_or_else(unknown_session)?;
    mcp_endpoint::check_content_type(&parts.headers).map_err(|refused| *refused)?;
    let bytes = mcp_endpoint::read_body(body, http.body_timeout).await?;
    http.echo.request(&bytes);
    let version = session.version();
    match frame::parse(&bytes) {
        Frame::Invalid(refusal) => Err(mcp_endpoint::http_error(StatusCode::BAD_REQUEST, &refusal)),
        Frame::Message(message) => accept_message(http, &session, parts, message).await,
        Frame::Batch(messages) if version == Some(ProtocolVersion::V_2025_03_26) => {
            if messages.is_empty() {
                return Err(invalid_request(StatusCode::BAD_REQUEST, frame::EMPTY_BATCH));
            }
            for message in messages {
                let message = frame::check_message(message).map_err(|refusal| {
                    mcp_endpoint::http_error(StatusCode::BAD_REQUEST, &refusal)
                })?;
                accept_message(http, &session, parts, message).await?;
            }
            Ok(())
        }
        Frame::Batch(_) => Err(invalid_request(StatusCode::BAD_REQUEST, frame::NO_BATCHES)),
    }
}

async fn accept_message(
    http: &HttpState,
    session: &HttpSession,
    parts: &Parts,
    mut message: Map<String, Value>,
) -> Result<(), Response> {
    if mcp_endpoint::revoke_if_roots_changed(http, session, &message) {
        return Err(mcp_endpoint::roots_changed_response());
    }
    let id = message.get("id").cloned().unwrap_or_default();
    let refuse =
        |status, error| mcp_endpoint::http_error(status, &ErrorResponse::new(id.clone(), error));
    let handshake = if session.version().is_some() { Handshake::Yes } else { Handshake::No };
    inbound::rewrite(&mut message, handshake)
        .map_err(|error| refuse(StatusCode::BAD_REQUEST, error))?;
    let typed = frame::to_typed(message)
        .map_err(|refusal| mcp_endpoint::http_error(StatusCode::BAD_REQUEST, &refusal))?;
    let Some(mut message) = typed else { return Ok(()) };
    // As the SDK does for Streamable HTTP: the handler finds the principal in the request parts.
    match &mut message {
        JsonRpcMessage::Request(it) => it.request.extensions_mut().insert(parts.clone()),
        JsonRpcMessage::Notification(it) => it.notification.extensions_mut().insert(parts.clone()),
        JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => None,
    };
    match session.check_message(&message) {
        Ok(MessageDecision::Accept) => {}
        Ok(MessageDecision::Ignore) => return Ok(()),
        Err(error) => return Err(refuse(StatusCode::BAD_REQUEST, error)),
    }
    if matches!(message, JsonRpcMessage::Request(_)) {
        if http.sessions.is_closing() {
            return Err(refuse(StatusCode::SERVICE_UNAVAILABLE, failure::shutting_down()));
        }
        http.sessions.free_memory();
        session.open_stream(&message).map_err(|why| {
            refuse(StatusCode::SERVICE_UNAVAILABLE, failure::unavailable(why.to_string()))
        })?;
    }
    session.receive(message).await.map_err(|why| match why {
        SessionError::UnknownSession | SessionError::Ended => unknown_session(),
        SessionError::UnknownEvent
        | SessionError::TooManySessions
        | SessionError::TooManyUndelivered => {
            refuse(StatusCode::SERVICE_UNAVAILABLE, failure::unavailable(why.to_string()))
        }
    })
}

fn unknown_session() -> Response {
    invalid_request(StatusCode::NOT_FOUND, "sessionId: unknown session")
}

fn unknown_event() -> Response {
    let why = "Last-Event-ID: unknown event in this session";
    invalid_request(StatusCode::BAD_REQUEST, why)
}

fn unavailable(error: ErrorData) -> Response {
    mcp_endpoint::http_error(StatusCode::SERVICE_UNAVAILABLE, &ErrorResponse::without_id(error))
}

fn invalid_request(status: StatusCode, why: &'static str) -> Response {
    mcp_endpoint::http_error(
        status,
        &ErrorResponse::without_id(ErrorData::invalid_request(why, None)),
    )
}
