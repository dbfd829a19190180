//! Streamable HTTP: sessions, wrong requests, and clients whose connection breaks.

use std::{
    net::Shutdown,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use harness::Stage;
use serde_json::{Value, json};

use super::web::Server;

#[test]
fn wrong_requests_are_answered_in_json_with_their_code() {
    let stage = Stage::new();
    let server = Server::begin(&stage, &[]);
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
    let answer = misfit.first(Value::is_object);
    assert_eq!(answer.unwrap()["error"]["code"], -32602);
    let evil = [("Host", "evil.example"), ("Content-Type", "application/json")];
    assert_eq!(server.send("POST", "/mcp", &evil, ping.as_bytes()).status, 403);
    let evil = [("Origin", "http://evil.example"), ("Content-Type", "application/json")];
    assert_eq!(server.send("POST", "/mcp", &evil, ping.as_bytes()).status, 403);
}

#[test]
fn pages_of_this_machine_may_call() {
    let stage = Stage::new();
    let server = Server::begin(&stage, &[]);
    let page = ("Origin", "http://localhost:3000");
    let asks = [
        page,
        ("Access-Control-Request-Method", "POST"),
        ("Access-Control-Request-Headers", "content-type, mcp-session-id, x-other"),
    ];
    let granted = server.send("OPTIONS", "/mcp", &asks, b"");
    assert_eq!(granted.status, 204, "{}", granted.head);
    let may = |name: &str| granted.header(name).unwrap_or_default();
    assert_eq!(may("access-control-allow-origin"), "http://localhost:3000");
    assert_eq!(may("access-control-allow-headers"), "content-type, mcp-session-id");
    assert!(may("access-control-allow-methods").contains("DELETE"));
    let refused =
        server.send("POST", "/mcp", &[page, ("Content-Type", "application/json")], b"{bad");
    assert_eq!(refused.header("access-control-allow-origin").as_deref(), Some(page.1));
}

#[test]
fn a_session_ends_when_its_client_says_so() {
    let stage = Stage::new();
    let server = Server::begin(&stage, &[]);
    let (first, second) = (server.session(), server.session());
    assert_ne!(first, second);
    let headers = [("Mcp-Session-Id", first.as_str()), ("Mcp-Protocol-Version", "2025-11-25")];
    assert_eq!(server.send("DELETE", "/mcp", &headers, b"").status, 204);
    assert_eq!(server.ask(Some(&first), 1, "ping", json!({})).status, 404);
    assert_eq!(server.ask(Some(&second), 1, "ping", json!({})).status, 200);
}

#[test]
fn events_of_another_session_are_not_given_out() {
    let stage = Stage::new();
    let server = Server::begin(&stage, &[]);
    let (first, second) = (server.session(), server.session());
    let greet = json!({ "name": "greet", "arguments": { "name": "Ann" } });
    let mut reply = server.ask(Some(&first), 1, "tools/call", greet);
    let events: Vec<_> = std::iter::from_fn(|| reply.event()).collect();
    let last = events.last().unwrap();
    assert_eq!(last.message()["result"]["content"][0]["text"], "Hello, Ann!");
    let last = last.id.as_deref().unwrap();
    let refused = server.resume(&second, last);
    assert_eq!(refused.status, 400, "{}", refused.head);
    assert_eq!(refused.json()["error"]["code"], -32600);
    assert_eq!(server.resume(&first, "made-up").status, 400);
}

#[test]
fn every_result_arrives_once_however_often_the_connection_breaks() {
    const CALLS: usize = 200;
    let stage = Stage::new();
    let server = Server::begin(&stage, &[]);
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
    let mut last = reply.event().unwrap().id;
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
        while let Some(event) = reply.event() {
            let message = event.message();
            if message["id"] == id {
                results += 1;
                assert_eq!(message["result"]["content"][0]["text"], "Took 0.4 s", "{message}");
            }
            last = event.id.or(last);
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

#[test]
fn what_a_client_accepts_and_sends_is_heeded() {
    let stage = Stage::new();
    let server = Server::begin(&stage, &[]);
    let session = server.session();
    let next = AtomicUsize::new(1);
    let post = |kind: &str, accept: &str| {
        // The answer is not read, so its id may be in use when the next request comes.
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
    let cases = [
        (post(json, json), 406),
        (post(json, "text/event-stream"), 406),
        (post(json, "*/*, text/event-stream;q=0"), 406),
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
fn a_batch_is_answered_where_batches_exist() {
    let stage = Stage::new();
    let server = Server::begin(&stage, &[]);
    let session = server.session_of("2025-03-26");
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
fn an_id_in_use_and_a_second_beginning_are_refused() {
    let stage = Stage::new();
    let server = Server::begin(&stage, &[]);
    let session = server.session();
    let own = Some(session.as_str());
    std::thread::scope(|threads| {
        let slow = json!({ "name": "slow_compute", "arguments": { "seconds": 2 } });
        let first = threads.spawn(|| {
            let mut reply = server.ask(own, 5, "tools/call", slow);
            reply.first(|message| message["id"] == 5).unwrap()
        });
        std::thread::sleep(Duration::from_millis(700));
        let second = server.ask(own, 5, "ping", json!({}));
        assert_eq!(second.status, 400, "{}", second.head);
        let refused = second.json();
        assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(5), &json!(-32600)));
        assert_eq!(first.join().unwrap()["result"]["isError"], false);
    });
    let again = server.ask(own, 6, "initialize", super::web::hello("2025-11-25"));
    assert_eq!(again.status, 400);
    assert_eq!(again.json()["error"]["code"], -32600);
    let nobody = br#"{"jsonrpc":"2.0","id":"nobody","result":{}}"#;
    assert_eq!(server.post(own, nobody).status, 202);
    let nowhere = br#"{"jsonrpc":"2.0","method":"notifications/no/such"}"#;
    assert_eq!(server.post(own, nowhere).status, 202);
    assert_eq!(server.ask(own, 7, "ping", json!({})).status, 200);
}

#[test]
fn only_addresses_of_this_machine_are_listened_at() {
    let stage = Stage::new();
    for at in ["0.0.0.0:0", "[::]:0", "192.0.2.1:80"] {
        let refused = stage.deskhand(&["mcp", "serve", "--http", at]);
        assert_eq!(refused.code, Some(1), "{refused}");
        assert!(refused.stderr.contains("reached from other machines"), "{refused}");
        assert!(refused.stderr.contains("127.0.0.1"), "it says what to give instead: {refused}");
    }
}
