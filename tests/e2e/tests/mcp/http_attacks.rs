//! Attacks over HTTP. After each attack a normal client is still served.

use std::{
    io::{ErrorKind, Read, Write},
    net::{Shutdown, TcpStream},
};

use harness::TestDesktop;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::json;

use super::http_server::{HttpServer, RESPONSE_TIMEOUT, initialize_params, request_message};

/// Checks that a normal client is served within the usual timeout.
fn assert_serves_normal_client(server: &HttpServer) {
    let session = server.session();
    let reply = server.request(Some(&session), 1, "ping", json!({}));
    assert_eq!(reply.status, 200, "{}", reply.head);
    let headers = [("Mcp-Session-Id", session.as_str()), ("Mcp-Protocol-Version", "2025-11-25")];
    assert_eq!(server.send("DELETE", "/mcp", &headers, b"").status, 204);
}

fn resident_mb(server: &HttpServer) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.split_whitespace().next().unwrap().parse::<u64>().unwrap() / 1024
}

fn open_files(server: &HttpServer) -> usize {
    std::fs::read_dir(format!("/proc/{}/fd", server.pid())).unwrap().count()
}

/// Everything a connection still receives until it is closed.
fn read_to_end(mut stream: &TcpStream) -> String {
    let mut all = Vec::new();
    // A closed connection may be reset.
    let _ = stream.read_to_end(&mut all);
    String::from_utf8_lossy(&all).into_owned()
}

#[test]
fn dns_rebinding_is_refused() {
    let stage = TestDesktop::new();
    let server = HttpServer::start_conformance(&stage, &["--sse"]);
    let port = server.address.rsplit(':').next().unwrap().to_owned();
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
    let body = request_message(1, "initialize", initialize_params("2025-11-25")).to_string();
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
    assert_eq!(server.session_and_call_counts().0, 0, "a session was created");
    assert_serves_normal_client(&server);
}

#[test]
fn slow_senders_do_not_block_other_clients() {
    let stage = TestDesktop::new();
    let variables = [("MCP_HTTP_READ_TIMEOUT", "2"), ("DESKHAND_HTTP_MAX_CONNECTIONS", "100")];
    let server = HttpServer::start_with(&stage, &["--conformance"], &variables);
    let body = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
        Accept: application/json, text/event-stream\r\nContent-Length: 1000\r\n\r\n{\"json";
    for partial_request in [b"POST /mcp HTTP/1.1\r\nHost: loc".as_slice(), body] {
        let connections: Vec<TcpStream> = (0..300)
            .map(|_| {
                let mut stream = server.connect();
                stream.write_all(partial_request).unwrap();
                stream
            })
            .collect();
        assert_serves_normal_client(&server);
        assert!(open_files(&server) < 200, "{} files", open_files(&server));
        for (number, mut stream) in connections.iter().enumerate() {
            // A connection that is already closed accepts no data.
            let _ = stream.write_all(b"x");
            let response = read_to_end(stream);
            assert!(!response.contains("200 OK"), "{number}: {response}");
        }
    }
    let late = server.connect();
    (&late).write_all(body).unwrap();
    assert!(
        read_to_end(&late).contains("408 Request Timeout"),
        "a late client must get status 408"
    );
    assert_serves_normal_client(&server);
}

#[test]
fn endless_body_and_head_are_cut_off() {
    let stage = TestDesktop::new();
    let server = HttpServer::start_conformance(&stage, &[]);
    let before = resident_mb(&server);
    let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
        Accept: application/json, text/event-stream\r\n";
    let oversized = server.connect();
    write!(&oversized, "{head}Content-Length: 1073741824\r\n\r\n").unwrap();
    assert!(read_to_end(&oversized).starts_with("HTTP/1.1 413"));
    let mut chunked = server.connect();
    chunked.set_write_timeout(Some(RESPONSE_TIMEOUT)).unwrap();
    write!(chunked, "{head}Transfer-Encoding: chunked\r\n\r\n").unwrap();
    let mut chunk = b"100000\r\n".to_vec();
    chunk.resize(chunk.len() + 0x0010_0000, b' ');
    chunk.extend_from_slice(b"\r\n");
    let sent = (0..1024).take_while(|_| chunked.write_all(&chunk).is_ok()).count();
    assert!(sent < 64, "{sent} MB were accepted");
    let long = server.connect();
    let name = "x".repeat(1000);
    write!(&long, "GET /health HTTP/1.1\r\nHost: localhost\r\n").unwrap();
    let lines = (0..10_000).take_while(|_| write!(&long, "{name}: {name}\r\n").is_ok()).count();
    assert!(lines < 10_000, "a head of {lines} lines was accepted");
    let address = server.send("GET", &format!("/mcp?{}", "x".repeat(100_000)), &[], b"");
    assert!([414, 431].contains(&address.status), "{}", address.head);
    let grown = resident_mb(&server).saturating_sub(before);
    assert!(grown < 64, "the server grew by {grown} MB");
    assert_serves_normal_client(&server);
}

#[test]
fn client_that_does_not_read_is_disconnected() {
    let stage = TestDesktop::new();
    let server =
        HttpServer::start_with(&stage, &["--conformance"], &[("MCP_HTTP_WRITE_TIMEOUT", "1")]);
    let before = resident_mb(&server);
    let mut unread = server.connect();
    unread.set_write_timeout(Some(RESPONSE_TIMEOUT)).unwrap();
    let requests = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(1000);
    let ended = loop {
        if let Err(error) = unread.write_all(&requests) {
            break error.kind();
        }
    };
    let cut = [ErrorKind::ConnectionReset, ErrorKind::BrokenPipe];
    assert!(
        cut.contains(&ended),
        "the client timed out before the server closed the connection: {ended}"
    );
    let grown = resident_mb(&server).saturating_sub(before);
    assert!(grown < 64, "the server grew by {grown} MB");
    assert_serves_normal_client(&server);
}

#[test]
fn ten_thousand_connections_do_not_block_other_clients() {
    const CONNECTIONS: u64 = 10_000;
    let limit = getrlimit(Resource::Nofile);
    let enough = Some(CONNECTIONS + 200);
    let maximum = limit.maximum.max(enough);
    // If the hard limit is lower, only root may raise it. The message explains this.
    setrlimit(Resource::Nofile, Rlimit { current: enough, maximum })
        .expect("this test needs 10,200 open files: raise `ulimit -Hn`");
    let stage = TestDesktop::new();
    let server = HttpServer::start_conformance(&stage, &[]);
    let mut connections = Vec::new();
    for number in 0..CONNECTIONS {
        connections.push(server.connect());
        if number % 2500 == 0 {
            assert_serves_normal_client(&server);
        }
    }
    assert_serves_normal_client(&server);
    assert!(open_files(&server) < 700, "{} files", open_files(&server));
    drop(connections);
    assert_serves_normal_client(&server);
}

#[test]
fn many_sessions_do_not_evict_an_active_session() {
    let stage = TestDesktop::new();
    let variables = [("DESKHAND_HTTP_MAX_SESSIONS", "20")];
    let server = HttpServer::start_with(&stage, &["--conformance"], &variables);
    let active = server.session();
    let headers = [
        ("Mcp-Session-Id", active.as_str()),
        ("Mcp-Protocol-Version", "2025-11-25"),
        ("Accept", "text/event-stream"),
    ];
    let reading = server.send("GET", "/mcp", &headers, b"");
    assert_eq!(reading.status, 200, "{}", reading.head);
    for _ in 0..200 {
        server.session();
    }
    assert_eq!(server.session_and_call_counts().0, 20);
    assert_eq!(server.request(Some(&active), 1, "ping", json!({})).status, 200);
    reading.body.get_ref().shutdown(Shutdown::Both).unwrap();
    assert_serves_normal_client(&server);
}
