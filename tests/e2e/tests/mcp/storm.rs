//! Storms of bad input on every transport: the server answers others meanwhile, and when the storm is
//! over it holds no more descriptors, threads or memory than before.

use std::{
    fs,
    io::{Read, Write},
    net::{Shutdown, TcpStream},
    os::unix::net::UnixStream,
    time::{Duration, Instant},
};

use harness::Stage;
use serde_json::{Value, json};

use super::{
    old::Old,
    socket,
    talk::Talk,
    web::{Reply, Server},
};

/// How long a server may take to clean up on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// How much more memory than before may be held: pools of the allocator, not what was leaked.
const SLACK_KB: usize = 6 * 1024;

/// What a process holds.
#[derive(Debug, Clone, Copy)]
struct Held {
    descriptors: usize,
    threads: usize,
    rss_kb: usize,
}

fn held(pid: u32) -> Held {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let of = |key: &str| -> usize {
        let line = status.lines().find_map(|line| line.strip_prefix(key)).unwrap();
        line.split_whitespace().next().unwrap().parse().unwrap()
    };
    Held {
        descriptors: fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count(),
        threads: of("Threads:"),
        rss_kb: of("VmRSS:"),
    }
}

/// Waits until a process holds no more than before.
fn recovers(pid: u32, before: Held) {
    let end = Instant::now() + PATIENCE;
    loop {
        let now = held(pid);
        let well = now.descriptors <= before.descriptors
            && now.threads <= before.threads
            && now.rss_kb <= before.rss_kb + SLACK_KB;
        if well {
            return;
        }
        assert!(Instant::now() < end, "it held {before:?} and holds {now:?}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// Lets four clients storm twice; after the second storm the process holds no more than after the
/// first, which has filled its pools.
fn storms(pid: u32, waves: impl Fn() + Sync) {
    let storm = || {
        std::thread::scope(|threads| {
            for _ in 0..4 {
                threads.spawn(&waves);
            }
        });
    };
    storm();
    let before = at_rest(pid);
    storm();
    recovers(pid, before);
}

/// What a process holds once it opens and closes nothing any more.
fn at_rest(pid: u32) -> Held {
    let end = Instant::now() + PATIENCE;
    let mut last = held(pid);
    loop {
        std::thread::sleep(Duration::from_secs(3));
        let now = held(pid);
        if now.descriptors == last.descriptors && now.threads == last.threads {
            return now;
        }
        assert!(Instant::now() < end, "it comes to no rest: {now:?}");
        last = now;
    }
}

fn head(path: &str, more: &str, length: usize) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: \
         application/json, text/event-stream\r\n{more}Content-Length: {length}\r\n\r\n"
    )
}

fn call(id: i64, seconds: f64) -> String {
    let params = json!({ "name": "slow_compute", "arguments": { "seconds": seconds } });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string()
}

fn ends(server: &Server, session: &str) {
    let headers = [("Mcp-Session-Id", session), ("Mcp-Protocol-Version", "2025-11-25")];
    assert_eq!(server.send("DELETE", "/mcp", &headers, b"").status, 204);
}

/// One wave over Streamable HTTP.
fn wave(server: &Server) {
    let session = server.session();
    let own = format!("Mcp-Session-Id: {session}\r\n");
    let write = |bytes: &[u8]| {
        let stream = server.connect();
        // The server may refuse before it has read all.
        let _ = (&stream).write_all(bytes);
        stream
    };
    // Nothing at all, no HTTP, half a head, half a body, and gone.
    drop(server.connect());
    drop(write(b"\x16\x03\x01\x02\x00\x01\x00 this is no HTTP\r\n\r\n"));
    drop(write(b"POST /mcp HTT"));
    drop(write(format!("{}{{\"jsonrpc\"", head("/mcp", &own, 5000)).as_bytes()));
    // The client closes its side early and reads on.
    let half = write(format!("{}{}", head("/mcp", &own, 900), "x".repeat(20)).as_bytes());
    half.shutdown(Shutdown::Write).unwrap();
    let _ = (&half).read(&mut [0; 64]);
    // A call whose client goes, and streams whose readers go.
    let body = call(1, 0.3);
    drop(write(format!("{}{body}", head("/mcp", &own, body.len())).as_bytes()));
    let reading = [("Accept", "text/event-stream"), ("Mcp-Session-Id", session.as_str())];
    for _ in 0..3 {
        drop(server.send("GET", "/mcp", &reading, b""));
    }
    for (body, status) in [(&b"{bad"[..], 400), (b"[]", 400), (b"7", 400), (b"\xff\xfe", 400)] {
        assert_eq!(server.post(Some(&session), body).status, status);
    }
    assert_eq!(server.post(Some(&session), &vec![b' '; 5 * 1024 * 1024]).status, 413);
    assert_eq!(server.post(Some("none"), call(2, 0.0).as_bytes()).status, 404);
    // Headers without end.
    let mut endless = String::from("GET /mcp HTTP/1.1\r\nHost: localhost\r\n");
    for number in 0..2000 {
        endless.push_str(&format!("X-{number}: {}\r\n", "y".repeat(200)));
    }
    drop(write(endless.as_bytes()));
    let mut answer = server.ask(Some(&session), 9, "ping", json!({}));
    assert!(answer.first(|message| message["id"] == 9).unwrap()["result"].is_object());
    ends(server, &session);
}

#[test]
fn over_http_nothing_leaks() {
    let stage = Stage::new();
    let server = Server::begin(&stage, &[]);
    storms(server.pid(), || (0..30).for_each(|_| wave(&server)));
    assert_eq!(server.get("/health").json()["sessions"], 0);
}

#[test]
fn over_the_older_sse_nothing_leaks() {
    let stage = Stage::new();
    // Sessions of clients that are gone are not kept here, so that nothing is left to count.
    let server = Server::begin(&stage, &["--sse", "--connection-timeout", "1"]);
    storms(server.pid(), || {
        for _ in 0..25 {
            let mut client = Old::begin(&server, "/sse", "2024-11-05");
            for body in [&b"{bad"[..], b"[]", b"7", b"\xff"] {
                assert_eq!(client.post(body).status, 400);
            }
            assert_eq!(client.post(&vec![b' '; 5 * 1024 * 1024]).status, 413);
            assert_eq!(client.request(1, "tools/call", json!({ "name": 7 })).status, 202);
            assert_eq!(client.answer(1)["error"]["code"], -32602);
            let body = call(2, 0.2);
            assert_eq!(client.post(body.as_bytes()).status, 202);
            client.cut();
            client.come_back("/sse");
            assert_eq!(client.answer(2)["result"]["isError"], false);
            let half = server.connect();
            let address = client.address.clone();
            (&half).write_all(format!("{}half", head(&address, "", 50)).as_bytes()).unwrap();
            drop(half);
            client.cut();
        }
    });
}

#[test]
fn at_a_unix_socket_nothing_leaks() {
    let stage = Stage::new();
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().join("mcp.sock");
    let mut server = socket::serve(&stage, &at, socket::FIXTURES, &[]);
    storms(server.id(), || {
        for _ in 0..25 {
            drop(UnixStream::connect(&at).unwrap());
            let stranger = UnixStream::connect(&at).unwrap();
            let mut to = &stranger;
            to.write_all(b"{bad\n[]\n7\n\xff\xfe\nno newline at the end").unwrap();
            let mut first = [0; 16];
            to.read_exact(&mut first).unwrap();
            let client = socket::client(&at);
            let mut to = &client;
            to.write_all(format!("{}\n", call(1, 600.0)).as_bytes()).unwrap();
            drop(client);
            let half = socket::client(&at);
            let mut to = &half;
            to.write_all(format!("{}\n", call(1, 0.1)).as_bytes()).unwrap();
            half.shutdown(Shutdown::Write).unwrap();
            let mut said = String::new();
            to.read_to_string(&mut said).unwrap();
            assert!(said.contains("Took 0.1 s"), "a half-closed stream is answered: {said}");
        }
    });
    server.kill().unwrap();
    server.wait().unwrap();
}

#[test]
fn on_the_standard_streams_nothing_leaks() {
    let stage = Stage::new();
    let mut talk = Talk::initialized(&stage, &["--conformance"], "2025-11-25", json!({}));
    let mut waves = |count: i64| {
        for _ in 0..count {
            for line in [&b"{bad"[..], b"[]", b"7", b"\xff", br#"{"jsonrpc":"2.0","id":{}}"#] {
                talk.raw(line);
                assert!(talk.next()["error"]["code"].is_i64());
            }
            let slow = json!({ "name": "slow_compute", "arguments": { "seconds": 600 } });
            let call = talk.request("tools/call", slow);
            talk.notify("notifications/cancelled", json!({ "requestId": call }));
            talk.notify("notifications/no/such", json!({ "a": [1, 2, 3] }));
            talk.send(&json!({ "jsonrpc": "2.0", "id": "nobody", "result": { "a": 1 } }));
            assert_eq!(talk.ask("no/such", json!({}))["error"]["code"], -32601);
        }
        talk.raw(&vec![b'x'; 17 * 1024 * 1024]);
        assert_eq!(talk.next()["error"]["code"], -32600);
        talk.pid()
    };
    let pid = waves(200);
    let before = held(pid);
    waves(1000);
    recovers(pid, before);
}

#[test]
fn clients_that_never_finish_are_let_go_and_hinder_nobody() {
    let stage = Stage::new();
    let server = Server::begin(&stage, &["--sse"]);
    let session = server.session();
    let own = format!("Mcp-Session-Id: {session}\r\n");
    let before = held(server.pid());
    let begun = |text: String| -> TcpStream {
        let stream = server.connect();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        (&stream).write_all(text.as_bytes()).unwrap();
        stream
    };
    let heads: Vec<_> = (0..50).map(|_| begun("POST /mcp HTTP/1.1\r\nHost: loc".into())).collect();
    let bodies: Vec<_> = (0..50).map(|_| begun(format!("{}{{", head("/mcp", &own, 99)))).collect();
    let mut answer = server.ask(Some(&session), 1, "ping", json!({}));
    assert!(answer.first(|message| message["id"] == 1).unwrap()["result"].is_object());
    for stream in bodies {
        let reply = Reply::read(stream);
        assert_eq!(reply.status, 408, "{}", reply.head);
        let length = reply.header("content-length").unwrap().parse().unwrap();
        let mut body = vec![0; length];
        let mut from = reply.body;
        from.read_exact(&mut body).unwrap();
        let answer: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(answer["error"]["code"], -32600, "{answer}");
    }
    for mut stream in heads {
        // With or without an answer of HTTP's own, but closed.
        let _ = stream.read_to_end(&mut Vec::new()).unwrap();
    }
    recovers(server.pid(), before);
}
