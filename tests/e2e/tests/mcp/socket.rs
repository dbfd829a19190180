//! The unix socket: several clients, nobody else's, nothing left behind.

use std::{
    io::{BufRead, BufReader, Write},
    os::unix::{fs::PermissionsExt, net::UnixStream},
    path::Path,
    process::{Child, Stdio},
    time::Duration,
};

use harness::{Stage, outcome};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

/// Serves the fixtures in the place of the tools.
pub(crate) const FIXTURES: &[&str] = &["--conformance"];

/// A server at a socket, with settings by variables.
pub(crate) fn serve(stage: &Stage, at: &Path, options: &[&str], set: &[(&str, &str)]) -> Child {
    let mut child = stage
        .command(outcome::binary())
        .args(["mcp", "serve", "--socket"])
        .arg(at)
        .args(options)
        .envs(set.iter().copied())
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

/// Sends a request and reads its answer.
pub(crate) fn ask(stream: &UnixStream, id: i64, method: &str, params: Value) -> Value {
    send(stream, id, method, &params);
    let read = |line: std::io::Result<String>| -> Value {
        let line = line.unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"))
    };
    BufReader::new(stream).lines().map(read).find(|message| message["id"] == id).unwrap()
}

/// An initialized client.
pub(crate) fn client(at: &Path) -> UnixStream {
    let stream = UnixStream::connect(at).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let client = json!({ "name": "socket", "version": "1" });
    let params =
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    assert!(ask(&stream, 0, "initialize", params)["result"].is_object());
    stream
}

/// Asks a server to end.
pub(crate) fn ask_to_end(server: &Child) {
    kill_process(Pid::from_child(server), Signal::TERM).unwrap();
}

#[test]
fn several_clients_are_served_apart_and_nothing_is_left() {
    let stage = Stage::new();
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().join("own").join("mcp.sock");
    let mut server = serve(&stage, &at, FIXTURES, &[]);
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&at), mode(at.parent().unwrap())), (0o600, 0o700));
    let (first, second) = (client(&at), client(&at));
    let slow = json!({ "name": "slow_compute", "arguments": { "seconds": 600 }, "task": {} });
    let begun = ask(&first, 1, "tools/call", slow);
    let task = json!({ "taskId": begun["result"]["task"]["taskId"] });
    assert_eq!(ask(&first, 2, "tasks/get", task.clone())["result"]["status"], "working");
    assert_eq!(ask(&second, 2, "tasks/get", task)["error"]["code"], -32602, "not its own");
    let another = stage.deskhand(&["mcp", "serve", "--socket", &at.display().to_string()]);
    assert_eq!(another.code, Some(1), "{another}");
    assert!(another.stderr.contains("another server"), "{another}");
    ask_to_end(&server);
    assert_eq!(server.wait().unwrap().code(), Some(0));
    assert!(!at.exists());
}

#[test]
fn what_a_killed_server_left_is_swept_away() {
    let stage = Stage::new();
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().join("mcp.sock");
    let mut killed = serve(&stage, &at, FIXTURES, &[]);
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert!(at.exists());
    let mut server = serve(&stage, &at, FIXTURES, &[]);
    assert!(ask(&client(&at), 1, "ping", json!({}))["result"].is_object());
    server.kill().unwrap();
    server.wait().unwrap();
}

#[test]
fn a_file_that_is_no_socket_is_left_alone() {
    let stage = Stage::new();
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().join("precious.txt");
    std::fs::write(&at, "words").unwrap();
    let lines = ["mcp", "serve", "--conformance", "--socket", at.to_str().unwrap()];
    let refused = stage.deskhand(&lines);
    assert_eq!(refused.code, Some(1), "{refused}");
    assert!(refused.stderr.contains("not a socket"), "{refused}");
    assert_eq!(std::fs::read_to_string(&at).unwrap(), "words");
}

#[test]
fn http_comes_by_a_socket_where_variables_say_so() {
    let stage = Stage::new();
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().join("http.sock");
    let mut server = stage
        .command(outcome::binary())
        .args(["mcp", "serve", "--conformance"])
        .env("MCP_TRANSPORT", "sse")
        .env("MCP_HTTP_SOCKET", &at)
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(server.stderr.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("serving HTTP at"), "{line}");
    let get = |path: &str| {
        let mut stream = UnixStream::connect(&at).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let request = format!("GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
        let seen: Vec<String> =
            lines.by_ref().take_while(|line| !line.starts_with("data:")).collect();
        seen.join("\n")
    };
    assert!(get("/health").contains("\"desktop\":\"ok\""));
    assert!(get("/events").contains("event: endpoint"));
    ask_to_end(&server);
    assert_eq!(server.wait().unwrap().code(), Some(0));
    assert!(!at.exists());
}
