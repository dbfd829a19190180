//! A caller that sends what it likes, byte by byte, through each door and in each era.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

/// A server that says nothing for so long hangs.
const HANG: Duration = Duration::from_secs(60);

/// Which way in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Door {
    /// The standard streams.
    Stdio,
    /// HTTP.
    Http,
}

/// How a caller speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// After `initialize`.
    Handshake,
    /// Everything in each request.
    Later,
}

/// A caller and the server it started.
pub struct Caller {
    child: Child,
    era: Era,
    line: Line,
    next: u64,
}

enum Line {
    Stdio { input: Option<ChildStdin>, lines: Receiver<String> },
    Http { at: String, session: Option<String>, token: Option<String> },
}

impl Caller {
    /// Starts a server and shakes hands where that is the way; `can` is what the caller says it can.
    pub fn start(mut command: Command, door: Door, era: Era, can: &Value) -> Self {
        if door == Door::Http {
            command.args(["--http", "127.0.0.1:0"]);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the server starts");
        let mut told = BufReader::new(child.stderr.take().expect("piped"));
        let line = match door {
            Door::Stdio => {
                let output = BufReader::new(child.stdout.take().expect("piped"));
                let (sender, lines) = channel();
                std::thread::spawn(move || {
                    for line in output.lines().map_while(Result::ok) {
                        if sender.send(line).is_err() {
                            break;
                        }
                    }
                });
                Line::Stdio { input: child.stdin.take(), lines }
            }
            Door::Http => {
                let mut first = String::new();
                while !first.contains("://") {
                    first.clear();
                    assert!(told.read_line(&mut first).is_ok_and(|bytes| bytes > 0), "it ended");
                }
                let at = first.split("://").nth(1).and_then(|it| it.split('/').next());
                let at = at.expect("it says where").to_owned();
                Line::Http { at, session: None, token: token_of(&command) }
            }
        };
        // Nothing the server says there may fill its pipe.
        std::thread::spawn(move || std::io::copy(&mut told, &mut std::io::sink()));
        let mut caller = Self { child, era, line, next: 1 };
        if era == Era::Handshake {
            let hello = json!({
                "protocolVersion": "2025-11-25", "capabilities": can,
                "clientInfo": { "name": "hostile", "version": "1" },
            });
            let answer = caller.ask("initialize", &hello.to_string());
            assert!(answer.contains("2025-11-25"), "{answer}");
            caller.say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        }
        caller
    }

    /// Sends a request whose parameters are this text, as it is; returns the answer as it came.
    pub fn ask(&mut self, method: &str, params: &str) -> String {
        let id = self.next;
        self.next += 1;
        let params = match self.era {
            Era::Later => with_meta(params),
            Era::Handshake => params.to_owned(),
        };
        let method = Value::from(method);
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{method},"params":{params}}}"#);
        match &self.line {
            Line::Stdio { .. } => {
                self.say(&text);
                self.answer_to(id)
            }
            Line::Http { .. } => self.post(&text, method.as_str().unwrap_or_default()),
        }
    }

    /// Sends bytes as they are and waits until the server has answered something sent after them;
    /// returns everything that came.
    pub fn raw(&mut self, text: &str) -> String {
        if matches!(self.line, Line::Http { .. }) {
            return self.post(text, "tools/call");
        }
        self.say(text);
        // What was sent may still be at work when the next request is answered.
        std::thread::sleep(Duration::from_millis(200));
        let id = self.next;
        self.next += 1;
        self.say(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#));
        self.all_until(id)
    }

    /// Writes a line and waits for nothing; only the standard streams are for that.
    pub fn say(&mut self, text: &str) {
        match &mut self.line {
            Line::Stdio { input, .. } => {
                let input = input.as_mut().expect("open until the end");
                let flat = text.replace('\n', " ");
                writeln!(input, "{flat}").and_then(|()| input.flush()).expect("the server reads");
            }
            Line::Http { .. } => drop(self.post(text, "")),
        }
    }

    /// The process of the server.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Where the server listens, where it does.
    pub fn address(&self) -> Option<&str> {
        match &self.line {
            Line::Stdio { .. } => None,
            Line::Http { at, .. } => Some(at),
        }
    }

    /// Whether the server still runs.
    pub fn is_alive(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|status| status.is_none())
    }

    /// The next line of the server's, where there is one yet.
    pub fn line(&mut self, within: Duration) -> Option<String> {
        match &self.line {
            // Late, or the end of its output.
            Line::Stdio { lines, .. } => lines.recv_timeout(within).ok(),
            Line::Http { .. } => None,
        }
    }

    /// Goes without a word to the server but the one its door has for it: the end of the stream, or the
    /// end of the session.
    pub fn hang_up(&mut self) {
        match &mut self.line {
            Line::Stdio { input, .. } => *input = None,
            Line::Http { at, session, token } => {
                let id = session.as_deref().unwrap_or_default();
                let shown = authorization(token.as_deref());
                let mut stream = TcpStream::connect(at.as_str()).expect("the server listens");
                let request = format!(
                    "DELETE /mcp HTTP/1.0\r\nHost: {at}\r\nMcp-Session-Id: {id}\r\n\
                     {shown}Mcp-Protocol-Version: 2025-11-25\r\n\r\n"
                );
                stream.write_all(request.as_bytes()).expect("the server reads");
                let mut answer = String::new();
                stream.read_to_string(&mut answer).expect("the server answers");
                assert!(answer.contains(" 204 "), "{answer}");
            }
        }
    }

    fn answer_to(&mut self, id: u64) -> String {
        let all = self.all_until(id);
        all.lines().last().unwrap_or_default().to_owned()
    }

    fn all_until(&mut self, id: u64) -> String {
        let end = Instant::now() + HANG;
        let mut all = String::new();
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let line = self.line(left);
            let line = line.unwrap_or_else(|| panic!("no answer to {id}; so far: {all}"));
            let value: Value = serde_json::from_str(&line).expect("lines are JSON");
            if value.get("method").is_some() && value.get("id").is_some() {
                // A question to the person: nobody is there to say yes.
                let no = json!({ "jsonrpc": "2.0", "id": value["id"], "result": { "action": "decline" } });
                self.say(&no.to_string());
            }
            all.push_str(&line);
            // What is no message at all is answered to nobody.
            let to_nobody = value["id"].is_null() && value.get("error").is_some();
            if value.get("method").is_none() && (value["id"] == id || to_nobody) {
                return all;
            }
            all.push('\n');
        }
    }

    fn post(&mut self, text: &str, method: &str) -> String {
        let Line::Http { at, session, token } = &mut self.line else {
            unreachable!("another door")
        };
        let mut stream = TcpStream::connect(at.as_str()).expect("the server listens");
        stream.set_read_timeout(Some(HANG)).expect("a socket takes a timeout");
        let mut head = format!(
            "POST /mcp HTTP/1.0\r\nHost: {at}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\n{}Content-Length: {}\r\n",
            authorization(token.as_deref()),
            text.len()
        );
        match (self.era, &session) {
            (Era::Later, _) => {
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
        stream.write_all(head.as_bytes()).expect("the server reads");
        // A server that has refused the head may close before it has read the body.
        let _ = stream.write_all(text.as_bytes());
        let mut bytes = Vec::new();
        // What came before a cut is the answer.
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

/// The token a server is told to ask for.
fn token_of(command: &Command) -> Option<String> {
    let mut all = command.get_envs();
    let (_, token) = all.find(|(name, _)| *name == "DESKHAND_HTTP_TOKEN")?;
    Some(token?.to_string_lossy().into_owned())
}

fn authorization(token: Option<&str>) -> String {
    token.map(|token| format!("Authorization: Bearer {token}\r\n")).unwrap_or_default()
}

/// Parameters of the later era: what the caller is comes along.
fn with_meta(params: &str) -> String {
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"hostile","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}"#;
    match params.trim_start().strip_prefix('{') {
        Some(rest) if rest.trim_start().starts_with('}') => format!("{{{meta}{rest}"),
        Some(rest) => format!("{{{meta},{rest}"),
        None => params.to_owned(),
    }
}

impl Caller {
    /// Has the server end in good order; one that does not is killed.
    pub fn leave(mut self) {
        let pid = Pid::from_raw(self.child.id().cast_signed()).expect("a pid");
        // It may have ended by itself.
        let _ = kill_process(pid, Signal::TERM);
        let begun = Instant::now();
        while self.is_alive() && begun.elapsed() < HANG {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Caller {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
