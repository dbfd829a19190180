//! The form of HTTP responses: JSON or event streams, as the client accepts; and the echo of messages.

use std::process::Stdio;

use harness::{TestDesktop, outcome, output_lines};
use serde_json::{Value, json};

use super::http_server::{
    HttpServer, command_output, initialize_params, request_message, slow_command,
};

/// Posts a message with this `Accept` header.
fn post(
    server: &HttpServer,
    accept: Option<&str>,
    session: Option<&str>,
    message: &Value,
) -> super::http_server::HttpResponse {
    let mut headers = vec![("Content-Type", "application/json")];
    headers.extend(accept.map(|accept| ("Accept", accept)));
    headers.extend(session.map(|session| ("Mcp-Session-Id", session)));
    server.send("POST", "/mcp", &headers, message.to_string().as_bytes())
}

#[test]
fn clients_get_json_unless_they_accept_event_streams() {
    let stage = TestDesktop::new();
    let scope = tempfile::tempdir().unwrap();
    let server = HttpServer::start_commands(&stage, scope.path(), &[]);
    for accept in [Some("application/json"), None] {
        for version in ["2025-03-26", "2025-11-25"] {
            let initialize = request_message(0, "initialize", initialize_params(version));
            let reply = post(&server, accept, None, &initialize);
            assert_eq!(reply.header("content-type").as_deref(), Some("application/json"));
            let session = reply.header("mcp-session-id").unwrap();
            assert_eq!(reply.json()["result"]["protocolVersion"], version);
            let mut command = slow_command(0.2, "done");
            command["_meta"] = json!({ "progressToken": 7 });
            let call = request_message(5, "tools/call", command);
            let reply = post(&server, accept, Some(&session), &call);
            assert_eq!(
                (reply.status, reply.header("content-type").as_deref()),
                (200, Some("application/json"))
            );
            assert_eq!(command_output(&reply.json()), "done");
            let unknown = request_message(6, "no/such/method", json!({}));
            assert_eq!(
                post(&server, accept, Some(&session), &unknown).json()["error"]["code"],
                -32601
            );
            if version == "2025-03-26" {
                let batch = json!([
                    request_message(8, "ping", json!({})),
                    request_message(9, "ping", json!({}))
                ]);
                let answers = post(&server, accept, Some(&session), &batch).json();
                assert_eq!(
                    (&answers[0]["id"], &answers[1]["id"]),
                    (&json!(8), &json!(9)),
                    "{answers}"
                );
            }
        }
    }
    let session = server.session();
    let ping = request_message(1, "ping", json!({}));
    let mut reply = post(&server, Some("text/event-stream"), Some(&session), &ping);
    assert_eq!(reply.header("content-type").as_deref(), Some("text/event-stream"));
    assert!(reply.first_message(|message| message["id"] == 1).is_some());
    assert_eq!(post(&server, Some("text/html"), Some(&session), &ping).status, 406);
}

#[test]
fn messages_are_echoed_for_debugging() {
    let stage = TestDesktop::new();
    let mut child = stage
        .command(outcome::binary())
        .args(["mcp", "serve", "--port", "0", "--bind", "127.0.0.1", "--echo"])
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = output_lines::line_channel(child.stderr.take().unwrap());
    let next = || lines.recv_timeout(super::http_server::RESPONSE_TIMEOUT).unwrap();
    let address = std::iter::repeat_with(next).find(|line| line.contains("://")).unwrap();
    let address = address.split("://").nth(1).unwrap().split('/').next().unwrap().to_owned();
    let server = HttpServer::of_process(child, address);
    server.session();
    let echoed: Vec<String> =
        std::iter::repeat_with(next).take_while(|line| !line.contains("serverInfo")).collect();
    let text = echoed.join("\n");
    assert!(text.contains("→ STDIN:\n{\n  \"jsonrpc\": \"2.0\","), "{text}");
    assert!(text.contains("← STDOUT:\n{\n  \"jsonrpc\": \"2.0\","), "{text}");
}
