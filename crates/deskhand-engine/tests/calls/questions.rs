//! Tests of questions, cancellation and session aliases, with a fake app that counts presses.
use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use super::fixture::{call, fixture};
use deskhand_engine::{
    Call, CallError, CallOptions, CallResult, CancelToken, Delivery, ElicitResponse, Engine,
    Origin, Pause, SessionKey, Severity,
};
use serde_json::{Value, json};

fn yes() -> ElicitResponse {
    ElicitResponse::Accepted(json!({ "confirm": true }))
}

#[test]
fn a_risky_click_waits_for_confirmation() {
    let click = json!({ "app": "7", "query": "Delete all" });
    for (answer, presses) in [
        (ElicitResponse::Declined, 0),
        (ElicitResponse::Cancelled, 0),
        (ElicitResponse::Accepted(json!({ "confirm": false })), 0),
        (ElicitResponse::Accepted(json!({})), 0),
        (yes(), 1),
        (ElicitResponse::Unavailable, 1),
    ] {
        let fixture = fixture();
        let reply = fixture.call("ax_click", click.clone(), vec![("confirm", answer.clone())]);
        let effect = reply.unwrap().data["effect"].clone();
        assert_eq!(fixture.presses(), presses, "{answer:?}");
        let expected = if presses == 0 { "refused" } else { "confirmed" };
        assert_eq!(effect, expected, "{answer:?}");
    }
}

#[test]
fn a_paused_call_has_done_nothing_and_can_be_repeated() {
    let fixture = fixture();
    let click = json!({ "app": "shop", "query": "Delete all" });
    let first = fixture.call("ax_click", click.clone(), vec![("app", ElicitResponse::Deferred)]);
    assert_eq!(key(first), "app");
    let which = ("app", ElicitResponse::Accepted(json!({ "app": "9" })));
    let second = fixture.call(
        "ax_click",
        click.clone(),
        vec![which.clone(), ("confirm", ElicitResponse::Deferred)],
    );
    assert_eq!(key(second), "confirm");
    assert_eq!(fixture.presses(), 0);
    let third = fixture.call("ax_click", click, vec![which, ("confirm", yes())]);
    assert_eq!((third.unwrap().data["effect"].as_str(), fixture.presses()), (Some("confirmed"), 1));
}

fn key(reply: CallResult) -> &'static str {
    match reply {
        Err(CallError::Pause(Pause::Questions(questions))) => questions[0].key,
        Err(CallError::Failure(failure)) => panic!("{failure:?}"),
        Ok(answer) => panic!("{answer:?}"),
    }
}

#[test]
fn cli_calls_ask_no_question_and_give_no_warning() {
    let fixture = fixture();
    let said = Mutex::new(0);
    let progress = |said_now: deskhand_engine::ProgressEvent| {
        *said.lock().unwrap() += usize::from(said_now.severity == Severity::Warning);
        true
    };
    let call =
        Call { origin: Origin::Cli, ..call("click", json!({ "app": "7", "query": "Delete all" })) };
    fixture.engine.call(call, &CallOptions::non_interactive(&progress)).unwrap();
    assert_eq!((fixture.presses(), *said.lock().unwrap()), (1, 0));
}

#[test]
fn aliases_belong_to_their_session() {
    let fixture = fixture();
    let connect = json!({ "app": "9", "alias": "till" });
    fixture.call("ax_connect", connect, Vec::new()).unwrap();
    let found =
        fixture.call("ax_find", json!({ "app": "till", "query": "Delete all" }), Vec::new());
    assert!(Engine::last_cost().waited > Duration::ZERO && Engine::last_cost().tree_reads > 0);
    assert_eq!(found.unwrap().data["title"], "Delete all");
    let info = fixture.call("ax_session_info", Value::Null, Vec::new()).unwrap().data;
    assert_eq!(info["connected_apps"], json!(["shop"]));
    let other = Call {
        session: SessionKey::Id("other".into()),
        ..call("ax_find", json!({ "app": "till", "query": "Delete all" }))
    };
    let reply = fixture.engine.call(other, &CallOptions::non_interactive(&|_| true));
    assert_eq!(failure(reply).code, "app_not_running");
}

fn failure(reply: CallResult) -> deskhand_engine::CallFailure {
    reply.map(|answer| answer.data).unwrap_err().into()
}

#[test]
fn a_cancelled_call_ends_early() {
    let fixture = fixture();
    for (tool, arguments) in [
        ("ax_click", json!({ "app": "7", "query": "Nothing of that name" })),
        ("ax_wait_idle", json!({ "app": "7", "timeout_ms": 60_000, "poll_ms": 10_000 })),
        ("ax_assert", json!({ "app": "7", "query": "Delete all", "assertions": { "title": "x" } })),
    ] {
        let (stop, begun) = (Arc::new(CancelToken::new()), Instant::now());
        let options =
            CallOptions { cancel: Arc::clone(&stop), ..CallOptions::non_interactive(&|_| true) };
        let reply = std::thread::scope(|threads| {
            threads.spawn(|| {
                std::thread::sleep(Duration::from_millis(100));
                stop.cancel();
            });
            fixture.engine.call(call(tool, arguments), &options)
        });
        let failure = failure(reply);
        assert_eq!(failure.code, "cancelled", "{tool}");
        assert_ne!(failure.delivery, Some(Delivery::Sent), "{tool}");
        assert!(begun.elapsed() < Duration::from_millis(1_500), "{tool}: {:?}", begun.elapsed());
    }
    assert_eq!(fixture.presses(), 0);
}
