//! Sessions over HTTP: each is bound to the folder its client named first, apart from the others.

use std::path::Path;

use harness::Stage;
use serde_json::{Value, json};

use super::{Scope, are_gone, at_once, come_to, mark, marked, stubborn};
use crate::{
    old::Old,
    web::{Reply, Server, hello},
};

/// A client of the handshake that works in folders.
struct Client<'a> {
    server: &'a Server,
    session: String,
    stream: Reply,
}

impl<'a> Client<'a> {
    /// A client that can tell its folders, and was not asked for them yet.
    fn begin(server: &'a Server) -> Self {
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "roots": { "listChanged": true } },
            "clientInfo": { "name": "web", "version": "1" },
        });
        let reply = server.ask(None, 0, "initialize", hello);
        let session = reply.header("mcp-session-id").unwrap();
        let own = [("Accept", "text/event-stream"), ("Mcp-Session-Id", session.as_str())];
        let stream = server.send("GET", "/mcp", &own, b"");
        assert_eq!(stream.status, 200, "{}", stream.head);
        Self { server, session, stream }
    }

    /// One that has told them.
    fn within(server: &'a Server, folders: &[&Path]) -> Self {
        let mut client = Self::begin(server);
        assert_eq!(client.notify("notifications/initialized").status, 202);
        client.tell(folders);
        client
    }

    fn notify(&self, method: &str) -> Reply {
        let message = json!({ "jsonrpc": "2.0", "method": method });
        self.server.post(Some(&self.session), message.to_string().as_bytes())
    }

    /// Answers the question for its folders.
    fn tell(&mut self, folders: &[&Path]) {
        let asked = self.stream.first(|message| message["method"] == "roots/list").unwrap();
        self.answer(&asked, folders);
    }

    fn answer(&self, asked: &Value, folders: &[&Path]) {
        let roots: Vec<Value> =
            folders.iter().map(|it| json!({ "uri": format!("file://{}", it.display()) })).collect();
        let answer = json!({ "jsonrpc": "2.0", "id": asked["id"], "result": { "roots": roots } });
        let taken = self.server.post(Some(&self.session), answer.to_string().as_bytes());
        assert_eq!(taken.status, 202, "{}", taken.head);
    }

    fn call(&self, tool: &str, arguments: Value) -> Reply {
        let params = json!({ "name": tool, "arguments": arguments });
        self.server.ask(Some(&self.session), fastrand::i64(1..1 << 40), "tools/call", params)
    }

    /// Calls a tool to its end; the result.
    fn result(&self, tool: &str, arguments: Value) -> Value {
        let mut reply = self.call(tool, arguments);
        assert_eq!(reply.status, 200, "{}", reply.head);
        let answer = reply.first(|message| message["result"].is_object());
        answer.unwrap()["result"].clone()
    }

    fn run(&self, command: &str) -> Value {
        self.result("sandboxed_shell", at_once(command))
    }
}

/// A server that asks nobody for a token: its commands reach no network.
fn server(stage: &Stage, options: &[&str]) -> Server {
    let options = [&["--toolsets", "cli"], options].concat();
    Server::set(stage, &options, &[("DESKHAND_COMMANDS_NETWORK", "off")])
}

#[test]
fn each_is_bound_to_the_first_folder_of_its_client() {
    let stage = Stage::new();
    let server = server(&stage, &[]);
    let (ann, bob, elsewhere) = (Scope::new(), Scope::new(), Scope::new());
    let first = Client::within(&server, &[ann.path(), elsewhere.path()]);
    let second = Client::within(&server, &[bob.path()]);
    for (client, own, other) in [(&first, &ann, &bob), (&second, &bob, &elsewhere)] {
        let here = client.run("pwd; echo mine > file");
        let output = here["structuredContent"]["output"].as_str().unwrap_or_default();
        assert_eq!(output.trim(), own.path().canonicalize().unwrap().to_str().unwrap(), "{here}");
        assert_eq!(own.read("file"), "mine\n");
        let outside = client.run(&format!("echo theirs > {}/stolen", other.path().display()));
        assert_eq!(outside["isError"], true, "{outside}");
        assert!(!other.path().join("stolen").exists());
    }
    // What one has begun the other does not know.
    let begun = first.result("sandboxed_shell", json!({ "command": "sleep 60" }));
    let id = &begun["structuredContent"]["operation_id"];
    let refused = second.result("cancel", json!({ "operation_id": id }));
    assert_eq!(refused["isError"], true, "{refused}");
}

#[test]
fn a_client_that_works_elsewhere_later_is_sent_away() {
    let stage = Stage::new();
    let server = server(&stage, &[]);
    let scope = Scope::new();
    let client = Client::within(&server, &[scope.path()]);
    let other = Client::within(&server, &[scope.path()]);
    let (mark, kept) = (mark(), mark());
    for (client, mark) in [(&client, &mark), (&other, &kept)] {
        client.result("sandboxed_shell", json!({ "command": stubborn(mark) }));
        come_to(mark, 4);
    }
    let refused = client.notify("notifications/roots/list_changed");
    assert_eq!(refused.status, 403, "{}", refused.head);
    are_gone(&mark);
    let refused = client.call("status", json!({}));
    assert_eq!(refused.status, 403, "{}", refused.head);
    let why = refused.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(why.contains("root") && why.contains("new session"), "{why}");
    let again = [("Accept", "text/event-stream"), ("Mcp-Session-Id", client.session.as_str())];
    assert_eq!(server.send("GET", "/mcp", &again, b"").status, 403);
    // Others go on until they leave themselves.
    assert!(!marked(&kept).is_empty());
    let own = [("Mcp-Session-Id", other.session.as_str()), ("Mcp-Protocol-Version", "2025-11-25")];
    assert_eq!(server.send("DELETE", "/mcp", &own, b"").status, 204);
    are_gone(&kept);
}

#[test]
fn a_call_waits_for_the_folders_and_says_so_when_there_are_none() {
    let stage = Stage::new();
    let server = server(&stage, &[]);
    let scope = Scope::new();
    let early = Client::begin(&server);
    let mut reply = early.call("sandboxed_shell", at_once("pwd"));
    // It is asked by the stream of the call: a client may read no other.
    let asked = reply.first(|message| message["method"] == "roots/list").unwrap();
    early.answer(&asked, &[scope.path()]);
    let answer = reply.first(|message| message["result"].is_object()).unwrap();
    let output = answer["result"]["structuredContent"]["output"].as_str().unwrap();
    assert_eq!(output.trim(), scope.path().canonicalize().unwrap().to_str().unwrap());
    let nowhere = Client::within(&server, &[]);
    let refused = nowhere.run("pwd");
    assert_eq!(refused["isError"], true, "{refused}");
    let words = refused["content"][0]["text"].as_str().unwrap();
    assert!(words.contains("scope") || words.contains("folder"), "{words}");
    // It may name one yet.
    let mut nowhere = nowhere;
    assert_eq!(nowhere.notify("notifications/roots/list_changed").status, 202);
    nowhere.tell(&[scope.path()]);
    assert_eq!(nowhere.run("pwd")["isError"], false);
    // One folder for all leaves nothing to clients.
    let fixed = Scope::new();
    let at = fixed.path().to_str().unwrap();
    let server = self::server(&stage, &["--sandbox-scope", at]);
    let client = Client::within(&server, &[scope.path()]);
    let here = client.run("pwd");
    assert_eq!(
        here["structuredContent"]["output"].as_str().unwrap_or_default().trim(),
        at,
        "{here}"
    );
    assert_eq!(client.notify("notifications/roots/list_changed").status, 202);
    assert_eq!(client.run("true")["isError"], false);
}

#[test]
fn the_result_of_what_goes_on_comes_by_the_sessions_own_stream() {
    let stage = Stage::new();
    let server = server(&stage, &[]);
    let scope = Scope::new();
    let mut client = Client::within(&server, &[scope.path()]);
    let params = json!({
        "name": "sandboxed_shell", "arguments": { "command": "sleep 0.3; echo made" },
        "_meta": { "progressToken": "mine" },
    });
    let mut reply = server.ask(Some(&client.session), 1, "tools/call", params);
    let answer = reply.first(|message| message["id"] == 1).unwrap();
    let id = answer["result"]["structuredContent"]["operation_id"].as_str().unwrap().to_owned();
    let is_end = |message: &Value| {
        let words = message["params"]["message"].as_str().unwrap_or_default();
        message["params"]["progressToken"] == "mine" && words.contains(&id)
    };
    let told = client.stream.first(is_end).unwrap();
    let words = told["params"]["message"].as_str().unwrap();
    assert!(words.contains("completed, exit code 0") && words.contains("made"), "{words}");
}

#[test]
fn clients_of_the_older_stream_are_bound_alike() {
    let stage = Stage::new();
    let server = server(&stage, &["--sse"]);
    let scope = Scope::new();
    let mut client = Old::open(&server, "/sse");
    let mut greeting = hello("2024-11-05");
    greeting["capabilities"] = json!({ "roots": { "listChanged": true } });
    client.ask(0, "initialize", greeting);
    client.notify("notifications/initialized", json!({}));
    let asked = loop {
        let message = client.event().unwrap().message();
        if message["method"] == "roots/list" {
            break message;
        }
    };
    let roots = json!([{ "uri": format!("file://{}", scope.path().display()) }]);
    let answer = json!({ "jsonrpc": "2.0", "id": asked["id"], "result": { "roots": roots } });
    assert_eq!(client.post(answer.to_string().as_bytes()).status, 202);
    let call = json!({ "name": "sandboxed_shell", "arguments": at_once("echo mine > file") });
    let ran = client.ask(1, "tools/call", call);
    assert_eq!(ran["result"]["isError"], false, "{ran}");
    assert_eq!(scope.read("file"), "mine\n");
    let changed = json!({ "jsonrpc": "2.0", "method": "notifications/roots/list_changed" });
    assert_eq!(client.post(changed.to_string().as_bytes()).status, 403);
    assert_eq!(client.request(2, "ping", json!({})).status, 403);
}

#[test]
fn a_folder_that_is_none_for_clients_is_refused_and_another_may_be_named() {
    let stage = Stage::new();
    let server = server(&stage, &[]);
    let scope = Scope::new();
    let home = stage.info().folders.config.clone();
    let link = scope.path().join("project");
    std::os::unix::fs::symlink("/usr", &link).unwrap();
    for (folder, why) in [
        (Path::new("/etc"), "a system folder"),
        (&home, "hidden folder in a home"),
        (Path::new("/tmp"), "a shared folder"),
        (&link, "a system folder"),
    ] {
        let mut client = Client::within(&server, &[folder, scope.path()]);
        let told = client.stream.first(|message| message["params"]["level"] == "warning").unwrap();
        assert!(told["params"]["data"]["message"].as_str().unwrap().contains(why), "{told}");
        let refused = client.run("pwd");
        let words = refused["content"][0]["text"].as_str().unwrap();
        assert!(refused["isError"] == true && words.contains(why), "{words}");
        assert_eq!(client.notify("notifications/roots/list_changed").status, 202);
        client.tell(&[scope.path()]);
        assert_eq!(client.run("true")["isError"], false);
    }
}
