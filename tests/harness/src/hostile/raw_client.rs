//! A client that sends arbitrary text, over each transport and in each protocol era.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::http_server::HttpServer;
use crate::stdio_server::StdioServer;
use crate::timing::{EXIT_POLL_INTERVAL, RESPONSE_TIMEOUT};

/// The transport between client and server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// Standard input and output.
    Stdio,
    /// Streamable HTTP.
    Http,
}

/// A family of protocol versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// Protocol 2025-11-25 and older: a session starts with `initialize`.
    Handshake,
    /// Protocol 2026-07-28: every request carries all client information.
    PerRequest,
}

/// A client and the server process it started.
pub struct RawClient {
    era: Era,
    connection: Connection,
    next: u64,
}

enum Connection {
    Stdio(StdioServer),
    Http { server: HttpServer, session: Option<String>, token: Option<String> },
}

impl RawClient {
    /// Starts a server and, in the handshake era, initializes a session. `capabilities` are those
    /// the client declares.
    pub fn start(
        mut command: Command,
        transport: Transport,
        era: Era,
        capabilities: &Value,
    ) -> Self {
        let connection = match transport {
            Transport::Stdio => {
                Connection::Stdio(StdioServer::start(command.stderr(Stdio::null())))
            }
            Transport::Http => {
                let server = HttpServer::start_command(command.args(["--http", "127.0.0.1:0"]));
                Connection::Http { server, session: None, token: token_of(&command) }
            }
        };
        let mut client = Self { era, connection, next: 1 };
        if era == Era::Handshake {
            client.initialize(capabilities);
        }
        client
    }

    /// Leaves the HTTP session without ending it, and starts another one.
    pub fn start_session(&mut self) {
        if let Connection::Http { session, .. } = &mut self.connection {
            *session = None;
            self.initialize(&json!({}));
        }
    }

    fn initialize(&mut self, capabilities: &Value) {
        let hello = json!({
            "protocolVersion": "2025-11-25", "capabilities": capabilities,
            "clientInfo": { "name": "hostile", "version": "1" },
        });
        let answer = self.request("initialize", &hello.to_string());
        assert!(answer.contains("2025-11-25"), "{answer}");
        self.send_line(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    }

    /// Sends a request with verbatim parameters and returns the raw response.
    pub fn request(&mut self, method: &str, params: &str) -> String {
        let id = self.next;
        self.next += 1;
        let params = match self.era {
            Era::PerRequest => with_meta(params),
            Era::Handshake => params.to_owned(),
        };
        let method = Value::from(method);
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{method},"params":{params}}}"#);
        match &self.connection {
            Connection::Stdio(_) => {
                self.send_line(&text);
                self.response_to(id)
            }
            Connection::Http { .. } => self.post(&text, method.as_str().unwrap_or_default()),
        }
    }

    /// Sends verbatim text, waits for the response to a later ping, and returns everything
    /// received.
    pub fn send_raw(&mut self, text: &str) -> String {
        if matches!(self.connection, Connection::Http { .. }) {
            return self.post(text, "tools/call");
        }
        self.send_line(text);
        // The call may still run when the ping is answered.
        std::thread::sleep(Duration::from_millis(200));
        let id = self.next;
        self.next += 1;
        self.send_line(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#));
        self.lines_until_response(id)
    }

    /// Writes one line without waiting for a response.
    pub fn send_line(&mut self, text: &str) {
        match &mut self.connection {
            Connection::Stdio(server) => server.send(text.replace('\n', " ").as_bytes()),
            Connection::Http { .. } => drop(self.post(text, "")),
        }
    }

    /// Returns the process id of the server.
    pub fn pid(&self) -> u32 {
        match &self.connection {
            Connection::Stdio(server) => server.pid(),
            Connection::Http { server, .. } => server.pid(),
        }
    }

    /// Returns the address of an HTTP server.
    pub fn address(&self) -> Option<&str> {
        match &self.connection {
            Connection::Stdio(_) => None,
            Connection::Http { server, .. } => Some(&server.address),
        }
    }

    /// Returns `true` if the server still runs.
    pub fn is_alive(&mut self) -> bool {
        match &mut self.connection {
            Connection::Stdio(server) => server.is_alive(),
            Connection::Http { server, .. } => server.is_alive(),
        }
    }

    /// Returns the next line from the server. Always `None` over HTTP.
    pub fn next_line(&mut self, within: Duration) -> Option<String> {
        match &self.connection {
            Connection::Stdio(server) => server.next_line(within),
            Connection::Http { .. } => None,
        }
    }

    /// Disconnects: closes the stream, or deletes the HTTP session.
    pub fn disconnect(&mut self) {
        match &mut self.connection {
            Connection::Stdio(server) => server.close_input(),
            Connection::Http { server, session, token } => {
                let bearer = token.as_ref().map(|token| format!("Bearer {token}"));
                let mut headers = vec![
                    ("Mcp-Session-Id", session.as_deref().unwrap_or_default()),
                    ("Mcp-Protocol-Version", "2025-11-25"),
                ];
                headers.extend(bearer.as_deref().map(|bearer| ("Authorization", bearer)));
                let response = server.send("DELETE", "/mcp", &headers, b"");
                assert_eq!(response.status, 204, "{}", response.head);
            }
        }
    }

    fn response_to(&mut self, id: u64) -> String {
        let all = self.lines_until_response(id);
        all.lines().last().unwrap_or_default().to_owned()
    }

    fn lines_until_response(&mut self, id: u64) -> String {
        let end = Instant::now() + RESPONSE_TIMEOUT;
        let mut all = String::new();
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let line = self.next_line(left);
            let line = line.unwrap_or_else(|| panic!("no response to {id}; so far: {all}"));
            let value: Value = serde_json::from_str(&line).expect("lines are JSON");
            if value.get("method").is_some() && value.get("id").is_some() {
                // The server asks for confirmation; decline.
                let decline = json!({ "jsonrpc": "2.0", "id": value["id"], "result": { "action": "decline" } });
                self.send_line(&decline.to_string());
            }
            all.push_str(&line);
            // The response to an invalid message has no id.
            let has_no_id = value["id"].is_null() && value.get("error").is_some();
            if value.get("method").is_none() && (value["id"] == id || has_no_id) {
                return all;
            }
            all.push('\n');
        }
    }

    fn post(&mut self, text: &str, method: &str) -> String {
        let Connection::Http { server, session, token } = &mut self.connection else {
            unreachable!("not an HTTP connection")
        };
        let address = &server.address;
        let mut stream = TcpStream::connect(address.as_str()).expect("the server listens");
        stream.set_read_timeout(Some(RESPONSE_TIMEOUT)).expect("a socket accepts a timeout");
        let mut head = format!(
            "POST /mcp HTTP/1.0\r\nHost: {address}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\n{}Content-Length: {}\r\n",
            authorization(token.as_deref()),
            text.len()
        );
        match (self.era, &session) {
            (Era::PerRequest, _) => {
                head.push_str(&format!(
                    "Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n"
                ));
                let value: Value = serde_json::from_str(text).unwrap_or_default();
                let name = value["params"]["name"].as_str().or(value["params"]["uri"].as_str());
                if let Some(name) = name.filter(|name| name.bytes().all(|b| b.is_ascii_graphic())) {
                    head.push_str(&format!("Mcp-Name: {name}\r\n"));
                }
            }
            (Era::Handshake, Some(id)) => head.push_str(&format!("Mcp-Session-Id: {id}\r\n")),
            (Era::Handshake, None) => {}
        }
        head.push_str("\r\n");
        stream.write_all(head.as_bytes()).expect("the server reads its input");
        // The server may close the connection after reading the headers.
        let _ = stream.write_all(text.as_bytes());
        let mut bytes = Vec::new();
        // Data received before a disconnect is the response.
        let _ = stream.read_to_end(&mut bytes);
        let all = String::from_utf8_lossy(&bytes);
        let (head, body) = all.split_once("\r\n\r\n").unwrap_or((&all, ""));
        let given = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("mcp-session-id").then(|| value.trim().to_owned())
        });
        if session.is_none() {
            *session = given;
        }
        let events: Vec<&str> = body
            .lines()
            .filter_map(|line| line.strip_prefix("data:").map(str::trim))
            .filter(|data| !data.is_empty())
            .collect();
        if events.is_empty() { body.trim().to_owned() } else { events.join("\n") }
    }
}

/// Returns the token that the server requires.
fn token_of(command: &Command) -> Option<String> {
    let mut all = command.get_envs();
    let (_, token) = all.find(|(name, _)| *name == "DESKHAND_HTTP_TOKEN")?;
    Some(token?.to_string_lossy().into_owned())
}

fn authorization(token: Option<&str>) -> String {
    token.map(|token| format!("Authorization: Bearer {token}\r\n")).unwrap_or_default()
}

/// Adds the `_meta` object of the per-request era to the parameters.
fn with_meta(params: &str) -> String {
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"hostile","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}"#;
    match params.trim_start().strip_prefix('{') {
        Some(rest) if rest.trim_start().starts_with('}') => format!("{{{meta}{rest}"),
        Some(rest) => format!("{{{meta},{rest}"),
        None => params.to_owned(),
    }
}

impl RawClient {
    /// Sends SIGTERM and waits. A server that does not exit is killed on drop.
    pub fn shut_down(mut self) {
        match &self.connection {
            Connection::Stdio(server) => server.send_signal(Signal::TERM),
            Connection::Http { server, .. } => server.send_signal(Signal::TERM),
        }
        let started = Instant::now();
        while self.is_alive() && started.elapsed() < RESPONSE_TIMEOUT {
            std::thread::sleep(EXIT_POLL_INTERVAL);
        }
    }
}
