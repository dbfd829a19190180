//! A client that exchanges raw JSON lines with the built server.

use std::{collections::VecDeque, process::Command, time::Duration};

use harness::{TestDesktop, http_server::RESPONSE_TIMEOUT, outcome, stdio_server::StdioServer};
use rustix::process::Signal;
use serde_json::{Value, json};

/// A running server and the connection to it.
pub(crate) struct StdioClient {
    server: StdioServer,
    queued: VecDeque<Value>,
    next: i64,
    meta: Option<Value>,
}

impl StdioClient {
    /// Starts a server.
    pub(crate) fn start(stage: &TestDesktop, options: &[&str]) -> Self {
        Self::start_with(stage, options, |_| {})
    }

    /// Starts a server after changing its command.
    pub(crate) fn start_with(
        stage: &TestDesktop,
        options: &[&str],
        change: impl FnOnce(&mut Command),
    ) -> Self {
        let mut command = stage.command(outcome::binary());
        change(&mut command);
        let server = StdioServer::start(command.args(["mcp", "serve"]).args(options));
        Self { server, queued: VecDeque::new(), next: 1, meta: None }
    }

    /// Starts a server and initializes it with a protocol version.
    pub(crate) fn start_initialized(
        stage: &TestDesktop,
        options: &[&str],
        version: &str,
        capabilities: Value,
    ) -> Self {
        let mut client = Self::start(stage, options);
        let result = client.initialize(version, capabilities);
        assert_eq!(result["result"]["protocolVersion"], version, "{result}");
        client.notify("notifications/initialized", json!({}));
        client
    }

    /// Starts a server and uses protocol 2026-07-28.
    pub(crate) fn start_modern(
        stage: &TestDesktop,
        options: &[&str],
        capabilities: &Value,
    ) -> Self {
        Self::start(stage, options).with_modern_protocol(capabilities)
    }

    /// Uses protocol 2026-07-28 from now on.
    pub(crate) fn with_modern_protocol(mut self, capabilities: &Value) -> Self {
        self.meta = Some(json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "talk", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        }));
        self
    }

    /// Sends `initialize` and returns the response.
    pub(crate) fn initialize(&mut self, version: &str, capabilities: Value) -> Value {
        let client = json!({ "name": "talk", "version": "1" });
        let params = json!({ "protocolVersion": version, "capabilities": capabilities, "clientInfo": client });
        self.request("initialize", params)
    }

    /// Sends raw bytes and a newline.
    pub(crate) fn send_raw(&mut self, bytes: &[u8]) {
        self.server.send(bytes);
    }

    /// Sends a message unchanged.
    pub(crate) fn send(&mut self, message: &Value) {
        self.send_raw(message.to_string().as_bytes());
    }

    /// Sends a notification.
    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request and returns its id.
    pub(crate) fn send_request(&mut self, method: &str, mut params: Value) -> i64 {
        if let Some(meta) = &self.meta {
            let mut meta = meta.clone();
            for (key, value) in params["_meta"].as_object().cloned().unwrap_or_default() {
                meta[key] = value;
            }
            params["_meta"] = meta;
        }
        let id = self.next;
        self.next += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// The next message, or `None` if none arrives in time.
    pub(crate) fn next_within(&mut self, timeout: Duration) -> Option<Value> {
        if let Some(message) = self.queued.pop_front() {
            return Some(message);
        }
        let line = self.server.next_line(timeout)?;
        Some(serde_json::from_str(&line).unwrap_or_else(|_| panic!("not a JSON message: {line}")))
    }

    /// The next message.
    pub(crate) fn next(&mut self) -> Value {
        self.next_within(RESPONSE_TIMEOUT).expect("no message from the server")
    }

    /// Waits for the response to a request. Other messages stay queued.
    pub(crate) fn response(&mut self, id: impl Into<Value>) -> Value {
        let id = id.into();
        self.first_message(|message| message["id"] == id && message.get("method").is_none())
    }

    /// Waits for the first message that matches. Other messages stay queued.
    pub(crate) fn first_message(&mut self, matches: impl Fn(&Value) -> bool) -> Value {
        let mut others = VecDeque::new();
        loop {
            let message = self.next();
            if matches(&message) {
                others.append(&mut self.queued);
                self.queued = others;
                return message;
            }
            others.push_back(message);
        }
    }

    /// Sends a request and returns its response.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send_request(method, params);
        self.response(id)
    }

    /// Calls a tool and returns its result.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", json!({ "name": tool, "arguments": arguments }));
        assert!(answer.get("error").is_none(), "{tool}: {answer}");
        answer["result"].clone()
    }

    /// Checks that the connection works and that no other message is pending.
    pub(crate) fn assert_no_pending_messages(&mut self) {
        let id = self.send_request("tools/list", json!({}));
        let next = self.next();
        assert_eq!(next["id"], id, "{next}");
        assert!(next["result"]["tools"].is_array(), "{next}");
    }

    /// Sends a signal to the server.
    pub(crate) fn send_signal(&self, signal: Signal) {
        self.server.send_signal(signal);
    }

    /// The pid of the server.
    pub(crate) fn pid(&self) -> u32 {
        self.server.pid()
    }

    /// Closes stdin, waits for the server to end, and returns its exit code and its last messages.
    pub(crate) fn close(self) -> (Option<i32>, Vec<Value>) {
        let (lines, status) = self.server.finish();
        let messages = lines.iter().map(|line| serde_json::from_str(line).unwrap());
        (status.code(), messages.collect())
    }
}
