//! Graceful shutdown on every transport: short calls finish, long calls get an error, connections
//! close cleanly, the exit code is 0.

use std::{
    io::{BufRead, BufReader, Write},
    os::unix::net::UnixStream,
    process::Stdio,
    time::{Duration, Instant},
};

use harness::{TestDesktop, inspect::wait_until};
use rustix::process::Signal;
use serde_json::{Value, json};

use super::{
    http_server::HttpServer, legacy_sse_client::LegacySseClient, stdio_client::StdioClient,
    unix_socket,
};

fn slow_call(seconds: f64) -> Value {
    json!({ "name": "slow_compute", "arguments": { "seconds": seconds } })
}

/// Waits until a call has started. A call that has not started is refused.
fn wait_for_start() {
    std::thread::sleep(Duration::from_millis(500));
}

fn result_text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

#[test]
fn shutdown_on_stdio_is_graceful() {
    let stage = TestDesktop::new();
    for (signal, seconds) in [(Signal::TERM, 1.5), (Signal::INT, 600.0)] {
        let mut client =
            StdioClient::start_initialized(&stage, &["--conformance"], "2025-11-25", json!({}));
        let call = client.send_request("tools/call", slow_call(seconds));
        wait_for_start();
        client.send_signal(signal);
        let answer = client.response(call);
        if seconds < 5.0 {
            assert_eq!(result_text(&answer), "Took 1.5 s");
        } else {
            assert_eq!(answer["error"]["code"], -32000, "{answer}");
        }
        let (exit, rest) = client.close();
        assert_eq!(exit, Some(0));
        assert!(!rest.iter().any(|one| one["id"] == call), "the call was answered twice: {rest:?}");
    }
}

#[test]
fn requests_after_the_shutdown_signal_are_refused() {
    let stage = TestDesktop::new();
    let mut client =
        StdioClient::start_initialized(&stage, &["--conformance"], "2025-11-25", json!({}));
    let call = client.send_request("tools/call", slow_call(3.0));
    wait_for_start();
    client.send_signal(Signal::TERM);
    wait_for_start();
    let late = client.send_request("ping", json!({}));
    assert_eq!(client.response(late)["error"]["code"], -32000);
    assert_eq!(result_text(&client.response(call)), "Took 3 s");
    assert_eq!(client.close().0, Some(0));
}

#[test]
fn a_stdio_server_ends_when_its_reader_is_gone() {
    let stage = TestDesktop::new();
    let scope = tempfile::tempdir().unwrap();
    let mut server = stage
        .command(harness::outcome::binary())
        .args(["mcp", "serve", "--stdio", "--toolsets", "cli", "--sandbox-scope"])
        .arg(scope.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut input, output) = (server.stdin.take().unwrap(), server.stdout.take().unwrap());
    let mut lines = BufReader::new(output).lines();
    let params = super::http_server::initialize_params("2025-11-25");
    let initialize = super::http_server::request_message(1, "initialize", params);
    let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let marker = format!("7{}.{}", std::process::id(), line!());
    let sleep =
        json!({ "name": "sandboxed_shell", "arguments": { "command": format!("sleep {marker}") } });
    let call = super::http_server::request_message(2, "tools/call", sleep);
    for message in [initialize, initialized, call] {
        writeln!(input, "{message}").unwrap();
    }
    let is_started = |line: std::io::Result<String>| line.unwrap().contains("\"id\":2");
    assert!(lines.any(is_started), "the command was not started");
    let is_running = || {
        let all = std::process::Command::new("pgrep").args(["-f", &marker]).output().unwrap();
        !all.stdout.is_empty()
    };
    assert!(wait_until(is_running));
    let begin = Instant::now();
    drop(lines);
    // The input stays open: a process that started the dead client may hold it.
    let status = server.wait().unwrap();
    let took = begin.elapsed();
    assert_eq!(status.code(), Some(0));
    assert!(took < Duration::from_secs(5), "{took:?}");
    assert!(wait_until(|| !is_running()), "the command is still running");
    drop(input);
}

#[test]
fn shutdown_on_a_unix_socket_is_graceful() {
    let stage = TestDesktop::new();
    let folder = tempfile::tempdir().unwrap();
    let socket_path = folder.path().join("mcp.sock");
    let mut server = unix_socket::serve(&stage, &socket_path, unix_socket::FIXTURES, &[]);
    let clients =
        [(unix_socket::client(&socket_path), 1.5), (unix_socket::client(&socket_path), 600.0)];
    for (stream, seconds) in &clients {
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": slow_call(*seconds) });
        let mut to: &UnixStream = stream;
        to.write_all(format!("{call}\n").as_bytes()).unwrap();
    }
    wait_for_start();
    unix_socket::terminate(&server);
    for (stream, seconds) in &clients {
        let mut lines = BufReader::new(stream).lines();
        let answer: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        assert_eq!(answer["id"], 1, "{answer}");
        if *seconds < 5.0 {
            assert_eq!(result_text(&answer), "Took 1.5 s");
        } else {
            assert_eq!(answer["error"]["code"], -32000, "{answer}");
        }
        assert!(lines.next().is_none(), "data arrived after the response");
    }
    assert_eq!(server.wait().unwrap().code(), Some(0));
    assert!(!socket_path.exists());
}

#[test]
fn shutdown_on_http_is_graceful_for_both_protocols() {
    let stage = TestDesktop::new();
    let server = HttpServer::start_conformance(&stage, &[]);
    let session = server.session();
    let headers = [("Accept", "text/event-stream"), ("Mcp-Session-Id", session.as_str())];
    let mut open = server.send("GET", "/mcp", &headers, b"");
    let initialized_streams = [1.5, 600.0].map(|seconds| {
        let id = if seconds < 5.0 { 1 } else { 2 };
        post_call(&server, Some(&session), id, seconds)
    });
    let modern_streams = [1.5, 600.0].map(|seconds| post_call(&server, None, 3, seconds));
    wait_for_start();
    server.send_signal(Signal::TERM);
    for (stream, seconds) in initialized_streams.into_iter().zip([1.5, 600.0]) {
        let mut reply = super::http_server::HttpResponse::read(stream);
        let answer = reply.first_message(|message| message["id"].is_i64()).unwrap();
        assert_ended(&answer, seconds);
        assert!(reply.event().is_none(), "data arrived after the response");
    }
    for (stream, seconds) in modern_streams.into_iter().zip([1.5, 600.0]) {
        let reply = super::http_server::HttpResponse::read(stream);
        assert_eq!(reply.status, if seconds < 5.0 { 200 } else { 503 }, "{}", reply.head);
        assert_ended(&reply.json(), seconds);
    }
    while open.event().is_some() {}
    assert_eq!(server.wait(), Some(0));
}

/// Posts a call without waiting for its response.
fn post_call(
    server: &HttpServer,
    session: Option<&str>,
    id: i64,
    seconds: f64,
) -> std::net::TcpStream {
    let mut params = slow_call(seconds);
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

fn assert_ended(answer: &Value, seconds: f64) {
    if seconds < 5.0 {
        assert_eq!(result_text(answer), "Took 1.5 s");
    } else {
        assert_eq!(answer["error"]["code"], -32000, "{answer}");
    }
}

#[test]
fn shutdown_on_legacy_sse_is_graceful() {
    let stage = TestDesktop::new();
    let server = HttpServer::start_conformance(&stage, &["--sse"]);
    let mut client = LegacySseClient::start(&server, "/sse", "2024-11-05");
    let mut idle = LegacySseClient::start(&server, "/events", "2024-11-05");
    assert_eq!(client.send_request(1, "tools/call", slow_call(1.5)).status, 202);
    assert_eq!(client.send_request(2, "tools/call", slow_call(600.0)).status, 202);
    wait_for_start();
    server.send_signal(Signal::INT);
    assert_eq!(result_text(&client.response(1)), "Took 1.5 s");
    assert_eq!(client.response(2)["error"]["code"], -32000);
    for client in [&mut client, &mut idle] {
        let last = client.event().unwrap();
        assert_eq!(last.kind, "complete", "{last:?}");
        assert!(client.event().is_none(), "data arrived after the complete event");
    }
    drop((client, idle));
    assert_eq!(server.wait(), Some(0));
}

#[test]
fn idle_server_ends_at_once() {
    let stage = TestDesktop::new();
    let server = HttpServer::start_conformance(&stage, &["--sse"]);
    let session = server.session();
    let headers = [("Accept", "text/event-stream"), ("Mcp-Session-Id", session.as_str())];
    let mut open = server.send("GET", "/mcp", &headers, b"");
    server.send_signal(Signal::TERM);
    while open.event().is_some() {}
    assert_eq!(server.wait(), Some(0));
}
