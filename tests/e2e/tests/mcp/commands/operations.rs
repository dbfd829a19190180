//! Asynchronous operations: progress, `await`, `status` and paged output.

use std::time::Duration;

use harness::TestDesktop;
use serde_json::{Value, json};

use super::{Scope, start_client, start_operation};
use crate::stdio_client::StdioClient;

/// Progress notifications with a token up to the end of an operation.
fn progress_until_end(client: &mut StdioClient, token: &str) -> Vec<Value> {
    let mut all = Vec::new();
    loop {
        let note = client.first_message(|message| message["params"]["progressToken"] == token);
        let is_last =
            note["params"]["message"].as_str().is_some_and(|it| it.contains("Operation op_"));
        all.push(note["params"].clone());
        if is_last {
            return all;
        }
    }
}

#[test]
fn result_of_an_operation_is_pushed() {
    let stage = TestDesktop::new();
    let scope = Scope::new();
    let mut client = start_client(&stage, &scope, &[]);
    let script = "for i in 1 2 3; do echo line $i; sleep 0.3; done; exit 4";
    let call = json!({
        "name": "sandboxed_shell", "arguments": { "command": script },
        "_meta": { "progressToken": "mine" },
    });
    let answer = client.request("tools/call", call);
    let started = &answer["result"]["structuredContent"];
    assert_eq!(started["status"], "started", "{answer}");
    let steps = progress_until_end(&mut client, "mine");
    let done: Vec<f64> = steps.iter().map(|step| step["progress"].as_f64().unwrap()).collect();
    assert!(done.windows(2).all(|pair| pair[0] < pair[1]), "{done:?}");
    let last = steps.last().unwrap()["message"].as_str().unwrap();
    assert!(last.contains(started["operation_id"].as_str().unwrap()), "{last}");
    assert!(last.contains("failed, exit code 4") && last.contains("line 3"), "{last}");
    // Without a progress token the end is reported in a log notification.
    let id = start_operation(&mut client, "echo done");
    let note = client.first_message(|message| message["params"]["logger"] == "operations");
    let data = &note["params"]["data"];
    assert_eq!(
        (&data["operation_id"], &data["status"]),
        (&json!(id), &json!("completed")),
        "{note}"
    );
    assert_eq!(note["params"]["level"], "info");
}

#[test]
fn operations_are_awaited_by_name_prefix_and_output_is_paged() {
    let stage = TestDesktop::new();
    let scope = Scope::new();
    scope.define(&json!({
        "name": "count", "description": "Counts", "command": "seq",
        "subcommand": [{
            "name": "1", "description": "Counts up",
            "positional_args": [{ "name": "end", "type": "integer", "required": true }],
        }],
    }));
    let mut client = start_client(&stage, &scope, &[]);
    let other = start_operation(&mut client, "sleep 600");
    let counted = client.call("count_1", json!({ "end": 20_000 }));
    let id = counted["structuredContent"]["operation_id"].clone();
    assert_eq!(counted["structuredContent"]["status"], "started", "{counted}");
    let awaited = client.call("await", json!({ "tools": "count" }));
    let ended = &awaited["structuredContent"]["ended"];
    assert_eq!((ended.as_array().unwrap().len(), &ended[0]["operation_id"]), (1, &id), "{ended}");
    assert!(ended[0]["output_left_out"].as_u64().unwrap() > 0, "{ended}");
    let status = client.call("status", json!({}));
    assert!(status.to_string().contains(&other), "{status}");
    let first = client.call("operation_output", json!({ "operation_id": id }));
    let text = first["structuredContent"].to_string();
    assert!(text.contains("1\\n2\\n3"), "{first}");
    let awaited = client.call("await", json!({ "operation_id": other, "timeout_seconds": 1 }));
    let running = &awaited["structuredContent"]["running"][0];
    assert_eq!((&running["operation_id"], &awaited["isError"]), (&json!(other), &json!(false)));
    let cancelled = client.call("cancel", json!({ "operation_id": other, "reason": "enough" }));
    assert_eq!(cancelled["structuredContent"]["cancelled"], true, "{cancelled}");
    let again = client.call("cancel", json!({ "operation_id": other }));
    assert_eq!(again["structuredContent"]["cancelled"], false, "{again}");
}

#[test]
fn output_is_followed_and_its_tail_can_be_read() {
    let stage = TestDesktop::new();
    let scope = Scope::new();
    let mut client = start_client(&stage, &scope, &[]);
    let script = "seq 1 500; until [ -e go ]; do sleep 0.02; done; echo after; seq 501 510";
    let id = start_operation(&mut client, script);
    let mut read = |more: Value| {
        let mut arguments = json!({ "operation_id": id });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        client.call("operation_output", arguments)["structuredContent"].clone()
    };
    let mut first = read(json!({ "follow_seconds": 60 }));
    while first["next_offset"] != 1892 {
        let from = &first["next_offset"];
        first = read(json!({ "offset": from, "follow_seconds": 60 }));
    }
    assert_eq!(first["status"], "running", "{first}");
    let quiet = read(json!({ "offset": 1892, "follow_seconds": 1 }));
    assert_eq!((&quiet["text"], &quiet["next_offset"]), (&json!(""), &json!(1892)), "{quiet}");
    // A follower is answered when output arrives, not at its timeout.
    std::fs::write(scope.path().join("go"), "").unwrap();
    let more = read(json!({ "offset": 1892, "follow_seconds": 300 }));
    assert!(more["text"].as_str().unwrap().starts_with("after\n"), "{more}");
    let mut last = more;
    while last["status"] == "running" {
        let from = &last["next_offset"];
        last = read(json!({ "offset": from, "follow_seconds": 60 }));
    }
    let tail = read(json!({ "tail": 3 }));
    assert_eq!((&tail["text"], &tail["status"]), (&json!("508\n509\n510\n"), &json!("completed")));
    let middle = read(json!({ "line": 499, "lines": 3 }));
    assert_eq!(middle["text"], "499\n500\nafter\n", "{middle}");
}

#[test]
fn binary_and_large_output_is_bounded() {
    let stage = TestDesktop::new();
    let scope = Scope::new();
    let mut client = start_client(&stage, &scope, &[]);
    let result =
        super::run(&mut client, "head -c 100000 /dev/urandom; printf '\\377\\376\\000end'");
    let data = &result["structuredContent"];
    assert_eq!((&result["isError"], &data["output_bytes"]), (&json!(false), &json!(100_006)));
    assert!(result.to_string().len() < 400_000, "{}", result.to_string().len());
    let large = super::run(&mut client, "seq 1 3000000; echo the end");
    let output = large["structuredContent"]["output"].as_str().unwrap();
    assert!(output.starts_with("1\n2\n") && output.trim_end().ends_with("the end"), "{output}");
    assert!(
        large["structuredContent"]["output_left_out"].as_u64().unwrap() > 20_000_000,
        "{large}"
    );
}

#[test]
fn execution_mode_is_inherited_and_can_be_overridden() {
    let stage = TestDesktop::new();
    let scope = Scope::new();
    let words = json!([{ "name": "words", "type": "array", "items": { "type": "string" } }]);
    scope.define(&json!({
        "name": "say", "description": "Says", "command": "echo", "synchronous": true,
        "subcommand": [
            { "name": "now", "description": "Now", "positional_args": words },
            { "name": "later", "description": "Later", "synchronous": false, "positional_args": words },
        ],
    }));
    let status =
        |result: &Value| result["structuredContent"]["status"].as_str().unwrap().to_owned();
    let args = |mode: Option<&str>| {
        let mut args =
            json!({ "words": ["a b", "$HOME"], "timeout_seconds": 20, "working_directory": "." });
        if let Some(mode) = mode {
            args["execution_mode"] = json!(mode);
        }
        args
    };
    let mut client = start_client(&stage, &scope, &[]);
    let now = client.call("say_now", args(None));
    // The arguments are not interpreted by a shell, and deskhand's own parameters are not passed
    // on.
    assert_eq!(now["structuredContent"]["output"], "now a b $HOME\n", "{now}");
    assert_eq!(status(&client.call("say_later", args(None))), "started");
    assert_eq!(status(&client.call("say_now", args(Some("AsyncResultPush")))), "started");
    assert_eq!(status(&client.call("say_later", args(Some("synchronous")))), "completed");
    let mut sync = start_client(&stage, &scope, &["--sync"]);
    assert_eq!(status(&sync.call("say_later", args(None))), "completed");
    let shell = sync.call("sandboxed_shell", json!({ "command": "echo hi" }));
    assert_eq!(status(&shell), "completed", "{shell}");
}

#[test]
fn task_ends_with_its_command() {
    let stage = TestDesktop::new();
    let scope = Scope::new();
    let mut old = start_client(&stage, &scope, &[]);
    let task = |command: &str| json!({ "name": "sandboxed_shell", "arguments": { "command": command }, "task": {} });
    let created = old.request("tools/call", task("sleep 0.5; echo made; exit 2"));
    let id = created["result"]["task"]["taskId"].clone();
    let result = old.request("tasks/result", json!({ "taskId": id }));
    let data = &result["result"]["structuredContent"];
    assert_eq!((&data["output"], &data["exit_code"]), (&json!("made\n"), &json!(2)), "{result}");
    assert_eq!(result["result"]["isError"], true);
    let marker = super::unique_marker();
    let created = old.request("tools/call", task(&super::signal_ignoring_script(&marker)));
    super::wait_for_processes(&marker, 4);
    old.request("tasks/cancel", json!({ "taskId": created["result"]["task"]["taskId"] }));
    super::wait_until_gone(&marker);

    let capabilities = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    let mut new = StdioClient::start_with(&stage, &["--toolsets", "cli"], |command| {
        command.current_dir(scope.path());
    })
    .with_modern_protocol(&capabilities);
    let quick = new.call("sandboxed_shell", json!({ "command": "echo quick" }));
    assert_eq!(quick["structuredContent"]["output"], "quick\n", "{quick}");
    let slow = new.call("sandboxed_shell", json!({ "command": "sleep 1.5; echo slow" }));
    let id = slow["taskId"].clone();
    assert!(id.is_string(), "{slow}");
    let done = loop {
        let task = new.request("tasks/get", json!({ "taskId": id }))["result"].clone();
        if task["status"] != "working" {
            break task;
        }
        std::thread::sleep(Duration::from_millis(100));
    };
    assert_eq!(done["result"]["structuredContent"]["output"], "slow\n", "{done}");
}
