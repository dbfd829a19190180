//! Command sessions over HTTP: each session is confined to the first local root of its client.

use std::path::Path;

use harness::TestDesktop;
use serde_json::{Value, json};

use super::{
    Scope, marked_processes, signal_ignoring_script, synchronous_args, unique_marker,
    wait_for_processes, wait_until_gone,
};
use crate::{
    http_server::{HttpResponse, HttpServer, initialize_params},
    legacy_sse_client::LegacySseClient,
};

/// An initialized client that supports roots.
struct Client<'a> {
    server: &'a HttpServer,
    session: String,
    stream: HttpResponse,
}

impl<'a> Client<'a> {
    /// Connects a client that has not sent its roots yet.
    fn connect(server: &'a HttpServer) -> Self {
        let initialize_params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "roots": { "listChanged": true } },
            "clientInfo": { "name": "web", "version": "1" },
        });
        let reply = server.request(None, 0, "initialize", initialize_params);
        let session = reply.header("mcp-session-id").unwrap();
        let headers = [("Accept", "text/event-stream"), ("Mcp-Session-Id", session.as_str())];
        let stream = server.send("GET", "/mcp", &headers, b"");
        assert_eq!(stream.status, 200, "{}", stream.head);
        Self { server, session, stream }
    }

    /// Connects a client that sends these roots.
    fn with_roots(server: &'a HttpServer, folders: &[&Path]) -> Self {
        let mut client = Self::connect(server);
        assert_eq!(client.notify("notifications/initialized").status, 202);
        client.answer_roots_request(folders);
        client
    }

    fn notify(&self, method: &str) -> HttpResponse {
        let message = json!({ "jsonrpc": "2.0", "method": method });
        self.server.post(Some(&self.session), message.to_string().as_bytes())
    }

    /// Waits for the `roots/list` request and answers it.
    fn answer_roots_request(&mut self, folders: &[&Path]) {
        let request =
            self.stream.first_message(|message| message["method"] == "roots/list").unwrap();
        self.send_roots(&request, folders);
    }

    fn send_roots(&self, request: &Value, folders: &[&Path]) {
        let roots: Vec<Value> =
            folders.iter().map(|it| json!({ "uri": format!("file://{}", it.display()) })).collect();
        let answer = json!({ "jsonrpc": "2.0", "id": request["id"], "result": { "roots": roots } });
        let reply = self.server.post(Some(&self.session), answer.to_string().as_bytes());
        assert_eq!(reply.status, 202, "{}", reply.head);
    }

    fn call(&self, tool: &str, arguments: Value) -> HttpResponse {
        let params = json!({ "name": tool, "arguments": arguments });
        self.server.request(Some(&self.session), fastrand::i64(1..1 << 40), "tools/call", params)
    }

    /// Calls a tool and returns its result.
    fn result(&self, tool: &str, arguments: Value) -> Value {
        let mut reply = self.call(tool, arguments);
        assert_eq!(reply.status, 200, "{}", reply.head);
        let answer = reply.first_message(|message| message["result"].is_object());
        answer.unwrap()["result"].clone()
    }

    fn run(&self, command: &str) -> Value {
        self.result("sandboxed_shell", synchronous_args(command))
    }
}

/// A server without authentication, whose commands have no network access.
fn start_server(stage: &TestDesktop, options: &[&str]) -> HttpServer {
    let options = [&["--toolsets", "cli"], options].concat();
    HttpServer::start_with(stage, &options, &[("DESKHAND_COMMANDS_NETWORK", "off")])
}

#[test]
fn session_is_confined_to_the_first_root_of_its_client() {
    let stage = TestDesktop::new();
    let server = start_server(&stage, &[]);
    let (ann, bob, elsewhere) = (Scope::new(), Scope::new(), Scope::new());
    let first = Client::with_roots(&server, &[ann.path(), elsewhere.path()]);
    let second = Client::with_roots(&server, &[bob.path()]);
    for (client, own, other) in [(&first, &ann, &bob), (&second, &bob, &elsewhere)] {
        let here = client.run("pwd; echo mine > file");
        let output = here["structuredContent"]["output"].as_str().unwrap_or_default();
        assert_eq!(output.trim(), own.path().canonicalize().unwrap().to_str().unwrap(), "{here}");
        assert_eq!(own.read("file"), "mine\n");
        let outside = client.run(&format!("echo theirs > {}/stolen", other.path().display()));
        assert_eq!(outside["isError"], true, "{outside}");
        assert!(!other.path().join("stolen").exists());
    }
    // Sessions do not share operations.
    let created = first.result("sandboxed_shell", json!({ "command": "sleep 60" }));
    let id = &created["structuredContent"]["operation_id"];
    let refused = second.result("cancel", json!({ "operation_id": id }));
    assert_eq!(refused["isError"], true, "{refused}");
}

#[test]
fn changed_roots_end_the_session() {
    let stage = TestDesktop::new();
    let server = start_server(&stage, &[]);
    let scope = Scope::new();
    let client = Client::with_roots(&server, &[scope.path()]);
    let other = Client::with_roots(&server, &[scope.path()]);
    let (marker, other_marker) = (unique_marker(), unique_marker());
    for (client, marker) in [(&client, &marker), (&other, &other_marker)] {
        client.result("sandboxed_shell", json!({ "command": signal_ignoring_script(marker) }));
        wait_for_processes(marker, 4);
    }
    let refused = client.notify("notifications/roots/list_changed");
    assert_eq!(refused.status, 403, "{}", refused.head);
    wait_until_gone(&marker);
    let refused = client.call("status", json!({}));
    assert_eq!(refused.status, 403, "{}", refused.head);
    let reason = refused.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(reason.contains("root") && reason.contains("new session"), "{reason}");
    let again = [("Accept", "text/event-stream"), ("Mcp-Session-Id", client.session.as_str())];
    assert_eq!(server.send("GET", "/mcp", &again, b"").status, 403);
    // The other session continues until it is deleted.
    assert!(!marked_processes(&other_marker).is_empty());
    let headers =
        [("Mcp-Session-Id", other.session.as_str()), ("Mcp-Protocol-Version", "2025-11-25")];
    assert_eq!(server.send("DELETE", "/mcp", &headers, b"").status, 204);
    wait_until_gone(&other_marker);
}

#[test]
fn call_waits_for_roots_and_fails_without_any() {
    let stage = TestDesktop::new();
    let server = start_server(&stage, &[]);
    let scope = Scope::new();
    let early = Client::connect(&server);
    let mut reply = early.call("sandboxed_shell", synchronous_args("pwd"));
    // The request is sent on the stream of the call, because a client may read no other stream.
    let request = reply.first_message(|message| message["method"] == "roots/list").unwrap();
    early.send_roots(&request, &[scope.path()]);
    let answer = reply.first_message(|message| message["result"].is_object()).unwrap();
    let output = answer["result"]["structuredContent"]["output"].as_str().unwrap();
    assert_eq!(output.trim(), scope.path().canonicalize().unwrap().to_str().unwrap());
    let rootless = Client::with_roots(&server, &[]);
    let refused = rootless.run("pwd");
    assert_eq!(refused["isError"], true, "{refused}");
    let text = refused["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("scope") || text.contains("folder"), "{text}");
    // The client may add a root later.
    let mut rootless = rootless;
    assert_eq!(rootless.notify("notifications/roots/list_changed").status, 202);
    rootless.answer_roots_request(&[scope.path()]);
    assert_eq!(rootless.run("pwd")["isError"], false);
    // A configured scope takes precedence over the roots of clients.
    let fixed = Scope::new();
    let scope_path = fixed.path().to_str().unwrap();
    let server = start_server(&stage, &["--sandbox-scope", scope_path]);
    let client = Client::with_roots(&server, &[scope.path()]);
    let here = client.run("pwd");
    assert_eq!(
        here["structuredContent"]["output"].as_str().unwrap_or_default().trim(),
        scope_path,
        "{here}"
    );
    assert_eq!(client.notify("notifications/roots/list_changed").status, 202);
    assert_eq!(client.run("true")["isError"], false);
}

#[test]
fn result_of_an_operation_arrives_on_the_session_stream() {
    let stage = TestDesktop::new();
    let server = start_server(&stage, &[]);
    let scope = Scope::new();
    let mut client = Client::with_roots(&server, &[scope.path()]);
    let params = json!({
        "name": "sandboxed_shell", "arguments": { "command": "sleep 0.3; echo made" },
        "_meta": { "progressToken": "mine" },
    });
    let mut reply = server.request(Some(&client.session), 1, "tools/call", params);
    let answer = reply.first_message(|message| message["id"] == 1).unwrap();
    let id = answer["result"]["structuredContent"]["operation_id"].as_str().unwrap().to_owned();
    let is_end = |message: &Value| {
        let text = message["params"]["message"].as_str().unwrap_or_default();
        message["params"]["progressToken"] == "mine" && text.contains(&id)
    };
    let notification = client.stream.first_message(is_end).unwrap();
    let text = notification["params"]["message"].as_str().unwrap();
    assert!(text.contains("completed, exit code 0") && text.contains("made"), "{text}");
}

#[test]
fn legacy_sse_sessions_are_confined_too() {
    let stage = TestDesktop::new();
    let server = start_server(&stage, &["--sse"]);
    let scope = Scope::new();
    let mut client = LegacySseClient::open(&server, "/sse");
    let mut params = initialize_params("2024-11-05");
    params["capabilities"] = json!({ "roots": { "listChanged": true } });
    client.request(0, "initialize", params);
    client.notify("notifications/initialized", json!({}));
    let request = loop {
        let message = client.event().unwrap().message();
        if message["method"] == "roots/list" {
            break message;
        }
    };
    let roots = json!([{ "uri": format!("file://{}", scope.path().display()) }]);
    let answer = json!({ "jsonrpc": "2.0", "id": request["id"], "result": { "roots": roots } });
    assert_eq!(client.post(answer.to_string().as_bytes()).status, 202);
    let call =
        json!({ "name": "sandboxed_shell", "arguments": synchronous_args("echo mine > file") });
    let result = client.request(1, "tools/call", call);
    assert_eq!(result["result"]["isError"], false, "{result}");
    assert_eq!(scope.read("file"), "mine\n");
    let changed = json!({ "jsonrpc": "2.0", "method": "notifications/roots/list_changed" });
    assert_eq!(client.post(changed.to_string().as_bytes()).status, 403);
    assert_eq!(client.send_request(2, "ping", json!({})).status, 403);
}

#[test]
fn unsafe_root_is_refused_and_can_be_replaced() {
    let stage = TestDesktop::new();
    let server = start_server(&stage, &[]);
    let scope = Scope::new();
    let home = stage.info().folders.config.clone();
    let link = scope.path().join("project");
    std::os::unix::fs::symlink("/usr", &link).unwrap();
    for (folder, reason) in [
        (Path::new("/etc"), "a system folder"),
        (&home, "hidden folder in a home"),
        (Path::new("/tmp"), "a shared folder"),
        (&link, "a system folder"),
    ] {
        let mut client = Client::with_roots(&server, &[folder, scope.path()]);
        let notification =
            client.stream.first_message(|message| message["params"]["level"] == "warning").unwrap();
        assert!(
            notification["params"]["data"]["message"].as_str().unwrap().contains(reason),
            "{notification}"
        );
        let refused = client.run("pwd");
        let text = refused["content"][0]["text"].as_str().unwrap();
        assert!(refused["isError"] == true && text.contains(reason), "{text}");
        assert_eq!(client.notify("notifications/roots/list_changed").status, 202);
        client.answer_roots_request(&[scope.path()]);
        assert_eq!(client.run("true")["isError"], false);
    }
}
