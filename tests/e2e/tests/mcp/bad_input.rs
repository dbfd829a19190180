//! Invalid JSON-RPC messages get the correct error code, and the connection stays usable.

use std::time::Duration;

use harness::TestDesktop;
use serde_json::{Value, json};

use super::stdio_client::StdioClient;

fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("expected an error: {answer}"))
}

#[test]
fn each_kind_of_invalid_message_has_its_error_code() {
    let stage = TestDesktop::new();
    let mut client = StdioClient::start_initialized(&stage, &[], "2025-11-25", json!({}));
    let cases: &[(&str, i64, Value)] = &[
        ("{bad", -32700, json!(null)),
        ("{\"jsonrpc\":\"2.0\",\"id\":70,\"method\":", -32700, json!(null)),
        ("\u{1}", -32700, json!(null)),
        ("7", -32600, json!(null)),
        ("[]", -32600, json!(null)),
        (r#"[{"jsonrpc":"2.0","id":70,"method":"ping"}]"#, -32600, json!(null)),
        ("{}", -32600, json!(null)),
        (r#"{"id":71,"method":"ping"}"#, -32600, json!(71)),
        (r#"{"jsonrpc":"1.0","id":72,"method":"ping"}"#, -32600, json!(72)),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600, json!(null)),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600, json!(null)),
        (r#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#, -32600, json!(null)),
        (r#"{"jsonrpc":"2.0","id":"s","method":5}"#, -32600, json!("s")),
        (r#"{"jsonrpc":"2.0","id":73}"#, -32600, json!(73)),
        (r#"{"jsonrpc":"2.0","id":74,"method":"ping","params":"x"}"#, -32600, json!(74)),
        (r#"{"jsonrpc":"2.0","id":75,"method":"tools/list","params":[]}"#, -32602, json!(75)),
        (r#"{"jsonrpc":"2.0","id":76,"method":"no/such"}"#, -32601, json!(76)),
        (r#"{"jsonrpc":"2.0","id":77,"method":"deskhand/task/get"}"#, -32601, json!(77)),
        (r#"{"jsonrpc":"2.0","id":78,"method":"tools/call"}"#, -32602, json!(78)),
        (
            r#"{"jsonrpc":"2.0","id":79,"method":"tools/call","params":{"name":7}}"#,
            -32602,
            json!(79),
        ),
        (
            r#"{"jsonrpc":"2.0","id":80,"method":"tools/call","params":{"name":"ax_find","arguments":[1]}}"#,
            -32602,
            json!(80),
        ),
        (
            r#"{"jsonrpc":"2.0","id":81,"method":"tools/call","params":{"name":"no_such_tool"}}"#,
            -32602,
            json!(81),
        ),
        (
            r#"{"jsonrpc":"2.0","id":82,"method":"tools/list","params":{"cursor":"made up"}}"#,
            -32602,
            json!(82),
        ),
        (
            r#"{"jsonrpc":"2.0","id":83,"method":"logging/setLevel","params":{"level":"loud"}}"#,
            -32602,
            json!(83),
        ),
        (
            r#"{"jsonrpc":"2.0","id":84,"method":"tasks/get","params":{"taskId":"none"}}"#,
            -32602,
            json!(84),
        ),
        (
            r#"{"jsonrpc":"2.0","id":85,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}"#,
            -32600,
            json!(85),
        ),
    ];
    for (line, expected, id) in cases {
        client.send_raw(line.as_bytes());
        let answer = client.next();
        assert_eq!((code(&answer), &answer["id"]), (*expected, id), "{line}: {answer}");
        assert!(answer["error"]["message"].as_str().is_some_and(|it| !it.is_empty()), "{answer}");
    }
    client.send_raw(b"\xff\xfe\xfd");
    assert_eq!(code(&client.next()), -32700);
    client.assert_no_pending_messages();
}

#[test]
fn invalid_tool_arguments_name_the_field() {
    let stage = TestDesktop::new();
    let mut client = StdioClient::start_initialized(&stage, &[], "2025-11-25", json!({}));
    client.request("logging/setLevel", json!({ "level": "emergency" }));
    let cases = [
        ("ax_find", json!({ "app": "x" }), "query"),
        ("ax_find", json!({ "app": "x", "query": 7 }), "query"),
        ("ax_get_tree", json!({ "app": "x", "max_depth": "deep" }), "max_depth"),
        ("ax_click", json!({ "app": "x", "query": "y", "nonsense": 1 }), "nonsense"),
    ];
    for (tool, arguments, field) in cases {
        let result = client.call(tool, arguments.clone());
        assert_eq!(result["isError"], true, "{tool} {arguments}: {result}");
        assert!(result.get("structuredContent").is_none(), "{result}");
        let error = &result["_meta"]["dev.deskhand/error"];
        assert_eq!(error["code"], "invalid_parameter", "{result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(field), "{tool} {arguments}: {text}");
    }
    client.assert_no_pending_messages();
}

#[test]
fn unexpected_messages_are_ignored() {
    let stage = TestDesktop::new();
    let mut client = StdioClient::start(&stage, &[]);
    // Before initialization.
    client.notify("notifications/initialized", json!({}));
    client.notify("notifications/cancelled", json!({ "requestId": 99 }));
    client.send(&json!({ "jsonrpc": "2.0", "id": 5, "result": {} }));
    client.send_raw(b"");
    client.send_raw(b"   ");
    let early = client.request("tools/list", json!({}));
    assert_eq!(code(&early), -32602, "{early}");
    assert!(client.request("ping", json!({}))["result"].is_object());
    client.initialize("2025-06-18", json!({}));
    // After initialization.
    client.notify("notifications/initialized", json!({}));
    client.notify("notifications/no/such", json!({ "a": 1 }));
    client.notify("notifications/cancelled", json!({ "requestId": 99 }));
    client.notify("notifications/cancelled", json!({ "requestId": [] }));
    client.notify("notifications/progress", json!({ "progressToken": 1, "progress": "much" }));
    client.send(&json!({ "jsonrpc": "2.0", "id": 99, "result": { "a": 1 } }));
    client.send(&json!({ "jsonrpc": "2.0", "id": 99, "error": { "code": -1, "message": "x" } }));
    client.send(&json!({ "jsonrpc": "2.0", "error": { "code": -1, "message": "x" } }));
    client.assert_no_pending_messages();
}

#[test]
fn duplicate_request_id_is_refused() {
    let stage = TestDesktop::new();
    let mut client =
        StdioClient::start_initialized(&stage, &["--conformance"], "2025-11-25", json!({}));
    let slow = json!({ "name": "slow_compute", "arguments": { "seconds": 1 } });
    let message = json!({ "jsonrpc": "2.0", "id": 500, "method": "tools/call", "params": slow });
    client.send(&message);
    client.send(&json!({ "jsonrpc": "2.0", "id": 500, "method": "ping" }));
    let refused = client.next();
    assert_eq!((code(&refused), &refused["id"]), (-32600, &json!(500)));
    let answered = client.next();
    assert_eq!(answered["result"]["isError"], false, "{answered}");
    // The id can be used again.
    client.send(&json!({ "jsonrpc": "2.0", "id": 500, "method": "ping" }));
    assert!(client.next()["result"].is_object());
}

#[test]
fn batch_is_answered_as_one_message_on_2025_03_26() {
    let stage = TestDesktop::new();
    let mut client = StdioClient::start_initialized(&stage, &[], "2025-03-26", json!({}));
    client.send(&json!([
        { "jsonrpc": "2.0", "id": "a", "method": "ping" },
        { "jsonrpc": "2.0", "method": "notifications/initialized" },
        { "jsonrpc": "2.0", "id": "b", "method": "tools/list" },
        { "jsonrpc": "2.0", "id": "c", "method": "no/such" },
        5,
    ]));
    let answer = client.next();
    let all = answer.as_array().unwrap_or_else(|| panic!("{answer}"));
    let of = |id: Value| all.iter().find(|one| one["id"] == id).unwrap();
    assert_eq!(all.len(), 4, "{answer}");
    assert!(of(json!("a"))["result"].is_object());
    assert!(of(json!("b"))["result"]["tools"].is_array());
    assert_eq!((code(of(json!("c"))), code(of(json!(null)))), (-32601, -32600));
    client.send(&json!([]));
    assert_eq!(code(&client.next()), -32600);
    client.assert_no_pending_messages();
}

#[test]
fn oversized_message_is_refused_and_the_next_one_is_read() {
    let stage = TestDesktop::new();
    let mut client = StdioClient::start_initialized(&stage, &[], "2025-11-25", json!({}));
    client.send_raw(&vec![b'x'; 17 * 1024 * 1024]);
    assert_eq!(code(&client.next()), -32600);
    client.assert_no_pending_messages();
}

#[test]
fn pending_request_is_answered_after_stdin_is_closed() {
    let stage = TestDesktop::new();
    let mut client = StdioClient::start_initialized(&stage, &[], "2025-11-25", json!({}));
    let id =
        client.send_request("tools/call", json!({ "name": "ax_session_info", "arguments": {} }));
    let (exit, messages) = client.close();
    assert_eq!(exit, Some(0));
    assert!(
        messages.iter().any(|one| one["id"] == id && one.get("result").is_some()),
        "{messages:?}"
    );
}

#[test]
fn disconnect_ends_a_long_call() {
    let stage = TestDesktop::new();
    let mut client =
        StdioClient::start_initialized(&stage, &["--conformance"], "2025-11-25", json!({}));
    let slow = json!({ "name": "slow_compute", "arguments": { "seconds": 600 } });
    client.send_request("tools/call", slow);
    std::thread::sleep(Duration::from_millis(300));
    let started = std::time::Instant::now();
    let (exit, _) = client.close();
    assert_eq!(exit, Some(0));
    assert!(started.elapsed() < Duration::from_secs(15), "{:?}", started.elapsed());
}
