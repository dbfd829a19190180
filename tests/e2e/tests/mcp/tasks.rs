//! Tasks: as 2025-11-25 asks for them, and as the extension of 2026-07-28 gives them.

use std::time::Duration;

use harness::{App, Stage};
use serde_json::{Value, json};

use super::talk::Talk;

const EXTENSION: &str = "io.modelcontextprotocol/tasks";

fn legacy(stage: &Stage, can: Value) -> Talk {
    Talk::initialized(stage, &["--conformance"], "2025-11-25", can)
}

fn begin(talk: &mut Talk, tool: &str, arguments: Value, wish: Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments, "task": wish });
    let answer = talk.ask("tools/call", params);
    assert!(answer["result"]["task"]["taskId"].is_string(), "{answer}");
    answer["result"].clone()
}

#[test]
fn a_task_is_begun_looked_at_and_collected() {
    let stage = Stage::new();
    let mut talk = legacy(&stage, json!({}));
    let begun = begin(&mut talk, "slow_compute", json!({ "seconds": 1 }), json!({ "ttl": 30_000 }));
    let task = &begun["task"];
    assert_eq!((&task["status"], &task["ttl"]), (&json!("working"), &json!(30_000)), "{task}");
    assert!(task["pollInterval"].is_u64() && task["createdAt"].is_string(), "{task}");
    let words = &begun["_meta"]["io.modelcontextprotocol/model-immediate-response"];
    assert!(words.as_str().is_some_and(|words| words.contains("slow_compute")), "{begun}");
    let id = task["taskId"].clone();
    let looked = talk.ask("tasks/get", json!({ "taskId": id }));
    assert_eq!(looked["result"]["taskId"], id, "{looked}");
    let listed = talk.ask("tasks/list", json!({}));
    assert_eq!(listed["result"]["tasks"][0]["taskId"], id, "{listed}");
    let collected = talk.ask("tasks/result", json!({ "taskId": id }));
    assert_eq!(collected["result"]["content"][0]["text"], "Took 1 s", "{collected}");
    let related = &collected["result"]["_meta"]["io.modelcontextprotocol/related-task"];
    assert_eq!(related["taskId"], id, "{collected}");
    let told = talk.first(|message| message["method"] == "notifications/tasks/status");
    assert_eq!((&told["params"]["taskId"], &told["params"]["status"]), (&id, &json!("completed")));
    assert_eq!(talk.ask("tasks/get", json!({ "taskId": id }))["result"]["status"], "completed");
}

#[test]
fn a_task_is_cancelled_once() {
    let stage = Stage::new();
    let mut talk = legacy(&stage, json!({}));
    let begun = begin(&mut talk, "slow_compute", json!({ "seconds": 600 }), json!({}));
    let id = begun["task"]["taskId"].clone();
    let waiting = talk.request("tasks/result", json!({ "taskId": id }));
    let cancelled = talk.ask("tasks/cancel", json!({ "taskId": id }));
    assert_eq!(cancelled["result"]["status"], "cancelled", "{cancelled}");
    assert_eq!(talk.answer(waiting)["error"]["code"], -32000);
    assert_eq!(talk.ask("tasks/cancel", json!({ "taskId": id }))["error"]["code"], -32602);
}

#[test]
fn a_task_that_fails_says_so_and_one_whose_time_is_over_is_gone() {
    let stage = Stage::new();
    let mut talk = legacy(&stage, json!({}));
    let begun = begin(&mut talk, "failing_job", json!({}), json!({ "ttl": 4_000 }));
    let id = begun["task"]["taskId"].clone();
    let collected = talk.ask("tasks/result", json!({ "taskId": id }));
    assert_eq!(collected["result"]["isError"], true, "{collected}");
    assert_eq!(talk.ask("tasks/get", json!({ "taskId": id }))["result"]["status"], "failed");
    let begun = begin(&mut talk, "protocol_error_job", json!({}), json!({}));
    let collected = talk.ask("tasks/result", json!({ "taskId": begun["task"]["taskId"] }));
    assert_eq!(collected["error"]["code"], -32603, "{collected}");
    std::thread::sleep(Duration::from_secs(4));
    assert_eq!(talk.ask("tasks/get", json!({ "taskId": id }))["error"]["code"], -32602);
}

#[test]
fn tools_and_versions_without_tasks_say_so() {
    let stage = Stage::new();
    let mut talk = legacy(&stage, json!({}));
    let greet = json!({ "name": "greet", "arguments": { "name": "Ann" }, "task": {} });
    assert_eq!(talk.ask("tools/call", greet.clone())["error"]["code"], -32601);
    let required = json!({ "name": "failing_job", "arguments": {} });
    assert_eq!(talk.ask("tools/call", required)["error"]["code"], -32601);
    let bad = json!({ "name": "slow_compute", "task": { "ttl": "long" } });
    assert_eq!(talk.ask("tools/call", bad)["error"]["code"], -32602);
    let mut older = Talk::initialized(&stage, &["--conformance"], "2025-06-18", json!({}));
    assert_eq!(older.ask("tasks/list", json!({}))["error"]["code"], -32601);
    let greeted = older.ask("tools/call", greet);
    assert_eq!(greeted["result"]["content"][0]["text"], "Hello, Ann!", "{greeted}");
}

#[test]
fn a_task_asks_through_the_request_that_waits_for_it() {
    let stage = Stage::new();
    let mut talk = legacy(&stage, json!({ "elicitation": {} }));
    let begun = begin(&mut talk, "confirm_delete", json!({ "filename": "a.txt" }), json!({}));
    let id = begun["task"]["taskId"].clone();
    let told = talk.first(|message| message["method"] == "notifications/tasks/status");
    assert_eq!(told["params"]["status"], "input_required", "{told}");
    let waiting = talk.request("tasks/result", json!({ "taskId": id }));
    let question = talk.first(|message| message["method"] == "elicitation/create");
    assert_eq!(question["params"]["message"], "Delete a.txt?", "{question}");
    let related = &question["params"]["_meta"]["io.modelcontextprotocol/related-task"];
    assert_eq!(related["taskId"], id, "{question}");
    let answer = json!({ "action": "accept", "content": { "confirm": true } });
    talk.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": answer }));
    let collected = talk.answer(waiting);
    assert_eq!(collected["result"]["content"][0]["text"], "a.txt: confirmed = true");
}

#[test]
fn a_client_that_declares_the_extension_gets_tasks() {
    let stage = Stage::new();
    let can = json!({ "extensions": { (EXTENSION): {} }, "elicitation": {} });
    let mut talk = Talk::modern(&stage, &["--conformance"], &can);
    let begun = talk.call("confirm_delete", json!({ "filename": "b.txt" }));
    assert_eq!(begun["resultType"], "task", "{begun}");
    let id = begun["taskId"].clone();
    let asks = looked_at(&mut talk, &id, "input_required");
    assert_eq!(asks["inputRequests"]["confirm"]["method"], "elicitation/create", "{asks}");
    let answers = json!({ "confirm": { "action": "accept", "content": { "confirm": true } } });
    let params = json!({ "taskId": id, "inputResponses": answers });
    assert!(talk.ask("tasks/update", params)["result"].is_object());
    let done = looked_at(&mut talk, &id, "completed");
    assert_eq!(done["result"]["content"][0]["text"], "b.txt: confirmed = true", "{done}");

    let slow = talk.call("slow_compute", json!({ "seconds": 600 }))["taskId"].clone();
    assert!(talk.ask("tasks/cancel", json!({ "taskId": slow }))["result"].is_object());
    looked_at(&mut talk, &slow, "cancelled");
    assert_eq!(talk.ask("tasks/get", json!({ "taskId": "none" }))["error"]["code"], -32602);
}

#[test]
fn a_client_without_the_extension_is_told_what_it_lacks() {
    let stage = Stage::new();
    let mut talk = Talk::modern(&stage, &["--conformance"], &json!({}));
    let refused = talk.ask("tools/call", json!({ "name": "failing_job", "arguments": {} }));
    assert_eq!(refused["error"]["code"], -32021, "{refused}");
    let needed = &refused["error"]["data"]["requiredCapabilities"]["extensions"];
    assert!(needed[EXTENSION].is_object(), "{refused}");
    assert_eq!(talk.ask("tasks/get", json!({ "taskId": "x" }))["error"]["code"], -32021);
    let direct = talk.call("slow_compute", json!({ "seconds": 0.1 }));
    assert_eq!(direct["resultType"], "complete", "{direct}");
}

fn looked_at(talk: &mut Talk, id: &Value, status: &str) -> Value {
    for _ in 0..100 {
        let answer = talk.ask("tasks/get", json!({ "taskId": id }));
        if answer["result"]["status"] == status {
            return answer["result"].clone();
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("{id} did not become {status}");
}

#[test]
fn a_real_tool_runs_as_a_task_tells_its_words_and_stops_when_cancelled() {
    let stage = Stage::new();
    let app = stage.start(App::Fixture("gtk3_settings.py", &[]));
    let mut talk = Talk::initialized(&stage, &[], "2025-11-25", json!({}));
    let look = json!({ "app": app.pid_text() });
    let begun = begin(&mut talk, "ax_get_tree", look, json!({}));
    assert_eq!(begun["task"]["ttl"], 60_000, "the usual time: {begun}");
    assert!(begun["task"]["statusMessage"].as_str().unwrap().contains("ax_get_tree"), "{begun}");
    let got = talk.ask("tasks/result", json!({ "taskId": begun["task"]["taskId"] }));
    let outline = got["result"]["structuredContent"]["outline"].as_str().unwrap();
    assert!(outline.contains("Delete All Data"), "{got}");

    let wait = json!({ "app": app.pid_text(), "timeout_ms": 600_000, "poll_ms": 10_000 });
    let begun = begin(&mut talk, "ax_wait_idle", wait, json!({ "ttl": 3_600_001 }));
    assert_eq!(begun["task"]["ttl"], 3_600_000, "no task is kept longer: {begun}");
    let id = begun["task"]["taskId"].clone();
    let words = talk.first(|message| {
        message["method"] == "notifications/tasks/status" && message["params"]["taskId"] == id
    });
    assert_eq!(words["params"]["status"], "working", "{words}");
    assert!(words["params"]["statusMessage"].as_str().unwrap().contains("waiting"), "{words}");
    talk.ask("tasks/cancel", json!({ "taskId": id }));
    let record = talk.first(|message| {
        message["params"]["data"]["tool"] == "ax_wait_idle"
            && message["method"] == "notifications/message"
    });
    assert_eq!(record["params"]["data"]["code"], "cancelled", "its work has ended: {record}");
}

#[test]
fn tasks_are_listed_in_pages_the_newest_first_and_only_to_their_owner() {
    let stage = Stage::new();
    let mut talk = legacy(&stage, json!({}));
    let mut made: Vec<Value> = (0..60)
        .map(|_| {
            let begun = begin(&mut talk, "slow_compute", json!({ "seconds": 600 }), json!({}));
            begun["task"]["taskId"].clone()
        })
        .collect();
    let (mut listed, mut cursor, mut pages) = (Vec::new(), None, 0);
    loop {
        let params = cursor.map_or_else(|| json!({}), |cursor: Value| json!({ "cursor": cursor }));
        let page = talk.ask("tasks/list", params)["result"].clone();
        let tasks = page["tasks"].as_array().unwrap();
        listed.extend(tasks.iter().map(|task| task["taskId"].clone()));
        pages += 1;
        match page.get("nextCursor") {
            Some(next) => cursor = Some(next.clone()),
            None => break,
        }
    }
    made.reverse();
    assert_eq!((pages, listed), (2, made));
    let stale = talk.ask("tasks/list", json!({ "cursor": "bm8" }));
    assert_eq!(stale["error"]["code"], -32602, "{stale}");
    let mut other = legacy(&stage, json!({}));
    assert_eq!(other.ask("tasks/list", json!({}))["result"]["tasks"], json!([]));
}

#[test]
fn a_slow_real_call_becomes_a_task_of_the_extension_and_a_quick_one_does_not() {
    let stage = Stage::new();
    let app = stage.start(App::Fixture("gtk3_settings.py", &[]));
    let can = json!({ "extensions": { (EXTENSION): {} } });
    let mut talk = Talk::modern(&stage, &[], &can);
    let quick = talk.call("ax_get_tree", json!({ "app": app.pid_text() }));
    assert_eq!(quick["resultType"], "complete", "{quick}");
    let wait = json!({ "app": app.pid_text(), "timeout_ms": 20_000, "poll_ms": 1_500 });
    let slow = talk.call("ax_wait_idle", wait);
    assert_eq!(slow["resultType"], "task", "{slow}");
    assert!(slow["statusMessage"].is_string(), "{slow}");
    let done = looked_at(&mut talk, &slow["taskId"], "completed");
    assert_eq!(done["result"]["structuredContent"]["idle"], true, "{done}");
}
