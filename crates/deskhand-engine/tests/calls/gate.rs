//! Tests of policy, consent, limits and audit log, with a fake app that counts presses.
use std::sync::Mutex;

use super::fixture::{EngineFixture, call, delete, failure, fixture, in_mode, with_gate};
use deskhand_engine::{
    Call, CallLimiter, CallOptions, Confirmation, ElicitResponse, Origin, Policy, ProgressEvent,
    RateLimits, SecurityMode, Severity, WriteAccess,
};
use serde_json::{Value, json};

/// Returns the records of the audit log.
fn log(fixture: &EngineFixture) -> Vec<Value> {
    let text =
        std::fs::read_to_string(fixture.folder.path().join("audit.jsonl")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn sandboxed_and_read_only_refuse_changes_with_a_hint() {
    let read_only = Policy { write_access: WriteAccess::ReadOnly, ..Policy::default() };
    let sandboxed = Policy { mode: SecurityMode::Sandboxed, ..Policy::default() };
    for (policy, code) in [(read_only, "read_only_mode"), (sandboxed, "forbidden")] {
        let fixture = with_gate(|gate| gate.policy = policy);
        let refused = failure(fixture.call("ax_click", delete(), Vec::new()));
        assert_eq!(refused.code, code);
        assert!(refused.hint.is_some_and(|hint| hint.contains("only reads")));
        fixture.call("ax_find", delete(), Vec::new()).unwrap();
        fixture.call("ax_connect", json!({ "app": "7" }), Vec::new()).unwrap();
        assert_eq!(fixture.presses(), 0);
        let lines = log(&fixture);
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert_eq!((&lines[0]["phase"], &lines[0]["result"]), (&json!("refused"), &json!(code)));
    }
}

#[test]
fn the_stricter_mode_of_caller_and_server_applies() {
    let fixture = fixture();
    let bound = Call { caller_mode: SecurityMode::Sandboxed, ..call("ax_click", delete()) };
    let reply = fixture.engine.call(bound, &CallOptions::non_interactive(&|_| true));
    assert_eq!(failure(reply).code, "forbidden");
    assert_eq!(fixture.presses(), 0);
}

#[test]
fn the_mode_that_applies_to_a_call_is_reported() {
    use SecurityMode::{Normal, Safe, Sandboxed};
    for (server, caller, applies) in [
        (Normal, Normal, "normal"),
        (Safe, Normal, "safe"),
        (Normal, Safe, "safe"),
        (Safe, Sandboxed, "sandboxed"),
        (Sandboxed, Safe, "sandboxed"),
    ] {
        let fixture = in_mode(server);
        for tool in ["ax_session_info", "view_status"] {
            let bound = Call { caller_mode: caller, ..call(tool, json!({})) };
            let reply = fixture.engine.call(bound, &CallOptions::non_interactive(&|_| true));
            assert_eq!(reply.unwrap().data["security_mode"], applies, "{tool} {server} {caller}");
        }
    }
}

#[test]
fn without_a_user_to_ask_normal_mode_acts_and_safe_mode_refuses() {
    for (mode, presses) in [(SecurityMode::Normal, 1), (SecurityMode::Safe, 0)] {
        for origin in [Origin::Mcp, Origin::Cli] {
            let fixture = in_mode(mode);
            let tool = if origin == Origin::Mcp { "ax_click" } else { "click" };
            let one = Call { origin, ..call(tool, delete()) };
            let answer =
                fixture.engine.call(one, &CallOptions::non_interactive(&|_| true)).unwrap();
            assert_eq!(fixture.presses(), presses, "{mode} {origin:?}: {}", answer.data);
            assert_eq!(answer.data["effect"] == "refused", presses == 0, "{}", answer.data);
            let warned = answer.warnings.iter().any(|words| words.contains("without confirmation"));
            assert_eq!(warned, presses == 1 && origin == Origin::Mcp, "{:?}", answer.warnings);
        }
    }
}

#[test]
fn confirmation_can_be_skipped_in_normal_mode_only() {
    for (mode, presses) in [(SecurityMode::Normal, 1), (SecurityMode::Safe, 0)] {
        let fixture = with_gate(|gate| {
            gate.policy = Policy { mode, confirmation: Confirmation::Skip, ..Policy::default() };
        });
        fixture.call("ax_click", delete(), vec![("confirm", ElicitResponse::Declined)]).unwrap();
        assert_eq!(fixture.presses(), presses, "{mode}");
    }
}

#[test]
fn every_action_name_requires_confirmation_like_a_click() {
    for action in ["press", "activate", "click", "pick"] {
        let fixture = in_mode(SecurityMode::Safe);
        let arguments = json!({ "app": "7", "query": "Delete all", "action": action });
        let asked = Call { origin: Origin::Cli, ..call("act", arguments) };
        let answer = fixture.engine.call(asked, &CallOptions::non_interactive(&|_| true));
        assert_eq!(fixture.presses(), 0, "{action}: {answer:?}");
        assert_eq!(answer.unwrap().data["effect"], "refused", "{action}");
    }
}

#[test]
fn a_question_contains_the_visible_name() {
    let fixture = in_mode(SecurityMode::Safe);
    let (_, asked) = fixture.ask("ax_click", delete(), vec![("confirm", ElicitResponse::Declined)]);
    assert_eq!(asked.len(), 1, "{asked:?}");
    assert!(asked[0].message.contains("in \"shop\"?"), "{}", asked[0].message);
}

#[test]
fn an_approval_is_stored_only_if_the_user_wants_it() {
    let yes =
        |remember: bool| ElicitResponse::Accepted(json!({ "confirm": true, "remember": remember }));
    for (remember, asked_again) in [(true, false), (false, true)] {
        let first = in_mode(SecurityMode::Safe);
        first.call("ax_click", delete(), vec![("confirm", yes(remember))]).unwrap();
        assert_eq!(first.presses(), 1);
        // Another server of the same user.
        let folder = first.folder.path();
        let second = with_gate(|gate| {
            let manual = folder.join("approvals.toml");
            let remembered = folder.join("approvals.json");
            let lifetime = std::time::Duration::from_secs(3600);
            gate.approvals =
                deskhand_engine::approvals::Approvals::at(remembered, &manual, lifetime);
            gate.policy.mode = SecurityMode::Safe;
        });
        second.call("ax_click", delete(), Vec::new()).unwrap();
        assert_eq!(second.presses() == 0, asked_again, "remember {remember}");
        let other = second.call("ax_key_press", json!({ "key": "return" }), Vec::new());
        assert!(other.is_err(), "an approval is for one tool: {other:?}");
    }
}

#[test]
fn an_approval_for_an_unidentified_app_is_not_stored() {
    let yes = || ElicitResponse::Accepted(json!({ "confirm": true, "remember": true }));
    let press = || json!({ "app": "9", "query": "Delete all" });
    let fixture = in_mode(SecurityMode::Safe);
    fixture.call("ax_click", press(), vec![("confirm", yes())]).unwrap();
    assert_eq!(fixture.presses(), 1, "the approval is used once");
    let kept = fixture.folder.path().join("approvals.json");
    assert!(!kept.exists(), "{:?}", std::fs::read_to_string(kept));
}

#[test]
fn every_change_is_recorded_before_and_after() {
    let fixture = fixture();
    fixture
        .call(
            "ax_click",
            delete(),
            vec![("confirm", ElicitResponse::Accepted(json!({ "confirm": true })))],
        )
        .unwrap();
    let lines = log(&fixture);
    let phases: Vec<&str> = lines.iter().map(|line| line["phase"].as_str().unwrap()).collect();
    assert_eq!(phases, ["begun", "ended"]);
    let ended = &lines[1];
    assert_eq!((&ended["result"], &ended["effect"]), (&json!("ok"), &json!("confirmed")));
    assert_eq!(ended["target"]["role"], "AXButton", "{ended}");
    assert_eq!(ended["target"]["title"], "Delete all", "{ended}");
    assert_eq!(ended["security_flags"], json!(["destructive_keyword"]));
    fixture.call("ax_list_apps", Value::Null, Vec::new()).unwrap();
    assert_eq!(log(&fixture).len(), 2, "reading is not recorded");
}

#[test]
fn a_declined_call_is_recorded() {
    let fixture = fixture();
    fixture.call("ax_click", delete(), vec![("confirm", ElicitResponse::Declined)]).unwrap();
    assert_eq!(log(&fixture)[1]["result"], "elicitation_declined");
}

#[test]
fn typed_text_is_never_recorded() {
    let fixture = fixture();
    let said = Mutex::new(String::new());
    let progress = |one: ProgressEvent| {
        said.lock().unwrap().push_str(&one.data.to_string());
        true
    };
    for (tool, arguments) in [
        ("ax_type", json!({ "app": "7", "query": "Delete all", "text": "hunter2" })),
        ("ax_set_value", json!({ "app": "7", "query": "Delete all", "value": "hunter2" })),
        ("ax_type", json!({ "app": "7", "text": "hunter2", "unknown": 1 })),
    ] {
        let _refused =
            fixture.engine.call(call(tool, arguments), &CallOptions::non_interactive(&progress));
    }
    let text = std::fs::read_to_string(fixture.folder.path().join("audit.jsonl")).unwrap();
    assert!(text.contains("ax_type") && !text.contains("hunter2"), "{text}");
    let said = said.into_inner().unwrap();
    assert!(said.contains("ax_type") && !said.contains("hunter2"), "{said}");
}

#[test]
fn a_call_that_cannot_be_recorded_is_refused() {
    let fixture = fixture();
    std::fs::create_dir(fixture.folder.path().join("audit.jsonl")).unwrap();
    let refused = failure(fixture.call("ax_click", delete(), Vec::new()));
    assert_eq!(refused.code, "audit_log_unwritable");
    assert_eq!(fixture.presses(), 0);
    fixture.call("ax_find", delete(), Vec::new()).unwrap();
}

#[test]
fn a_call_above_the_rate_limit_is_refused_with_a_retry_time() {
    let fixture = with_gate(|gate| {
        gate.limits = CallLimiter::new(&RateLimits { per_second: 3, ..RateLimits::default() })
    });
    for _ in 0..3 {
        fixture.call("ax_session_info", Value::Null, Vec::new()).unwrap();
    }
    let refused = failure(fixture.call("ax_session_info", Value::Null, Vec::new()));
    assert_eq!(refused.code, "rate_limited");
    assert!(refused.retry_after_ms.is_some_and(|wait| (1..=1000).contains(&wait)), "{refused:?}");
    assert_eq!(log(&fixture)[0]["result"], "rate_limited");
}

#[test]
fn writes_above_the_limit_are_delayed_with_a_warning() {
    let fixture = with_gate(|gate| {
        gate.limits =
            CallLimiter::new(&RateLimits { writes_per_second: 2, ..RateLimits::default() })
    });
    let scroll = || {
        fixture.call(
            "ax_click",
            json!({ "app": "7", "query": "Delete all" }),
            vec![("confirm", ElicitResponse::Declined)],
        )
    };
    let warnings: Vec<Vec<String>> = (0..4).map(|_| scroll().unwrap().warnings).collect();
    assert!(warnings[0].is_empty(), "{warnings:?}");
    assert!(warnings[3][0].starts_with("Rate limit reached. Delayed 0."), "{warnings:?}");
}

#[test]
fn refusals_are_reported_as_alarms_and_changes_as_records() {
    let weights = Mutex::new(Vec::new());
    let progress = |said: ProgressEvent| {
        weights.lock().unwrap().push(said.severity);
        true
    };
    let fixture = fixture();
    fixture
        .engine
        .call(call("ax_click", delete()), &CallOptions::non_interactive(&progress))
        .unwrap();
    let bound = Call { caller_mode: SecurityMode::Sandboxed, ..call("ax_click", delete()) };
    fixture.engine.call(bound, &CallOptions::non_interactive(&progress)).unwrap_err();
    assert_eq!(
        weights.into_inner().unwrap(),
        [Severity::Warning, Severity::Audit, Severity::Refusal]
    );
}
