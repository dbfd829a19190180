//! The HTTP+SSE transport of 2024-11-05: both path pairs, invalid requests and reconnects.

use std::{
    net::Shutdown,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use harness::{App, TestDesktop};
use serde_json::{Value, json};

use super::{
    http_server::{HttpServer, command_output, slow_command},
    legacy_sse_client::LegacySseClient,
};

const VERSION: &str = "2024-11-05";

#[test]
fn both_path_pairs_serve_the_same_tools() {
    let stage = TestDesktop::new();
    let app = stage.start_unread(App::Fixture("gtk3_passwords.py", &[]));
    let server = HttpServer::start(&stage, &["--sse"]);
    for (events, messages) in [("/sse", "/messages?"), ("/events", "/message?")] {
        let mut client = LegacySseClient::start(&server, events, VERSION);
        assert!(client.address.starts_with(messages), "{}", client.address);
        let listed = client.request(1, "tools/list", json!({}));
        assert!(listed["result"]["tools"].as_array().is_some_and(|all| all.len() > 10));
        let connect = json!({ "name": "ax_connect", "arguments": { "app": app.pid_text() } });
        let connected = client.request(2, "tools/call", connect);
        assert_eq!(connected["result"]["structuredContent"]["pid"], app.pid(), "{connected}");
        let info = json!({ "name": "ax_session_info", "arguments": {} });
        let info = client.request(3, "tools/call", info);
        let apps = &info["result"]["structuredContent"]["connected_apps"];
        assert_eq!(
            apps.as_array().map(Vec::len),
            Some(1),
            "each client must have its own session: {info}"
        );
    }
}

#[test]
fn legacy_sse_is_off_by_default() {
    let stage = TestDesktop::new();
    let server = HttpServer::start(&stage, &[]);
    for path in ["/sse", "/events", "/messages", "/message"] {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
}

#[test]
fn invalid_requests_have_an_error_code_and_the_stream_continues() {
    let stage = TestDesktop::new();
    let server = HttpServer::start(&stage, &["--sse"]);
    let mut client = LegacySseClient::start(&server, "/sse", VERSION);
    let ping = r#"{"jsonrpc":"2.0","id":90,"method":"ping"}"#;
    let large = vec![b' '; 5 * 1024 * 1024];
    let batch = format!("[{ping}]");
    let inner = r#"{"jsonrpc":"2.0","id":91,"method":"deskhand/task/get"}"#;
    let again = json!({ "jsonrpc": "2.0", "id": 92, "method": "initialize",
        "params": super::http_server::initialize_params(VERSION) });
    let again = again.to_string();
    let cases: &[(&[u8], u16, i64)] = &[
        (b"{bad", 400, -32700),
        (b"", 400, -32700),
        (b"7", 400, -32600),
        (br#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, 400, -32600),
        (br#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, 400, -32602),
        (batch.as_bytes(), 400, -32600),
        (inner.as_bytes(), 400, -32601),
        (again.as_bytes(), 400, -32600),
        (&large, 413, -32600),
    ];
    for (body, status, code) in cases {
        let shown = String::from_utf8_lossy(&body[..body.len().min(60)]).into_owned();
        let reply = client.post(body);
        assert_eq!(reply.status, *status, "{shown}: {}", reply.head);
        assert_eq!(reply.json()["error"]["code"], *code, "{shown}");
    }
    let post = |path: &str, headers: &[(&str, &str)]| {
        let reply = server.send("POST", path, headers, ping.as_bytes());
        let status = reply.status;
        (status, reply.json()["error"]["code"].as_i64())
    };
    let kind = [("Content-Type", "application/json")];
    assert_eq!(post("/messages?sessionId=none", &kind), (404, Some(-32600)));
    assert_eq!(post("/messages", &kind), (400, Some(-32600)));
    assert_eq!(post(&client.address, &[("Content-Type", "text/plain")]), (415, Some(-32600)));
    assert_eq!(server.send("GET", "/sse", &[("Accept", "application/json")], b"").status, 406);
    assert_eq!(server.send("PUT", "/sse", &[], b"").status, 405);
    let modern = server.session();
    assert_eq!(post(&format!("/messages?sessionId={modern}"), &kind), (404, Some(-32600)));
    assert_eq!(server.request(Some(client.session()), 1, "ping", json!({})).status, 404);
    // Errors that are found after the message was accepted are sent on the stream.
    assert_eq!(client.request(93, "no/such", json!({}))["error"]["code"], -32601);
    assert_eq!(client.request(94, "tools/call", json!({ "name": 7 }))["error"]["code"], -32602);
    assert!(client.request(95, "ping", json!({}))["result"].is_object());
}

#[test]
fn unexpected_messages_are_ignored_and_duplicate_ids_refused() {
    let stage = TestDesktop::new();
    let scope = tempfile::tempdir().unwrap();
    let server = HttpServer::start_commands(&stage, scope.path(), &["--sse"]);
    let mut client = LegacySseClient::open(&server, "/sse");
    client.notify("notifications/initialized", json!({}));
    client.notify("notifications/cancelled", json!({ "requestId": 9 }));
    assert!(
        client.request(1, "ping", json!({}))["result"].is_object(),
        "ping must work before initialization"
    );
    assert_eq!(
        client.request(2, "initialize", super::http_server::initialize_params(VERSION))["result"]["protocolVersion"],
        VERSION
    );
    client.notify("notifications/no/such", json!({}));
    client.notify("notifications/cancelled", json!({ "requestId": [] }));
    assert_eq!(client.post(br#"{"jsonrpc":"2.0","id":77,"result":{}}"#).status, 202);
    let slow = slow_command(1.0, "done");
    assert_eq!(client.send_request(5, "tools/call", slow).status, 202);
    let refused = client.send_request(5, "ping", json!({}));
    assert_eq!(refused.status, 400);
    assert_eq!(refused.json()["error"]["code"], -32600);
    assert_eq!(client.response(5)["result"]["isError"], false);
}

#[test]
fn batch_is_answered_on_2025_03_26() {
    let stage = TestDesktop::new();
    let server = HttpServer::start(&stage, &["--sse"]);
    let mut client = LegacySseClient::start(&server, "/sse", "2025-03-26");
    let batch = json!([
        { "jsonrpc": "2.0", "id": 1, "method": "ping" },
        { "jsonrpc": "2.0", "method": "notifications/initialized" },
        { "jsonrpc": "2.0", "id": 2, "method": "tools/list" },
    ]);
    assert_eq!(client.post(batch.to_string().as_bytes()).status, 202);
    let mut answered = [client.event().unwrap().message(), client.event().unwrap().message()];
    answered.sort_by_key(|message| message["id"].as_i64());
    assert!(answered[0]["result"].is_object() && answered[1]["result"]["tools"].is_array());
    assert_eq!(client.post(b"[]").status, 400);
}

#[test]
fn idle_stream_sends_heartbeats() {
    let stage = TestDesktop::new();
    let server = HttpServer::start(&stage, &["--sse", "--heartbeat", "0.2"]);
    let mut client = LegacySseClient::start(&server, "/events", VERSION);
    for _ in 0..3 {
        let beat = client.event().unwrap();
        assert_eq!((beat.kind.as_str(), beat.data.as_str()), ("heartbeat", "ping"), "{beat:?}");
        assert_eq!(beat.id, None, "a heartbeat must have no event id");
    }
    let session = server.session();
    let headers = [
        ("Accept", "text/event-stream"),
        ("Mcp-Session-Id", session.as_str()),
        ("Mcp-Protocol-Version", "2025-11-25"),
    ];
    let mut stream = server.send("GET", "/mcp", &headers, b"");
    let mut lines = String::new();
    while !lines.contains("\n:") {
        use std::io::BufRead;
        assert!(stream.body.read_line(&mut lines).unwrap() > 0, "the stream ended: {lines}");
    }
}

#[test]
fn stream_can_be_taken_over_and_event_ids_are_validated() {
    let stage = TestDesktop::new();
    let server = HttpServer::start(&stage, &["--sse"]);
    let mut first = LegacySseClient::start(&server, "/sse", VERSION);
    let other = LegacySseClient::start(&server, "/sse", VERSION);
    let get = |path: &str, last: &str| {
        let headers = [("Accept", "text/event-stream"), ("Last-Event-ID", last)];
        server.send("GET", path, &headers, b"").status
    };
    let own_path = format!("/sse?sessionId={}", first.session());
    assert_eq!(get(&own_path, "made up"), 400);
    assert_eq!(get(&own_path, &format!("{}/g.999", first.session())), 400);
    assert_eq!(get(&own_path, &other.last_event_id), 400, "an event of another session");
    assert_eq!(get("/sse", "no-session/g.1"), 404);
    assert_eq!(get("/sse?sessionId=none", &first.last_event_id), 404);
    let mut second = LegacySseClient::open(&server, &own_path);
    assert_eq!(second.session(), first.session());
    let last_event = std::iter::from_fn(|| first.event()).last().unwrap();
    assert_eq!(last_event.kind, "error", "{last_event:?}");
    assert!(second.request(7, "ping", json!({}))["result"].is_object());
}

#[test]
fn every_result_arrives_once_despite_broken_connections() {
    const CALLS: usize = 200;
    const CLIENTS: usize = 8;
    let stage = TestDesktop::new();
    let scope = tempfile::tempdir().unwrap();
    let server = HttpServer::start_commands(&stage, scope.path(), &["--sse"]);
    let broken = AtomicUsize::new(0);
    std::thread::scope(|threads| {
        for client in 0..CLIENTS {
            let (server, broken) = (&server, &broken);
            threads.spawn(move || {
                let path = if client % 2 == 0 { "/sse" } else { "/events" };
                let mut client = LegacySseClient::start(server, path, VERSION);
                broken.fetch_add(make_calls(&mut client, path, CALLS / CLIENTS), Ordering::Relaxed);
            });
        }
    });
    let broken = broken.into_inner();
    assert!(broken > CALLS / 2, "the connection broke only {broken} times");
}

/// Makes calls over a connection that breaks at random times. Returns how often it broke.
fn make_calls(client: &mut LegacySseClient<'_>, path: &str, count: usize) -> usize {
    let (mut result_counts, mut broken, mut sent) = (vec![0; count + 1], 0, 0);
    while result_counts[1..].contains(&0) {
        // Two calls at a time, so that results arrive while the client is disconnected.
        while sent < count && sent < result_counts.iter().sum::<usize>() + 2 {
            sent += 1;
            let params = slow_command(0.4, &format!("result-{sent}"));
            let id = i64::try_from(sent).unwrap();
            assert_eq!(client.send_request(id, "tools/call", params).status, 202);
        }
        let socket = client.socket();
        let delay = Duration::from_millis(fastrand::u64(10..200));
        std::thread::spawn(move || {
            std::thread::sleep(delay);
            // The connection has already ended if everything arrived.
            let _ = socket.shutdown(Shutdown::Both);
        });
        while let Some(event) = client.event() {
            let message: Value = event.message();
            if let Some(id) = message["id"].as_i64().filter(|id| *id > 0) {
                assert_eq!(command_output(&message), format!("result-{id}"), "{message}");
                result_counts[usize::try_from(id).unwrap()] += 1;
            }
        }
        broken += 1;
        assert!(broken < 1000, "the calls do not end");
        client.reconnect(path);
    }
    client.disconnect();
    assert!(result_counts[1..].iter().all(|times| *times == 1), "{result_counts:?}");
    broken
}
