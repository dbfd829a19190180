//! Conversion of responses for clients that accept only one of the two media types.

use axum::{
    body::{Body, to_bytes},
    http::{
        HeaderValue, StatusCode,
        header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE},
    },
    response::{IntoResponse, Response},
};
use futures_util::StreamExt;
use serde_json::Value;

use super::{accept, event_parser::EventParser};

/// Marks a request whose client accepts only its response: other messages go elsewhere. This
/// extension of the HTTP request is never serialized.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OnlyResponse;

/// Waits for the response to a request in an event stream. Returns `None` if the stream ends without
/// it, because the client has cancelled the request.
pub(super) async fn response_in(body: Body, id: &Value) -> Option<String> {
    let (mut parser, mut parts) = (EventParser::default(), body.into_data_stream());
    while let Some(Ok(part)) = parts.next().await {
        if let Some(found) = parser.push(&part).into_iter().find(|text| is_response(text, id)) {
            return Some(found);
        }
    }
    None
}

/// Converts an event stream to the one response it ends with.
pub(super) async fn as_json(response: Response, id: &Value) -> Response {
    if !has_type(&response, accept::EVENT_STREAM) {
        return response;
    }
    let (mut head, body) = response.into_parts();
    let Some(text) = response_in(body, id).await else {
        return StatusCode::ACCEPTED.into_response();
    };
    head.headers.remove(CACHE_CONTROL);
    head.headers.insert(CONTENT_TYPE, HeaderValue::from_static(accept::JSON));
    Response::from_parts(head, Body::from(text))
}

/// Converts a JSON response to an event stream. Errors of HTTP stay as they are.
pub(super) async fn as_stream(response: Response) -> Response {
    if response.status() != StatusCode::OK || !has_type(&response, accept::JSON) {
        return response;
    }
    let (mut head, body) = response.into_parts();
    let text = to_bytes(body, usize::MAX).await.unwrap_or_default();
    head.headers.remove(CONTENT_LENGTH);
    head.headers.insert(CONTENT_TYPE, HeaderValue::from_static(accept::EVENT_STREAM));
    let event = [&b"data: "[..], &text, b"\n\n"].concat();
    Response::from_parts(head, Body::from(event))
}

fn has_type(response: &Response, media_type: &str) -> bool {
    let value = response.headers().get(CONTENT_TYPE);
    value.is_some_and(|value| value.as_bytes().starts_with(media_type.as_bytes()))
}

fn is_response(text: &str, id: &Value) -> bool {
    let message: Value = serde_json::from_str(text).unwrap_or_default();
    message.get("method").is_none() && message.get("id") == Some(id)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    async fn text(response: Response) -> (String, String) {
        let media_type = response.headers()[CONTENT_TYPE].to_str().unwrap().to_owned();
        let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        (media_type, String::from_utf8(bytes.to_vec()).unwrap())
    }

    fn with_type(media_type: &'static str, body: impl Into<Body>) -> Response {
        ([(CONTENT_TYPE, media_type)], body.into()).into_response()
    }

    #[tokio::test]
    async fn the_response_is_found_between_other_messages() {
        let answer = r#"{"jsonrpc":"2.0","id":3,"result":{}}"#;
        let request = r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#;
        let events = format!(": beat\n\nid: 1\ndata:\n\ndata: {request}\n\ndata: {answer}\n\n");
        let converted = as_json(with_type(accept::EVENT_STREAM, events), &json!(3)).await;
        assert_eq!(text(converted).await, (accept::JSON.to_owned(), answer.to_owned()));
        let ended = as_json(with_type(accept::EVENT_STREAM, "data: {}\n\n"), &json!(3)).await;
        assert_eq!(ended.status(), StatusCode::ACCEPTED);
    }

    #[tokio::test]
    async fn a_json_response_becomes_one_event() {
        let converted = as_stream(with_type(accept::JSON, "{\"id\":1}")).await;
        let (media_type, body) = text(converted).await;
        assert_eq!(
            (media_type.as_str(), body.as_str()),
            (accept::EVENT_STREAM, "data: {\"id\":1}\n\n")
        );
    }
}
