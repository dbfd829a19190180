//! The end of a server that is asked to end: what runs finishes or is told, clients see a clean end,
//! the exit code is 0; on every transport.

use std::{
    io::{BufRead, BufReader, Write},
    os::unix::net::UnixStream,
    time::Duration,
};

use harness::Stage;
use rustix::process::Signal;
use serde_json::{Value, json};

use super::{old::Old, socket, talk::Talk, web::Server};

fn slow(seconds: f64) -> Value {
    json!({ "name": "slow_compute", "arguments": { "seconds": seconds } })
}

/// Lets a call begin; one that had not is refused instead of finished.
fn a_moment() {
    std::thread::sleep(Duration::from_millis(500));
}

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

#[test]
fn on_the_standard_streams() {
    let stage = Stage::new();
    for (how, seconds) in [(Signal::TERM, 1.5), (Signal::INT, 600.0)] {
        let mut talk = Talk::initialized(&stage, &["--conformance"], "2025-11-25", json!({}));
        let call = talk.request("tools/call", slow(seconds));
        a_moment();
        talk.ask_to_end(how);
        let answer = talk.answer(call);
        if seconds < 5.0 {
            assert_eq!(text(&answer), "Took 1.5 s");
        } else {
            assert_eq!(answer["error"]["code"], -32000, "{answer}");
        }
        let (exit, rest) = talk.close();
        assert_eq!(exit, Some(0));
        assert!(!rest.iter().any(|one| one["id"] == call), "answered twice: {rest:?}");
    }
}

#[test]
fn what_comes_after_the_end_was_asked_for_is_refused() {
    let stage = Stage::new();
    let mut talk = Talk::initialized(&stage, &["--conformance"], "2025-11-25", json!({}));
    let call = talk.request("tools/call", slow(3.0));
    a_moment();
    talk.ask_to_end(Signal::TERM);
    a_moment();
    let late = talk.request("ping", json!({}));
    assert_eq!(talk.answer(late)["error"]["code"], -32000);
    assert_eq!(text(&talk.answer(call)), "Took 3 s");
    assert_eq!(talk.close().0, Some(0));
}

#[test]
fn at_a_unix_socket() {
    let stage = Stage::new();
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().join("mcp.sock");
    let mut server = socket::serve(&stage, &at, socket::FIXTURES, &[]);
    let clients = [(socket::client(&at), 1.5), (socket::client(&at), 600.0)];
    for (stream, seconds) in &clients {
        let call =
            json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": slow(*seconds) });
        let mut to: &UnixStream = stream;
        to.write_all(format!("{call}\n").as_bytes()).unwrap();
    }
    a_moment();
    socket::ask_to_end(&server);
    for (stream, seconds) in &clients {
        let mut lines = BufReader::new(stream).lines();
        let answer: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        assert_eq!(answer["id"], 1, "{answer}");
        if *seconds < 5.0 {
            assert_eq!(text(&answer), "Took 1.5 s");
        } else {
            assert_eq!(answer["error"]["code"], -32000, "{answer}");
        }
        assert!(lines.next().is_none(), "the end comes after the answer");
    }
    assert_eq!(server.wait().unwrap().code(), Some(0));
    assert!(!at.exists());
}

#[test]
fn over_http_for_clients_of_both_eras() {
    let stage = Stage::new();
    let server = Server::begin(&stage, &[]);
    let session = server.session();
    let own = [("Accept", "text/event-stream"), ("Mcp-Session-Id", session.as_str())];
    let mut open = server.send("GET", "/mcp", &own, b"");
    let waiting = [1.5, 600.0].map(|seconds| {
        let id = if seconds < 5.0 { 1 } else { 2 };
        begun(&server, Some(&session), id, seconds)
    });
    let modern = [1.5, 600.0].map(|seconds| begun(&server, None, 3, seconds));
    a_moment();
    server.ask_to_end(Signal::TERM);
    for (stream, seconds) in waiting.into_iter().zip([1.5, 600.0]) {
        let mut reply = super::web::Reply::read(stream);
        let answer = reply.first(|message| message["id"].is_i64()).unwrap();
        ended(&answer, seconds);
        assert!(reply.event().is_none(), "the end comes after the answer");
    }
    for (stream, seconds) in modern.into_iter().zip([1.5, 600.0]) {
        let reply = super::web::Reply::read(stream);
        assert_eq!(reply.status, if seconds < 5.0 { 200 } else { 503 }, "{}", reply.head);
        ended(&reply.json(), seconds);
    }
    while open.event().is_some() {}
    assert_eq!(server.wait(), Some(0));
}

/// Posts a call and does not wait for its answer.
fn begun(server: &Server, session: Option<&str>, id: i64, seconds: f64) -> std::net::TcpStream {
    let mut params = slow(seconds);
    let mut head = String::from("POST /mcp HTTP/1.0\r\nHost: localhost\r\n");
    head.push_str("Content-Type: application/json\r\n");
    head.push_str("Accept: application/json, text/event-stream\r\n");
    match session {
        Some(session) => head.push_str(&format!("Mcp-Session-Id: {session}\r\n")),
        None => {
            head.push_str("Mcp-Protocol-Version: 2026-07-28\r\n");
            head.push_str("Mcp-Method: tools/call\r\nMcp-Name: slow_compute\r\n");
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "web", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
    }
    let body = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
    let body = body.to_string();
    head.push_str(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
    let mut stream = server.connect();
    stream.write_all(head.as_bytes()).unwrap();
    stream
}

fn ended(answer: &Value, seconds: f64) {
    if seconds < 5.0 {
        assert_eq!(text(answer), "Took 1.5 s");
    } else {
        assert_eq!(answer["error"]["code"], -32000, "{answer}");
    }
}

#[test]
fn over_the_older_sse() {
    let stage = Stage::new();
    let server = Server::begin(&stage, &["--sse"]);
    let mut client = Old::begin(&server, "/sse", "2024-11-05");
    let mut idle = Old::begin(&server, "/events", "2024-11-05");
    assert_eq!(client.request(1, "tools/call", slow(1.5)).status, 202);
    assert_eq!(client.request(2, "tools/call", slow(600.0)).status, 202);
    a_moment();
    server.ask_to_end(Signal::INT);
    assert_eq!(text(&client.answer(1)), "Took 1.5 s");
    assert_eq!(client.answer(2)["error"]["code"], -32000);
    for client in [&mut client, &mut idle] {
        let last = client.event().unwrap();
        assert_eq!(last.kind, "complete", "{last:?}");
        assert!(client.event().is_none(), "the end comes after that");
    }
    drop((client, idle));
    assert_eq!(server.wait(), Some(0));
}

#[test]
fn a_server_nobody_uses_ends_at_once() {
    let stage = Stage::new();
    let server = Server::begin(&stage, &["--sse"]);
    let session = server.session();
    let own = [("Accept", "text/event-stream"), ("Mcp-Session-Id", session.as_str())];
    let mut open = server.send("GET", "/mcp", &own, b"");
    server.ask_to_end(Signal::TERM);
    while open.event().is_some() {}
    assert_eq!(server.wait(), Some(0));
}
