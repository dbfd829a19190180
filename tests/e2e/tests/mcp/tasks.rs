//! Tasks of protocol 2025-11-25 and of the tasks extension of 2026-07-28.

use std::time::Duration;

use harness::{App, TestDesktop};
use serde_json::{Value, json};

use super::stdio_client::StdioClient;

const EXTENSION: &str = "io.modelcontextprotocol/tasks";

fn start_legacy(stage: &TestDesktop, capabilities: Value) -> StdioClient {
    StdioClient::start_initialized(stage, &["--conformance"], "2025-11-25", capabilities)
}

fn start_task(client: &mut StdioClient, tool: &str, arguments: Value, options: Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments, "task": options });
    let answer = client.request("tools/call", params);
    assert!(answer["result"]["task"]["taskId"].is_string(), "{answer}");
    answer["result"].clone()
}

#[test]
fn task_is_created_polled_and_collected() {
    let stage = TestDesktop::new();
    let mut client = start_legacy(&stage, json!({}));
    let created =
        start_task(&mut client, "slow_compute", json!({ "seconds": 1 }), json!({ "ttl": 30_000 }));
    let task = &created["task"];
    assert_eq!((&task["status"], &task["ttl"]), (&json!("working"), &json!(30_000)), "{task}");
    assert!(task["pollInterval"].is_u64() && task["createdAt"].is_string(), "{task}");
    let words = &created["_meta"]["io.modelcontextprotocol/model-immediate-response"];
    assert!(words.as_str().is_some_and(|words| words.contains("slow_compute")), "{created}");
    let id = task["taskId"].clone();
    let status = client.request("tasks/get", json!({ "taskId": id }));
    assert_eq!(status["result"]["taskId"], id, "{status}");
    let listed = client.request("tasks/list", json!({}));
    assert_eq!(listed["result"]["tasks"][0]["taskId"], id, "{listed}");
    let collected = client.request("tasks/result", json!({ "taskId": id }));
    assert_eq!(collected["result"]["content"][0]["text"], "Took 1 s", "{collected}");
    let related = &collected["result"]["_meta"]["io.modelcontextprotocol/related-task"];
    assert_eq!(related["taskId"], id, "{collected}");
    let notification =
        client.first_message(|message| message["method"] == "notifications/tasks/status");
    assert_eq!(
        (&notification["params"]["taskId"], &notification["params"]["status"]),
        (&id, &json!("completed"))
    );
    assert_eq!(
        client.request("tasks/get", json!({ "taskId": id }))["result"]["status"],
        "completed"
    );
}

#[test]
fn task_can_be_cancelled_once() {
    let stage = TestDesktop::new();
    let mut client = start_legacy(&stage, json!({}));
    let created = start_task(&mut client, "slow_compute", json!({ "seconds": 600 }), json!({}));
    let id = created["task"]["taskId"].clone();
    let waiting = client.send_request("tasks/result", json!({ "taskId": id }));
    let cancelled = client.request("tasks/cancel", json!({ "taskId": id }));
    assert_eq!(cancelled["result"]["status"], "cancelled", "{cancelled}");
    assert_eq!(client.response(waiting)["error"]["code"], -32000);
    assert_eq!(client.request("tasks/cancel", json!({ "taskId": id }))["error"]["code"], -32602);
}

#[test]
fn failed_task_is_reported_and_expired_task_is_gone() {
    let stage = TestDesktop::new();
    let mut client = start_legacy(&stage, json!({}));
    let created = start_task(&mut client, "failing_job", json!({}), json!({ "ttl": 4_000 }));
    let id = created["task"]["taskId"].clone();
    let collected = client.request("tasks/result", json!({ "taskId": id }));
    assert_eq!(collected["result"]["isError"], true, "{collected}");
    assert_eq!(client.request("tasks/get", json!({ "taskId": id }))["result"]["status"], "failed");
    let created = start_task(&mut client, "protocol_error_job", json!({}), json!({}));
    let collected = client.request("tasks/result", json!({ "taskId": created["task"]["taskId"] }));
    assert_eq!(collected["error"]["code"], -32603, "{collected}");
    std::thread::sleep(Duration::from_secs(4));
    assert_eq!(client.request("tasks/get", json!({ "taskId": id }))["error"]["code"], -32602);
}

#[test]
fn tools_and_versions_without_tasks_are_refused() {
    let stage = TestDesktop::new();
    let mut client = start_legacy(&stage, json!({}));
    let greet = json!({ "name": "greet", "arguments": { "name": "Ann" }, "task": {} });
    assert_eq!(client.request("tools/call", greet.clone())["error"]["code"], -32601);
    let required = json!({ "name": "failing_job", "arguments": {} });
    assert_eq!(client.request("tools/call", required)["error"]["code"], -32601);
    let bad = json!({ "name": "slow_compute", "task": { "ttl": "long" } });
    assert_eq!(client.request("tools/call", bad)["error"]["code"], -32602);
    let mut older =
        StdioClient::start_initialized(&stage, &["--conformance"], "2025-06-18", json!({}));
    assert_eq!(older.request("tasks/list", json!({}))["error"]["code"], -32601);
    let greeted = older.request("tools/call", greet);
    assert_eq!(greeted["result"]["content"][0]["text"], "Hello, Ann!", "{greeted}");
}

#[test]
fn task_prompt_is_sent_on_the_result_request() {
    let stage = TestDesktop::new();
    let mut client = start_legacy(&stage, json!({ "elicitation": {} }));
    let created =
        start_task(&mut client, "confirm_delete", json!({ "filename": "a.txt" }), json!({}));
    let id = created["task"]["taskId"].clone();
    let notification =
        client.first_message(|message| message["method"] == "notifications/tasks/status");
    assert_eq!(notification["params"]["status"], "input_required", "{notification}");
    let waiting = client.send_request("tasks/result", json!({ "taskId": id }));
    let prompt = client.first_message(|message| message["method"] == "elicitation/create");
    assert_eq!(prompt["params"]["message"], "Delete a.txt?", "{prompt}");
    let related = &prompt["params"]["_meta"]["io.modelcontextprotocol/related-task"];
    assert_eq!(related["taskId"], id, "{prompt}");
    let answer = json!({ "action": "accept", "content": { "confirm": true } });
    client.send(&json!({ "jsonrpc": "2.0", "id": prompt["id"], "result": answer }));
    let collected = client.response(waiting);
    assert_eq!(collected["result"]["content"][0]["text"], "a.txt: confirmed = true");
}

#[test]
fn client_with_the_extension_gets_tasks() {
    let stage = TestDesktop::new();
    let capabilities = json!({ "extensions": { (EXTENSION): {} }, "elicitation": {} });
    let mut client = StdioClient::start_modern(&stage, &["--conformance"], &capabilities);
    let created = client.call("confirm_delete", json!({ "filename": "b.txt" }));
    assert_eq!(created["resultType"], "task", "{created}");
    let id = created["taskId"].clone();
    let prompt = poll_until(&mut client, &id, "input_required");
    assert_eq!(prompt["inputRequests"]["confirm"]["method"], "elicitation/create", "{prompt}");
    let answers = json!({ "confirm": { "action": "accept", "content": { "confirm": true } } });
    let params = json!({ "taskId": id, "inputResponses": answers });
    assert!(client.request("tasks/update", params)["result"].is_object());
    let done = poll_until(&mut client, &id, "completed");
    assert_eq!(done["result"]["content"][0]["text"], "b.txt: confirmed = true", "{done}");

    let slow = client.call("slow_compute", json!({ "seconds": 600 }))["taskId"].clone();
    assert!(client.request("tasks/cancel", json!({ "taskId": slow }))["result"].is_object());
    poll_until(&mut client, &slow, "cancelled");
    assert_eq!(client.request("tasks/get", json!({ "taskId": "none" }))["error"]["code"], -32602);
}

#[test]
fn client_without_the_extension_gets_the_missing_capability() {
    let stage = TestDesktop::new();
    let mut client = StdioClient::start_modern(&stage, &["--conformance"], &json!({}));
    let refused = client.request("tools/call", json!({ "name": "failing_job", "arguments": {} }));
    assert_eq!(refused["error"]["code"], -32021, "{refused}");
    let needed = &refused["error"]["data"]["requiredCapabilities"]["extensions"];
    assert!(needed[EXTENSION].is_object(), "{refused}");
    assert_eq!(client.request("tasks/get", json!({ "taskId": "x" }))["error"]["code"], -32021);
    let direct = client.call("slow_compute", json!({ "seconds": 0.1 }));
    assert_eq!(direct["resultType"], "complete", "{direct}");
}

fn poll_until(client: &mut StdioClient, id: &Value, status: &str) -> Value {
    for _ in 0..100 {
        let answer = client.request("tasks/get", json!({ "taskId": id }));
        if answer["result"]["status"] == status {
            return answer["result"].clone();
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("{id} did not become {status}");
}

#[test]
fn real_tool_runs_as_a_task_and_can_be_cancelled() {
    let stage = TestDesktop::new();
    let app = stage.start(App::Fixture("gtk3_settings.py", &[]));
    let mut client = StdioClient::start_initialized(&stage, &[], "2025-11-25", json!({}));
    let tree_args = json!({ "app": app.pid_text() });
    let created = start_task(&mut client, "ax_get_tree", tree_args, json!({}));
    assert_eq!(created["task"]["ttl"], 60_000, "expected the default ttl: {created}");
    assert!(
        created["task"]["statusMessage"].as_str().unwrap().contains("ax_get_tree"),
        "{created}"
    );
    let reply = client.request("tasks/result", json!({ "taskId": created["task"]["taskId"] }));
    let outline = reply["result"]["structuredContent"]["outline"].as_str().unwrap();
    assert!(outline.contains("Delete All Data"), "{reply}");

    let wait = json!({ "app": app.pid_text(), "timeout_ms": 600_000, "poll_ms": 10_000 });
    let created = start_task(&mut client, "ax_wait_idle", wait, json!({ "ttl": 3_600_001 }));
    assert_eq!(created["task"]["ttl"], 3_600_000, "expected the maximum ttl: {created}");
    let id = created["task"]["taskId"].clone();
    let words = client.first_message(|message| {
        message["method"] == "notifications/tasks/status" && message["params"]["taskId"] == id
    });
    assert_eq!(words["params"]["status"], "working", "{words}");
    assert!(words["params"]["statusMessage"].as_str().unwrap().contains("waiting"), "{words}");
    client.request("tasks/cancel", json!({ "taskId": id }));
    let record = client.first_message(|message| {
        message["params"]["data"]["tool"] == "ax_wait_idle"
            && message["method"] == "notifications/message"
    });
    assert_eq!(
        record["params"]["data"]["code"], "cancelled",
        "the work of the call must have ended: {record}"
    );
}

#[test]
fn tasks_are_listed_newest_first_in_pages_and_per_client() {
    let stage = TestDesktop::new();
    let mut client = start_legacy(&stage, json!({}));
    let mut task_ids: Vec<Value> = (0..60)
        .map(|_| {
            let created =
                start_task(&mut client, "slow_compute", json!({ "seconds": 600 }), json!({}));
            created["task"]["taskId"].clone()
        })
        .collect();
    let (mut listed, mut cursor, mut pages) = (Vec::new(), None, 0);
    loop {
        let params = cursor.map_or_else(|| json!({}), |cursor: Value| json!({ "cursor": cursor }));
        let page = client.request("tasks/list", params)["result"].clone();
        let tasks = page["tasks"].as_array().unwrap();
        listed.extend(tasks.iter().map(|task| task["taskId"].clone()));
        pages += 1;
        match page.get("nextCursor") {
            Some(next) => cursor = Some(next.clone()),
            None => break,
        }
    }
    task_ids.reverse();
    assert_eq!((pages, listed), (2, task_ids));
    let stale = client.request("tasks/list", json!({ "cursor": "bm8" }));
    assert_eq!(stale["error"]["code"], -32602, "{stale}");
    let mut other = start_legacy(&stage, json!({}));
    assert_eq!(other.request("tasks/list", json!({}))["result"]["tasks"], json!([]));
}

#[test]
fn only_slow_calls_become_tasks_of_the_extension() {
    let stage = TestDesktop::new();
    let app = stage.start(App::Fixture("gtk3_settings.py", &[]));
    let capabilities = json!({ "extensions": { (EXTENSION): {} } });
    let mut client = StdioClient::start_modern(&stage, &[], &capabilities);
    let quick = client.call("ax_get_tree", json!({ "app": app.pid_text() }));
    assert_eq!(quick["resultType"], "complete", "{quick}");
    let wait = json!({ "app": app.pid_text(), "timeout_ms": 20_000, "poll_ms": 1_500 });
    let slow = client.call("ax_wait_idle", wait);
    assert_eq!(slow["resultType"], "task", "{slow}");
    assert!(slow["statusMessage"].is_string(), "{slow}");
    let done = poll_until(&mut client, &slow["taskId"], "completed");
    assert_eq!(done["result"]["structuredContent"]["idle"], true, "{done}");
}
