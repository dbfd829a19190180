//! The unix socket transport: several clients, permissions and cleanup.

use std::{
    io::{BufRead, BufReader, Write},
    os::unix::{fs::PermissionsExt, net::UnixStream},
    path::Path,
    process::{Child, Stdio},
    time::Duration,
};

use harness::{TestDesktop, outcome};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

/// Serves the conformance fixtures instead of the tools.
pub(crate) const FIXTURES: &[&str] = &["--conformance"];

/// Starts a server on a socket, with these environment variables.
pub(crate) fn serve(
    stage: &TestDesktop,
    socket_path: &Path,
    options: &[&str],
    variables: &[(&str, &str)],
) -> Child {
    let mut child = stage
        .command(outcome::binary())
        .args(["mcp", "serve", "--socket"])
        .arg(socket_path)
        .args(options)
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("serving at"), "{line}");
    child
}

/// Sends a request.
pub(crate) fn send(stream: &UnixStream, id: i64, method: &str, params: &Value) {
    let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    let mut to = stream;
    to.write_all(format!("{message}\n").as_bytes()).unwrap();
}

/// Sends a request and reads its response.
pub(crate) fn request(stream: &UnixStream, id: i64, method: &str, params: Value) -> Value {
    send(stream, id, method, &params);
    let read = |line: std::io::Result<String>| -> Value {
        let line = line.unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"))
    };
    BufReader::new(stream).lines().map(read).find(|message| message["id"] == id).unwrap()
}

/// Connects and initializes a client.
pub(crate) fn client(socket_path: &Path) -> UnixStream {
    let stream = UnixStream::connect(socket_path).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let client = json!({ "name": "socket", "version": "1" });
    let params =
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    assert!(request(&stream, 0, "initialize", params)["result"].is_object());
    stream
}

/// Sends `SIGTERM` to a server.
pub(crate) fn terminate(server: &Child) {
    kill_process(Pid::from_child(server), Signal::TERM).unwrap();
}

#[test]
fn several_clients_are_isolated_and_the_socket_is_removed() {
    let stage = TestDesktop::new();
    let folder = tempfile::tempdir().unwrap();
    let socket_path = folder.path().join("own").join("mcp.sock");
    let mut server = serve(&stage, &socket_path, FIXTURES, &[]);
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&socket_path), mode(socket_path.parent().unwrap())), (0o600, 0o700));
    let (first, second) = (client(&socket_path), client(&socket_path));
    let slow = json!({ "name": "slow_compute", "arguments": { "seconds": 600 }, "task": {} });
    let created = request(&first, 1, "tools/call", slow);
    let task = json!({ "taskId": created["result"]["task"]["taskId"] });
    assert_eq!(request(&first, 2, "tasks/get", task.clone())["result"]["status"], "working");
    assert_eq!(
        request(&second, 2, "tasks/get", task)["error"]["code"],
        -32602,
        "a task of another client must be unknown"
    );
    let another = stage.deskhand(&["mcp", "serve", "--socket", &socket_path.display().to_string()]);
    assert_eq!(another.code, Some(1), "{another}");
    assert!(another.stderr.contains("another server"), "{another}");
    terminate(&server);
    assert_eq!(server.wait().unwrap().code(), Some(0));
    assert!(!socket_path.exists());
}

#[test]
fn stale_socket_of_a_killed_server_is_replaced() {
    let stage = TestDesktop::new();
    let folder = tempfile::tempdir().unwrap();
    let socket_path = folder.path().join("mcp.sock");
    let mut killed = serve(&stage, &socket_path, FIXTURES, &[]);
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert!(socket_path.exists());
    let mut server = serve(&stage, &socket_path, FIXTURES, &[]);
    assert!(request(&client(&socket_path), 1, "ping", json!({}))["result"].is_object());
    server.kill().unwrap();
    server.wait().unwrap();
}

#[test]
fn regular_file_at_the_socket_path_is_kept() {
    let stage = TestDesktop::new();
    let folder = tempfile::tempdir().unwrap();
    let socket_path = folder.path().join("precious.txt");
    std::fs::write(&socket_path, "words").unwrap();
    let args = ["mcp", "serve", "--conformance", "--socket", socket_path.to_str().unwrap()];
    let refused = stage.deskhand(&args);
    assert_eq!(refused.code, Some(1), "{refused}");
    assert!(refused.stderr.contains("not a socket"), "{refused}");
    assert_eq!(std::fs::read_to_string(&socket_path).unwrap(), "words");
}

#[test]
fn http_is_served_on_a_socket_by_variables() {
    let stage = TestDesktop::new();
    let folder = tempfile::tempdir().unwrap();
    let socket_path = folder.path().join("http.sock");
    let mut server = stage
        .command(outcome::binary())
        .args(["mcp", "serve", "--conformance"])
        .env("MCP_TRANSPORT", "sse")
        .env("MCP_HTTP_SOCKET", &socket_path)
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(server.stderr.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("serving HTTP at"), "{line}");
    let get = |path: &str| {
        let mut stream = UnixStream::connect(&socket_path).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let request = format!("GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
        let head: Vec<String> =
            lines.by_ref().take_while(|line| !line.starts_with("data:")).collect();
        head.join("\n")
    };
    assert!(get("/health").contains("\"desktop\":\"ok\""));
    assert!(get("/events").contains("event: endpoint"));
    terminate(&server);
    assert_eq!(server.wait().unwrap().code(), Some(0));
    assert!(!socket_path.exists());
}
