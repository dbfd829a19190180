//! HTTP+SSE of 2024-11-05 on the same sessions: both names, wrong requests, clients that come back.

use std::{
    net::Shutdown,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use harness::{App, Stage};
use serde_json::{Value, json};

use super::{old::Old, web::Server};

const OLD: &str = "2024-11-05";

#[test]
fn both_pairs_of_names_serve_the_same_tools_on_a_real_app() {
    let stage = Stage::new();
    let app = stage.start_unseen(App::Fixture("gtk3_passwords.py", &[]));
    let server = Server::real(&stage, &["--sse"]);
    for (events, messages) in [("/sse", "/messages?"), ("/events", "/message?")] {
        let mut client = Old::begin(&server, events, OLD);
        assert!(client.address.starts_with(messages), "{}", client.address);
        let listed = client.ask(1, "tools/list", json!({}));
        assert!(listed["result"]["tools"].as_array().is_some_and(|all| all.len() > 10));
        let connect = json!({ "name": "ax_connect", "arguments": { "app": app.pid_text() } });
        let connected = client.ask(2, "tools/call", connect);
        assert_eq!(connected["result"]["structuredContent"]["pid"], app.pid(), "{connected}");
        let info = json!({ "name": "ax_session_info", "arguments": {} });
        let info = client.ask(3, "tools/call", info);
        let apps = &info["result"]["structuredContent"]["connected_apps"];
        assert_eq!(apps.as_array().map(Vec::len), Some(1), "a session of its own: {info}");
    }
}

#[test]
fn it_is_served_only_where_it_is_asked_for() {
    let stage = Stage::new();
    let server = Server::begin(&stage, &[]);
    for path in ["/sse", "/events", "/messages", "/message"] {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
}

#[test]
fn wrong_requests_have_their_code_and_the_stream_lives() {
    let stage = Stage::new();
    let server = Server::begin(&stage, &["--sse"]);
    let mut client = Old::begin(&server, "/sse", OLD);
    let ping = r#"{"jsonrpc":"2.0","id":90,"method":"ping"}"#;
    let large = vec![b' '; 5 * 1024 * 1024];
    let batch = format!("[{ping}]");
    let inner = r#"{"jsonrpc":"2.0","id":91,"method":"deskhand/task/get"}"#;
    let again = json!({ "jsonrpc": "2.0", "id": 92, "method": "initialize",
        "params": super::web::hello(OLD) });
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
    assert_eq!(server.ask(Some(client.session()), 1, "ping", json!({})).status, 404);
    // Wrong only once it is understood: the answer comes by the stream.
    assert_eq!(client.ask(93, "no/such", json!({}))["error"]["code"], -32601);
    assert_eq!(client.ask(94, "tools/call", json!({ "name": 7 }))["error"]["code"], -32602);
    assert!(client.ask(95, "ping", json!({}))["result"].is_object());
}

#[test]
fn what_nobody_asked_for_is_let_be_and_an_id_in_use_is_refused() {
    let stage = Stage::new();
    let server = Server::begin(&stage, &["--sse"]);
    let mut client = Old::open(&server, "/sse");
    client.notify("notifications/initialized", json!({}));
    client.notify("notifications/cancelled", json!({ "requestId": 9 }));
    assert!(client.ask(1, "ping", json!({}))["result"].is_object(), "before anything is agreed");
    assert_eq!(
        client.ask(2, "initialize", super::web::hello(OLD))["result"]["protocolVersion"],
        OLD
    );
    client.notify("notifications/no/such", json!({}));
    client.notify("notifications/cancelled", json!({ "requestId": [] }));
    assert_eq!(client.post(br#"{"jsonrpc":"2.0","id":77,"result":{}}"#).status, 202);
    let slow = json!({ "name": "slow_compute", "arguments": { "seconds": 1 } });
    assert_eq!(client.request(5, "tools/call", slow).status, 202);
    let refused = client.request(5, "ping", json!({}));
    assert_eq!(refused.status, 400);
    assert_eq!(refused.json()["error"]["code"], -32600);
    assert_eq!(client.answer(5)["result"]["isError"], false);
}

#[test]
fn a_batch_is_answered_where_batches_exist() {
    let stage = Stage::new();
    let server = Server::begin(&stage, &["--sse"]);
    let mut client = Old::begin(&server, "/sse", "2025-03-26");
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
fn a_silent_stream_shows_that_it_lives() {
    let stage = Stage::new();
    let server = Server::begin(&stage, &["--sse", "--heartbeat", "0.2"]);
    let mut client = Old::begin(&server, "/events", OLD);
    for _ in 0..3 {
        let beat = client.event().unwrap();
        assert_eq!((beat.kind.as_str(), beat.data.as_str()), ("heartbeat", "ping"), "{beat:?}");
        assert_eq!(beat.id, None, "a heartbeat is no place to come back to");
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
        assert!(stream.body.read_line(&mut lines).unwrap() > 0, "it ended: {lines}");
    }
}

#[test]
fn a_stream_is_taken_over_and_names_of_events_are_checked() {
    let stage = Stage::new();
    let server = Server::begin(&stage, &["--sse"]);
    let mut first = Old::begin(&server, "/sse", OLD);
    let other = Old::begin(&server, "/sse", OLD);
    let get = |path: &str, last: &str| {
        let headers = [("Accept", "text/event-stream"), ("Last-Event-ID", last)];
        server.send("GET", path, &headers, b"").status
    };
    let own = format!("/sse?sessionId={}", first.session());
    assert_eq!(get(&own, "made up"), 400);
    assert_eq!(get(&own, &format!("{}/g.999", first.session())), 400);
    assert_eq!(get(&own, &other.last), 400, "an event of another session");
    assert_eq!(get("/sse", "no-session/g.1"), 404);
    assert_eq!(get("/sse?sessionId=none", &first.last), 404);
    let mut second = Old::open(&server, &own);
    assert_eq!(second.session(), first.session());
    let told = std::iter::from_fn(|| first.event()).last().unwrap();
    assert_eq!(told.kind, "error", "{told:?}");
    assert!(second.ask(7, "ping", json!({}))["result"].is_object());
}

#[test]
fn every_result_arrives_once_however_often_the_connection_breaks() {
    const CALLS: usize = 200;
    const CLIENTS: usize = 8;
    let stage = Stage::new();
    let server = Server::begin(&stage, &["--sse"]);
    let broken = AtomicUsize::new(0);
    std::thread::scope(|threads| {
        for client in 0..CLIENTS {
            let (server, broken) = (&server, &broken);
            threads.spawn(move || {
                let path = if client % 2 == 0 { "/sse" } else { "/events" };
                let mut client = Old::begin(server, path, OLD);
                broken.fetch_add(calls(&mut client, path, CALLS / CLIENTS), Ordering::Relaxed);
            });
        }
    });
    let broken = broken.into_inner();
    assert!(broken > CALLS / 2, "the connection broke only {broken} times");
}

/// Makes calls whose results come by a connection that breaks at random moments, and returns how often
/// it did.
fn calls(client: &mut Old<'_>, path: &str, count: usize) -> usize {
    let (mut seen, mut broken, mut asked) = (vec![0; count + 1], 0, 0);
    while seen[1..].contains(&0) {
        // Two at a time, so that results come while the client is away.
        while asked < count && asked < seen.iter().sum::<usize>() + 2 {
            asked += 1;
            let params = json!({ "name": "slow_compute", "arguments": { "seconds": 0.4 } });
            let id = i64::try_from(asked).unwrap();
            assert_eq!(client.request(id, "tools/call", params).status, 202);
        }
        let socket = client.socket();
        let cut = Duration::from_millis(fastrand::u64(10..200));
        std::thread::spawn(move || {
            std::thread::sleep(cut);
            // It has ended already where everything arrived.
            let _ = socket.shutdown(Shutdown::Both);
        });
        while let Some(event) = client.event() {
            let message: Value = event.message();
            if let Some(id) = message["id"].as_i64().filter(|id| *id > 0) {
                assert_eq!(message["result"]["content"][0]["text"], "Took 0.4 s", "{message}");
                seen[usize::try_from(id).unwrap()] += 1;
            }
        }
        broken += 1;
        assert!(broken < 1000, "the calls never end");
        client.come_back(path);
    }
    client.cut();
    assert!(seen[1..].iter().all(|times| *times == 1), "{seen:?}");
    broken
}
