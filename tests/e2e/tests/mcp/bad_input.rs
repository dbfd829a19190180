//! Bad input: the right code, and the connection lives.

use std::time::Duration;

use harness::Stage;
use serde_json::{Value, json};

use super::talk::Talk;

fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("no error: {answer}"))
}

#[test]
fn each_kind_of_bad_message_has_its_code_and_the_connection_lives() {
    let stage = Stage::new();
    let mut talk = Talk::initialized(&stage, &[], "2025-11-25", json!({}));
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
        talk.raw(line.as_bytes());
        let answer = talk.next();
        assert_eq!((code(&answer), &answer["id"]), (*expected, id), "{line}: {answer}");
        assert!(answer["error"]["message"].as_str().is_some_and(|it| !it.is_empty()), "{answer}");
    }
    talk.raw(b"\xff\xfe\xfd");
    assert_eq!(code(&talk.next()), -32700);
    talk.assert_quiet();
}

#[test]
fn wrong_arguments_of_a_tool_are_told_by_field() {
    let stage = Stage::new();
    let mut talk = Talk::initialized(&stage, &[], "2025-11-25", json!({}));
    talk.ask("logging/setLevel", json!({ "level": "emergency" }));
    let cases = [
        ("ax_find", json!({ "app": "x" }), "query"),
        ("ax_find", json!({ "app": "x", "query": 7 }), "query"),
        ("ax_get_tree", json!({ "app": "x", "max_depth": "deep" }), "max_depth"),
        ("ax_click", json!({ "app": "x", "query": "y", "nonsense": 1 }), "nonsense"),
    ];
    for (tool, arguments, field) in cases {
        let result = talk.call(tool, arguments.clone());
        assert_eq!(result["isError"], true, "{tool} {arguments}: {result}");
        assert!(result.get("structuredContent").is_none(), "{result}");
        let error = &result["_meta"]["dev.deskhand/error"];
        assert_eq!(error["code"], "invalid_parameter", "{result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(field), "{tool} {arguments}: {text}");
    }
    talk.assert_quiet();
}

#[test]
fn what_nobody_asked_for_is_let_be() {
    let stage = Stage::new();
    let mut talk = Talk::begin(&stage, &[]);
    // Before anything was agreed.
    talk.notify("notifications/initialized", json!({}));
    talk.notify("notifications/cancelled", json!({ "requestId": 99 }));
    talk.send(&json!({ "jsonrpc": "2.0", "id": 5, "result": {} }));
    talk.raw(b"");
    talk.raw(b"   ");
    let early = talk.ask("tools/list", json!({}));
    assert_eq!(code(&early), -32602, "{early}");
    assert!(talk.ask("ping", json!({}))["result"].is_object());
    talk.initialize("2025-06-18", json!({}));
    // And after.
    talk.notify("notifications/initialized", json!({}));
    talk.notify("notifications/no/such", json!({ "a": 1 }));
    talk.notify("notifications/cancelled", json!({ "requestId": 99 }));
    talk.notify("notifications/cancelled", json!({ "requestId": [] }));
    talk.notify("notifications/progress", json!({ "progressToken": 1, "progress": "much" }));
    talk.send(&json!({ "jsonrpc": "2.0", "id": 99, "result": { "a": 1 } }));
    talk.send(&json!({ "jsonrpc": "2.0", "id": 99, "error": { "code": -1, "message": "x" } }));
    talk.send(&json!({ "jsonrpc": "2.0", "error": { "code": -1, "message": "x" } }));
    talk.assert_quiet();
}

#[test]
fn an_id_in_use_is_refused_and_the_first_is_answered() {
    let stage = Stage::new();
    let mut talk = Talk::initialized(&stage, &["--conformance"], "2025-11-25", json!({}));
    let slow = json!({ "name": "slow_compute", "arguments": { "seconds": 1 } });
    let message = json!({ "jsonrpc": "2.0", "id": 500, "method": "tools/call", "params": slow });
    talk.send(&message);
    talk.send(&json!({ "jsonrpc": "2.0", "id": 500, "method": "ping" }));
    let refused = talk.next();
    assert_eq!((code(&refused), &refused["id"]), (-32600, &json!(500)));
    let answered = talk.next();
    assert_eq!(answered["result"]["isError"], false, "{answered}");
    // It is free again.
    talk.send(&json!({ "jsonrpc": "2.0", "id": 500, "method": "ping" }));
    assert!(talk.next()["result"].is_object());
}

#[test]
fn a_batch_is_answered_as_one_where_batches_exist() {
    let stage = Stage::new();
    let mut talk = Talk::initialized(&stage, &[], "2025-03-26", json!({}));
    talk.send(&json!([
        { "jsonrpc": "2.0", "id": "a", "method": "ping" },
        { "jsonrpc": "2.0", "method": "notifications/initialized" },
        { "jsonrpc": "2.0", "id": "b", "method": "tools/list" },
        { "jsonrpc": "2.0", "id": "c", "method": "no/such" },
        5,
    ]));
    let answer = talk.next();
    let all = answer.as_array().unwrap_or_else(|| panic!("{answer}"));
    let of = |id: Value| all.iter().find(|one| one["id"] == id).unwrap();
    assert_eq!(all.len(), 4, "{answer}");
    assert!(of(json!("a"))["result"].is_object());
    assert!(of(json!("b"))["result"]["tools"].is_array());
    assert_eq!((code(of(json!("c"))), code(of(json!(null)))), (-32601, -32600));
    talk.send(&json!([]));
    assert_eq!(code(&talk.next()), -32600);
    talk.assert_quiet();
}

#[test]
fn a_message_too_large_is_refused_and_the_next_one_is_read() {
    let stage = Stage::new();
    let mut talk = Talk::initialized(&stage, &[], "2025-11-25", json!({}));
    talk.raw(&vec![b'x'; 17 * 1024 * 1024]);
    assert_eq!(code(&talk.next()), -32600);
    talk.assert_quiet();
}

#[test]
fn a_half_closed_stream_is_answered_and_ends_well() {
    let stage = Stage::new();
    let mut talk = Talk::initialized(&stage, &[], "2025-11-25", json!({}));
    let id = talk.request("tools/call", json!({ "name": "ax_session_info", "arguments": {} }));
    let (exit, said) = talk.close();
    assert_eq!(exit, Some(0));
    assert!(said.iter().any(|one| one["id"] == id && one.get("result").is_some()), "{said:?}");
}

#[test]
fn a_client_that_goes_ends_a_long_call_soon() {
    let stage = Stage::new();
    let mut talk = Talk::initialized(&stage, &["--conformance"], "2025-11-25", json!({}));
    let slow = json!({ "name": "slow_compute", "arguments": { "seconds": 600 } });
    talk.request("tools/call", slow);
    std::thread::sleep(Duration::from_millis(300));
    let begun = std::time::Instant::now();
    let (exit, _) = talk.close();
    assert_eq!(exit, Some(0));
    assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
}
