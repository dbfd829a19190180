//! Rate limits over HTTP, and the limit of images for the model of a client.

use std::{
    io::{BufRead, BufReader},
    time::Duration,
};

use harness::{App, TestDesktop};
use serde_json::{Value, json};

use super::{
    http_server::{HttpServer, request_message},
    sampling::{find, next_sampling_request, reply, stage, text},
    stdio_client::StdioClient,
    unix_socket,
};

const READ_TOOL: &str = "ax_list_apps";

fn read_call() -> Value {
    json!({ "name": READ_TOOL, "arguments": {} })
}

#[test]
fn rate_limited_http_call_is_429_with_retry_after() {
    let stage = TestDesktop::new();
    let server = HttpServer::start_with(&stage, &[], &[("DESKHAND_RATE_LIMIT_RPM", "3")]);
    let mut replies: Vec<_> =
        (1..=5).map(|_| server.call_as("any", READ_TOOL, json!({}))).collect();
    assert_eq!(replies[0].status, 200, "{}", replies[0].head);
    let refused = replies.pop().unwrap();
    assert_eq!(refused.status, 429, "{}", refused.head);
    let after: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&after), "{}", refused.head);
    assert_rate_limited(&refused.json());
}

#[test]
fn rate_limit_is_per_session_without_authentication() {
    let stage = TestDesktop::new();
    let server = HttpServer::start_with(&stage, &[], &[("DESKHAND_RATE_LIMIT_RPM", "3")]);
    let answer = |session: &str, id: i64| {
        let mut reply = server.request(Some(session), id, "tools/call", read_call());
        let events = std::iter::from_fn(|| reply.event());
        events.map(|event| event.message()).find(|message| message["id"] == id).unwrap()
    };
    let (one, other) = (server.session(), server.session());
    let answers: Vec<Value> = (1..=5).map(|id| answer(&one, id)).collect();
    assert_rate_limited(&answers[4]);
    assert!(answer(&other, 1).get("result").is_some());
}

#[test]
fn rate_limit_is_per_principal_across_sessions() {
    let stage = TestDesktop::new();
    let token = "correct-horse-battery-staple";
    let variables = [("DESKHAND_RATE_LIMIT_RPM", "3"), ("DESKHAND_HTTP_TOKEN", token)];
    let server = HttpServer::start_with(&stage, &[], &variables);
    let answers: Vec<Value> = (1..=5)
        .map(|id| {
            let session = server.session_as(token);
            let call = request_message(id, "tools/call", read_call());
            let mut reply = server.post_as(token, Some(&session), &call);
            reply.first_message(|message| message["id"] == id).unwrap()
        })
        .collect();
    assert!(answers[0].get("result").is_some(), "{}", answers[0]);
    assert_rate_limited(&answers[4]);
}

#[test]
fn concurrency_limit_is_per_client() {
    let stage = TestDesktop::new();
    let app = stage.start(App::Mousepad);
    let folder = tempfile::tempdir().unwrap();
    let socket_path = folder.path().join("mcp.sock");
    let mut server =
        unix_socket::serve(&stage, &socket_path, &[], &[("DESKHAND_CONCURRENCY", "10")]);
    let (one, other) = (unix_socket::client(&socket_path), unix_socket::client(&socket_path));
    let wait = json!({
        "name": "ax_wait_idle",
        "arguments": { "app": app.pid_text(), "timeout_ms": 600_000, "poll_ms": 10_000 },
    });
    for id in 1..=40 {
        unix_socket::send(&one, id, "tools/call", &wait);
    }
    let read = |line: std::io::Result<String>| serde_json::from_str(&line.unwrap()).unwrap();
    let answers = BufReader::new(&one).lines().map(read);
    let refused: Vec<Value> =
        answers.filter(|it: &Value| it.get("error").is_some()).take(30).collect();
    for answer in &refused {
        assert_rate_limited(answer);
        assert!(answer.to_string().contains("10 concurrent calls"), "{answer}");
    }
    let served = unix_socket::request(&other, 1, "tools/call", read_call());
    assert!(served["result"].is_object(), "{served}");
    server.kill().unwrap();
    server.wait().unwrap();
}

#[test]
fn rate_limited_resource_read_is_429() {
    let stage = TestDesktop::new();
    let server = HttpServer::start_with(&stage, &[], &[("DESKHAND_RATE_LIMIT_RPM", "3")]);
    let read = || server.read_as("any", "deskhand://apps");
    let mut replies: Vec<_> = (1..=5).map(|_| read()).collect();
    assert_eq!(replies[0].status, 200, "{}", replies[0].head);
    let refused = replies.pop().unwrap();
    assert_eq!(refused.status, 429, "{}", refused.head);
    assert!(refused.header("retry-after").is_some(), "{}", refused.head);
    assert_rate_limited(&refused.json());
}

/// Starts a server that allows one image per minute.
fn start_with_one_image_per_minute(stage: &TestDesktop) -> StdioClient {
    StdioClient::start_with(stage, &[], |command| {
        command.env("DESKHAND_VLM_RATE_LIMIT", "1");
    })
}

#[test]
fn excess_image_is_refused_without_a_sampling_request() {
    let (stage, app) = stage();
    let mut client = start_with_one_image_per_minute(&stage);
    client.initialize("2025-06-18", json!({ "sampling": {} }));
    client.notify("notifications/initialized", json!({}));
    let call = client.send_request("tools/call", find(&app));
    for words in ["Four buttons.", "Press the first."] {
        let sampling_request = next_sampling_request(&mut client);
        reply(&mut client, &sampling_request, text(words));
    }
    let answer = client.response(call);
    assert!(answer.to_string().contains("Press the first"), "{answer}");

    let refused = client.request("tools/call", find(&app));
    assert_rate_limited(&refused);
    assert!(refused.to_string().contains("1 vision calls per minute"), "{refused}");
    assert_no_server_requests(&mut client);
}

#[test]
fn repeated_call_with_answers_counts_as_one_image() {
    let (stage, app) = stage();
    let mut client =
        start_with_one_image_per_minute(&stage).with_modern_protocol(&json!({ "sampling": {} }));
    let first = client.request("tools/call", find(&app))["result"].clone();
    assert_eq!(first["resultType"], "input_required", "{first}");
    let mut again = find(&app);
    again["requestState"] = first["requestState"].clone();
    again["inputResponses"] =
        json!({ "screen": text("Four buttons."), "next": text("Press the first.") });
    let answer = client.request("tools/call", again);
    assert!(answer.to_string().contains("Four buttons"), "{answer}");

    let refused = client.request("tools/call", find(&app));
    assert_rate_limited(&refused);
    assert!(refused.get("result").is_none(), "a prompt was sent: {refused}");
    assert_no_server_requests(&mut client);
}

#[test]
fn client_without_sampling_has_no_image_limit() {
    let (stage, app) = stage();
    let mut client = start_with_one_image_per_minute(&stage);
    client.initialize("2025-06-18", json!({}));
    client.notify("notifications/initialized", json!({}));
    for _ in 0..2 {
        let answer = client.request("tools/call", find(&app));
        assert_eq!(answer["result"]["content"][0]["type"], "image", "{answer}");
    }
}

/// Fails if the server has sent a request. The response to a later request shows that all earlier
/// messages have arrived.
fn assert_no_server_requests(client: &mut StdioClient) {
    client.request("tools/list", json!({}));
    while let Some(message) = client.next_within(Duration::ZERO) {
        assert!(message.get("id").is_none(), "{message}");
    }
}

/// Fails unless a response is a rate limit error with a retry time.
fn assert_rate_limited(answer: &Value) {
    assert_eq!(answer["error"]["code"], -32000, "{answer}");
    assert!(answer["error"]["data"]["retry_after_ms"].as_u64().unwrap() > 0, "{answer}");
}
