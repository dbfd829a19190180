//! Two servers with everything they ever write kept: one on its standard streams, one on HTTP.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::PathBuf,
    process::{Child, ChildStdin, Stdio},
    sync::mpsc::{Receiver, channel},
    time::Duration,
};

use harness::{Stage, outcome};
use serde_json::{Value, json};

const HANG: Duration = Duration::from_secs(60);

/// A server on its standard streams.
pub(crate) struct Wire {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    heard: Vec<String>,
    errors: PathBuf,
    next: u64,
}

impl Wire {
    /// Starts a server and shakes hands.
    pub(crate) fn start(stage: &Stage) -> Self {
        Self::with(stage, &[])
    }

    /// The same, with options.
    pub(crate) fn with(stage: &Stage, options: &[&str]) -> Self {
        Self::of(stage, options, &json!({}))
    }

    /// The same for a client with a person who can be asked.
    pub(crate) fn with_person(stage: &Stage, options: &[&str]) -> Self {
        Self::of(stage, options, &json!({ "elicitation": {} }))
    }

    fn of(stage: &Stage, options: &[&str], can: &Value) -> Self {
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
        let stdout = child.stdout.take().unwrap();
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let mut wire = Self { child, stdin, lines, heard: Vec::new(), errors, next: 1 };
        let mut hello = hello();
        hello["capabilities"] = can.clone();
        wire.request("initialize", &hello);
        wire.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        wire
    }

    /// Sends a request and waits for its answer.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.next;
        self.next += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let line = self.lines.recv_timeout(HANG);
            let line = line.unwrap_or_else(|error| panic!("{method}: {error}"));
            let message: Value = serde_json::from_str(&line).unwrap();
            self.heard.push(line);
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Calls a tool and answers every question so; what was asked, and the answer.
    pub(crate) fn answering(
        &mut self,
        tool: &str,
        arguments: &Value,
        person: &Value,
    ) -> (Vec<Value>, Value) {
        let id = self.next;
        self.next += 1;
        let params = json!({ "name": tool, "arguments": arguments });
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }));
        let mut asked = Vec::new();
        loop {
            let line = self.lines.recv_timeout(HANG);
            let line = line.unwrap_or_else(|error| panic!("{tool}: {error}"));
            let message: Value = serde_json::from_str(&line).unwrap();
            self.heard.push(line);
            if message["method"] == "elicitation/create" {
                self.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": person }));
                asked.push(message["params"].clone());
            } else if message["id"] == id {
                return (asked, message);
            }
        }
    }

    /// Calls a tool.
    pub(crate) fn tool(&mut self, tool: &str, arguments: &Value) -> Value {
        self.request("tools/call", &json!({ "name": tool, "arguments": arguments }))
    }

    /// Leaves out of what was heard the last answer and what was logged about it.
    pub(crate) fn forget_last(&mut self) {
        self.heard.pop();
        while self.heard.last().is_some_and(|line| line.contains("notifications/message")) {
            self.heard.pop();
        }
    }

    /// Everything it wrote to its standard output.
    pub(crate) fn heard(&mut self) -> Vec<u8> {
        self.heard.extend(self.lines.try_iter());
        self.heard.join("\n").into_bytes()
    }

    /// Everything it wrote to its standard error.
    pub(crate) fn errors(&self) -> Vec<u8> {
        fs::read(&self.errors).unwrap()
    }

    /// Lets it end; what it wrote to its standard error.
    pub(crate) fn ends(mut self) -> String {
        drop(self.stdin.take());
        let ended = self.child.wait().unwrap();
        assert!(ended.success(), "{ended}");
        String::from_utf8(self.errors()).unwrap()
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.stdin.as_mut().unwrap(), "{message}").unwrap();
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        drop(self.stdin.take());
        // It ends with its client; should it hang, the desktop ends it.
        let _ = self.child.wait();
    }
}

/// A server on HTTP.
pub(crate) struct Web {
    child: Child,
    at: String,
    session: String,
    heard: Vec<u8>,
    next: u64,
}

impl Web {
    /// Starts a server on a free port and shakes hands.
    pub(crate) fn start(stage: &Stage) -> Self {
        let mut child = stage
            .command(outcome::binary())
            .args(["mcp", "serve", "--http", "127.0.0.1:0"])
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let at = line.split("://").nth(1).and_then(|it| it.split('/').next());
        let at = at.unwrap_or_else(|| panic!("it does not say where: {line}")).to_owned();
        let mut web = Self { child, at, session: String::new(), heard: Vec::new(), next: 1 };
        let answer = web.post("initialize", &hello());
        let session = answer.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("mcp-session-id").then(|| value.trim().to_owned())
        });
        web.session = session.unwrap_or_else(|| panic!("no session: {answer}"));
        web
    }

    /// Calls a tool; what came is kept.
    pub(crate) fn tool(&mut self, tool: &str, arguments: &Value) -> String {
        self.post("tools/call", &json!({ "name": tool, "arguments": arguments }))
    }

    /// Gets a page.
    pub(crate) fn get(&self, path: &str) -> String {
        self.exchange(&format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
            self.at
        ))
    }

    /// Everything it answered.
    pub(crate) fn heard(&self) -> Vec<u8> {
        self.heard.clone()
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
            self.at,
            body.len()
        );
        let answer = self.exchange(&request);
        self.heard.extend(answer.as_bytes());
        answer
    }

    fn exchange(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(&self.at).unwrap();
        stream.set_read_timeout(Some(HANG)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        // It may have ended in this very moment.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn hello() -> Value {
    json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": { "name": "e2e", "version": "1" },
    })
}
