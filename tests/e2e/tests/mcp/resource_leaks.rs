//! Floods of invalid input on every transport. Other clients are served, and afterwards the server
//! uses no more descriptors, threads or memory than before.

use std::{
    fs,
    io::{Read, Write},
    net::{Shutdown, TcpStream},
    os::unix::net::UnixStream,
    time::{Duration, Instant},
};

use harness::TestDesktop;
use serde_json::{Value, json};

use super::{
    http_server::{HttpResponse, HttpServer},
    legacy_sse_client::LegacySseClient,
    stdio_client::StdioClient,
    unix_socket,
};

/// Maximum time to clean up on a busy machine.
const RECOVERY_TIMEOUT: Duration = Duration::from_secs(60);

/// Accepted growth of memory: allocator pools, not leaks.
const MAX_GROWTH_KB: usize = 6 * 1024;

/// Resources that a process uses.
#[derive(Debug, Clone, Copy)]
struct ResourceUsage {
    descriptors: usize,
    threads: usize,
    rss_kb: usize,
}

fn resource_usage(pid: u32) -> ResourceUsage {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let of = |key: &str| -> usize {
        let line = status.lines().find_map(|line| line.strip_prefix(key)).unwrap();
        line.split_whitespace().next().unwrap().parse().unwrap()
    };
    ResourceUsage {
        descriptors: fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count(),
        threads: of("Threads:"),
        rss_kb: of("VmRSS:"),
    }
}

/// Waits until a process uses no more resources than before.
fn wait_for_recovery(pid: u32, before: ResourceUsage) {
    let end = Instant::now() + RECOVERY_TIMEOUT;
    loop {
        let current = resource_usage(pid);
        let has_recovered = current.descriptors <= before.descriptors
            && current.threads <= before.threads
            && current.rss_kb <= before.rss_kb + MAX_GROWTH_KB;
        if has_recovered {
            return;
        }
        assert!(Instant::now() < end, "usage grew from {before:?} to {current:?}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// Runs the load with four clients twice. After the second run the process must use no more than
/// after the first, which has filled its pools.
fn check_repeated_load(pid: u32, load: impl Fn() + Sync) {
    let run_load = || {
        std::thread::scope(|threads| {
            for _ in 0..4 {
                threads.spawn(&load);
            }
        });
    };
    run_load();
    let before = settled_usage(pid);
    run_load();
    wait_for_recovery(pid, before);
}

/// Resource usage after descriptors and threads have stopped changing.
fn settled_usage(pid: u32) -> ResourceUsage {
    let end = Instant::now() + RECOVERY_TIMEOUT;
    let mut last = resource_usage(pid);
    loop {
        std::thread::sleep(Duration::from_secs(3));
        let current = resource_usage(pid);
        if current.descriptors == last.descriptors && current.threads == last.threads {
            return current;
        }
        assert!(Instant::now() < end, "the usage does not settle: {current:?}");
        last = current;
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

fn delete_session(server: &HttpServer, session: &str) {
    let headers = [("Mcp-Session-Id", session), ("Mcp-Protocol-Version", "2025-11-25")];
    assert_eq!(server.send("DELETE", "/mcp", &headers, b"").status, 204);
}

/// One round of invalid input over Streamable HTTP.
fn send_invalid_input(server: &HttpServer) {
    let session = server.session();
    let session_header = format!("Mcp-Session-Id: {session}\r\n");
    let write = |bytes: &[u8]| {
        let stream = server.connect();
        // The server may refuse before it has read everything.
        let _ = (&stream).write_all(bytes);
        stream
    };
    // An empty connection, no HTTP, half a head, half a body.
    drop(server.connect());
    drop(write(b"\x16\x03\x01\x02\x00\x01\x00 this is no HTTP\r\n\r\n"));
    drop(write(b"POST /mcp HTT"));
    drop(write(format!("{}{{\"jsonrpc\"", head("/mcp", &session_header, 5000)).as_bytes()));
    // The client closes its sending side early and continues to read.
    let half =
        write(format!("{}{}", head("/mcp", &session_header, 900), "x".repeat(20)).as_bytes());
    half.shutdown(Shutdown::Write).unwrap();
    let _ = (&half).read(&mut [0; 64]);
    // A call whose client disconnects, and streams whose readers disconnect.
    let body = call(1, 0.3);
    drop(write(format!("{}{body}", head("/mcp", &session_header, body.len())).as_bytes()));
    let reading = [("Accept", "text/event-stream"), ("Mcp-Session-Id", session.as_str())];
    for _ in 0..3 {
        drop(server.send("GET", "/mcp", &reading, b""));
    }
    for (body, status) in [(&b"{bad"[..], 400), (b"[]", 400), (b"7", 400), (b"\xff\xfe", 400)] {
        assert_eq!(server.post(Some(&session), body).status, status);
    }
    assert_eq!(server.post(Some(&session), &vec![b' '; 5 * 1024 * 1024]).status, 413);
    assert_eq!(server.post(Some("none"), call(2, 0.0).as_bytes()).status, 404);
    // Endless headers.
    let mut endless = String::from("GET /mcp HTTP/1.1\r\nHost: localhost\r\n");
    for number in 0..2000 {
        endless.push_str(&format!("X-{number}: {}\r\n", "y".repeat(200)));
    }
    drop(write(endless.as_bytes()));
    let mut answer = server.request(Some(&session), 9, "ping", json!({}));
    assert!(answer.first_message(|message| message["id"] == 9).unwrap()["result"].is_object());
    delete_session(server, &session);
}

#[test]
fn http_leaks_nothing() {
    let stage = TestDesktop::new();
    let server = HttpServer::start_conformance(&stage, &[]);
    check_repeated_load(server.pid(), || (0..30).for_each(|_| send_invalid_input(&server)));
    assert_eq!(server.get("/health").json()["sessions"], 0);
}

#[test]
fn legacy_sse_leaks_nothing() {
    let stage = TestDesktop::new();
    // Sessions of disconnected clients expire after one second, so that none remain.
    let server = HttpServer::start_conformance(&stage, &["--sse", "--connection-timeout", "1"]);
    check_repeated_load(server.pid(), || {
        for _ in 0..25 {
            let mut client = LegacySseClient::start(&server, "/sse", "2024-11-05");
            for body in [&b"{bad"[..], b"[]", b"7", b"\xff"] {
                assert_eq!(client.post(body).status, 400);
            }
            assert_eq!(client.post(&vec![b' '; 5 * 1024 * 1024]).status, 413);
            assert_eq!(client.send_request(1, "tools/call", json!({ "name": 7 })).status, 202);
            assert_eq!(client.response(1)["error"]["code"], -32602);
            let body = call(2, 0.2);
            assert_eq!(client.post(body.as_bytes()).status, 202);
            client.disconnect();
            client.reconnect("/sse");
            assert_eq!(client.response(2)["result"]["isError"], false);
            let half = server.connect();
            let address = client.address.clone();
            (&half).write_all(format!("{}half", head(&address, "", 50)).as_bytes()).unwrap();
            drop(half);
            client.disconnect();
        }
    });
}

#[test]
fn unix_socket_leaks_nothing() {
    let stage = TestDesktop::new();
    let folder = tempfile::tempdir().unwrap();
    let socket_path = folder.path().join("mcp.sock");
    let mut server = unix_socket::serve(&stage, &socket_path, unix_socket::FIXTURES, &[]);
    check_repeated_load(server.id(), || {
        for _ in 0..25 {
            drop(UnixStream::connect(&socket_path).unwrap());
            let invalid_client = UnixStream::connect(&socket_path).unwrap();
            let mut to = &invalid_client;
            to.write_all(b"{bad\n[]\n7\n\xff\xfe\nno newline at the end").unwrap();
            let mut first = [0; 16];
            to.read_exact(&mut first).unwrap();
            let client = unix_socket::client(&socket_path);
            let mut to = &client;
            to.write_all(format!("{}\n", call(1, 600.0)).as_bytes()).unwrap();
            drop(client);
            let half = unix_socket::client(&socket_path);
            let mut to = &half;
            to.write_all(format!("{}\n", call(1, 0.1)).as_bytes()).unwrap();
            half.shutdown(Shutdown::Write).unwrap();
            let mut response = String::new();
            to.read_to_string(&mut response).unwrap();
            assert!(
                response.contains("Took 0.1 s"),
                "a half-closed stream must get its response: {response}"
            );
        }
    });
    server.kill().unwrap();
    server.wait().unwrap();
}

#[test]
fn stdio_leaks_nothing() {
    let stage = TestDesktop::new();
    let mut client =
        StdioClient::start_initialized(&stage, &["--conformance"], "2025-11-25", json!({}));
    let mut load = |count: i64| {
        for _ in 0..count {
            for line in [&b"{bad"[..], b"[]", b"7", b"\xff", br#"{"jsonrpc":"2.0","id":{}}"#] {
                client.send_raw(line);
                assert!(client.next()["error"]["code"].is_i64());
            }
            let slow = json!({ "name": "slow_compute", "arguments": { "seconds": 600 } });
            let call = client.send_request("tools/call", slow);
            client.notify("notifications/cancelled", json!({ "requestId": call }));
            client.notify("notifications/no/such", json!({ "a": [1, 2, 3] }));
            client.send(&json!({ "jsonrpc": "2.0", "id": "unknown", "result": { "a": 1 } }));
            assert_eq!(client.request("no/such", json!({}))["error"]["code"], -32601);
        }
        client.send_raw(&vec![b'x'; 17 * 1024 * 1024]);
        assert_eq!(client.next()["error"]["code"], -32600);
        client.pid()
    };
    let pid = load(200);
    let before = resource_usage(pid);
    load(1000);
    wait_for_recovery(pid, before);
}

#[test]
fn unfinished_requests_time_out_and_do_not_block_other_clients() {
    let stage = TestDesktop::new();
    let server = HttpServer::start_conformance(&stage, &["--sse"]);
    let session = server.session();
    let session_header = format!("Mcp-Session-Id: {session}\r\n");
    let before = resource_usage(server.pid());
    let open_partial = |text: String| -> TcpStream {
        let stream = server.connect();
        stream.set_read_timeout(Some(RECOVERY_TIMEOUT)).unwrap();
        (&stream).write_all(text.as_bytes()).unwrap();
        stream
    };
    let heads: Vec<_> =
        (0..50).map(|_| open_partial("POST /mcp HTTP/1.1\r\nHost: loc".into())).collect();
    let bodies: Vec<_> =
        (0..50).map(|_| open_partial(format!("{}{{", head("/mcp", &session_header, 99)))).collect();
    let mut answer = server.request(Some(&session), 1, "ping", json!({}));
    assert!(answer.first_message(|message| message["id"] == 1).unwrap()["result"].is_object());
    for stream in bodies {
        let reply = HttpResponse::read(stream);
        assert_eq!(reply.status, 408, "{}", reply.head);
        let length = reply.header("content-length").unwrap().parse().unwrap();
        let mut body = vec![0; length];
        let mut from = reply.body;
        from.read_exact(&mut body).unwrap();
        let answer: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(answer["error"]["code"], -32600, "{answer}");
    }
    for mut stream in heads {
        // With or without an HTTP response, but closed.
        let _ = stream.read_to_end(&mut Vec::new()).unwrap();
    }
    wait_for_recovery(server.pid(), before);
}
