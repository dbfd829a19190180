//! The server under attack over HTTP: after each an honest client is answered.

use std::{
    io::{ErrorKind, Read, Write},
    net::{Shutdown, TcpStream},
};

use harness::Stage;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::json;

use super::web::{PATIENCE, Server, hello, request};

/// Proves that an honest client is answered, with no more patience than any client has.
fn honest(server: &Server) {
    let session = server.session();
    let reply = server.ask(Some(&session), 1, "ping", json!({}));
    assert_eq!(reply.status, 200, "{}", reply.head);
    let headers = [("Mcp-Session-Id", session.as_str()), ("Mcp-Protocol-Version", "2025-11-25")];
    assert_eq!(server.send("DELETE", "/mcp", &headers, b"").status, 204);
}

fn resident_mb(server: &Server) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.split_whitespace().next().unwrap().parse::<u64>().unwrap() / 1024
}

fn open_files(server: &Server) -> usize {
    std::fs::read_dir(format!("/proc/{}/fd", server.pid())).unwrap().count()
}

/// Everything a connection still says, until it is closed.
fn rest(mut stream: &TcpStream) -> String {
    let mut all = Vec::new();
    // A connection that was cut may be reset.
    let _ = stream.read_to_end(&mut all);
    String::from_utf8_lossy(&all).into_owned()
}

#[test]
fn a_name_that_was_made_to_lead_here_leads_nowhere() {
    let stage = Stage::new();
    let server = Server::begin(&stage, &["--sse"]);
    let port = server.at.rsplit(':').next().unwrap().to_owned();
    let hosts = [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        format!("localhost.evil.example:{port}"),
        format!("127.0.0.1.evil.example:{port}"),
        format!("evil.example@localhost:{port}"),
        format!("192.0.2.1:{port}"),
        format!("localhost:{port}, evil.example"),
        "[::2]".to_owned(),
        String::new(),
    ];
    let body = request(1, "initialize", hello("2025-11-25")).to_string();
    for host in &hosts {
        for (method, path) in
            [("POST", "/mcp"), ("GET", "/sse"), ("GET", "/health"), ("GET", "/metrics")]
        {
            let headers = [
                ("Host", host.as_str()),
                ("Content-Type", "application/json"),
                ("Accept", "application/json, text/event-stream"),
            ];
            let reply = server.send(method, path, &headers, body.as_bytes());
            assert!([400, 403].contains(&reply.status), "{host} {path}: {}", reply.head);
        }
    }
    let absolute = format!("http://evil.example:{port}/mcp");
    let headers = [("Host", "localhost"), ("Content-Type", "application/json")];
    assert_eq!(server.send("POST", &absolute, &headers, body.as_bytes()).status, 403);
    assert_eq!(server.counts().0, 0, "no session was begun");
    honest(&server);
}

#[test]
fn who_sends_a_little_at_a_time_keeps_nobody_out() {
    let stage = Stage::new();
    let variables = [("MCP_HTTP_READ_TIMEOUT", "2"), ("DESKHAND_HTTP_MAX_CONNECTIONS", "100")];
    let server = Server::set(&stage, &["--conformance"], &variables);
    let body = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
        Accept: application/json, text/event-stream\r\nContent-Length: 1000\r\n\r\n{\"json";
    for beginning in [b"POST /mcp HTTP/1.1\r\nHost: loc".as_slice(), body] {
        let held: Vec<TcpStream> = (0..300)
            .map(|_| {
                let mut stream = server.connect();
                stream.write_all(beginning).unwrap();
                stream
            })
            .collect();
        honest(&server);
        assert!(open_files(&server) < 200, "{} files", open_files(&server));
        for (number, mut stream) in held.iter().enumerate() {
            // One that was cut off already takes nothing any more.
            let _ = stream.write_all(b"x");
            let said = rest(stream);
            assert!(!said.contains("200 OK"), "{number}: {said}");
        }
    }
    let late = server.connect();
    (&late).write_all(body).unwrap();
    assert!(rest(&late).contains("408 Request Timeout"), "who is late is told so");
    honest(&server);
}

#[test]
fn a_body_or_head_without_end_is_cut_off() {
    let stage = Stage::new();
    let server = Server::begin(&stage, &[]);
    let before = resident_mb(&server);
    let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
        Accept: application/json, text/event-stream\r\n";
    let told = server.connect();
    write!(&told, "{head}Content-Length: 1073741824\r\n\r\n").unwrap();
    assert!(rest(&told).starts_with("HTTP/1.1 413"));
    let mut chunked = server.connect();
    chunked.set_write_timeout(Some(PATIENCE)).unwrap();
    write!(chunked, "{head}Transfer-Encoding: chunked\r\n\r\n").unwrap();
    let mut chunk = b"100000\r\n".to_vec();
    chunk.resize(chunk.len() + 0x0010_0000, b' ');
    chunk.extend_from_slice(b"\r\n");
    let sent = (0..1024).take_while(|_| chunked.write_all(&chunk).is_ok()).count();
    assert!(sent < 64, "{sent} MB were taken");
    let long = server.connect();
    let name = "x".repeat(1000);
    write!(&long, "GET /health HTTP/1.1\r\nHost: localhost\r\n").unwrap();
    let lines = (0..10_000).take_while(|_| write!(&long, "{name}: {name}\r\n").is_ok()).count();
    assert!(lines < 10_000, "a head of {lines} lines was taken");
    let address = server.send("GET", &format!("/mcp?{}", "x".repeat(100_000)), &[], b"");
    assert!([414, 431].contains(&address.status), "{}", address.head);
    let grown = resident_mb(&server).saturating_sub(before);
    assert!(grown < 64, "it grew by {grown} MB");
    honest(&server);
}

#[test]
fn who_does_not_read_is_cut_off() {
    let stage = Stage::new();
    let server = Server::set(&stage, &["--conformance"], &[("MCP_HTTP_WRITE_TIMEOUT", "1")]);
    let before = resident_mb(&server);
    let mut deaf = server.connect();
    deaf.set_write_timeout(Some(PATIENCE)).unwrap();
    let question = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(1000);
    let ended = loop {
        if let Err(error) = deaf.write_all(&question) {
            break error.kind();
        }
    };
    let cut = [ErrorKind::ConnectionReset, ErrorKind::BrokenPipe];
    assert!(cut.contains(&ended), "the client gave up first: {ended}");
    let grown = resident_mb(&server).saturating_sub(before);
    assert!(grown < 64, "it grew by {grown} MB");
    honest(&server);
}

#[test]
fn ten_thousand_connections_keep_nobody_out() {
    const MANY: u64 = 10_000;
    let limit = getrlimit(Resource::Nofile);
    let enough = Some(MANY + 200);
    let maximum = limit.maximum.max(enough);
    // Where the hard limit is lower, only root may raise it; the message says so then.
    setrlimit(Resource::Nofile, Rlimit { current: enough, maximum })
        .expect("10,200 files may be open: `ulimit -Hn` is too low for this test");
    let stage = Stage::new();
    let server = Server::begin(&stage, &[]);
    let mut held = Vec::new();
    for number in 0..MANY {
        held.push(server.connect());
        if number % 2500 == 0 {
            honest(&server);
        }
    }
    honest(&server);
    assert!(open_files(&server) < 700, "{} files", open_files(&server));
    drop(held);
    honest(&server);
}

#[test]
fn many_sessions_keep_nobody_out_and_none_that_is_in_use() {
    let stage = Stage::new();
    let variables = [("DESKHAND_HTTP_MAX_SESSIONS", "20")];
    let server = Server::set(&stage, &["--conformance"], &variables);
    let used = server.session();
    let headers = [
        ("Mcp-Session-Id", used.as_str()),
        ("Mcp-Protocol-Version", "2025-11-25"),
        ("Accept", "text/event-stream"),
    ];
    let reading = server.send("GET", "/mcp", &headers, b"");
    assert_eq!(reading.status, 200, "{}", reading.head);
    for _ in 0..200 {
        server.session();
    }
    assert_eq!(server.counts().0, 20);
    assert_eq!(server.ask(Some(&used), 1, "ping", json!({})).status, 200);
    reading.body.get_ref().shutdown(Shutdown::Both).unwrap();
    honest(&server);
}
