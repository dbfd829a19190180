//! Streamable HTTP: sessions, wrong requests, and clients whose connection breaks.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{Shutdown, TcpStream},
    process::{Child, Stdio},
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use e2e::{Stage, outcome};
use serde_json::{Value, json};

/// How long an answer may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server that listens.
struct Server {
    child: Child,
    at: String,
}

impl Server {
    fn begin(stage: &Stage) -> Self {
        let mut child = stage
            .command(outcome::binary())
            .args(["mcp", "serve", "--conformance", "--http", "127.0.0.1:0"])
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let at = line.split("http://").nth(1).and_then(|it| it.split('/').next());
        let at = at.unwrap_or_else(|| panic!("it does not say where: {line}")).to_owned();
        Self { child, at }
    }

    /// Sends a request; HTTP 1.0, so that the end of the body is the end of the connection.
    fn send(&self, method: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        let stream = TcpStream::connect(&self.at).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut head = format!("{method} /mcp HTTP/1.0\r\n");
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

    fn post(&self, session: Option<&str>, body: &[u8]) -> Reply {
        let mut headers = vec![
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ];
        if let Some(session) = session {
            headers.push(("Mcp-Session-Id", session));
            headers.push(("Mcp-Protocol-Version", "2025-11-25"));
        }
        self.send("POST", &headers, body)
    }

    fn ask(&self, session: Option<&str>, id: i64, method: &str, params: Value) -> Reply {
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.post(session, message.to_string().as_bytes())
    }

    fn session(&self) -> String {
        let client = json!({ "name": "http", "version": "1" });
        let params =
            json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
        let mut reply = self.ask(None, 0, "initialize", params);
        assert_eq!(reply.status, 200, "{}", reply.head);
        let id = reply.header("mcp-session-id").unwrap();
        assert!(reply.event().unwrap().1["result"]["capabilities"]["tasks"].is_object());
        id
    }

    fn resume(&self, session: &str, last: &str) -> Reply {
        let headers = [
            ("Accept", "text/event-stream"),
            ("Mcp-Session-Id", session),
            ("Mcp-Protocol-Version", "2025-11-25"),
            ("Last-Event-ID", last),
        ];
        self.send("GET", &headers, b"")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself, which the test has noticed then.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct Reply {
    status: u16,
    head: String,
    body: BufReader<TcpStream>,
}

impl Reply {
    fn read(stream: TcpStream) -> Self {
        let mut body = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(body.read_line(&mut head).unwrap() > 0, "the answer ends early: {head}");
        }
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Self { status, head, body }
    }

    fn header(&self, name: &str) -> Option<String> {
        let of = |line: &str| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        };
        self.head.lines().find_map(of)
    }

    fn json(mut self) -> Value {
        let mut text = String::new();
        self.body.read_to_string(&mut text).unwrap();
        serde_json::from_str(&text).unwrap_or_else(|_| panic!("{}{text}", self.head))
    }

    /// The next event: its id and its message, null where it has none. Nothing at the end or when the
    /// connection broke.
    fn event(&mut self) -> Option<(Option<String>, Value)> {
        let (mut id, mut data) = (None, String::new());
        loop {
            let mut line = String::new();
            if self.body.read_line(&mut line).ok()? == 0 {
                return None;
            }
            let line = line.trim_end();
            if let Some(rest) = line.strip_prefix("id:") {
                id = Some(rest.trim().to_owned());
            } else if let Some(rest) = line.strip_prefix("data:") {
                data.push_str(rest.trim());
            } else if line.is_empty() && (id.is_some() || !data.is_empty()) {
                return Some((id, serde_json::from_str(&data).unwrap_or_default()));
            }
        }
    }
}

#[test]
fn wrong_requests_are_answered_in_json_with_their_code() {
    let stage = Stage::new();
    let server = Server::begin(&stage);
    let session = server.session();
    let own = Some(session.as_str());
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }).to_string();
    let batch = format!("[{ping}]");
    let large = vec![b' '; 5 * 1024 * 1024];
    let cases: &[(Option<&str>, &[u8], u16, i64)] = &[
        (own, b"{bad", 400, -32700),
        (None, b"{bad", 400, -32700),
        (own, b"7", 400, -32600),
        (own, batch.as_bytes(), 400, -32600),
        (own, br#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, 400, -32600),
        (own, &large, 413, -32600),
        (None, ping.as_bytes(), 400, -32600),
        (Some("no-such-session"), ping.as_bytes(), 404, -32600),
    ];
    for (session, body, status, code) in cases {
        let reply = server.post(*session, body);
        let shown = String::from_utf8_lossy(&body[..body.len().min(60)]).into_owned();
        assert_eq!(reply.status, *status, "{shown}: {}", reply.head);
        let answer = reply.json();
        assert_eq!(answer["error"]["code"], *code, "{shown}: {answer}");
    }
    let mut misfit = server.ask(own, 2, "tools/call", json!({ "name": 7 }));
    let answer = std::iter::from_fn(|| misfit.event()).map(|event| event.1).find(Value::is_object);
    assert_eq!(answer.unwrap()["error"]["code"], -32602);
    let evil = [("Host", "evil.example"), ("Content-Type", "application/json")];
    assert_eq!(server.send("POST", &evil, ping.as_bytes()).status, 403);
    let evil = [("Origin", "http://evil.example"), ("Content-Type", "application/json")];
    assert_eq!(server.send("POST", &evil, ping.as_bytes()).status, 403);
}

#[test]
fn pages_of_this_machine_may_call() {
    let stage = Stage::new();
    let server = Server::begin(&stage);
    let page = ("Origin", "http://localhost:3000");
    let asks = [
        page,
        ("Access-Control-Request-Method", "POST"),
        ("Access-Control-Request-Headers", "content-type, mcp-session-id, x-other"),
    ];
    let granted = server.send("OPTIONS", &asks, b"");
    assert_eq!(granted.status, 204, "{}", granted.head);
    let may = |name: &str| granted.header(name).unwrap_or_default();
    assert_eq!(may("access-control-allow-origin"), "http://localhost:3000");
    assert_eq!(may("access-control-allow-headers"), "content-type, mcp-session-id");
    assert!(may("access-control-allow-methods").contains("DELETE"));
    let refused = server.send("POST", &[page, ("Content-Type", "application/json")], b"{bad");
    assert_eq!(refused.header("access-control-allow-origin").as_deref(), Some(page.1));
}

#[test]
fn a_session_ends_when_its_client_says_so() {
    let stage = Stage::new();
    let server = Server::begin(&stage);
    let (first, second) = (server.session(), server.session());
    assert_ne!(first, second);
    let headers = [("Mcp-Session-Id", first.as_str()), ("Mcp-Protocol-Version", "2025-11-25")];
    assert_eq!(server.send("DELETE", &headers, b"").status, 204);
    assert_eq!(server.ask(Some(&first), 1, "ping", json!({})).status, 404);
    assert_eq!(server.ask(Some(&second), 1, "ping", json!({})).status, 200);
}

#[test]
fn events_of_another_session_are_not_given_out() {
    let stage = Stage::new();
    let server = Server::begin(&stage);
    let (first, second) = (server.session(), server.session());
    let greet = json!({ "name": "greet", "arguments": { "name": "Ann" } });
    let mut reply = server.ask(Some(&first), 1, "tools/call", greet);
    let events: Vec<_> = std::iter::from_fn(|| reply.event()).collect();
    let (last, answer) = events.last().unwrap();
    assert_eq!(answer["result"]["content"][0]["text"], "Hello, Ann!");
    let last = last.as_deref().unwrap();
    let refused = server.resume(&second, last);
    assert_eq!(refused.status, 400, "{}", refused.head);
    assert_eq!(refused.json()["error"]["code"], -32600);
    assert_eq!(server.resume(&first, "made-up").status, 400);
}

#[test]
fn every_result_arrives_once_however_often_the_connection_breaks() {
    const CALLS: usize = 200;
    let stage = Stage::new();
    let server = Server::begin(&stage);
    let session = server.session();
    let (next, broken) = (AtomicUsize::new(1), AtomicUsize::new(0));
    std::thread::scope(|threads| {
        for _ in 0..8 {
            threads.spawn(|| {
                loop {
                    let id = next.fetch_add(1, Ordering::Relaxed);
                    if id > CALLS {
                        return;
                    }
                    broken.fetch_add(one_call(&server, &session, id), Ordering::Relaxed);
                }
            });
        }
    });
    let broken = broken.into_inner();
    assert!(broken > CALLS / 2, "the connection broke only {broken} times");
}

/// Makes a call whose connection breaks at random moments, and returns how often it did.
fn one_call(server: &Server, session: &str, id: usize) -> usize {
    let params = json!({ "name": "slow_compute", "arguments": { "seconds": 0.4 } });
    let id = i64::try_from(id).unwrap();
    let mut reply = server.ask(Some(session), id, "tools/call", params);
    // Without a name to come back by nobody can come back, so it is there before anything breaks.
    let mut last = reply.event().unwrap().0;
    let (mut results, mut broken) = (0, 0);
    loop {
        assert_eq!(reply.status, 200, "{}", reply.head);
        let socket = reply.body.get_ref().try_clone().unwrap();
        let cut = Duration::from_millis(fastrand::u64(20..300));
        std::thread::spawn(move || {
            std::thread::sleep(cut);
            // It has ended already where everything arrived.
            let _ = socket.shutdown(Shutdown::Both);
        });
        while let Some((event, message)) = reply.event() {
            if message["id"] == id {
                results += 1;
                assert_eq!(message["result"]["content"][0]["text"], "Took 0.4 s", "{message}");
            }
            last = event.or(last);
        }
        if results > 0 {
            // What comes after the result is the end, not the result again.
            let mut rest = server.resume(session, last.as_deref().unwrap());
            assert!(rest.event().is_none(), "something came after the result of {id}");
            assert_eq!(results, 1);
            return broken;
        }
        broken += 1;
        assert!(broken < 200, "call {id} never ends");
        let from = last.clone().expect("a name to come back by");
        reply = server.resume(session, &from);
    }
}
