//! What is on record of calls that were not let through, and that nobody can push it out of the log.

use std::sync::Mutex;

use deskhand_engine::{
    Call, CallOptions, Delivery, Said, SecurityMode, SessionKey, Weight,
    audit_log::{State, Wanted, actions, verify},
};
use deskhand_model::Flag;
use serde_json::json;

use super::fake_shop::{Stage, call, delete, failure, in_mode};

#[test]
fn calls_that_are_not_let_through_are_limited_and_all_of_them_are_on_record_in_few_lines() {
    const CALLS: u64 = 2_000;
    let stage = in_mode(SecurityMode::Sandboxed);
    let long = json!({ "app": "7", "query": "x".repeat(3_500) });
    let codes: Vec<String> = (0..CALLS)
        .map(|_| failure(stage.call("ax_click", long.clone(), Vec::new())).code)
        .collect();
    let limited = codes.iter().filter(|code| *code == "rate_limited").count();
    assert!(codes[0] == "forbidden" && limited > 1_000, "{} {limited}", codes[0]);
    let Stage { engine, folder, .. } = stage;
    drop(engine);
    let file = folder.path().join("audit.jsonl");
    assert!(verify(file.clone(), None).unwrap().is_sound());
    let all = actions(file.clone(), &Wanted::default()).unwrap();
    let told = all.iter().map(|one| one.left_out.unwrap_or(0) + u64::from(!one.tool.is_empty()));
    assert_eq!(told.sum::<u64>(), CALLS);
    let size = std::fs::metadata(file).unwrap().len();
    assert!(all.len() < 600 && size < 500_000, "{} lines of {size} bytes", all.len());
    assert!(all.iter().all(|one| one.state == State::Refused));
}

#[test]
fn what_nobody_could_agree_to_is_on_record_as_refused_and_raises_an_alarm() {
    let weights = Mutex::new(Vec::new());
    let listener = |said: Said| {
        weights.lock().unwrap().push(said.weight);
        true
    };
    let stage = in_mode(SecurityMode::Safe);
    // Whether the tool says so in its answer or by a failure: nothing was done.
    let _told = stage.engine.call(call("ax_click", delete()), &CallOptions::alone(&listener));
    assert_eq!(stage.presses(), 0);
    assert_eq!(weights.into_inner().unwrap().last(), Some(&Weight::Alarm));
    let file = stage.folder.path().join("audit.jsonl");
    let wanted = Wanted { result: Some("refused".to_owned()), ..Wanted::default() };
    let shown = actions(file, &wanted).unwrap();
    let found = shown.first().map(|one| (one.result.as_deref(), one.delivery.as_deref()));
    assert_eq!(found, Some((Some("consent_required"), Some("not_sent"))), "{shown:?}");
}

#[test]
fn a_call_that_needs_a_yes_first_says_that_nothing_was_sent() {
    let stage = in_mode(SecurityMode::Safe);
    stage.engine.session(&SessionKey::Shared).flag(&[Flag::HiddenText]);
    let refused = failure(stage.call("ax_click", delete(), Vec::new()));
    assert_eq!(refused.code, "consent_required");
    assert_eq!(refused.delivery, Some(Delivery::NotSent));
}

#[test]
fn who_calls_is_on_record_where_it_is_not_the_owner() {
    let stage = in_mode(SecurityMode::Normal);
    let theirs = Call { principal: Some("oauth x ann".into()), ..call("ax_click", delete()) };
    stage.engine.call(theirs, &CallOptions::alone(&|_| true)).unwrap();
    let file = stage.folder.path().join("audit.jsonl");
    let shown = actions(file, &Wanted::default()).unwrap();
    assert_eq!(shown[0].principal.as_deref(), Some("oauth x ann"));
}
