//! An HTTP client that limits the size of responses. The client of rmcp reads JSON of any length into memory;
//! it is used here only for `GET` streams, whose events it limits.

use std::{borrow::Cow, collections::HashMap, sync::Arc};

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use futures_util::{StreamExt, stream::BoxStream};
use rmcp::{
    model::{ClientJsonRpcMessage, ClientRequest, ErrorData, ServerJsonRpcMessage},
    transport::streamable_http_client::{
        AuthRequiredError, HttpStatusError, InsufficientScopeError, SseError, StreamableHttpClient,
        StreamableHttpError, StreamableHttpPostResponse,
    },
};
use sse_stream::{Sse, SseStream};

type HttpError = StreamableHttpError<reqwest::Error>;
type Headers = HashMap<HeaderName, HeaderValue>;
type EventStream = BoxStream<'static, Result<Sse, SseError>>;

/// The media types of a response.
const ACCEPT: &str = "application/json, text/event-stream";
const SESSION_HEADER: &str = "mcp-session-id";
/// The maximum size of an error response in bytes.
const MAX_ERROR_BYTES: usize = 64 << 10;

/// An HTTP client with a maximum response size.
#[derive(Debug, Clone)]
pub(crate) struct BoundedHttpClient {
    client: reqwest::Client,
    max_bytes: usize,
}

impl BoundedHttpClient {
    /// Creates a client that reads at most `max_bytes` of a message.
    pub(crate) fn new(client: reqwest::Client, max_bytes: usize) -> Self {
        Self { client, max_bytes }
    }
}

impl StreamableHttpClient for BoundedHttpClient {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        let mut request = self.client.post(uri.as_ref()).header(header::ACCEPT, ACCEPT);
        // Configured headers come first, so that they do not replace headers of the protocol.
        for (name, value) in headers {
            request = request.header(name, value);
        }
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        let in_session = session.is_some();
        if let Some(session) = session {
            request = request.header(SESSION_HEADER, session.as_ref());
        }
        let response = request.json(&message).send().await?;
        let status = response.status();
        if let Some(challenge) = challenge(&response) {
            return Err(challenge);
        }
        if status == StatusCode::NOT_FOUND && in_session {
            return Err(StreamableHttpError::SessionExpired);
        }
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        let expects_response = matches!(message, ClientJsonRpcMessage::Request(_));
        let session = response.headers().get(SESSION_HEADER).and_then(|value| value.to_str().ok());
        let session = session.map(str::to_owned);
        let content_type = response.headers().get(header::CONTENT_TYPE).cloned();
        let content_type =
            content_type.as_ref().and_then(|value| value.to_str().ok()).unwrap_or_default();
        if !status.is_success() {
            return error_response(&message, in_session, response).await;
        }
        if content_type.starts_with("text/event-stream") {
            let max_bytes = self.max_bytes;
            return Ok(StreamableHttpPostResponse::Sse(events(response, max_bytes), session));
        }
        if !expects_response {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if !content_type.starts_with("application/json") {
            return Err(StreamableHttpError::UnexpectedContentType(Some(content_type.to_owned())));
        }
        let text = read(response, self.max_bytes).await?;
        let message =
            serde_json::from_slice(&text).map_err(|error| unexpected(error.to_string()))?;
        Ok(StreamableHttpPostResponse::Json(message, session))
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<(), HttpError> {
        self.client.delete_session(uri, session, token, headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<EventStream, HttpError> {
        let max_bytes = self.max_bytes;
        let client = &self.client;
        client
            .get_stream_with_max_sse_event_size(uri, session, last, token, headers, max_bytes)
            .await
    }
}

/// Returns the authentication challenge of a response, if it has one.
fn challenge(response: &reqwest::Response) -> Option<HttpError> {
    let header = response.headers().get(header::WWW_AUTHENTICATE)?.to_str().ok()?.to_owned();
    if response.status() == StatusCode::UNAUTHORIZED {
        return Some(StreamableHttpError::AuthRequired(AuthRequiredError::new(header)));
    }
    let is_forbidden = response.status() == StatusCode::FORBIDDEN;
    is_forbidden
        .then(|| StreamableHttpError::InsufficientScope(InsufficientScopeError::new(header, None)))
}

/// Converts an error response. A server with an older protocol version rejects `server/discover`; rmcp needs
/// this as a JSON-RPC error in order to continue with the handshake.
async fn error_response(
    message: &ClientJsonRpcMessage,
    in_session: bool,
    response: reqwest::Response,
) -> Result<StreamableHttpPostResponse, HttpError> {
    let status = response.status();
    let text = read(response, MAX_ERROR_BYTES).await.unwrap_or_default();
    let error = match serde_json::from_slice(&text) {
        Ok(ServerJsonRpcMessage::Error(error)) => Some(error),
        Ok(_) | Err(_) => None,
    };
    let is_login = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
    if let ClientJsonRpcMessage::Request(request) = message
        && matches!(request.request, ClientRequest::DiscoverRequest(_))
        && !in_session
        && status.is_client_error()
        && !is_login
    {
        let error = error.map_or_else(
            || ErrorData::invalid_request(format!("rejected with HTTP status {status}"), None),
            |error| error.error,
        );
        let response = ServerJsonRpcMessage::error(error, Some(request.id.clone()));
        return Ok(StreamableHttpPostResponse::Json(response, None));
    }
    match error {
        Some(error) if !is_login => {
            Ok(StreamableHttpPostResponse::Json(ServerJsonRpcMessage::Error(error), None))
        }
        Some(_) | None => Err(HttpStatusError::new(status.as_u16(), None).into()),
    }
}

async fn read(mut response: reqwest::Response, max_bytes: usize) -> Result<Vec<u8>, HttpError> {
    let mut text = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if text.len() + chunk.len() > max_bytes {
            return Err(too_long(max_bytes));
        }
        text.extend_from_slice(&chunk);
    }
    Ok(text)
}

/// Returns the events of a response, each of at most `max_bytes`.
fn events(response: reqwest::Response, max_bytes: usize) -> EventStream {
    let mut size = EventSize::default();
    let bytes = response.bytes_stream().map(move |chunk| {
        let chunk = chunk.map_err(std::io::Error::other)?;
        if size.add(&chunk) > max_bytes {
            return Err(std::io::Error::other(too_long(max_bytes)));
        }
        Ok(chunk)
    });
    SseStream::from_bytes_stream(bytes).boxed()
}

/// Measures the current event of a stream.
#[derive(Debug, Default)]
struct EventSize {
    event: usize,
    line: usize,
}

impl EventSize {
    /// Adds bytes; returns the largest size of an event among them.
    fn add(&mut self, bytes: &[u8]) -> usize {
        let mut max = 0;
        for byte in bytes {
            match (byte, self.line) {
                // An empty line ends an event.
                (b'\n', 0) => self.event = 0,
                (b'\n', _) => self.line = 0,
                (b'\r', _) => {}
                _ => self.line += 1,
            }
            self.event += 1;
            max = max.max(self.event);
        }
        max
    }
}

fn too_long(max_bytes: usize) -> HttpError {
    unexpected(format!("its response is longer than {max_bytes} bytes"))
}

fn unexpected(reason: String) -> HttpError {
    StreamableHttpError::UnexpectedServerResponse(Cow::Owned(reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_measured_until_its_empty_line() {
        let mut size = EventSize::default();
        assert!(size.add(b"data: aaaa\n\ndata: b\n") <= 12);
        assert!(size.add(&[b'x'; 100]) > 100, "the event continues");
        assert!(size.add(b"\r\n\r\ndata: c\r\n\r\n") > 100);
        assert!(size.add(b"data: d\n\n") < 12);
    }
}
