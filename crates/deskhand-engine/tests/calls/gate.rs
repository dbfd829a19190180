//! The gate decides, asks, limits and records, whatever is called: proven on an app that counts what is
//! done to it, and on the log on disk.
use std::sync::Mutex;

use super::fake_shop::{Stage, call, delete, failure, guarded, in_mode, stage};
use deskhand_engine::{
    Asked, Call, CallLimiter, CallOptions, Confirmation, Door, Policy, RateLimits, Said,
    SecurityMode, Weight, WriteAccess,
};
use serde_json::{Value, json};

/// The lines of the log.
fn log(stage: &Stage) -> Vec<Value> {
    let text = std::fs::read_to_string(stage.folder.path().join("audit.jsonl")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn sandboxed_and_read_only_refuse_what_changes_something_and_say_what_to_do() {
    let read_only = Policy { touch: WriteAccess::ReadOnly, ..Policy::default() };
    let sandboxed = Policy { mode: SecurityMode::Sandboxed, ..Policy::default() };
    for (policy, code) in [(read_only, "read_only_mode"), (sandboxed, "forbidden")] {
        let stage = guarded(|gate| gate.policy = policy);
        let refused = failure(stage.call("ax_click", delete(), Vec::new()));
        assert_eq!(refused.code, code);
        assert!(refused.hint.is_some_and(|hint| hint.contains("look")));
        stage.call("ax_find", delete(), Vec::new()).unwrap();
        stage.call("ax_connect", json!({ "app": "7" }), Vec::new()).unwrap();
        assert_eq!(stage.presses(), 0);
        let lines = log(&stage);
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert_eq!((&lines[0]["phase"], &lines[0]["result"]), (&json!("refused"), &json!(code)));
    }
}

#[test]
fn a_caller_is_bound_by_the_stricter_of_its_own_mode_and_the_servers() {
    let stage = stage();
    let bound = Call { caller_mode: SecurityMode::Sandboxed, ..call("ax_click", delete()) };
    let reply = stage.engine.call(bound, &CallOptions::alone(&|_| true));
    assert_eq!(failure(reply).code, "forbidden");
    assert_eq!(stage.presses(), 0);
}

#[test]
fn where_nobody_can_be_asked_normal_goes_on_and_safe_does_not() {
    for (mode, presses) in [(SecurityMode::Normal, 1), (SecurityMode::Safe, 0)] {
        for door in [Door::Mcp, Door::CommandLine] {
            let stage = in_mode(mode);
            let tool = if door == Door::Mcp { "ax_click" } else { "click" };
            let one = Call { door, ..call(tool, delete()) };
            let answer = stage.engine.call(one, &CallOptions::alone(&|_| true)).unwrap();
            assert_eq!(stage.presses(), presses, "{mode} {door:?}: {}", answer.data);
            assert_eq!(answer.data["effect"] == "refused", presses == 0, "{}", answer.data);
            let warned = answer.warnings.iter().any(|words| words.contains("without asking"));
            assert_eq!(warned, presses == 1 && door == Door::Mcp, "{:?}", answer.warnings);
        }
    }
}

#[test]
fn normal_mode_can_be_told_not_to_ask_and_safe_mode_cannot() {
    for (mode, presses) in [(SecurityMode::Normal, 1), (SecurityMode::Safe, 0)] {
        let stage = guarded(|gate| {
            gate.policy = Policy { mode, confirm: Confirmation::Skip, ..Policy::default() };
        });
        stage.call("ax_click", delete(), vec![("confirm", Asked::Declined)]).unwrap();
        assert_eq!(stage.presses(), presses, "{mode}");
    }
}

#[test]
fn every_word_for_an_action_asks_like_a_click() {
    for action in ["press", "activate", "click", "pick"] {
        let stage = in_mode(SecurityMode::Safe);
        let arguments = json!({ "app": "7", "query": "Delete all", "action": action });
        let asked = Call { door: Door::CommandLine, ..call("act", arguments) };
        let answer = stage.engine.call(asked, &CallOptions::alone(&|_| true));
        assert_eq!(stage.presses(), 0, "{action}: {answer:?}");
        assert_eq!(answer.unwrap().data["effect"], "refused", "{action}");
    }
}

#[test]
fn a_question_shows_a_name_without_what_nobody_sees() {
    let stage = in_mode(SecurityMode::Safe);
    let (_, asked) = stage.ask("ax_click", delete(), vec![("confirm", Asked::Declined)]);
    assert_eq!(asked.len(), 1, "{asked:?}");
    assert!(asked[0].message.contains("in \"shop\"?"), "{}", asked[0].message);
}

#[test]
fn a_yes_is_remembered_only_when_the_person_says_so() {
    let yes = |remember: bool| Asked::Given(json!({ "confirm": true, "remember": remember }));
    for (remember, asked_again) in [(true, false), (false, true)] {
        let first = in_mode(SecurityMode::Safe);
        first.call("ax_click", delete(), vec![("confirm", yes(remember))]).unwrap();
        assert_eq!(first.presses(), 1);
        // Another server of the same person.
        let folder = first.folder.path();
        let second = guarded(|gate| {
            let by_hand = folder.join("approvals.toml");
            let kept = folder.join("approvals.json");
            let life = std::time::Duration::from_secs(3600);
            gate.approvals = deskhand_engine::approvals::Approvals::at(kept, &by_hand, life);
            gate.policy.mode = SecurityMode::Safe;
        });
        second.call("ax_click", delete(), Vec::new()).unwrap();
        assert_eq!(second.presses() == 0, asked_again, "remember {remember}");
        let other = second.call("ax_key_press", json!({ "key": "return" }), Vec::new());
        assert!(other.is_err(), "an approval is for one tool: {other:?}");
    }
}

#[test]
fn a_yes_for_an_app_that_hides_what_it_runs_is_not_kept() {
    let yes = || Asked::Given(json!({ "confirm": true, "remember": true }));
    let press = || json!({ "app": "9", "query": "Delete all" });
    let stage = in_mode(SecurityMode::Safe);
    stage.call("ax_click", press(), vec![("confirm", yes())]).unwrap();
    assert_eq!(stage.presses(), 1, "the yes itself counts");
    let kept = stage.folder.path().join("approvals.json");
    assert!(!kept.exists(), "{:?}", std::fs::read_to_string(kept));
}

#[test]
fn every_change_is_on_record_before_it_is_done_and_after() {
    let stage = stage();
    stage
        .call("ax_click", delete(), vec![("confirm", Asked::Given(json!({ "confirm": true })))])
        .unwrap();
    let lines = log(&stage);
    let phases: Vec<&str> = lines.iter().map(|line| line["phase"].as_str().unwrap()).collect();
    assert_eq!(phases, ["begun", "ended"]);
    let ended = &lines[1];
    assert_eq!((&ended["result"], &ended["effect"]), (&json!("ok"), &json!("confirmed")));
    assert_eq!(ended["target"]["role"], "AXButton", "{ended}");
    assert_eq!(ended["target"]["title"], "Delete all", "{ended}");
    assert_eq!(ended["security_flags"], json!(["destructive_keyword"]));
    stage.call("ax_list_apps", Value::Null, Vec::new()).unwrap();
    assert_eq!(log(&stage).len(), 2, "looking is not recorded");
}

#[test]
fn a_no_is_on_record() {
    let stage = stage();
    stage.call("ax_click", delete(), vec![("confirm", Asked::Declined)]).unwrap();
    assert_eq!(log(&stage)[1]["result"], "elicitation_declined");
}

#[test]
fn what_is_typed_is_in_no_record() {
    let stage = stage();
    let said = Mutex::new(String::new());
    let listener = |one: Said| {
        said.lock().unwrap().push_str(&one.data.to_string());
        true
    };
    for (tool, arguments) in [
        ("ax_type", json!({ "app": "7", "query": "Delete all", "text": "hunter2" })),
        ("ax_set_value", json!({ "app": "7", "query": "Delete all", "value": "hunter2" })),
        ("ax_type", json!({ "app": "7", "text": "hunter2", "unknown": 1 })),
    ] {
        let _refused = stage.engine.call(call(tool, arguments), &CallOptions::alone(&listener));
    }
    let text = std::fs::read_to_string(stage.folder.path().join("audit.jsonl")).unwrap();
    assert!(text.contains("ax_type") && !text.contains("hunter2"), "{text}");
    let said = said.into_inner().unwrap();
    assert!(said.contains("ax_type") && !said.contains("hunter2"), "{said}");
}

#[test]
fn without_its_record_nothing_is_done() {
    let stage = stage();
    std::fs::create_dir(stage.folder.path().join("audit.jsonl")).unwrap();
    let refused = failure(stage.call("ax_click", delete(), Vec::new()));
    assert_eq!(refused.code, "audit_log_unwritable");
    assert_eq!(stage.presses(), 0);
    stage.call("ax_find", delete(), Vec::new()).unwrap();
}

#[test]
fn one_call_too_many_is_refused_with_the_time_to_wait() {
    let stage = guarded(|gate| {
        gate.limits = CallLimiter::new(&RateLimits { per_second: 3, ..RateLimits::default() })
    });
    for _ in 0..3 {
        stage.call("ax_session_info", Value::Null, Vec::new()).unwrap();
    }
    let refused = failure(stage.call("ax_session_info", Value::Null, Vec::new()));
    assert_eq!(refused.code, "rate_limited");
    assert!(refused.retry_after_ms.is_some_and(|wait| (1..=1000).contains(&wait)), "{refused:?}");
    assert_eq!(log(&stage)[0]["result"], "rate_limited");
}

#[test]
fn writes_beyond_the_limit_wait_and_say_so() {
    let stage = guarded(|gate| {
        gate.limits =
            CallLimiter::new(&RateLimits { writes_per_second: 2, ..RateLimits::default() })
    });
    let scroll = || {
        stage.call(
            "ax_click",
            json!({ "app": "7", "query": "Delete all" }),
            vec![("confirm", Asked::Declined)],
        )
    };
    let warnings: Vec<Vec<String>> = (0..4).map(|_| scroll().unwrap().warnings).collect();
    assert!(warnings[0].is_empty(), "{warnings:?}");
    assert!(warnings[3][0].starts_with("Rate limit reached. Delayed 0."), "{warnings:?}");
}

#[test]
fn refusals_are_told_as_alarms_and_changes_as_records() {
    let heard = Mutex::new(Vec::new());
    let listener = |said: Said| {
        heard.lock().unwrap().push(said.weight);
        true
    };
    let stage = stage();
    stage.engine.call(call("ax_click", delete()), &CallOptions::alone(&listener)).unwrap();
    let bound = Call { caller_mode: SecurityMode::Sandboxed, ..call("ax_click", delete()) };
    stage.engine.call(bound, &CallOptions::alone(&listener)).unwrap_err();
    assert_eq!(heard.into_inner().unwrap(), [Weight::Warning, Weight::Record, Weight::Alarm]);
}
