//! `/health` and `/metrics`: read by another project's parser, held against what was done.

use std::{
    collections::BTreeMap,
    io::Write,
    process::{Command, Stdio},
};

use harness::{App, Stage};
use serde_json::{Value, json};

use super::{old::Old, web::Server};

/// Reads the page as Prometheus' own Python client does: name and labels of each sample, its value.
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

fn samples(server: &Server) -> BTreeMap<String, f64> {
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

fn call(server: &Server, session: &str, id: i64, tool: &str, arguments: Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments });
    let mut reply = server.ask(Some(session), id, "tools/call", params);
    reply.first(|message| message["id"] == id).unwrap()
}

#[test]
fn calls_are_counted_by_what_came_of_them() {
    let stage = Stage::new();
    let app = stage.start_unseen(App::Fixture("gtk3_passwords.py", &[]));
    let server = Server::real(&stage, &["--sse"]);
    let session = server.session();
    for id in 0..3 {
        call(&server, &session, id, "ax_list_apps", json!({}));
    }
    call(&server, &session, 3, "ax_find", json!({ "app": app.pid_text() }));
    let gone =
        call(&server, &session, 4, "ax_find", json!({ "app": app.pid_text(), "query": "none" }));
    let code = gone["result"]["_meta"]["dev.deskhand/error"]["code"].as_str().unwrap_or("");
    call(&server, &session, 5, "no_such_tool", json!({}));
    let written =
        call(&server, &session, 6, "ax_clipboard", json!({ "action": "write", "text": "x" }));
    let effect = written["result"]["structuredContent"]["effect"].as_str().unwrap_or("");
    let mut old = Old::begin(&server, "/sse", "2024-11-05");
    old.ask(1, "tools/call", json!({ "name": "ax_list_apps", "arguments": {} }));

    let seen = samples(&server);
    let of = |key: &str| *seen.get(key).unwrap_or_else(|| panic!("no {key}: {seen:#?}"));
    assert_eq!(of("deskhand_calls_total{code=,effect=,tool=ax_list_apps}"), 4.0);
    assert_eq!(of("deskhand_calls_total{code=invalid_parameter,effect=,tool=ax_find}"), 1.0);
    assert_eq!(of(&format!("deskhand_calls_total{{code={code},effect=,tool=ax_find}}")), 1.0);
    let clipboard = format!("deskhand_calls_total{{code=,effect={effect},tool=ax_clipboard}}");
    assert_eq!(of(&clipboard), 1.0);
    assert!(!seen.keys().any(|key| key.contains("no_such_tool")), "names of strangers");
    assert_eq!(of("deskhand_call_seconds_count{tool=ax_list_apps}"), 4.0);
    assert_eq!(of("deskhand_call_seconds_bucket{le=+Inf,tool=ax_list_apps}"), 4.0);
    assert!(of("deskhand_call_seconds_sum{tool=ax_list_apps}") > 0.0);
    assert_eq!(of("deskhand_sessions{}"), 2.0);
    assert_eq!(of("deskhand_streams{}"), 1.0);
    assert!(of("deskhand_events_buffered_bytes{}") > 0.0);
    assert_eq!(of("deskhand_subscriptions{}"), 0.0);
    for status in ["working", "input_required", "completed", "failed", "cancelled"] {
        assert_eq!(of(&format!("deskhand_tasks{{status={status}}}")), 0.0);
    }
    assert!(of("process_resident_memory_bytes{}") > 1e6);
}

#[test]
fn tasks_are_counted_by_how_they_stand() {
    let stage = Stage::new();
    let server = Server::begin(&stage, &[]);
    let session = server.session();
    let slow = json!({ "name": "slow_compute", "arguments": { "seconds": 600 }, "task": {} });
    let mut begun = server.ask(Some(&session), 1, "tools/call", slow);
    let begun = begun.first(|message| message["id"] == 1).unwrap();
    assert_eq!(samples(&server)["deskhand_tasks{status=working}"], 1.0);
    let task = json!({ "taskId": begun["result"]["task"]["taskId"] });
    server.ask(Some(&session), 2, "tasks/cancel", task).first(|message| message["id"] == 2);
    let seen = samples(&server);
    assert_eq!(seen["deskhand_tasks{status=working}"], 0.0);
    assert_eq!(seen["deskhand_tasks{status=cancelled}"], 1.0);
}

#[test]
fn health_tells_of_the_server_and_the_desktop() {
    let stage = Stage::new();
    let server = Server::begin(&stage, &[]);
    let reply = server.get("/health");
    assert_eq!(reply.status, 200);
    let health = reply.json();
    assert_eq!((&health["status"], &health["desktop"]), (&json!("ok"), &json!("ok")), "{health}");
    assert_eq!(health["sessions"], 0);
    assert!(health["uptime_seconds"].is_u64() && health["version"].is_string(), "{health}");
    server.session();
    assert_eq!(server.get("/health").json()["sessions"], 1);
    let evil = [("Host", "evil.example")];
    assert_eq!(server.send("GET", "/metrics", &evil, b"").status, 403, "names of other machines");
}
