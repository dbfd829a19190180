//! MCP clients over stdio and HTTP that record everything the server writes.

use std::{fs, path::PathBuf};

use harness::{
    TestDesktop,
    http_server::{HttpResponse, HttpServer, RESPONSE_TIMEOUT, initialize_params},
    outcome,
    stdio_server::StdioServer,
};
use serde_json::{Value, json};

/// The protocol version of the sessions.
const VERSION: &str = "2025-11-25";

/// A client of a server on standard streams.
pub(crate) struct StdioClient {
    server: StdioServer,
    output: Vec<String>,
    errors: PathBuf,
    next: u64,
}

impl StdioClient {
    /// Starts a server without options and initializes the session.
    pub(crate) fn start(stage: &TestDesktop) -> Self {
        Self::with_options(stage, &[])
    }

    /// Starts a server with these options.
    pub(crate) fn with_options(stage: &TestDesktop, options: &[&str]) -> Self {
        Self::connect(stage, options, &json!({}))
    }

    /// Starts a server for a client that supports elicitation.
    pub(crate) fn with_elicitation(stage: &TestDesktop, options: &[&str]) -> Self {
        Self::connect(stage, options, &json!({ "elicitation": {} }))
    }

    fn connect(stage: &TestDesktop, options: &[&str], capabilities: &Value) -> Self {
        let errors = stage.info().home.join("server-errors");
        let mut command = stage.command(outcome::binary());
        command.args(["mcp", "serve"]).args(options);
        let server = StdioServer::start(command.stderr(fs::File::create(&errors).unwrap()));
        let mut client = Self { server, output: Vec::new(), errors, next: 1 };
        let mut params = initialize_params(VERSION);
        params["capabilities"] = capabilities.clone();
        client.request("initialize", &params);
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    /// Sends a request and waits for its response.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.begin(method, params);
        loop {
            let message = self.next_message(method);
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Calls a tool and answers every elicitation with `reply`. Returns the prompts and the
    /// response.
    pub(crate) fn call_with_reply(
        &mut self,
        tool: &str,
        arguments: &Value,
        reply: &Value,
    ) -> (Vec<Value>, Value) {
        let id = self.begin("tools/call", &json!({ "name": tool, "arguments": arguments }));
        let mut prompts = Vec::new();
        loop {
            let message = self.next_message(tool);
            if message["method"] == "elicitation/create" {
                self.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": reply }));
                prompts.push(message["params"].clone());
            } else if message["id"] == id {
                return (prompts, message);
            }
        }
    }

    /// Calls a tool.
    pub(crate) fn tool(&mut self, tool: &str, arguments: &Value) -> Value {
        self.request("tools/call", &json!({ "name": tool, "arguments": arguments }))
    }

    /// Removes the last response and its log notifications from the recording.
    pub(crate) fn forget_last(&mut self) {
        self.output.pop();
        while self.output.last().is_some_and(|line| line.contains("notifications/message")) {
            self.output.pop();
        }
    }

    /// Everything the server wrote to standard output.
    pub(crate) fn output(&mut self) -> Vec<u8> {
        self.output.extend(self.server.pending_lines());
        self.output.join("\n").into_bytes()
    }

    /// Everything the server wrote to standard error.
    pub(crate) fn stderr(&self) -> Vec<u8> {
        fs::read(&self.errors).unwrap()
    }

    /// Closes the connection, waits for the server to exit, and returns its standard error.
    pub(crate) fn finish(self) -> String {
        let (_, status) = self.server.finish();
        assert!(status.success(), "{status}");
        String::from_utf8(fs::read(&self.errors).unwrap()).unwrap()
    }

    fn begin(&mut self, method: &str, params: &Value) -> u64 {
        let id = self.next;
        self.next += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    fn next_message(&mut self, request: &str) -> Value {
        let line = self.server.next_line(RESPONSE_TIMEOUT);
        let line = line.unwrap_or_else(|| panic!("no response to {request}"));
        let message = serde_json::from_str(&line).unwrap();
        self.output.push(line);
        message
    }

    fn send(&mut self, message: &Value) {
        self.server.send(message.to_string().as_bytes());
    }
}

/// A client of a server on HTTP.
pub(crate) struct HttpClient {
    server: HttpServer,
    session: String,
    output: Vec<u8>,
    next: i64,
}

impl HttpClient {
    /// Starts a server on a free port and initializes the session.
    pub(crate) fn start(stage: &TestDesktop) -> Self {
        let server = HttpServer::start(stage, &[]);
        let response = server.request(None, 0, "initialize", initialize_params(VERSION));
        let session = response.header("mcp-session-id").unwrap();
        let output = whole(response).into_bytes();
        Self { server, session, output, next: 1 }
    }

    /// Calls a tool and records the response.
    pub(crate) fn tool(&mut self, tool: &str, arguments: &Value) -> String {
        let id = self.next;
        self.next += 1;
        let params = json!({ "name": tool, "arguments": arguments });
        let answer = whole(self.server.request(Some(&self.session), id, "tools/call", params));
        self.output.extend(answer.as_bytes());
        answer
    }

    /// Requests a page with GET.
    pub(crate) fn get(&self, path: &str) -> String {
        whole(self.server.get(path))
    }

    /// Everything the server sent.
    pub(crate) fn output(&self) -> Vec<u8> {
        self.output.clone()
    }
}

/// Reads a response to its end and returns its head and body.
fn whole(response: HttpResponse) -> String {
    let head = response.head.clone();
    head + &response.text()
}
