//! Cancelling a request ends what it runs, also after it was answered; what tells how things stand is
//! answered in any case.

use harness::Stage;
use serde_json::{Value, json};

use super::{Scope, are_gone, at_once, come_to, mark, stubborn, talk};

fn cancelled(id: i64) -> Value {
    json!({ "requestId": id, "reason": "enough" })
}

#[test]
fn a_cancelled_request_ends_its_processes() {
    let stage = Stage::new();
    let scope = Scope::new();
    let mut talk = talk(&stage, &scope, &[]);
    let waited_for = mark();
    let call = json!({ "name": "sandboxed_shell", "arguments": at_once(&stubborn(&waited_for)) });
    let id = talk.request("tools/call", call);
    come_to(&waited_for, 4);
    talk.notify("notifications/cancelled", cancelled(id));
    are_gone(&waited_for);

    let answered = mark();
    let call =
        json!({ "name": "sandboxed_shell", "arguments": { "command": stubborn(&answered) } });
    let id = talk.request("tools/call", call);
    let operation = talk.answer(id)["result"]["structuredContent"]["operation_id"].clone();
    come_to(&answered, 4);
    talk.notify("notifications/cancelled", cancelled(id));
    are_gone(&answered);
    let status = talk.call("await", json!({ "operation_id": operation }));
    assert_eq!(status["structuredContent"]["ended"][0]["status"], "cancelled", "{status}");
}

#[test]
fn what_tells_how_things_stand_is_answered_although_it_is_cancelled() {
    let stage = Stage::new();
    let scope = Scope::new();
    let mut talk = talk(&stage, &scope, &[]);
    let operation = super::begin(&mut talk, "sleep 2; echo made");
    let call = json!({ "name": "await", "arguments": { "operation_id": operation } });
    let awaiting = talk.request("tools/call", call);
    talk.notify("notifications/cancelled", cancelled(awaiting));
    let answer = talk.answer(awaiting);
    let ended = &answer["result"]["structuredContent"]["ended"][0];
    assert_eq!((&ended["status"], &ended["output"]), (&json!("completed"), &json!("made\n")));
}
