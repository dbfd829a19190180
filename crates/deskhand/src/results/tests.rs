use deskhand_model::Delivery;
use serde_json::json;

use super::*;

fn reply(data: Value) -> Reply {
    Reply { data, text: String::new(), image: None, succeeded: true, warnings: Vec::new() }
}

#[test]
fn a_confirmed_action_has_its_evidence() {
    let data = json!({
        "effect": "confirmed", "way": "text", "target": "text", "element_ref": "e1",
        "evidence": [{"sign": "text", "what": "text", "before": "a", "after": "ab"}],
        "changes": ["~ text e1"],
    });
    let with_warning = Reply { warnings: vec!["slow".to_owned()], ..reply(data) };
    let outcome = with_warning.outcome("type").unwrap();
    assert!(outcome.is_confirmed());
    assert_eq!(outcome.strategy, "text");
    assert_eq!(outcome.element_ref.as_deref(), Some("e1"));
    assert_eq!(outcome.evidence[0].after.as_deref(), Some("ab"));
    assert_eq!(outcome.warnings, ["slow"]);
    assert!(outcome.confirmed().is_ok());
}

#[test]
fn an_effect_that_is_not_confirmed_can_be_an_error() {
    let data = json!({
        "effect": "refused", "way": "none", "target": "menu \"File\"", "evidence": [],
        "tried": [{"way": "menu", "why": "it takes the keyboard"}],
        "escalation": "click an item of it",
    });
    let outcome = reply(data).outcome("click").unwrap();
    assert_eq!(outcome.failed_attempts[0].strategy, "menu");
    let error = outcome.confirmed().unwrap_err();
    assert_eq!((error.code(), error.advice()), ("not_confirmed", Some("click an item of it")));
    assert_eq!(error.delivery(), Some(Delivery::NotSent));
    assert!(error.message().contains("refused"), "{error}");
}

#[test]
fn every_effect_is_parsed_by_its_name() {
    let all =
        [Effect::Confirmed, Effect::Partial, Effect::Unverified, Effect::NoEffect, Effect::Refused];
    for effect in all {
        let data = json!({"effect": effect.to_string(), "way": "keyboard", "evidence": []});
        assert_eq!(reply(data).outcome("key").unwrap().effect, effect);
    }
}

#[test]
fn an_element_is_a_query_by_its_ref() {
    let data = json!({
        "found": true, "method": "accessibility", "strategy": "role", "confidence": 0.6,
        "element_ref": "e7", "role": "AXTextArea", "kind": "text", "title": "", "value": "hello",
        "position": [1, 2], "size": [3, 4], "enabled": true, "focused": true, "visible": true,
        "states": ["focused"], "actions": [], "path": "app(1)", "window": "w",
    });
    let element: Element = reply(data).parse("find").unwrap();
    assert_eq!(element.as_ref(), "e7");
    assert_eq!(element.text(), "hello");
    assert_eq!(element.position, Some([1, 2]));
    assert!(element.has_state("focused") && !element.has_state("checked"));
}

#[test]
fn a_value_can_be_a_number_or_missing() {
    let mut data = json!({
        "element_ref": "e7", "role": "AXSlider", "kind": "slider", "title": "Volume", "value": 7.5,
        "enabled": true, "focused": false, "visible": true, "states": [], "actions": [],
    });
    let element: Element = reply(data.clone()).parse("find").unwrap();
    assert_eq!(element.text(), "7.5");
    data.as_object_mut().unwrap().remove("value");
    let element: Element = reply(data).parse("find").unwrap();
    assert_eq!(element.text(), "");
}

#[test]
fn apps_events_and_commands_are_parsed() {
    let apps: Vec<AppInfo> = reply(json!([{
        "name": "mousepad", "pid": 7, "bundle_id": null, "toolkit": "gtk 3.24.38", "windows": 1,
        "accessible": true,
    }]))
    .parse("apps")
    .unwrap();
    assert_eq!((apps[0].pid, apps[0].windows), (7, 1));
    let event: Event = reply(json!({
        "at_ms": 12, "event": "value_changed", "app": "mousepad", "title": "x", "on": true,
    }))
    .parse("watch")
    .unwrap();
    assert_eq!(event.kind, EventKind::ValueChanged);
    let output: CommandOutput = reply(json!({
        "operation_id": "op_1", "tool": "sandboxed_shell", "status": "failed", "exit_code": 3,
        "why": "it ended with exit code 3", "duration_ms": 2, "output": "hi\n", "output_bytes": 3,
    }))
    .parse("sandboxed_shell")
    .unwrap();
    assert_eq!((output.exit_code, output.output.as_str()), (Some(3), "hi\n"));
    assert!(!output.succeeded());
}

#[test]
fn a_result_of_another_form_is_an_error() {
    let error = reply(json!({"effect": "maybe"})).outcome("click").unwrap_err();
    assert_eq!(error.code(), "internal");
    assert!(error.message().contains("`click`"), "{error}");
}
