//! Tests of sessions.

use rmcp::model::{CancelledNotificationParam, EmptyObject, PingRequest};

use super::*;
use crate::session::event_store::NextEvent;

fn session(stream_mode: StreamMode) -> (HttpSession, mpsc::Receiver<ClientJsonRpcMessage>) {
    let (outgoing, taken) = mpsc::channel(8);
    (
        HttpSession::new(
            "s".into(),
            stream_mode,
            outgoing,
            MemoryBudget::default(),
            Uncancellable::default(),
        ),
        taken,
    )
}

fn ping(id: i64) -> ClientJsonRpcMessage {
    let request = ClientRequest::PingRequest(PingRequest::default());
    JsonRpcMessage::request(request, RequestId::Number(id))
}

fn pong(id: i64) -> ServerJsonRpcMessage {
    let result = ServerResult::EmptyResult(EmptyObject {});
    JsonRpcMessage::response(result, RequestId::Number(id))
}

fn count(session: &HttpSession, stream: StreamId) -> usize {
    let mut from = EventId { stream, sequence: 0 };
    let mut count = 0;
    while let NextEvent::Event(event) = session.events().next_after(from, Instant::now()) {
        from = event.id;
        count += 1;
    }
    count
}

#[test]
fn a_failed_request_is_not_answered_again() {
    for stream_mode in [StreamMode::PerRequest, StreamMode::Single] {
        let (session, _taken) = session(stream_mode);
        let stream = session.open_stream(&ping(1)).unwrap();
        session.fail_pending(&ErrorData::internal_error("the server ends", None));
        session.append(pong(1));
        assert_eq!(count(&session, stream), 1, "{stream_mode:?}");
        assert_eq!(
            count(&session, StreamId::Standalone),
            usize::from(stream_mode == StreamMode::Single)
        );
    }
}

fn cancel(id: i64) -> ClientJsonRpcMessage {
    let given_up = CancelledNotificationParam::new(Some(RequestId::Number(id)), None);
    JsonRpcMessage::notification(ClientNotification::CancelledNotification(
        rmcp::model::CancelledNotification::new(given_up),
    ))
}

#[tokio::test]
async fn a_cancelled_request_is_not_answered() {
    for stream_mode in [StreamMode::PerRequest, StreamMode::Single] {
        let (session, _taken) = session(stream_mode);
        session.open_stream(&ping(1)).unwrap();
        session.receive(cancel(1)).await.unwrap();
        session.append(pong(1));
        assert_eq!(count(&session, StreamId::Standalone), 0, "{stream_mode:?}");
    }
}

#[tokio::test]
async fn a_cancelled_request_leaves_no_progress_token() {
    let (session, _taken) = session(StreamMode::PerRequest);
    let token = |text: &str| ProgressToken(rmcp::model::NumberOrString::String(text.into()));
    for (id, text) in [(1, "first"), (2, "second")] {
        let mut message = ping(id);
        if let JsonRpcMessage::Request(request) = &mut message {
            request.request.get_meta_mut().set_progress_token(token(text));
        }
        session.open_stream(&message).unwrap();
    }
    session.receive(cancel(1)).await.unwrap();
    assert_eq!(
        session.routes.lock().progress_tokens.keys().collect::<Vec<_>>(),
        [&token("second")]
    );
    assert_eq!(session.pending_requests(), 1);
}

#[test]
fn an_error_without_id_goes_to_the_standalone_stream() {
    let (session, _taken) = session(StreamMode::Single);
    session.append(JsonRpcMessage::error(ErrorData::parse_error("no JSON", None), None));
    assert_eq!(count(&session, StreamId::Standalone), 1);
}

#[test]
fn a_client_that_accepts_one_response_gets_other_messages_elsewhere() {
    let (session, _taken) = session(StreamMode::PerRequest);
    let mut message = ping(1);
    if let JsonRpcMessage::Request(request) = &mut message {
        let mut parts = axum::http::Request::new(()).into_parts().0;
        parts.extensions.insert(OnlyResponse);
        request.request.extensions_mut().insert(parts);
    }
    let stream = session.open_stream(&message).unwrap();
    let mut notification = rmcp::model::CustomNotification::new("notifications/message", None);
    notification.extensions.insert(RelatedRequest(RequestId::Number(1)));
    let notification = ServerNotification::CustomNotification(notification);
    session.append(JsonRpcMessage::notification(notification));
    session.append(pong(1));
    assert_eq!((count(&session, stream), count(&session, StreamId::Standalone)), (1, 1));
}
