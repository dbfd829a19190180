//! Requests to a server, with a bound on what it may answer: rmcp's own client reads JSON of any
//! length into memory. Streams other than answers go through that client, which bounds them.

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

type Failure = StreamableHttpError<reqwest::Error>;
type Headers = HashMap<HeaderName, HeaderValue>;
type Events = BoxStream<'static, Result<Sse, SseError>>;

const BOTH: &str = "application/json, text/event-stream";
const SESSION: &str = "mcp-session-id";
/// As much of a refusal as anybody reads.
const REFUSAL: usize = 64 << 10;

/// A client that reads no more than it must.
#[derive(Debug, Clone)]
pub(crate) struct Bounded {
    client: reqwest::Client,
    longest: usize,
}

impl Bounded {
    /// A client whose answers are never longer than so many bytes.
    pub(crate) fn new(client: reqwest::Client, longest: usize) -> Self {
        Self { client, longest }
    }
}

impl StreamableHttpClient for Bounded {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let mut request = self.client.post(uri.as_ref()).header(header::ACCEPT, BOTH);
        // What the person wrote comes first, so that it replaces nothing of the protocol.
        for (name, value) in headers {
            request = request.header(name, value);
        }
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        let in_session = session.is_some();
        if let Some(session) = session {
            request = request.header(SESSION, session.as_ref());
        }
        let answer = request.json(&message).send().await?;
        let status = answer.status();
        if let Some(challenge) = challenge(&answer) {
            return Err(challenge);
        }
        if status == StatusCode::NOT_FOUND && in_session {
            return Err(StreamableHttpError::SessionExpired);
        }
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        let waits = matches!(message, ClientJsonRpcMessage::Request(_));
        let session = answer.headers().get(SESSION).and_then(|value| value.to_str().ok());
        let session = session.map(str::to_owned);
        let kind = answer.headers().get(header::CONTENT_TYPE).cloned();
        let kind = kind.as_ref().and_then(|value| value.to_str().ok()).unwrap_or_default();
        if !status.is_success() {
            return refused(&message, in_session, answer).await;
        }
        if kind.starts_with("text/event-stream") {
            let longest = self.longest;
            return Ok(StreamableHttpPostResponse::Sse(events(answer, longest), session));
        }
        if !waits {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if !kind.starts_with("application/json") {
            return Err(StreamableHttpError::UnexpectedContentType(Some(kind.to_owned())));
        }
        let text = read(answer, self.longest).await?;
        let message = serde_json::from_slice(&text).map_err(|error| odd(error.to_string()))?;
        Ok(StreamableHttpPostResponse::Json(message, session))
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<(), Failure> {
        self.client.delete_session(uri, session, token, headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<Events, Failure> {
        let longest = self.longest;
        let client = &self.client;
        client.get_stream_with_max_sse_event_size(uri, session, last, token, headers, longest).await
    }
}

/// What a server wants to know first, when it says so.
fn challenge(answer: &reqwest::Response) -> Option<Failure> {
    let wanted = answer.headers().get(header::WWW_AUTHENTICATE)?.to_str().ok()?.to_owned();
    if answer.status() == StatusCode::UNAUTHORIZED {
        return Some(StreamableHttpError::AuthRequired(AuthRequiredError::new(wanted)));
    }
    let narrow = answer.status() == StatusCode::FORBIDDEN;
    narrow
        .then(|| StreamableHttpError::InsufficientScope(InsufficientScopeError::new(wanted, None)))
}

/// What a refusal means. A server of the older era refuses `server/discover`, and that has to reach
/// rmcp as an answer for it to go on with the handshake.
async fn refused(
    message: &ClientJsonRpcMessage,
    in_session: bool,
    answer: reqwest::Response,
) -> Result<StreamableHttpPostResponse, Failure> {
    let status = answer.status();
    let text = read(answer, REFUSAL).await.unwrap_or_default();
    let said = match serde_json::from_slice(&text) {
        Ok(ServerJsonRpcMessage::Error(said)) => Some(said),
        Ok(_) | Err(_) => None,
    };
    let is_login = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
    if let ClientJsonRpcMessage::Request(request) = message
        && matches!(request.request, ClientRequest::DiscoverRequest(_))
        && !in_session
        && status.is_client_error()
        && !is_login
    {
        let error = said.map_or_else(
            || ErrorData::invalid_request(format!("refused with HTTP {status}"), None),
            |said| said.error,
        );
        let answer = ServerJsonRpcMessage::error(error, Some(request.id.clone()));
        return Ok(StreamableHttpPostResponse::Json(answer, None));
    }
    match said {
        Some(said) if !is_login => {
            Ok(StreamableHttpPostResponse::Json(ServerJsonRpcMessage::Error(said), None))
        }
        Some(_) | None => Err(HttpStatusError::new(status.as_u16(), None).into()),
    }
}

async fn read(mut answer: reqwest::Response, longest: usize) -> Result<Vec<u8>, Failure> {
    let mut text = Vec::new();
    while let Some(piece) = answer.chunk().await? {
        if text.len() + piece.len() > longest {
            return Err(too_long(longest));
        }
        text.extend_from_slice(&piece);
    }
    Ok(text)
}

/// The events of an answer, none of them longer than so many bytes.
fn events(answer: reqwest::Response, longest: usize) -> Events {
    let mut gauge = Gauge::default();
    let bytes = answer.bytes_stream().map(move |piece| {
        let piece = piece.map_err(std::io::Error::other)?;
        if gauge.most(&piece) > longest {
            return Err(std::io::Error::other(too_long(longest)));
        }
        Ok(piece)
    });
    SseStream::from_bytes_stream(bytes).boxed()
}

/// How long an event is so far.
#[derive(Debug, Default)]
struct Gauge {
    event: usize,
    line: usize,
}

impl Gauge {
    /// The most an event came to within some bytes.
    fn most(&mut self, bytes: &[u8]) -> usize {
        let mut most = 0;
        for byte in bytes {
            match (byte, self.line) {
                // An empty line ends an event.
                (b'\n', 0) => self.event = 0,
                (b'\n', _) => self.line = 0,
                (b'\r', _) => {}
                _ => self.line += 1,
            }
            self.event += 1;
            most = most.max(self.event);
        }
        most
    }
}

fn too_long(longest: usize) -> Failure {
    odd(format!("its answer is longer than {longest} bytes"))
}

fn odd(why: String) -> Failure {
    StreamableHttpError::UnexpectedServerResponse(Cow::Owned(why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_measured_until_its_empty_line() {
        let mut gauge = Gauge::default();
        assert!(gauge.most(b"data: aaaa\n\ndata: b\n") <= 12);
        assert!(gauge.most(&[b'x'; 100]) > 100, "the event before goes on");
        assert!(gauge.most(b"\r\n\r\ndata: c\r\n\r\n") > 100);
        assert!(gauge.most(b"data: d\n\n") < 12);
    }
}
