//! A client of the HTTP+SSE transport of 2024-11-05: one event stream, messages by POST.

use std::{net::Shutdown, net::TcpStream};

use serde_json::{Value, json};

use super::http_server::{HttpResponse, HttpServer, SseEvent, initialize_params};

/// A client with its event stream.
pub(crate) struct LegacySseClient<'a> {
    server: &'a HttpServer,
    /// The path for its messages.
    pub(crate) address: String,
    stream: HttpResponse,
    /// The id of the last event.
    pub(crate) last_event_id: String,
}

impl<'a> LegacySseClient<'a> {
    /// Opens a stream.
    pub(crate) fn open(server: &'a HttpServer, path: &str) -> Self {
        Self::from_stream(server, server.get(path))
    }

    /// Opens a stream and initializes the session.
    pub(crate) fn start(server: &'a HttpServer, path: &str, version: &str) -> Self {
        let mut client = Self::open(server, path);
        assert_eq!(client.send_request(0, "initialize", initialize_params(version)).status, 202);
        let answer = client.response(0);
        assert_eq!(answer["result"]["protocolVersion"], version, "{answer}");
        client.notify("notifications/initialized", json!({}));
        client
    }

    fn from_stream(server: &'a HttpServer, mut stream: HttpResponse) -> Self {
        assert_eq!(stream.status, 200, "{}", stream.head);
        assert_eq!(stream.header("content-type").as_deref(), Some("text/event-stream"));
        let first = stream.event().unwrap();
        assert_eq!(first.kind, "endpoint", "{first:?}");
        Self { server, address: first.data, stream, last_event_id: first.id.unwrap() }
    }

    /// The session id.
    pub(crate) fn session(&self) -> &str {
        self.address.split("sessionId=").nth(1).unwrap()
    }

    /// Reconnects with only the last event id, as browsers do.
    pub(crate) fn reconnect(&mut self, path: &str) {
        let headers =
            [("Accept", "text/event-stream"), ("Last-Event-ID", self.last_event_id.as_str())];
        let again = Self::from_stream(self.server, self.server.send("GET", path, &headers, b""));
        assert_eq!(again.address, self.address, "reconnected to a different session");
        let last_event_id = std::mem::take(&mut self.last_event_id);
        *self = Self { last_event_id, ..again };
    }

    /// Posts bytes.
    pub(crate) fn post(&self, body: &[u8]) -> HttpResponse {
        let headers = [("Content-Type", "application/json")];
        self.server.send("POST", &self.address, &headers, body)
    }

    /// Posts a request.
    pub(crate) fn send_request(&self, id: i64, method: &str, params: Value) -> HttpResponse {
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.post(message.to_string().as_bytes())
    }

    /// Posts a notification.
    pub(crate) fn notify(&self, method: &str, params: Value) {
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        assert_eq!(self.post(message.to_string().as_bytes()).status, 202);
    }

    /// The next event, or `None` if the stream has ended.
    pub(crate) fn event(&mut self) -> Option<SseEvent> {
        let event = self.stream.event()?;
        if let Some(id) = &event.id {
            self.last_event_id.clone_from(id);
        }
        Some(event)
    }

    /// Waits for the response to a request and ignores other messages.
    pub(crate) fn response(&mut self, id: i64) -> Value {
        loop {
            let event = self.event().expect("the stream has ended");
            if event.kind == "message" && event.message()["id"] == id {
                return event.message();
            }
        }
    }

    /// Sends a request and returns its response.
    pub(crate) fn request(&mut self, id: i64, method: &str, params: Value) -> Value {
        assert_eq!(self.send_request(id, method, params).status, 202);
        self.response(id)
    }

    /// The socket of the stream, to break the connection.
    pub(crate) fn socket(&self) -> TcpStream {
        self.stream.body.get_ref().try_clone().unwrap()
    }

    /// Breaks the connection.
    pub(crate) fn disconnect(&self) {
        // The server may have closed it first.
        let _ = self.socket().shutdown(Shutdown::Both);
    }
}
