//! HTTP+SSE of 2024-11-05: one stream to the client, and its messages by POST. The first event contains
//! the URL for the POSTs. Event ids allow a client to resume the stream.

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

use super::{accept, front, http::Endpoint};
use crate::{
    server::{Handler, failure, principal::Principal, state::Connection},
    session::{
        conversation::{Admitted, Session, Spread},
        events::EventId,
        stream as reading,
        table::Refused,
    },
    wire::{
        frame::{self, Frame, Refusal},
        inbound::{self, Handshake},
    },
};

/// The paths of stream and messages.
pub(super) const ADDRESSES: [(&str, &str); 2] = [("/sse", "/messages"), ("/events", "/message")];

/// Separates the session id from the event id in an SSE event id.
const OF: char = '/';

/// The query parameters.
#[derive(Debug, Deserialize)]
pub(super) struct Named {
    #[serde(rename = "sessionId")]
    session: Option<String>,
}

/// `GET /sse`: opens the stream of a new session, or resumes one.
pub(super) async fn listen(
    Shared(endpoint): Shared<Endpoint>,
    Query(named): Query<Named>,
    request: Request<Body>,
) -> Response {
    let (parts, _) = request.into_parts();
    follow(&endpoint, named, &parts).unwrap_or_else(|refused| *refused)
}

fn follow(endpoint: &Endpoint, named: Named, parts: &Parts) -> Result<Response, Box<Response>> {
    if !accept::accepts(&parts.headers, accept::EVENTS) {
        let why = "Accept: must include text/event-stream";
        return Err(Box::new(refused(StatusCode::NOT_ACCEPTABLE, why)));
    }
    let who = Principal::of(&parts.extensions);
    let last = front::word(&parts.headers, "last-event-id").map(|last| {
        last.rsplit_once(OF).map(|(session, event)| (session.to_owned(), event.to_owned()))
    });
    let last = match last {
        Some(None) => return Err(Box::new(no_event())),
        Some(Some(last)) => Some(last),
        None => None,
    };
    let asked = named.session.or_else(|| last.as_ref().map(|(session, _)| session.clone()));
    let (id, session, from) = match asked {
        None => {
            let (id, session) = begin(endpoint, &who)?;
            let from = session.last_handed();
            (id, session, from)
        }
        Some(id) => {
            if endpoint.sessions.is_banned(&id, &who) {
                return Err(Box::new(front::elsewhere()));
            }
            let session = known(endpoint, &id, &who).ok_or_else(|| Box::new(no_session()))?;
            let from = match last {
                None => session.last_handed(),
                Some((of, event)) if of == id && session.owns(&event) => {
                    event.parse::<EventId>().map_err(|()| Box::new(no_event()))?
                }
                Some(_) => return Err(Box::new(no_event())),
            };
            (id, session, from)
        }
    };
    let path = parts.uri.path();
    let pair = ADDRESSES.iter().find(|(events, _)| *events == path);
    let to = pair.map_or("/messages", |(_, messages)| messages);
    let address = format!("{to}?sessionId={id}");
    let first = Event::default()
        .id(format!("{id}{OF}{from}"))
        .retry(reading::RETRY)
        .event("endpoint")
        .data(address);
    let beat = Event::default().event("heartbeat").data("ping");
    let alive = KeepAlive::new().interval(endpoint.heartbeat).event(beat);
    let events = stream::iter([first]).chain(messages(id, &session, from)).map(Ok::<_, Infallible>);
    let mut response = Sse::new(events).keep_alive(alive).into_response();
    // Keep proxies from buffering events.
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

/// Returns a session of this transport that belongs to the principal.
fn known(endpoint: &Endpoint, id: &str, who: &Principal) -> Option<Arc<Session>> {
    let session = endpoint.sessions.get(id)?;
    (session.spread() == Spread::Together && session.belongs_to(who)).then_some(session)
}

/// Creates a session and starts to serve it.
fn begin(endpoint: &Endpoint, owner: &Principal) -> Result<(String, Arc<Session>), Box<Response>> {
    if endpoint.sessions.is_closing() {
        return Err(Box::new(not_now(failure::ending())));
    }
    let created = endpoint.sessions.create(Spread::Together);
    let (id, transport) =
        created.map_err(|why| Box::new(not_now(failure::not_now(why.to_string()))))?;
    let session = Arc::clone(&transport.session);
    session.give_to(owner);
    let connection = Connection::named(&endpoint.state, session.end_token(), &id);
    let (sessions, name) = (Arc::clone(&endpoint.sessions), Arc::clone(&id));
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

type Events = Pin<Box<dyn Stream<Item = Event> + Send>>;

/// Returns the events of a session from a position on, and a last event with the reason for the end.
fn messages(id: String, session: &Arc<Session>, from: EventId) -> Events {
    let (reading, replaced) = reading::attach(session, from);
    let message = move |it: ServerSseMessage| {
        let name = format!("{id}{OF}{}", it.event_id.unwrap_or_default());
        let event = Event::default().id(name).event("message");
        it.message.map(|message| event.data(json!(*message).to_string()))
    };
    let messages = reading.filter_map(move |it| std::future::ready(message(it)));
    let end = stream::once(async move {
        if replaced.is_cancelled() {
            let why = failure::not_now("another connection now reads this session");
            let error = json!({ "code": why.code.0, "message": why.message });
            Event::default().event("error").data(error.to_string())
        } else {
            Event::default().event("complete").data("the session has ended")
        }
    });
    messages.chain(end).boxed()
}

/// `POST /messages`: accepts a message. The response comes on the stream.
pub(super) async fn take(
    Shared(endpoint): Shared<Endpoint>,
    Query(named): Query<Named>,
    request: Request<Body>,
) -> Response {
    let (parts, body) = request.into_parts();
    let taken = taken(&endpoint, named, &parts, body).await;
    match taken {
        Ok(()) => (StatusCode::ACCEPTED, "Accepted").into_response(),
        Err(refused) => refused,
    }
}

async fn taken(
    endpoint: &Endpoint,
    named: Named,
    parts: &Parts,
    body: Body,
) -> Result<(), Response> {
    let Some(id) = named.session else {
        let why = "sessionId: missing; the first event of the stream contains the URL";
        return Err(refused(StatusCode::BAD_REQUEST, why));
    };
    let who = Principal::of(&parts.extensions);
    if endpoint.sessions.is_banned(&id, &who) {
        return Err(front::elsewhere());
    }
    let session = known(endpoint, &id, &who).ok_or_else(no_session)?;
    front::check_kind(&parts.headers).map_err(|refused| *refused)?;
    let bytes = front::bytes(body, endpoint.patience).await?;
    let version = session.version();
    match frame::read(&bytes) {
        Frame::Bad(refusal) => Err(front::refusal(StatusCode::BAD_REQUEST, &refusal)),
        Frame::Message(message) => enter(endpoint, &session, parts, message).await,
        Frame::Batch(messages) if version == Some(ProtocolVersion::V_2025_03_26) => {
            if messages.is_empty() {
                return Err(refused(StatusCode::BAD_REQUEST, frame::EMPTY));
            }
            for message in messages {
                let message = frame::message(message)
                    .map_err(|refusal| front::refusal(StatusCode::BAD_REQUEST, &refusal))?;
                enter(endpoint, &session, parts, message).await?;
            }
            Ok(())
        }
        Frame::Batch(_) => Err(refused(StatusCode::BAD_REQUEST, frame::NO_BATCHES)),
    }
}

async fn enter(
    endpoint: &Endpoint,
    session: &Session,
    parts: &Parts,
    mut message: Map<String, Value>,
) -> Result<(), Response> {
    if front::works_elsewhere(endpoint, session, &message) {
        return Err(front::elsewhere());
    }
    let id = message.get("id").cloned().unwrap_or_default();
    let refuse = |status, error| front::refusal(status, &Refusal::of(id.clone(), error));
    let handshake = if session.version().is_some() { Handshake::Yes } else { Handshake::No };
    inbound::rewrite(&mut message, handshake)
        .map_err(|error| refuse(StatusCode::BAD_REQUEST, error))?;
    let typed = frame::typed(message)
        .map_err(|refusal| front::refusal(StatusCode::BAD_REQUEST, &refusal))?;
    let Some(mut message) = typed else { return Ok(()) };
    // As the SDK does for Streamable HTTP: the handler finds the principal in the request parts.
    match &mut message {
        JsonRpcMessage::Request(it) => it.request.extensions_mut().insert(parts.clone()),
        JsonRpcMessage::Notification(it) => it.notification.extensions_mut().insert(parts.clone()),
        JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => None,
    };
    match session.admits(&message) {
        Ok(Admitted::Yes) => {}
        Ok(Admitted::LetBe) => return Ok(()),
        Err(error) => return Err(refuse(StatusCode::BAD_REQUEST, error)),
    }
    if matches!(message, JsonRpcMessage::Request(_)) {
        if endpoint.sessions.is_closing() {
            return Err(refuse(StatusCode::SERVICE_UNAVAILABLE, failure::ending()));
        }
        endpoint.sessions.relieve();
        session.open(&message).map_err(|why| {
            refuse(StatusCode::SERVICE_UNAVAILABLE, failure::not_now(why.to_string()))
        })?;
    }
    session.take(message).await.map_err(|why| match why {
        Refused::NoSession | Refused::Ended => no_session(),
        Refused::NoEvent | Refused::TooMany | Refused::Full => {
            refuse(StatusCode::SERVICE_UNAVAILABLE, failure::not_now(why.to_string()))
        }
    })
}

fn no_session() -> Response {
    refused(StatusCode::NOT_FOUND, "sessionId: unknown session")
}

fn no_event() -> Response {
    let why = "Last-Event-ID: unknown event in this session";
    refused(StatusCode::BAD_REQUEST, why)
}

fn not_now(error: ErrorData) -> Response {
    front::refusal(StatusCode::SERVICE_UNAVAILABLE, &Refusal::nameless(error))
}

fn refused(status: StatusCode, why: &'static str) -> Response {
    front::refusal(status, &Refusal::nameless(ErrorData::invalid_request(why, None)))
}
