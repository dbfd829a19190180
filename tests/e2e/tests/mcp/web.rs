//! A client that speaks HTTP to the built server byte by byte and hides nothing.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Stdio},
    time::Duration,
};

use harness::{Stage, outcome};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

/// How long an answer may take on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// A server that listens.
pub(crate) struct Server {
    child: Child,
    /// Its address.
    pub(crate) at: String,
}

impl Server {
    /// Starts a server of the fixtures on a free port.
    pub(crate) fn begin(stage: &Stage, options: &[&str]) -> Self {
        Self::real(stage, &[&["--conformance"], options].concat())
    }

    /// Starts a server of the tools on a free port.
    pub(crate) fn real(stage: &Stage, options: &[&str]) -> Self {
        Self::set(stage, options, &[])
    }

    /// The same, with settings by variables.
    pub(crate) fn set(stage: &Stage, options: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut child = stage
            .command(outcome::binary())
            .args(["mcp", "serve", "--http", "127.0.0.1:0"])
            .args(options)
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Other remarks may come before it says where.
        let mut said = String::new();
        let mut told = BufReader::new(child.stderr.take().unwrap());
        while !said.contains("://") && told.read_line(&mut said).unwrap() > 0 {}
        let at = said.split("://").nth(1).and_then(|it| it.split('/').next());
        let at = at.unwrap_or_else(|| panic!("it does not say where: {said}")).to_owned();
        Self { child, at }
    }

    /// Its process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Opens a connection.
    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.at).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends a request; HTTP 1.0, so that the end of the body is the end of the connection.
    pub(crate) fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Reply {
        let stream = self.connect();
        let mut head = format!("{method} {path} HTTP/1.0\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            head.push_str(&format!("Host: {}\r\n", self.at));
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
        let mut to = &stream;
        to.write_all(head.as_bytes()).unwrap();
        // A server that has refused the head may close before it has read the body.
        let _ = to.write_all(body);
        Reply::read(stream)
    }

    /// Reads an address.
    pub(crate) fn get(&self, path: &str) -> Reply {
        self.send("GET", path, &[("Accept", "*/*")], b"")
    }

    /// Posts bytes as a client of a session does.
    pub(crate) fn post(&self, session: Option<&str>, body: &[u8]) -> Reply {
        let mut headers = vec![
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ];
        if let Some(session) = session {
            headers.push(("Mcp-Session-Id", session));
        }
        self.send("POST", "/mcp", &headers, body)
    }

    /// Posts a message as somebody who holds a token.
    pub(crate) fn post_as(&self, token: &str, session: Option<&str>, message: &Value) -> Reply {
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

    /// A new session of somebody who holds a token.
    pub(crate) fn session_as(&self, token: &str) -> String {
        let message = request(0, "initialize", hello("2025-11-25"));
        let reply = self.post_as(token, None, &message);
        assert_eq!(reply.status, 200, "{}", reply.head);
        reply.header("mcp-session-id").unwrap()
    }

    /// Calls a tool as of 2026-07-28 for somebody who holds a token; the whole answer.
    pub(crate) fn call_as(&self, token: &str, tool: &str, arguments: Value) -> Reply {
        self.modern_as(token, tool, &modern_call(tool, arguments))
    }

    /// Reads a resource as of 2026-07-28 for somebody who holds a token; the whole answer.
    pub(crate) fn read_as(&self, token: &str, uri: &str) -> Reply {
        self.modern_as(token, uri, &modern("resources/read", json!({ "uri": uri })))
    }

    fn modern_as(&self, token: &str, name: &str, message: &Value) -> Reply {
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

    /// How many sessions and calls of tools it counts.
    pub(crate) fn counts(&self) -> (u64, u64) {
        let text = self.get("/metrics").text();
        let of = |name: &str| -> u64 {
            let lines = text.lines().filter(|line| line.starts_with(name));
            lines.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).sum::<f64>()
                as u64
        };
        (of("deskhand_sessions "), of("deskhand_calls_total"))
    }

    /// Posts a request.
    pub(crate) fn ask(&self, session: Option<&str>, id: i64, method: &str, params: Value) -> Reply {
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.post(session, message.to_string().as_bytes())
    }

    /// A new session of the newest version of the handshake.
    pub(crate) fn session(&self) -> String {
        self.session_of("2025-11-25")
    }

    /// A new session of a version.
    pub(crate) fn session_of(&self, version: &str) -> String {
        let mut reply = self.ask(None, 0, "initialize", hello(version));
        assert_eq!(reply.status, 200, "{}", reply.head);
        let id = reply.header("mcp-session-id").unwrap();
        let answer = reply.event().unwrap().message();
        assert_eq!(answer["result"]["protocolVersion"], version, "{answer}");
        id
    }

    /// Takes up a stream where it broke.
    pub(crate) fn resume(&self, session: &str, last: &str) -> Reply {
        let headers = [
            ("Accept", "text/event-stream"),
            ("Mcp-Session-Id", session),
            ("Mcp-Protocol-Version", "2025-11-25"),
            ("Last-Event-ID", last),
        ];
        self.send("GET", "/mcp", &headers, b"")
    }

    /// Asks the process to end.
    pub(crate) fn ask_to_end(&self, how: Signal) {
        kill_process(Pid::from_child(&self.child), how).unwrap();
    }

    /// Waits for the process to end; its exit code.
    pub(crate) fn wait(mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself, which the test has noticed then.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A request.
pub(crate) fn request(id: i64, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

/// A call of a tool as of 2026-07-28.
pub(crate) fn modern_call(tool: &str, arguments: Value) -> Value {
    modern("tools/call", json!({ "name": tool, "arguments": arguments }))
}

/// A request as of 2026-07-28.
fn modern(method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "web", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    request(1, method, params)
}

/// What a client says first.
pub(crate) fn hello(version: &str) -> Value {
    let client = json!({ "name": "web", "version": "1" });
    json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": client })
}

/// The beginning of an answer, and the connection the rest comes by.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: BufReader<TcpStream>,
}

/// One event of a stream.
#[derive(Debug, Clone)]
pub(crate) struct Event {
    pub(crate) id: Option<String>,
    pub(crate) kind: String,
    pub(crate) data: String,
}

impl Event {
    /// Its message, null where it has none.
    pub(crate) fn message(&self) -> Value {
        serde_json::from_str(&self.data).unwrap_or_default()
    }
}

impl Reply {
    /// Reads the head of an answer.
    pub(crate) fn read(stream: TcpStream) -> Self {
        let mut body = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(body.read_line(&mut head).unwrap() > 0, "the answer ends early: {head}");
        }
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Self { status, head, body }
    }

    /// A header of it.
    pub(crate) fn header(&self, name: &str) -> Option<String> {
        let of = |line: &str| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        };
        self.head.lines().find_map(of)
    }

    /// The rest as text.
    pub(crate) fn text(mut self) -> String {
        let mut text = String::new();
        self.body.read_to_string(&mut text).unwrap();
        text
    }

    /// The rest as JSON.
    pub(crate) fn json(self) -> Value {
        let head = self.head.clone();
        let text = self.text();
        serde_json::from_str(&text).unwrap_or_else(|_| panic!("{head}{text}"))
    }

    /// The next event; nothing at the end or when the connection broke.
    pub(crate) fn event(&mut self) -> Option<Event> {
        let mut event = Event { id: None, kind: String::new(), data: String::new() };
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

    /// The first message of a kind; what comes before is let be.
    pub(crate) fn first(&mut self, fits: impl Fn(&Value) -> bool) -> Option<Value> {
        std::iter::from_fn(|| self.event()).map(|event| event.message()).find(fits)
    }
}
