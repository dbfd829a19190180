//! MCP clients over stdio and HTTP that record everything the server writes.

use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    path::PathBuf,
    process::{Child, ChildStdin, Stdio},
    sync::mpsc::Receiver,
    time::Duration,
};

use harness::{TestDesktop, outcome, output_lines};
use serde_json::{Value, json};

const RESPONSE_TIMEOUT: Duration = Duration::from_secs(60);

/// A client of a server on standard streams.
pub(crate) struct StdioClient {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
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
        let mut child = stage
            .command(outcome::binary())
            .args(["mcp", "serve"])
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(fs::File::create(&errors).unwrap())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take();
        let lines = output_lines::line_channel(child.stdout.take().unwrap());
        let mut client = Self { child, stdin, lines, output: Vec::new(), errors, next: 1 };
        let mut params = initialize_params();
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
        self.output.extend(self.lines.try_iter());
        self.output.join("\n").into_bytes()
    }

    /// Everything the server wrote to standard error.
    pub(crate) fn stderr(&self) -> Vec<u8> {
        fs::read(&self.errors).unwrap()
    }

    /// Closes the connection, waits for the server to exit, and returns its standard error.
    pub(crate) fn finish(mut self) -> String {
        drop(self.stdin.take());
        let ended = self.child.wait().unwrap();
        assert!(ended.success(), "{ended}");
        String::from_utf8(self.stderr()).unwrap()
    }

    fn begin(&mut self, method: &str, params: &Value) -> u64 {
        let id = self.next;
        self.next += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    fn next_message(&mut self, request: &str) -> Value {
        let line = self.lines.recv_timeout(RESPONSE_TIMEOUT);
        let line = line.unwrap_or_else(|error| panic!("{request}: {error}"));
        let message = serde_json::from_str(&line).unwrap();
        self.output.push(line);
        message
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.stdin.as_mut().unwrap(), "{message}").unwrap();
    }
}

impl Drop for StdioClient {
    fn drop(&mut self) {
        drop(self.stdin.take());
        // The server ends with its client. If it hangs, the desktop ends it.
        let _ = self.child.wait();
    }
}

/// A client of a server on HTTP.
pub(crate) struct HttpClient {
    child: Child,
    address: String,
    session: String,
    output: Vec<u8>,
    next: u64,
}

impl HttpClient {
    /// Starts a server on a free port and initializes the session.
    pub(crate) fn start(stage: &TestDesktop) -> Self {
        let mut child = stage
            .command(outcome::binary())
            .args(["mcp", "serve", "--http", "127.0.0.1:0"])
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let address = output_lines::http_address(child.stderr.take().unwrap());
        let mut client =
            Self { child, address, session: String::new(), output: Vec::new(), next: 1 };
        let answer = client.post("initialize", &initialize_params());
        let session = answer.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("mcp-session-id").then(|| value.trim().to_owned())
        });
        client.session = session.unwrap_or_else(|| panic!("no session: {answer}"));
        client
    }

    /// Calls a tool and records the response.
    pub(crate) fn tool(&mut self, tool: &str, arguments: &Value) -> String {
        self.post("tools/call", &json!({ "name": tool, "arguments": arguments }))
    }

    /// Requests a page with GET.
    pub(crate) fn get(&self, path: &str) -> String {
        self.exchange(&format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
            self.address
        ))
    }

    /// Everything the server sent.
    pub(crate) fn output(&self) -> Vec<u8> {
        self.output.clone()
    }

    fn post(&mut self, method: &str, params: &Value) -> String {
        let id = self.next;
        self.next += 1;
        let body =
            json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string();
        let session = if self.session.is_empty() {
            String::new()
        } else {
            format!("Mcp-Session-Id: {}\r\nMCP-Protocol-Version: 2025-11-25\r\n", self.session)
        };
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\n{session}Content-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        let answer = self.exchange(&request);
        self.output.extend(answer.as_bytes());
        answer
    }

    fn exchange(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(RESPONSE_TIMEOUT)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }
}

impl Drop for HttpClient {
    fn drop(&mut self) {
        // The server may just have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn initialize_params() -> Value {
    json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": { "name": "e2e", "version": "1" },
    })
}
