//! Questions come before acts, a caller that goes away is not waited for, and names a caller gave
//! are known: proven on an app of one window that counts what is done to it.
use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use super::fake_shop::{call, stage};
use deskhand_engine::{
    Asked, Call, CallError, CallOptions, CallResult, Delivery, Door, Engine, Pause, SessionKey,
    Stop, Weight,
};
use serde_json::{Value, json};

fn yes() -> Asked {
    Asked::Given(json!({ "confirm": true }))
}

#[test]
fn a_click_that_may_lose_something_waits_for_a_yes() {
    let click = json!({ "app": "7", "query": "Delete all" });
    for (answer, presses) in [
        (Asked::Declined, 0),
        (Asked::Cancelled, 0),
        (Asked::Given(json!({ "confirm": false })), 0),
        (Asked::Given(json!({})), 0),
        (yes(), 1),
        (Asked::Nobody, 1),
    ] {
        let stage = stage();
        let reply = stage.call("ax_click", click.clone(), vec![("confirm", answer.clone())]);
        let effect = reply.unwrap().data["effect"].clone();
        assert_eq!(stage.presses(), presses, "{answer:?}");
        let expected = if presses == 0 { "refused" } else { "confirmed" };
        assert_eq!(effect, expected, "{answer:?}");
    }
}

#[test]
fn a_call_that_must_wait_for_an_answer_has_done_nothing_and_can_be_made_again() {
    let stage = stage();
    let click = json!({ "app": "shop", "query": "Delete all" });
    let first = stage.call("ax_click", click.clone(), vec![("app", Asked::Later)]);
    assert_eq!(key(first), "app");
    let which = ("app", Asked::Given(json!({ "app": "9" })));
    let second =
        stage.call("ax_click", click.clone(), vec![which.clone(), ("confirm", Asked::Later)]);
    assert_eq!(key(second), "confirm");
    assert_eq!(stage.presses(), 0);
    let third = stage.call("ax_click", click, vec![which, ("confirm", yes())]);
    assert_eq!((third.unwrap().data["effect"].as_str(), stage.presses()), (Some("confirmed"), 1));
}

fn key(reply: CallResult) -> &'static str {
    match reply {
        Err(CallError::Pause(Pause::Questions(questions))) => questions[0].key,
        Err(CallError::Failure(failure)) => panic!("{failure:?}"),
        Ok(answer) => panic!("{answer:?}"),
    }
}

#[test]
fn the_command_line_asks_nobody_and_says_nothing_of_it() {
    let stage = stage();
    let said = Mutex::new(0);
    let listener = |said_now: deskhand_engine::Said| {
        *said.lock().unwrap() += usize::from(said_now.weight == Weight::Warning);
        true
    };
    let call = Call {
        door: Door::CommandLine,
        ..call("click", json!({ "app": "7", "query": "Delete all" }))
    };
    stage.engine.call(call, &CallOptions::alone(&listener)).unwrap();
    assert_eq!((stage.presses(), *said.lock().unwrap()), (1, 0));
}

#[test]
fn names_a_caller_gave_are_its_own() {
    let stage = stage();
    let connect = json!({ "app": "9", "alias": "till" });
    stage.call("ax_connect", connect, Vec::new()).unwrap();
    let found = stage.call("ax_find", json!({ "app": "till", "query": "Delete all" }), Vec::new());
    assert!(Engine::cost().waited > Duration::ZERO && Engine::cost().looks > 0);
    assert_eq!(found.unwrap().data["title"], "Delete all");
    let info = stage.call("ax_session_info", Value::Null, Vec::new()).unwrap().data;
    assert_eq!(info["connected_apps"], json!(["shop"]));
    let other = Call {
        session: SessionKey::Id("other".into()),
        ..call("ax_find", json!({ "app": "till", "query": "Delete all" }))
    };
    let reply = stage.engine.call(other, &CallOptions::alone(&|_| true));
    assert_eq!(failure(reply).code, "app_not_running");
}

fn failure(reply: CallResult) -> deskhand_engine::Failure {
    reply.map(|answer| answer.data).unwrap_err().into()
}

#[test]
fn a_caller_that_goes_away_is_not_waited_for() {
    let stage = stage();
    for (tool, arguments) in [
        ("ax_click", json!({ "app": "7", "query": "Nothing of that name" })),
        ("ax_wait_idle", json!({ "app": "7", "timeout_ms": 60_000, "poll_ms": 10_000 })),
        ("ax_assert", json!({ "app": "7", "query": "Delete all", "assertions": { "title": "x" } })),
    ] {
        let (stop, begun) = (Arc::new(Stop::new()), Instant::now());
        let around = CallOptions { stop: Arc::clone(&stop), ..CallOptions::alone(&|_| true) };
        let reply = std::thread::scope(|threads| {
            threads.spawn(|| {
                std::thread::sleep(Duration::from_millis(100));
                stop.ask();
            });
            stage.engine.call(call(tool, arguments), &around)
        });
        let failure = failure(reply);
        assert_eq!(failure.code, "cancelled", "{tool}");
        assert_ne!(failure.delivery, Some(Delivery::Sent), "{tool}");
        assert!(begun.elapsed() < Duration::from_millis(1_500), "{tool}: {:?}", begun.elapsed());
    }
    assert_eq!(stage.presses(), 0);
}
