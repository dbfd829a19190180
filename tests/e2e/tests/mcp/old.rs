//! A client of HTTP+SSE as of 2024-11-05: one stream, its messages by POST.

use std::{net::Shutdown, net::TcpStream};

use serde_json::{Value, json};

use super::web::{Event, Reply, Server, hello};

/// A client and its stream.
pub(crate) struct Old<'a> {
    server: &'a Server,
    /// Where its messages go.
    pub(crate) address: String,
    stream: Reply,
    /// The name of the last event that came.
    pub(crate) last: String,
}

impl<'a> Old<'a> {
    /// Opens a stream.
    pub(crate) fn open(server: &'a Server, path: &str) -> Self {
        Self::of(server, server.get(path))
    }

    /// Opens a stream and is initialized.
    pub(crate) fn begin(server: &'a Server, path: &str, version: &str) -> Self {
        let mut client = Self::open(server, path);
        assert_eq!(client.request(0, "initialize", hello(version)).status, 202);
        let answer = client.answer(0);
        assert_eq!(answer["result"]["protocolVersion"], version, "{answer}");
        client.notify("notifications/initialized", json!({}));
        client
    }

    fn of(server: &'a Server, mut stream: Reply) -> Self {
        assert_eq!(stream.status, 200, "{}", stream.head);
        assert_eq!(stream.header("content-type").as_deref(), Some("text/event-stream"));
        let first = stream.event().unwrap();
        assert_eq!(first.kind, "endpoint", "{first:?}");
        Self { server, address: first.data, stream, last: first.id.unwrap() }
    }

    /// The id of its session.
    pub(crate) fn session(&self) -> &str {
        self.address.split("sessionId=").nth(1).unwrap()
    }

    /// Comes back after its connection broke, as browsers do: by the name of the last event alone.
    pub(crate) fn come_back(&mut self, path: &str) {
        let headers = [("Accept", "text/event-stream"), ("Last-Event-ID", self.last.as_str())];
        let again = Self::of(self.server, self.server.send("GET", path, &headers, b""));
        assert_eq!(again.address, self.address, "another session");
        let last = std::mem::take(&mut self.last);
        *self = Self { last, ..again };
    }

    /// Posts bytes.
    pub(crate) fn post(&self, body: &[u8]) -> Reply {
        let headers = [("Content-Type", "application/json")];
        self.server.send("POST", &self.address, &headers, body)
    }

    /// Posts a request.
    pub(crate) fn request(&self, id: i64, method: &str, params: Value) -> Reply {
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.post(message.to_string().as_bytes())
    }

    /// Posts a notification.
    pub(crate) fn notify(&self, method: &str, params: Value) {
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        assert_eq!(self.post(message.to_string().as_bytes()).status, 202);
    }

    /// The next event; nothing when the stream ended or broke.
    pub(crate) fn event(&mut self) -> Option<Event> {
        let event = self.stream.event()?;
        if let Some(id) = &event.id {
            self.last.clone_from(id);
        }
        Some(event)
    }

    /// The answer to a request; what else comes meanwhile is let be.
    pub(crate) fn answer(&mut self, id: i64) -> Value {
        loop {
            let event = self.event().expect("the stream ends");
            if event.kind == "message" && event.message()["id"] == id {
                return event.message();
            }
        }
    }

    /// Asks and returns the whole answer.
    pub(crate) fn ask(&mut self, id: i64, method: &str, params: Value) -> Value {
        assert_eq!(self.request(id, method, params).status, 202);
        self.answer(id)
    }

    /// What breaks its connection.
    pub(crate) fn socket(&self) -> TcpStream {
        self.stream.body.get_ref().try_clone().unwrap()
    }

    /// Breaks its connection.
    pub(crate) fn cut(&self) {
        // The server may have been quicker.
        let _ = self.socket().shutdown(Shutdown::Both);
    }
}
