//! The echo of HTTP messages on standard error, for debugging a client.

use std::{
    io::{IsTerminal, Write},
    pin::Pin,
    task::{Context, Poll, ready},
};

use axum::{
    body::{Body, Bytes, HttpBody},
    http::header::CONTENT_TYPE,
    response::Response,
};
use hyper::body::{Frame, SizeHint};
use serde_json::Value;

use super::{accept, event_parser::EventParser};

/// The direction of a message. The words are those that users of ahma know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    FromClient,
    ToClient,
}

/// Selects if messages are echoed, and in which form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Echo {
    Off,
    Plain,
    Colored,
}

impl Echo {
    /// Returns the echo for this process: with colors if standard error is a terminal, unless the
    /// user has turned colors off.
    pub(super) fn new(enabled: bool) -> Self {
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        match enabled {
            false => Self::Off,
            true if std::io::stderr().is_terminal() && !no_color => Self::Colored,
            true => Self::Plain,
        }
    }

    /// Echoes the body of a request.
    pub(super) fn request(self, body: &[u8]) {
        if self != Self::Off && !body.is_empty() {
            self.print(Direction::FromClient, &String::from_utf8_lossy(body));
        }
    }

    /// Echoes the messages in a response as they are sent.
    pub(super) fn response(self, response: Response) -> Response {
        if self == Self::Off {
            return response;
        }
        let media_type = response.headers().get(CONTENT_TYPE);
        let is_stream = media_type
            .is_some_and(|value| value.as_bytes().starts_with(accept::EVENT_STREAM.as_bytes()));
        let events = is_stream.then(EventParser::default);
        response.map(|body| Body::new(EchoBody { body, echo: self, events, whole: Vec::new() }))
    }

    fn print(self, direction: Direction, text: &str) {
        let text = self.format(direction, text);
        // The echo is lost if standard error is closed.
        let _ = std::io::stderr().lock().write_all(text.as_bytes());
    }

    fn format(self, direction: Direction, text: &str) -> String {
        let (prefix, color) = match direction {
            Direction::FromClient => ("→ STDIN:", "\x1b[36m"),
            Direction::ToClient => ("← STDOUT:", "\x1b[32m"),
        };
        let (color, reset) = if self == Self::Colored { (color, "\x1b[0m") } else { ("", "") };
        let pretty = serde_json::from_str::<Value>(text).map(|value| format!("{value:#}"));
        let text = pretty.unwrap_or_else(|_| text.to_owned());
        format!("{color}{prefix}{reset}\n{text}\n")
    }
}

/// The body of a response that is echoed.
struct EchoBody {
    body: Body,
    echo: Echo,
    /// The events so far, if the body is an event stream.
    events: Option<EventParser>,
    whole: Vec<u8>,
}

impl EchoBody {
    fn echo_part(&mut self, part: &[u8]) {
        match &mut self.events {
            Some(events) => {
                for text in events.push(part) {
                    self.echo.print(Direction::ToClient, &text);
                }
            }
            None => self.whole.extend_from_slice(part),
        }
    }
}

impl Drop for EchoBody {
    fn drop(&mut self) {
        if !self.whole.is_empty() {
            self.echo.print(Direction::ToClient, &String::from_utf8_lossy(&self.whole));
        }
    }
}

impl HttpBody for EchoBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        if let Some(Ok(part)) = &frame
            && let Some(data) = part.data_ref()
        {
            self.echo_part(data);
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_indented_and_other_text_is_not_changed() {
        let json = Echo::Plain.format(Direction::FromClient, r#"{"b":1,"a":[2]}"#);
        assert_eq!(json, "→ STDIN:\n{\n  \"b\": 1,\n  \"a\": [\n    2\n  ]\n}\n");
        assert_eq!(Echo::Plain.format(Direction::ToClient, "{bad"), "← STDOUT:\n{bad\n");
        let colored = Echo::Colored.format(Direction::ToClient, "x");
        assert_eq!(colored, "\x1b[32m← STDOUT:\x1b[0m\nx\n");
    }
}
