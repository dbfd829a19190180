//! However it ends, nothing that was started is left: by `cancel`, by its time, with its session, with
//! the server.

use harness::Stage;
use rustix::process::Signal;
use serde_json::json;

use super::{Scope, are_gone, at_once, begin, come_to, mark, stubborn, talk};

#[test]
fn by_cancel_and_by_its_time() {
    let stage = Stage::new();
    let scope = Scope::new();
    let mut talk = talk(&stage, &scope, &[]);
    for _ in 0..5 {
        let cancelled = mark();
        let id = begin(&mut talk, &stubborn(&cancelled));
        come_to(&cancelled, 4);
        let answer = talk.call("cancel", json!({ "operation_id": id }));
        assert_eq!(answer["structuredContent"]["cancelled"], true, "{answer}");
        assert!(super::marked(&cancelled).is_empty(), "it is over when it is said to be");
    }
    let late = mark();
    let mut given = at_once(&stubborn(&late));
    given["timeout_seconds"] = json!(1);
    let answer = talk.call("sandboxed_shell", given);
    assert_eq!(answer["structuredContent"]["status"], "timed_out", "{answer}");
    assert_eq!(answer["isError"], true);
    are_gone(&late);
    // What a command leaves behind ends with it.
    let left = mark();
    super::printed(&mut talk, &format!("(setsid sleep {left} >/dev/null 2>&1 &); echo away"));
    are_gone(&left);
}

#[test]
fn with_the_client_and_with_the_server() {
    let stage = Stage::new();
    let scope = Scope::new();
    for how in [None, Some(Signal::TERM), Some(Signal::INT), Some(Signal::KILL)] {
        let mut talk = talk(&stage, &scope, &[]);
        let (behind, waited_for) = (mark(), mark());
        begin(&mut talk, &stubborn(&behind));
        come_to(&behind, 4);
        // Who asks a server to end gives it the time for what is waited for.
        if how.is_none() {
            let arguments = at_once(&stubborn(&waited_for));
            let call = json!({ "name": "sandboxed_shell", "arguments": arguments });
            talk.request("tools/call", call);
            come_to(&waited_for, 4);
        }
        if let Some(signal) = how {
            talk.ask_to_end(signal);
        }
        let (exit, _) = talk.close();
        if how != Some(Signal::KILL) {
            assert_eq!(exit, Some(0), "{how:?}");
            // Not later, but before the server is gone.
            let left = [&behind, &waited_for].map(|mark| super::marked(mark));
            assert_eq!(left, [Vec::<u32>::new(), Vec::new()], "{how:?}");
        }
        are_gone(&behind);
        are_gone(&waited_for);
    }
}
