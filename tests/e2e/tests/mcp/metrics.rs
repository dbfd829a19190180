//! `/health` and `/metrics`, read with the Prometheus parser and compared with the calls that were
//! made.

use std::{
    collections::BTreeMap,
    io::Write,
    process::{Command, Stdio},
};

use harness::{App, TestDesktop};
use serde_json::{Value, json};

use super::{http_server::HttpServer, legacy_sse_client::LegacySseClient};

/// Parses the page with the Prometheus Python client. Prints a map of sample names with labels to
/// values.
const PARSER: &str = r"
import json, sys
from prometheus_client.parser import text_string_to_metric_families as families
seen = {}
for family in families(sys.stdin.read()):
    assert family.documentation and family.type != 'unknown', family
    for sample in family.samples:
        labels = ','.join(f'{k}={v}' for k, v in sorted(sample.labels.items()))
        key = sample.name + '{' + labels + '}'
        assert key not in seen, key
        seen[key] = sample.value
print(json.dumps(seen))
";

fn samples(server: &HttpServer) -> BTreeMap<String, f64> {
    let reply = server.get("/metrics");
    assert_eq!(reply.status, 200);
    let kind = reply.header("content-type").unwrap();
    assert!(kind.starts_with("text/plain; version=0.0.4"), "{kind}");
    let page = reply.text();
    let mut parser = Command::new("/usr/bin/python3")
        .args(["-c", PARSER])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    parser.stdin.take().unwrap().write_all(page.as_bytes()).unwrap();
    let parsed = parser.wait_with_output().unwrap();
    assert!(parsed.status.success(), "{page}");
    serde_json::from_slice(&parsed.stdout).unwrap()
}

fn call(server: &HttpServer, session: &str, id: i64, tool: &str, arguments: Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments });
    let mut reply = server.request(Some(session), id, "tools/call", params);
    reply.first_message(|message| message["id"] == id).unwrap()
}

#[test]
fn calls_are_counted_by_result() {
    let stage = TestDesktop::new();
    let app = stage.start_unread(App::Fixture("gtk3_passwords.py", &[]));
    let server = HttpServer::start(&stage, &["--sse"]);
    let session = server.session();
    for id in 0..3 {
        call(&server, &session, id, "ax_list_apps", json!({}));
    }
    call(&server, &session, 3, "ax_find", json!({ "app": app.pid_text() }));
    let no_match =
        call(&server, &session, 4, "ax_find", json!({ "app": app.pid_text(), "query": "none" }));
    let code = no_match["result"]["_meta"]["dev.deskhand/error"]["code"].as_str().unwrap_or("");
    call(&server, &session, 5, "no_such_tool", json!({}));
    let written =
        call(&server, &session, 6, "ax_clipboard", json!({ "action": "write", "text": "x" }));
    let effect = written["result"]["structuredContent"]["effect"].as_str().unwrap_or("");
    let mut legacy = LegacySseClient::start(&server, "/sse", "2024-11-05");
    legacy.request(1, "tools/call", json!({ "name": "ax_list_apps", "arguments": {} }));

    let metrics = samples(&server);
    let value_of =
        |key: &str| *metrics.get(key).unwrap_or_else(|| panic!("no {key}: {metrics:#?}"));
    assert_eq!(value_of("deskhand_calls_total{code=,effect=,tool=ax_list_apps}"), 4.0);
    assert_eq!(value_of("deskhand_calls_total{code=invalid_parameter,effect=,tool=ax_find}"), 1.0);
    assert_eq!(value_of(&format!("deskhand_calls_total{{code={code},effect=,tool=ax_find}}")), 1.0);
    let clipboard = format!("deskhand_calls_total{{code=,effect={effect},tool=ax_clipboard}}");
    assert_eq!(value_of(&clipboard), 1.0);
    assert!(
        !metrics.keys().any(|key| key.contains("no_such_tool")),
        "unknown tool names must not become labels"
    );
    assert_eq!(value_of("deskhand_call_seconds_count{tool=ax_list_apps}"), 4.0);
    assert_eq!(value_of("deskhand_call_seconds_bucket{le=+Inf,tool=ax_list_apps}"), 4.0);
    assert!(value_of("deskhand_call_seconds_sum{tool=ax_list_apps}") > 0.0);
    assert_eq!(value_of("deskhand_sessions{}"), 2.0);
    assert_eq!(value_of("deskhand_streams{}"), 1.0);
    assert!(value_of("deskhand_events_buffered_bytes{}") > 0.0);
    assert_eq!(value_of("deskhand_subscriptions{}"), 0.0);
    for status in ["working", "input_required", "completed", "failed", "cancelled"] {
        assert_eq!(value_of(&format!("deskhand_tasks{{status={status}}}")), 0.0);
    }
    assert!(value_of("process_resident_memory_bytes{}") > 1e6);
}

#[test]
fn tasks_are_counted_by_status() {
    let stage = TestDesktop::new();
    let server = HttpServer::start_conformance(&stage, &[]);
    let session = server.session();
    let slow = json!({ "name": "slow_compute", "arguments": { "seconds": 600 }, "task": {} });
    let mut created = server.request(Some(&session), 1, "tools/call", slow);
    let created = created.first_message(|message| message["id"] == 1).unwrap();
    assert_eq!(samples(&server)["deskhand_tasks{status=working}"], 1.0);
    let task = json!({ "taskId": created["result"]["task"]["taskId"] });
    server
        .request(Some(&session), 2, "tasks/cancel", task)
        .first_message(|message| message["id"] == 2);
    let metrics = samples(&server);
    assert_eq!(metrics["deskhand_tasks{status=working}"], 0.0);
    assert_eq!(metrics["deskhand_tasks{status=cancelled}"], 1.0);
}

#[test]
fn health_reports_server_and_desktop() {
    let stage = TestDesktop::new();
    let server = HttpServer::start_conformance(&stage, &[]);
    let reply = server.get("/health");
    assert_eq!(reply.status, 200);
    let health = reply.json();
    assert_eq!((&health["status"], &health["desktop"]), (&json!("ok"), &json!("ok")), "{health}");
    assert_eq!(health["sessions"], 0);
    assert!(health["uptime_seconds"].is_u64() && health["version"].is_string(), "{health}");
    server.session();
    assert_eq!(server.get("/health").json()["sessions"], 1);
    let evil = [("Host", "evil.example")];
    assert_eq!(
        server.send("GET", "/metrics", &evil, b"").status,
        403,
        "a foreign host name must be refused"
    );
}
