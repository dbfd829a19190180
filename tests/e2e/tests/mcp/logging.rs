//! Log notifications of real calls: loggers, levels, content and redaction.

use harness::{App, TestDesktop};
use serde_json::{Value, json};

use super::stdio_client::StdioClient;

/// Calls a tool. Returns the log records before its response, and the result.
fn call_with_records(
    client: &mut StdioClient,
    tool: &str,
    arguments: Value,
    meta: Value,
) -> (Vec<Value>, Value) {
    let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
    let id = client.send_request("tools/call", params);
    let mut records = Vec::new();
    loop {
        let message = client.next();
        if message["method"] == "notifications/message" {
            records.push(message["params"].clone());
        }
        if message["id"] == id {
            return (records, message["result"].clone());
        }
    }
}

fn find_record<'a>(records: &'a [Value], logger: &str) -> Option<&'a Value> {
    records.iter().find(|record| record["logger"] == logger)
}

#[test]
fn call_record_contains_arguments_result_and_durations() {
    let stage = TestDesktop::new();
    let app = stage.start(App::Fixture("gtk3_settings.py", &[]));
    let mut client = StdioClient::start_initialized(&stage, &[], "2025-11-25", json!({}));
    let find = json!({ "app": app.pid_text(), "query": "Keep everything" });
    let (records, _) = call_with_records(&mut client, "ax_find", find, json!({}));
    let record =
        find_record(&records, "deskhand.tools.find").unwrap_or_else(|| panic!("{records:?}"));
    let data = &record["data"];
    assert_eq!((&data["tool"], &data["found"]), (&json!("ax_find"), &json!(true)), "{record}");
    assert_eq!(data["query"], "Keep everything", "{record}");
    assert_eq!(data["cache_hit"], false, "{record}");
    assert!(data["strategy"].is_string(), "{record}");
    let (whole, apps) = (data["duration_ms"].as_f64(), data["ax_duration_ms"].as_f64());
    assert!(apps > Some(0.0) && whole >= apps, "{record}");
    assert!(
        find_record(&records, "deskhand.audit").is_none(),
        "a read must not be audited: {records:?}"
    );

    let missing = json!({ "app": app.pid_text(), "query": "Nothing of the kind" });
    let (records, answer) = call_with_records(&mut client, "ax_find", missing, json!({}));
    assert_eq!(answer["isError"], true, "{answer}");
    let record = find_record(&records, "deskhand.tools.find").unwrap();
    assert_eq!((&record["level"], &record["data"]["code"]), (&json!("error"), &json!("no_match")));
}

#[test]
fn writes_are_audited_without_typed_text() {
    let stage = TestDesktop::new();
    let app = stage.start(App::Fixture("gtk3_settings.py", &[]));
    let mut client = StdioClient::start_initialized(&stage, &[], "2025-11-25", json!({}));
    client.request("logging/setLevel", json!({ "level": "debug" }));
    let typed = json!({
        "app": app.pid_text(), "query": "Close date", "text": "quite-a-secret", "clear_first": true,
    });
    let (records, answer) = call_with_records(&mut client, "ax_type", typed, json!({}));
    assert_eq!(answer["structuredContent"]["effect"], "confirmed", "{answer}");
    let audit = find_record(&records, "deskhand.audit").unwrap_or_else(|| panic!("{records:?}"));
    assert_eq!(audit["level"], "notice", "{audit}");
    assert_eq!(audit["data"]["effect"], "confirmed", "{audit}");
    let text = json!(records).to_string();
    assert!(!text.contains("quite-a-secret") && !text.contains("tomorrow"), "{text}");
    let copied = json!({ "action": "write", "text": "another-secret" });
    let (records, _) = call_with_records(&mut client, "ax_clipboard", copied, json!({}));
    assert!(find_record(&records, "deskhand.audit").is_some(), "{records:?}");
    assert!(!json!(records).to_string().contains("another-secret"), "{records:?}");
}

#[test]
fn destructive_click_is_flagged_with_the_answer() {
    let stage = TestDesktop::new();
    let app = stage.start(App::Fixture("gtk3_settings.py", &[]));
    let delete = json!({ "app": app.pid_text(), "query": "Delete All Data" });
    let mut client =
        StdioClient::start_initialized(&stage, &[], "2025-11-25", json!({ "elicitation": {} }));
    let params = json!({ "name": "ax_click", "arguments": delete });
    let call = client.send_request("tools/call", params);
    let prompt = client.first_message(|message| message["method"] == "elicitation/create");
    let decline = json!({ "action": "decline" });
    client.send(&json!({ "jsonrpc": "2.0", "id": prompt["id"], "result": decline }));
    let audit = client.first_message(|message| message["params"]["logger"] == "deskhand.audit");
    let data = &audit["params"]["data"];
    assert_eq!(
        (&data["confirmed"], &data["effect"]),
        (&json!(false), &json!("refused")),
        "{audit}"
    );
    assert_eq!(data["result"], "elicitation_declined", "{audit}");
    assert_eq!(data["security_flags"], json!(["destructive_keyword"]), "{audit}");
    assert_eq!(client.response(call)["result"]["isError"], true);

    let mut silent = StdioClient::start_initialized(&stage, &[], "2025-11-25", json!({}));
    let (records, _) = call_with_records(&mut silent, "ax_click", delete, json!({}));
    let warning = records.iter().find(|record| record["level"] == "warning");
    let warning = warning.unwrap_or_else(|| panic!("{records:?}"));
    assert!(warning["data"].to_string().contains("without confirmation"), "{warning}");
    let audit = find_record(&records, "deskhand.audit").unwrap();
    assert_eq!(audit["data"]["security_flags"], json!(["destructive_keyword"]), "{audit}");
    assert!(audit["data"].get("confirmed").is_none(), "{audit}");
}

#[test]
fn records_respect_the_level_of_the_client() {
    let stage = TestDesktop::new();
    let mut client = StdioClient::start_initialized(&stage, &[], "2025-11-25", json!({}));
    let count = |client: &mut StdioClient, level: &str| {
        client.request("logging/setLevel", json!({ "level": level }));
        let copied = json!({ "action": "write", "text": "x" });
        call_with_records(client, "ax_clipboard", copied, json!({})).0.len()
    };
    assert_eq!(count(&mut client, "debug"), 2, "the call record and the audit record");
    assert_eq!(count(&mut client, "notice"), 1, "the audit record only");
    assert_eq!(count(&mut client, "error"), 0);
    let wrong = client.request("logging/setLevel", json!({ "level": "loud" }));
    assert_eq!(wrong["error"]["code"], -32602, "{wrong}");

    let mut client = StdioClient::start_modern(&stage, &[], &json!({}));
    let mut count = |meta: Value| {
        let copied = json!({ "action": "write", "text": "x" });
        call_with_records(&mut client, "ax_clipboard", copied, meta).0.len()
    };
    let level = |word: &str| json!({ "io.modelcontextprotocol/logLevel": word });
    assert_eq!(count(json!({})), 0, "without a level no record may be sent");
    assert_eq!((count(level("info")), count(level("notice")), count(level("alert"))), (2, 1, 0));
}

#[test]
fn excess_records_are_dropped_and_counted() {
    let stage = TestDesktop::new();
    let mut client =
        StdioClient::start_initialized(&stage, &["--conformance"], "2025-11-25", json!({}));
    let flood = json!({ "name": "test_log_flood", "arguments": {} });
    let id = client.send_request("tools/call", flood);
    let (mut received, mut dropped) = (0, 0);
    let mut answered = false;
    while dropped == 0 || !answered {
        let message = client.next();
        answered |= message["id"] == id;
        if message["method"] == "notifications/message" {
            match message["params"]["data"]["dropped_records"].as_u64() {
                Some(count) => dropped += count,
                None => received += 1,
            }
        }
    }
    assert_eq!(received + dropped, 1_000, "every record must be received or counted");
    assert!(dropped > 0, "{received}");
}
