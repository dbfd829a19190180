//! Tests of the records of refused calls.

use std::sync::Mutex;

use deskhand_engine::{
    Call, CallOptions, Delivery, ProgressEvent, SecurityMode, SessionKey, Severity,
    audit_log::{ActionFilter, ActionState, actions, verify},
};
use deskhand_model::Flag;
use serde_json::json;

use super::fixture::{EngineFixture, call, delete, failure, in_mode};

#[test]
fn refused_calls_are_rate_limited_and_recorded_in_few_records() {
    const CALLS: u64 = 2_000;
    let fixture = in_mode(SecurityMode::Sandboxed);
    let long = json!({ "app": "7", "query": "x".repeat(3_500) });
    let codes: Vec<String> = (0..CALLS)
        .map(|_| failure(fixture.call("ax_click", long.clone(), Vec::new())).code)
        .collect();
    let limited = codes.iter().filter(|code| *code == "rate_limited").count();
    assert!(codes[0] == "forbidden" && limited > 1_000, "{} {limited}", codes[0]);
    let EngineFixture { engine, folder, .. } = fixture;
    drop(engine);
    let file = folder.path().join("audit.jsonl");
    assert!(verify(file.clone(), None).unwrap().is_intact());
    let all = actions(file.clone(), &ActionFilter::default()).unwrap();
    let counted = all.iter().map(|one| one.left_out.unwrap_or(0) + u64::from(!one.tool.is_empty()));
    assert_eq!(counted.sum::<u64>(), CALLS);
    let size = std::fs::metadata(file).unwrap().len();
    assert!(all.len() < 600 && size < 500_000, "{} lines of {size} bytes", all.len());
    assert!(all.iter().all(|one| one.state == ActionState::Refused));
}

#[test]
fn a_call_without_consent_is_recorded_as_refused_and_raises_an_alarm() {
    let weights = Mutex::new(Vec::new());
    let progress = |said: ProgressEvent| {
        weights.lock().unwrap().push(said.severity);
        true
    };
    let fixture = in_mode(SecurityMode::Safe);
    // The tool may return an answer or a failure; in both cases nothing was done.
    let _result =
        fixture.engine.call(call("ax_click", delete()), &CallOptions::non_interactive(&progress));
    assert_eq!(fixture.presses(), 0);
    assert_eq!(weights.into_inner().unwrap().last(), Some(&Severity::Refusal));
    let file = fixture.folder.path().join("audit.jsonl");
    let filter = ActionFilter { result: Some("refused".to_owned()), ..ActionFilter::default() };
    let shown = actions(file, &filter).unwrap();
    let found = shown.first().map(|one| (one.result.as_deref(), one.delivery.as_deref()));
    assert_eq!(found, Some((Some("consent_required"), Some("not_sent"))), "{shown:?}");
}

#[test]
fn a_call_without_consent_reports_that_nothing_was_sent() {
    let fixture = in_mode(SecurityMode::Safe);
    fixture.engine.session(&SessionKey::Shared).add_flags(&[Flag::HiddenText]);
    let refused = failure(fixture.call("ax_click", delete(), Vec::new()));
    assert_eq!(refused.code, "consent_required");
    assert_eq!(refused.delivery, Some(Delivery::NotSent));
}

#[test]
fn the_caller_is_recorded_if_it_is_not_the_owner() {
    let fixture = in_mode(SecurityMode::Normal);
    let call = Call { principal: Some("oauth x ann".into()), ..call("ax_click", delete()) };
    fixture.engine.call(call, &CallOptions::non_interactive(&|_| true)).unwrap();
    let file = fixture.folder.path().join("audit.jsonl");
    let shown = actions(file, &ActionFilter::default()).unwrap();
    assert_eq!(shown[0].principal.as_deref(), Some("oauth x ann"));
}
