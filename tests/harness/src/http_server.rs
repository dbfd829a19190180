//! A server on HTTP, and requests to it at the byte level.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

pub use crate::timing::RESPONSE_TIMEOUT;
use crate::{TestDesktop, outcome, output_lines};

/// Returns the parameters of a call that takes some time and then prints a text.
pub fn slow_command(seconds: f64, text: &str) -> Value {
    let command = format!("sleep {seconds}; echo {text}");
    json!({ "name": "sandboxed_shell", "arguments": { "command": command } })
}

/// Returns the output of the command that a call ran.
pub fn command_output(response: &Value) -> &str {
    response["result"]["structuredContent"]["output"].as_str().unwrap_or_default().trim_end()
}

/// A server process that listens on HTTP. Dropping it kills the process.
#[derive(Debug)]
pub struct HttpServer {
    child: Child,
    /// Its host and port.
    pub address: String,
}

impl HttpServer {
    /// Starts a server with the conformance fixtures on a free port.
    pub fn start_conformance(stage: &TestDesktop, options: &[&str]) -> Self {
        Self::start(stage, &[&["--conformance"], options].concat())
    }

    /// Starts a server with the real tools on a free port.
    pub fn start(stage: &TestDesktop, options: &[&str]) -> Self {
        Self::start_with(stage, options, &[])
    }

    /// Starts a server with the real command-line tools, whose calls return when their command ends.
    pub fn start_commands(stage: &TestDesktop, scope: &Path, options: &[&str]) -> Self {
        let scope = scope.to_str().unwrap();
        let commands = ["--toolsets", "cli", "--sync", "--sandbox-scope", scope];
        let no_network = [("DESKHAND_COMMANDS_NETWORK", "off")];
        Self::start_with(stage, &[&commands, options].concat(), &no_network)
    }

    /// Starts a server with these environment variables.
    pub fn start_with(stage: &TestDesktop, options: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = stage.command(outcome::binary());
        command.args(["mcp", "serve", "--http", "127.0.0.1:0"]).args(options);
        Self::start_command(command.envs(variables.iter().copied()))
    }

    /// Starts a command that serves on HTTP, and reads its address from its standard error.
    pub fn start_command(command: &mut Command) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the server starts");
        let address = output_lines::http_address(child.stderr.take().unwrap());
        Self { child, address }
    }

    /// Takes over a server that listens at this host and port.
    pub fn of_process(child: Child, address: String) -> Self {
        Self { child, address }
    }

    /// The pid of the server.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Returns `true` if the server still runs.
    pub fn is_alive(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|status| status.is_none())
    }

    /// Opens a connection.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(RESPONSE_TIMEOUT)).unwrap();
        stream
    }

    /// Sends a request with HTTP 1.0, so that the body ends with the connection.
    pub fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> HttpResponse {
        let stream = self.connect();
        let mut head = format!("{method} {path} HTTP/1.0\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            head.push_str(&format!("Host: {}\r\n", self.address));
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
        let mut to = &stream;
        to.write_all(head.as_bytes()).unwrap();
        // A server that refuses the head may close before it has read the body.
        let _ = to.write_all(body);
        HttpResponse::read(stream)
    }

    /// Sends a GET request.
    pub fn get(&self, path: &str) -> HttpResponse {
        self.send("GET", path, &[("Accept", "*/*")], b"")
    }

    /// Posts bytes, with the session header if there is a session.
    pub fn post(&self, session: Option<&str>, body: &[u8]) -> HttpResponse {
        let mut headers = vec![
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ];
        if let Some(session) = session {
            headers.push(("Mcp-Session-Id", session));
        }
        self.send("POST", "/mcp", &headers, body)
    }

    /// Posts a message with a bearer token.
    pub fn post_as(&self, token: &str, session: Option<&str>, message: &Value) -> HttpResponse {
        let bearer = format!("Bearer {token}");
        let mut headers = vec![
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("Authorization", bearer.as_str()),
        ];
        if let Some(session) = session {
            headers.push(("Mcp-Session-Id", session));
        }
        self.send("POST", "/mcp", &headers, message.to_string().as_bytes())
    }

    /// Creates a session with a bearer token.
    pub fn session_as(&self, token: &str) -> String {
        let message = request_message(0, "initialize", initialize_params("2025-11-25"));
        let reply = self.post_as(token, None, &message);
        assert_eq!(reply.status, 200, "{}", reply.head);
        reply.header("mcp-session-id").unwrap()
    }

    /// Calls a tool with a bearer token on protocol 2026-07-28.
    pub fn call_as(&self, token: &str, tool: &str, arguments: Value) -> HttpResponse {
        self.post_modern_as(token, tool, &modern_call(tool, arguments))
    }

    /// Reads a resource with a bearer token on protocol 2026-07-28.
    pub fn read_as(&self, token: &str, uri: &str) -> HttpResponse {
        self.post_modern_as(token, uri, &modern_request("resources/read", json!({ "uri": uri })))
    }

    fn post_modern_as(&self, token: &str, name: &str, message: &Value) -> HttpResponse {
        let bearer = format!("Bearer {token}");
        let headers = [
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("Authorization", bearer.as_str()),
            ("Mcp-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", message["method"].as_str().unwrap()),
            ("Mcp-Name", name),
        ];
        self.send("POST", "/mcp", &headers, message.to_string().as_bytes())
    }

    /// Number of sessions and of tool calls from `/metrics`.
    pub fn session_and_call_counts(&self) -> (u64, u64) {
        let text = self.get("/metrics").text();
        let value_of = |name: &str| -> u64 {
            let lines = text.lines().filter(|line| line.starts_with(name));
            lines.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).sum::<f64>()
                as u64
        };
        (value_of("deskhand_sessions "), value_of("deskhand_calls_total"))
    }

    /// Posts a request.
    pub fn request(
        &self,
        session: Option<&str>,
        id: i64,
        method: &str,
        params: Value,
    ) -> HttpResponse {
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.post(session, message.to_string().as_bytes())
    }

    /// Creates a session on protocol 2025-11-25.
    pub fn session(&self) -> String {
        self.session_with_version("2025-11-25")
    }

    /// Creates a session on this protocol version.
    pub fn session_with_version(&self, version: &str) -> String {
        let mut reply = self.request(None, 0, "initialize", initialize_params(version));
        assert_eq!(reply.status, 200, "{}", reply.head);
        let id = reply.header("mcp-session-id").unwrap();
        let answer = reply.event().unwrap().message();
        assert_eq!(answer["result"]["protocolVersion"], version, "{answer}");
        id
    }

    /// Resumes a broken stream after an event id.
    pub fn resume(&self, session: &str, last_event_id: &str) -> HttpResponse {
        let headers = [
            ("Accept", "text/event-stream"),
            ("Mcp-Session-Id", session),
            ("Mcp-Protocol-Version", "2025-11-25"),
            ("Last-Event-ID", last_event_id),
        ];
        self.send("GET", "/mcp", &headers, b"")
    }

    /// Sends a signal to the server.
    pub fn send_signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits for the server to end and returns its exit code.
    pub fn wait(mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        // The server may have ended by itself; the test notices that.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A JSON-RPC request.
pub fn request_message(id: i64, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

/// A tool call of protocol 2026-07-28.
pub fn modern_call(tool: &str, arguments: Value) -> Value {
    modern_request("tools/call", json!({ "name": tool, "arguments": arguments }))
}

/// A request of protocol 2026-07-28.
fn modern_request(method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "web", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    request_message(1, method, params)
}

/// Parameters of `initialize`.
pub fn initialize_params(version: &str) -> Value {
    let client = json!({ "name": "web", "version": "1" });
    json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": client })
}

/// The head of an HTTP response, and the connection for its body.
#[derive(Debug)]
pub struct HttpResponse {
    /// The status code.
    pub status: u16,
    /// The status line and the headers.
    pub head: String,
    /// The unread part of the connection.
    pub body: BufReader<TcpStream>,
}

/// One event of an SSE stream.
#[derive(Debug, Clone)]
pub struct SseEvent {
    /// The id, from which the stream can be resumed.
    pub id: Option<String>,
    /// The name of the event.
    pub kind: String,
    /// The data lines without line breaks.
    pub data: String,
}

impl SseEvent {
    /// Its JSON message, or null.
    pub fn message(&self) -> Value {
        serde_json::from_str(&self.data).unwrap_or_default()
    }
}

impl HttpResponse {
    /// Reads the head of a response.
    pub fn read(stream: TcpStream) -> Self {
        let mut body = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(body.read_line(&mut head).unwrap() > 0, "the response ended early: {head}");
        }
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Self { status, head, body }
    }

    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<String> {
        let value_of = |line: &str| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        };
        self.head.lines().find_map(value_of)
    }

    /// Reads the body as text.
    pub fn text(mut self) -> String {
        let mut text = String::new();
        self.body.read_to_string(&mut text).unwrap();
        text
    }

    /// Reads the body as JSON.
    pub fn json(self) -> Value {
        let head = self.head.clone();
        let text = self.text();
        serde_json::from_str(&text).unwrap_or_else(|_| panic!("{head}{text}"))
    }

    /// The next event, or `None` if the stream has ended.
    pub fn event(&mut self) -> Option<SseEvent> {
        let mut event = SseEvent { id: None, kind: String::new(), data: String::new() };
        loop {
            let mut line = String::new();
            if self.body.read_line(&mut line).ok()? == 0 {
                return None;
            }
            let line = line.trim_end();
            if let Some(rest) = line.strip_prefix("id:") {
                event.id = Some(rest.trim().to_owned());
            } else if let Some(rest) = line.strip_prefix("event:") {
                event.kind = rest.trim().to_owned();
            } else if let Some(rest) = line.strip_prefix("data:") {
                event.data.push_str(rest.trim());
            } else if line.is_empty() && (event.id.is_some() || !event.data.is_empty()) {
                return Some(event);
            }
        }
    }

    /// The first message that matches. Earlier messages are dropped.
    pub fn first_message(&mut self, matches: impl Fn(&Value) -> bool) -> Option<Value> {
        std::iter::from_fn(|| self.event()).map(|event| event.message()).find(matches)
    }
}
