//! No process remains after `cancel`, a timeout, the end of the client or the end of the server.

use harness::TestDesktop;
use rustix::process::Signal;
use serde_json::json;

use super::{
    Scope, signal_ignoring_script, start_client, start_operation, synchronous_args, unique_marker,
    wait_for_processes, wait_until_gone,
};

#[test]
fn cancel_and_timeout_end_all_processes() {
    let stage = TestDesktop::new();
    let scope = Scope::new();
    let mut client = start_client(&stage, &scope, &[]);
    for _ in 0..5 {
        let cancelled = unique_marker();
        let id = start_operation(&mut client, &signal_ignoring_script(&cancelled));
        wait_for_processes(&cancelled, 4);
        let answer = client.call("cancel", json!({ "operation_id": id }));
        assert_eq!(answer["structuredContent"]["cancelled"], true, "{answer}");
        assert!(
            super::marked_processes(&cancelled).is_empty(),
            "processes remained after cancel returned"
        );
    }
    let late = unique_marker();
    let mut args = synchronous_args(&signal_ignoring_script(&late));
    args["timeout_seconds"] = json!(1);
    let answer = client.call("sandboxed_shell", args);
    assert_eq!(answer["structuredContent"]["status"], "timed_out", "{answer}");
    assert_eq!(answer["isError"], true);
    wait_until_gone(&late);
    // Background processes of a command end with it.
    let left = unique_marker();
    super::output_of(&mut client, &format!("(setsid sleep {left} >/dev/null 2>&1 &); echo away"));
    wait_until_gone(&left);
}

#[test]
fn end_of_client_or_server_ends_all_processes() {
    let stage = TestDesktop::new();
    let scope = Scope::new();
    for signal in [None, Some(Signal::TERM), Some(Signal::INT), Some(Signal::KILL)] {
        let mut client = start_client(&stage, &scope, &[]);
        let (asynchronous, synchronous) = (unique_marker(), unique_marker());
        start_operation(&mut client, &signal_ignoring_script(&asynchronous));
        wait_for_processes(&asynchronous, 4);
        // A server that is terminated waits for synchronous calls, so these run only in the other
        // case.
        if signal.is_none() {
            let arguments = synchronous_args(&signal_ignoring_script(&synchronous));
            let call = json!({ "name": "sandboxed_shell", "arguments": arguments });
            client.send_request("tools/call", call);
            wait_for_processes(&synchronous, 4);
        }
        if let Some(signal) = signal {
            client.send_signal(signal);
        }
        let (exit, _) = client.close();
        if signal != Some(Signal::KILL) {
            assert_eq!(exit, Some(0), "{signal:?}");
            // All processes are gone before the server exits.
            let left = [&asynchronous, &synchronous].map(|marker| super::marked_processes(marker));
            assert_eq!(left, [Vec::<u32>::new(), Vec::new()], "{signal:?}");
        }
        wait_until_gone(&asynchronous);
        wait_until_gone(&synchronous);
    }
}
