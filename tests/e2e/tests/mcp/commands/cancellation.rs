//! Cancelling a request ends its processes, even after its response. `await` is answered although
//! it is cancelled.

use harness::TestDesktop;
use serde_json::{Value, json};

use super::{
    Scope, signal_ignoring_script, start_client, synchronous_args, unique_marker,
    wait_for_processes, wait_until_gone,
};

fn cancel_params(id: i64) -> Value {
    json!({ "requestId": id, "reason": "enough" })
}

#[test]
fn cancelled_request_ends_its_processes() {
    let stage = TestDesktop::new();
    let scope = Scope::new();
    let mut client = start_client(&stage, &scope, &[]);
    let synchronous = unique_marker();
    let call = json!({ "name": "sandboxed_shell", "arguments": synchronous_args(&signal_ignoring_script(&synchronous)) });
    let id = client.send_request("tools/call", call);
    wait_for_processes(&synchronous, 4);
    client.notify("notifications/cancelled", cancel_params(id));
    wait_until_gone(&synchronous);

    let asynchronous = unique_marker();
    let call = json!({ "name": "sandboxed_shell", "arguments": { "command": signal_ignoring_script(&asynchronous) } });
    let id = client.send_request("tools/call", call);
    let operation = client.response(id)["result"]["structuredContent"]["operation_id"].clone();
    wait_for_processes(&asynchronous, 4);
    client.notify("notifications/cancelled", cancel_params(id));
    wait_until_gone(&asynchronous);
    // The second names of `await`, `status` and `cancel`.
    let status = client.call("operation_status", json!({ "operation_id": operation }));
    assert!(status["structuredContent"]["operations"].is_array(), "{status}");
    let status = client.call("operation_cancel", json!({ "operation_id": operation }));
    assert_eq!(status["structuredContent"]["cancelled"], false, "{status}");
    let status = client.call("operation_await", json!({ "operation_id": operation }));
    assert_eq!(status["structuredContent"]["ended"][0]["status"], "cancelled", "{status}");
}

#[test]
fn cancelled_await_is_still_answered() {
    let stage = TestDesktop::new();
    let scope = Scope::new();
    let mut client = start_client(&stage, &scope, &[]);
    let operation = super::start_operation(&mut client, "sleep 2; echo made");
    let call = json!({ "name": "await", "arguments": { "operation_id": operation } });
    let awaiting = client.send_request("tools/call", call);
    client.notify("notifications/cancelled", cancel_params(awaiting));
    let answer = client.response(awaiting);
    let ended = &answer["result"]["structuredContent"]["ended"][0];
    assert_eq!((&ended["status"], &ended["output"]), (&json!("completed"), &json!("made\n")));
}
