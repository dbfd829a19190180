//! Streamable HTTP: sessions, invalid requests and broken connections.

use std::{
    net::Shutdown,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use harness::TestDesktop;
use serde_json::{Value, json};

use super::http_server::{HttpServer, command_output, slow_command};

#[test]
fn invalid_requests_have_a_status_and_an_error_code() {
    let stage = TestDesktop::new();
    let server = HttpServer::start(&stage, &[]);
    let session = server.session();
    let session_id = Some(session.as_str());
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }).to_string();
    let batch = format!("[{ping}]");
    let large = vec![b' '; 5 * 1024 * 1024];
    let cases: &[(Option<&str>, &[u8], u16, i64)] = &[
        (session_id, b"{bad", 400, -32700),
        (None, b"{bad", 400, -32700),
        (session_id, b"7", 400, -32600),
        (session_id, batch.as_bytes(), 400, -32600),
        (session_id, br#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, 400, -32600),
        (session_id, &large, 413, -32600),
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
    let mut invalid_call = server.request(session_id, 2, "tools/call", json!({ "name": 7 }));
    let answer = invalid_call.first_message(Value::is_object);
    assert_eq!(answer.unwrap()["error"]["code"], -32602);
    let evil = [("Host", "evil.example"), ("Content-Type", "application/json")];
    assert_eq!(server.send("POST", "/mcp", &evil, ping.as_bytes()).status, 403);
    let evil = [("Origin", "http://evil.example"), ("Content-Type", "application/json")];
    assert_eq!(server.send("POST", "/mcp", &evil, ping.as_bytes()).status, 403);
}

#[test]
fn cors_allows_pages_of_this_machine() {
    let stage = TestDesktop::new();
    let server = HttpServer::start(&stage, &[]);
    let page = ("Origin", "http://localhost:3000");
    let preflight_headers = [
        page,
        ("Access-Control-Request-Method", "POST"),
        ("Access-Control-Request-Headers", "content-type, mcp-session-id, x-other"),
    ];
    let preflight = server.send("OPTIONS", "/mcp", &preflight_headers, b"");
    assert_eq!(preflight.status, 204, "{}", preflight.head);
    let allowed = |name: &str| preflight.header(name).unwrap_or_default();
    assert_eq!(allowed("access-control-allow-origin"), "http://localhost:3000");
    assert_eq!(allowed("access-control-allow-headers"), "content-type, mcp-session-id");
    assert!(allowed("access-control-allow-methods").contains("DELETE"));
    let refused =
        server.send("POST", "/mcp", &[page, ("Content-Type", "application/json")], b"{bad");
    assert_eq!(refused.header("access-control-allow-origin").as_deref(), Some(page.1));
}

#[test]
fn session_ends_with_delete() {
    let stage = TestDesktop::new();
    let server = HttpServer::start(&stage, &[]);
    let (first, second) = (server.session(), server.session());
    assert_ne!(first, second);
    let headers = [("Mcp-Session-Id", first.as_str()), ("Mcp-Protocol-Version", "2025-11-25")];
    assert_eq!(server.send("DELETE", "/mcp", &headers, b"").status, 204);
    assert_eq!(server.request(Some(&first), 1, "ping", json!({})).status, 404);
    assert_eq!(server.request(Some(&second), 1, "ping", json!({})).status, 200);
}

#[test]
fn events_of_another_session_are_refused() {
    let stage = TestDesktop::new();
    let scope = tempfile::tempdir().unwrap();
    let server = HttpServer::start_commands(&stage, scope.path(), &[]);
    let (first, second) = (server.session(), server.session());
    let mut reply = server.request(Some(&first), 1, "tools/call", slow_command(0.0, "Ann"));
    let events: Vec<_> = std::iter::from_fn(|| reply.event()).collect();
    let last = events.last().unwrap();
    assert_eq!(command_output(&last.message()), "Ann");
    let last = last.id.as_deref().unwrap();
    let refused = server.resume(&second, last);
    assert_eq!(refused.status, 400, "{}", refused.head);
    assert_eq!(refused.json()["error"]["code"], -32600);
    assert_eq!(server.resume(&first, "made-up").status, 400);
}

#[test]
fn every_result_arrives_once_despite_broken_connections() {
    const CALLS: usize = 200;
    let stage = TestDesktop::new();
    let scope = tempfile::tempdir().unwrap();
    let server = HttpServer::start_commands(&stage, scope.path(), &[]);
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
                    broken.fetch_add(
                        call_with_broken_connections(&server, &session, id),
                        Ordering::Relaxed,
                    );
                }
            });
        }
    });
    let broken = broken.into_inner();
    assert!(broken > CALLS / 2, "the connection broke only {broken} times");
}

/// Makes a call whose connection breaks at random times. Returns how often it broke.
fn call_with_broken_connections(server: &HttpServer, session: &str, id: usize) -> usize {
    let text = format!("result-{id}");
    let params = slow_command(0.4, &text);
    let id = i64::try_from(id).unwrap();
    let mut reply = server.request(Some(session), id, "tools/call", params);
    // A stream can only be resumed with an event id, so the first event is read before anything
    // breaks.
    let mut last = reply.event().unwrap().id;
    let (mut results, mut broken) = (0, 0);
    loop {
        assert_eq!(reply.status, 200, "{}", reply.head);
        let socket = reply.body.get_ref().try_clone().unwrap();
        let delay = Duration::from_millis(fastrand::u64(20..300));
        std::thread::spawn(move || {
            std::thread::sleep(delay);
            // The connection has already ended if everything arrived.
            let _ = socket.shutdown(Shutdown::Both);
        });
        while let Some(event) = reply.event() {
            let message = event.message();
            if message["id"] == id {
                results += 1;
                assert_eq!(command_output(&message), text, "{message}");
            }
            last = event.id.or(last);
        }
        if results > 0 {
            // After the result the stream ends; the result is not repeated.
            let mut rest = server.resume(session, last.as_deref().unwrap());
            assert!(rest.event().is_none(), "an event arrived after the result of {id}");
            assert_eq!(results, 1);
            return broken;
        }
        broken += 1;
        assert!(broken < 200, "call {id} does not end");
        let from = last.clone().expect("an event id to resume from");
        reply = server.resume(session, &from);
    }
}

#[test]
fn content_negotiation_is_respected() {
    let stage = TestDesktop::new();
    let server = HttpServer::start(&stage, &[]);
    let session = server.session();
    let next = AtomicUsize::new(1);
    let post = |kind: &str, accept: &str| {
        // The response is not read, so its id may still be in use at the next request.
        let id = next.fetch_add(1, Ordering::Relaxed);
        let ping = json!({ "jsonrpc": "2.0", "id": id, "method": "ping" }).to_string();
        let headers =
            [("Content-Type", kind), ("Accept", accept), ("Mcp-Session-Id", session.as_str())];
        server.send("POST", "/mcp", &headers, ping.as_bytes())
    };
    let json = "application/json";
    for accept in ["*/*", "application/*, text/*", "text/event-stream;q=0.1, Application/JSON"] {
        assert_eq!(post(json, accept).status, 200, "{accept}");
    }
    assert_eq!(post("application/json; charset=utf-8", "*/*").status, 200);
    for (accept, kind) in [
        (json, json),
        ("*/*, text/event-stream;q=0", json),
        ("text/event-stream", "text/event-stream"),
    ] {
        let reply = post(json, accept);
        assert_eq!(reply.header("content-type").as_deref(), Some(kind), "{accept}");
    }
    let cases = [
        (post(json, "text/html"), 406),
        (post(json, "application/json;q=0"), 406),
        (post("text/plain", "*/*"), 415),
        (server.send("GET", "/mcp", &[("Accept", json), ("Mcp-Session-Id", &session)], b""), 406),
    ];
    for (reply, status) in cases {
        assert_eq!(reply.status, status, "{}", reply.head);
        assert_eq!(reply.json()["error"]["code"], -32600);
    }
    assert_eq!(server.get("/nowhere").status, 404);
    assert_eq!(server.send("PUT", "/mcp", &[("Mcp-Session-Id", &session)], b"").status, 405);
}

#[test]
fn batch_is_answered_on_2025_03_26() {
    let stage = TestDesktop::new();
    let server = HttpServer::start(&stage, &[]);
    let session = server.session_with_version("2025-03-26");
    let batch = json!([
        { "jsonrpc": "2.0", "id": 1, "method": "ping" },
        { "jsonrpc": "2.0", "method": "notifications/initialized" },
        { "jsonrpc": "2.0", "id": 2, "method": "no/such" },
    ]);
    let mut reply = server.post(Some(&session), batch.to_string().as_bytes());
    assert_eq!(reply.status, 200, "{}", reply.head);
    let answers: Vec<Value> =
        std::iter::from_fn(|| reply.event()).map(|event| event.message()).collect();
    assert!(answers[0]["id"] == 1 && answers[0]["result"].is_object(), "{answers:?}");
    assert!(answers[1]["id"] == 2 && answers[1]["error"]["code"] == -32601, "{answers:?}");
    let silent = json!([{ "jsonrpc": "2.0", "method": "notifications/initialized" }]).to_string();
    assert_eq!(server.post(Some(&session), silent.as_bytes()).status, 202);
    for bad in ["[]", "[7]", r#"[{"jsonrpc":"2.0","id":{},"method":"ping"}]"#] {
        let reply = server.post(Some(&session), bad.as_bytes());
        assert_eq!(reply.status, 400, "{bad}");
        assert_eq!(reply.json()["error"]["code"], -32600, "{bad}");
    }
}

#[test]
fn duplicate_id_and_second_initialize_are_refused() {
    let stage = TestDesktop::new();
    let scope = tempfile::tempdir().unwrap();
    let server = HttpServer::start_commands(&stage, scope.path(), &[]);
    let session = server.session();
    let session_id = Some(session.as_str());
    std::thread::scope(|threads| {
        let slow = slow_command(2.0, "done");
        let first = threads.spawn(|| {
            let mut reply = server.request(session_id, 5, "tools/call", slow);
            reply.first_message(|message| message["id"] == 5).unwrap()
        });
        std::thread::sleep(Duration::from_millis(700));
        let second = server.request(session_id, 5, "ping", json!({}));
        assert_eq!(second.status, 400, "{}", second.head);
        let refused = second.json();
        assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(5), &json!(-32600)));
        assert_eq!(first.join().unwrap()["result"]["isError"], false);
    });
    let again = server.request(
        session_id,
        6,
        "initialize",
        super::http_server::initialize_params("2025-11-25"),
    );
    assert_eq!(again.status, 400);
    assert_eq!(again.json()["error"]["code"], -32600);
    let unknown_response = br#"{"jsonrpc":"2.0","id":"unknown","result":{}}"#;
    assert_eq!(server.post(session_id, unknown_response).status, 202);
    let unknown_notification = br#"{"jsonrpc":"2.0","method":"notifications/no/such"}"#;
    assert_eq!(server.post(session_id, unknown_notification).status, 202);
    assert_eq!(server.request(session_id, 7, "ping", json!({})).status, 200);
}

#[test]
fn only_loopback_addresses_are_accepted() {
    let stage = TestDesktop::new();
    for at in ["0.0.0.0:0", "[::]:0", "192.0.2.1:80"] {
        let refused = stage.deskhand(&["mcp", "serve", "--http", at]);
        assert_eq!(refused.code, Some(1), "{refused}");
        assert!(refused.stderr.contains("reached from other machines"), "{refused}");
        assert!(
            refused.stderr.contains("127.0.0.1"),
            "the error must suggest a loopback address: {refused}"
        );
    }
}
