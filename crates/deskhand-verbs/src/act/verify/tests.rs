//! Tests of the act-and-verify loop on a fake desktop.

use std::time::Duration;

use deskhand_model::{EventKind, Explain, NodeId, Role, States, Value};
use deskhand_platform::fake::{FakeApp, FakeCall};

use super::*;
use crate::{
    Decision,
    act::{ActionMode, click},
    testing::{FakeCallEnv, element},
};

mod rest;

/// The advice for the case that all strategies fail.
const ADVICE: &str = "try something else";

fn check_box() -> FakeCallEnv {
    let mut node = element("box", Role::CheckBox);
    node.actions = vec!["toggle".to_owned(), "click".to_owned()];
    FakeCallEnv::new(vec![node, element("label", Role::Label)])
}

fn entry(text: &str) -> FakeCallEnv {
    let mut node = element("entry", Role::Entry);
    node.states = node.states.with(State::Editable);
    node.value = text_value(text);
    FakeCallEnv::new(vec![node])
}

fn text_value(text: &str) -> Option<Value> {
    Some(Value::Text { text: text.to_owned(), length: text.chars().count() })
}

fn check(app: &mut FakeApp) {
    let states = app.node("box").states;
    app.node("box").states = states.with(State::Checked);
}

fn with_checked(states: States, is_on: bool) -> States {
    if is_on { states.with(State::Checked) } else { states.without(State::Checked) }
}

fn unsupported() -> PlatformError {
    PlatformError::Unsupported { what: "the action".to_owned(), why: "no".to_owned() }
}

fn action(name: &str) -> Strategy<'static> {
    Strategy::accessibility(name, NodeAction::Invoke(name.to_owned()))
}

/// Runs the loop on the element with this id.
fn run(
    env: &FakeCallEnv,
    id: &str,
    expectation: &Expectation,
    strategies: &[Strategy<'_>],
) -> Result<ActionOutcome> {
    let (cx, app) = (env.context(), env.fake.app());
    let (target, listener) =
        find_while_listening(&cx, &app, || target::from_id(&cx, &app, &NodeId::new(id)))?;
    act_and_verify(&cx, target, listener, expectation, strategies, ADVICE)
}

/// Returns the names of the actions that the app has received.
fn received(env: &FakeCallEnv) -> Vec<String> {
    let name = |act: NodeAction| {
        if let NodeAction::Invoke(name) = act { name } else { format!("{act:?}") }
    };
    env.fake.acts().into_iter().map(|(_, act)| name(act)).collect()
}

fn failed(outcome: &ActionOutcome) -> Vec<(&str, &str)> {
    let all = outcome.failed_attempts.iter();
    all.map(|one| (one.strategy.as_str(), one.why.as_str())).collect()
}

#[test]
fn strategies_are_tried_in_order_until_one_has_an_effect() {
    let env = check_box();
    env.fake.on_act(|app, _, act| {
        if *act != NodeAction::Invoke("click".to_owned()) {
            return Err(unsupported());
        }
        check(app);
        Ok(ActionReply::Accepted)
    });
    let strategies = [action("toggle"), action("click"), action("press")];
    let outcome = run(&env, "box", &Expectation::Toggled, &strategies).unwrap();
    assert_eq!((outcome.effect, outcome.strategy.as_str()), (ActionEffect::Confirmed, "click"));
    assert_eq!(failed(&outcome), [("toggle", "no")]);
    assert_eq!(received(&env), ["toggle", "click"], "the third strategy is not needed");
    let change =
        Evidence::change(EvidenceKind::State, "checkbox \"box\"", "not checked", "checked");
    assert!(outcome.evidence.contains(&change), "{:?}", outcome.evidence);
}

#[test]
fn a_strategy_without_effect_is_followed_by_the_next_one() {
    let env = check_box();
    env.fake.on_act(|app, _, act| {
        if *act != NodeAction::Invoke("click".to_owned()) {
            return Ok(ActionReply::Declined);
        }
        check(app);
        Ok(ActionReply::Unanswered)
    });
    let strategies = [action("toggle"), action("click")];
    let outcome = run(&env, "box", &Expectation::Toggled, &strategies).unwrap();
    assert_eq!((outcome.effect, outcome.strategy.as_str()), (ActionEffect::Confirmed, "click"));
    let reason = "the app declined the request and nothing changed";
    assert_eq!(failed(&outcome), [("toggle", reason)]);
}

#[test]
fn the_reply_of_the_app_is_no_evidence() {
    let env = check_box();
    let outcome = run(&env, "box", &Expectation::Toggled, &[action("toggle")]).unwrap();
    assert_eq!((outcome.effect, outcome.strategy.as_str()), (ActionEffect::NoEffect, "toggle"));
    assert_eq!(outcome.next_step, Some(ADVICE.into()));
    let reason = "the app accepted the request but nothing changed";
    assert_eq!(failed(&outcome), [("toggle", reason)]);
}

#[test]
fn an_action_that_cannot_be_sent_is_refused() {
    let env = check_box();
    env.fake.on_act(|_, _, _| Err(unsupported()));
    let outcome = run(&env, "box", &Expectation::Toggled, &[action("toggle")]).unwrap();
    assert_eq!((outcome.effect, outcome.strategy.as_str()), (ActionEffect::Refused, "none"));
}

#[test]
fn nothing_is_sent_if_the_element_is_already_in_the_expected_state() {
    let env = entry("abc");
    let expectation = Expectation::Text("abc".to_owned());
    let strategies = [Strategy::accessibility("text", NodeAction::SetText("abc".to_owned()))];
    let outcome = run(&env, "entry", &expectation, &strategies).unwrap();
    assert_eq!(outcome.effect, ActionEffect::Confirmed);
    assert_eq!(outcome.strategy, "nothing to do");
    assert!(env.fake.acts().is_empty());
}

#[test]
fn an_unexpected_change_is_partial() {
    let env = entry("");
    env.fake.on_act(|app, _, _| {
        app.node("entry").value = text_value("ab");
        Ok(ActionReply::Declined)
    });
    let expectation = Expectation::Text("abc".to_owned());
    let strategies = [
        Strategy::accessibility("text", NodeAction::SetText("abc".to_owned())),
        Strategy::accessibility("insert", NodeAction::Insert("abc".to_owned())),
    ];
    let outcome = run(&env, "entry", &expectation, &strategies).unwrap();
    assert_eq!((outcome.effect, outcome.strategy.as_str()), (ActionEffect::Partial, "text"));
    assert_eq!(env.fake.acts().len(), 1, "a second strategy would insert the text twice");
    assert!(outcome.next_step.is_some());
}

#[test]
fn an_effect_within_the_timeout_is_confirmed() {
    let env = check_box();
    env.fake.on_act(|app, _, _| {
        app.after(Duration::from_millis(100), check);
        Ok(ActionReply::Accepted)
    });
    let outcome = run(&env, "box", &Expectation::Toggled, &[action("toggle")]).unwrap();
    assert_eq!(outcome.effect, ActionEffect::Confirmed);
}

#[test]
fn a_late_effect_keeps_the_next_strategy_from_acting_again() {
    let env = entry("");
    env.fake.on_act(|_, _, _| Ok(ActionReply::Declined));
    // At the end of an attempt, the whole tree is read. A text that is read after that belongs to the
    // second attempt.
    env.fake.on_call(|app, call, earlier| {
        let is_after_tree = earlier.last() == Some(&FakeCall::Walk);
        if call == FakeCall::Text && is_after_tree && earlier.contains(&FakeCall::Perform) {
            app.node("entry").value = text_value("abc");
        }
    });
    let expectation = Expectation::Text("abc".to_owned());
    let strategies = [
        Strategy::accessibility("text", NodeAction::SetText("abc".to_owned())),
        Strategy::accessibility("insert", NodeAction::Insert("abc".to_owned())),
    ];
    let outcome = run(&env, "entry", &expectation, &strategies).unwrap();
    assert_eq!((outcome.effect, outcome.strategy.as_str()), (ActionEffect::Confirmed, "text"));
    assert_eq!(failed(&outcome), [], "the first strategy has not failed after all");
    assert_eq!(env.fake.acts().len(), 1, "the text must not be inserted twice");
}

#[test]
fn the_tree_is_read_after_the_app_has_settled() {
    let env = FakeCallEnv::new(vec![element("ok", Role::Button), element("label", Role::Label)]);
    // Like Qt 5, the app shows the button as pressed for a while before it reacts.
    env.fake.on_act(|app, _, _| {
        let released = app.node("ok").states;
        app.node("ok").states = released.with(State::Pressed);
        app.after(Duration::from_millis(40), move |app| {
            app.node("ok").states = released;
            app.node("label").name = "Saved".to_owned();
        });
        Ok(ActionReply::Accepted)
    });
    let outcome = run(&env, "ok", &Expectation::AnyChange, &[action("click")]).unwrap();
    assert_eq!(outcome.effect, ActionEffect::Confirmed);
    let changes = outcome.changes.join("\n");
    assert!(changes.contains("Saved"), "the change after the release is missing: {changes}");
}

#[test]
fn a_change_elsewhere_confirms_an_inexact_expectation() {
    let env = FakeCallEnv::new(vec![element("ok", Role::Button), element("label", Role::Label)]);
    env.fake.on_act(|app, _, _| {
        app.node("label").name = "Saved".to_owned();
        Ok(ActionReply::Accepted)
    });
    let outcome = run(&env, "ok", &Expectation::AnyChange, &[action("click")]).unwrap();
    assert_eq!(outcome.effect, ActionEffect::Confirmed);
    let change = Evidence::change(EvidenceKind::Title, "label \"label\"", "label", "Saved");
    assert_eq!(outcome.evidence, [change]);
}

#[test]
fn a_counter_that_changes_by_itself_confirms_nothing() {
    let env = FakeCallEnv::new(vec![element("ok", Role::Button), element("count", Role::Label)]);
    env.fake.on_act(|_, _, _| Ok(ActionReply::Declined));
    env.fake.on_call(|app, call, earlier| {
        if call == FakeCall::Walk {
            app.node("count").name = format!("{} visitors", earlier.len());
        }
    });
    let outcome = run(&env, "ok", &Expectation::AnyChange, &[action("click")]).unwrap();
    assert_eq!(outcome.effect, ActionEffect::NoEffect);
}

#[test]
fn a_late_effect_of_an_earlier_action_confirms_nothing() {
    let env = FakeCallEnv::new(vec![element("ok", Role::Button), element("label", Role::Label)]);
    let (cx, app) = (env.context(), env.fake.app());
    let (target, listener) =
        find_while_listening(&cx, &app, || target::from_id(&cx, &app, &NodeId::new("ok"))).unwrap();
    // The reaction to an earlier action: a burst of events, and a label that changes at its end.
    env.fake.change(|app| {
        app.emit(EventKind::ChildrenChanged, "label");
        app.node("label").name = "Saved".to_owned();
        app.emit(EventKind::TitleChanged, "label");
    });
    let strategies = [action("click")];
    let expectation = Expectation::AnyChange;
    let outcome = act_and_verify(&cx, target, listener, &expectation, &strategies, ADVICE).unwrap();
    assert_eq!(outcome.effect, ActionEffect::Unverified, "{:?}", outcome.evidence);
}

#[test]
fn a_dialog_that_answers_with_a_message_is_partial() {
    for (role, expected) in
        [(Role::Dialog, ActionEffect::Partial), (Role::Window, ActionEffect::Confirmed)]
    {
        let env = FakeCallEnv::with_tree(vec![
            (element("own", role), 0),
            (element("ok", Role::Button), 2),
        ]);
        env.fake.on_act(|app, _, _| {
            app.add(element("refusal", Role::Alert), 0);
            Ok(ActionReply::Accepted)
        });
        let outcome = run(&env, "ok", &Expectation::AnyChange, &[action("click")]).unwrap();
        assert_eq!(outcome.effect, expected, "{role:?}");
    }
}

#[test]
fn an_event_of_the_target_alone_confirms_nothing() {
    let env = FakeCallEnv::new(vec![element("ok", Role::Button)]);
    env.fake.on_act(|app, _, _| {
        app.emit(EventKind::SelectionChanged, "ok");
        Ok(ActionReply::Accepted)
    });
    let outcome = run(&env, "ok", &Expectation::AnyChange, &[action("click")]).unwrap();
    assert_eq!(outcome.effect, ActionEffect::Unverified);
}

#[test]
fn a_check_box_that_the_app_puts_back_is_not_confirmed() {
    let env = check_box();
    env.fake.on_act(|app, _, _| {
        check(app);
        app.after(Duration::from_millis(8), |app| {
            let states = app.node("box").states;
            app.node("box").states = states.without(State::Checked);
        });
        Ok(ActionReply::Accepted)
    });
    let strategies = [action("toggle"), action("click")];
    let outcome = run(&env, "box", &Expectation::Toggled, &strategies).unwrap();
    assert_eq!(outcome.effect, ActionEffect::NoEffect);
    assert_eq!(received(&env), ["toggle"], "a second attempt would provoke the app again");
    let undone =
        Evidence::change(EvidenceKind::State, "checkbox \"box\"", "checked", "not checked");
    assert!(outcome.evidence.contains(&undone), "{:?}", outcome.evidence);
    assert!(outcome.next_step.is_some());
}

#[test]
fn a_text_that_the_app_rewrites_is_partial() {
    let env = entry("");
    env.fake.on_act(|app, _, _| {
        app.node("entry").value = text_value("abc");
        app.after(Duration::from_millis(8), |app| app.node("entry").value = text_value("ABC"));
        Ok(ActionReply::Accepted)
    });
    let strategies = [Strategy::accessibility("text", NodeAction::SetText("abc".to_owned()))];
    let expectation = Expectation::Text("abc".to_owned());
    let outcome = run(&env, "entry", &expectation, &strategies).unwrap();
    assert_eq!(outcome.effect, ActionEffect::Partial);
}

#[test]
fn a_button_that_is_only_pressed_and_released_is_not_confirmed() {
    let env = FakeCallEnv::new(vec![element("ok", Role::Button)]);
    env.fake.on_act(|app, _, _| {
        let released = app.node("ok").states;
        app.node("ok").states = released.with(State::Pressed);
        app.after(Duration::from_millis(40), move |app| app.node("ok").states = released);
        Ok(ActionReply::Accepted)
    });
    let outcome = run(&env, "ok", &Expectation::AnyChange, &[action("click")]).unwrap();
    assert_eq!(outcome.effect, ActionEffect::Unverified);
}

#[test]
fn a_menu_item_that_is_only_selected_is_not_confirmed() {
    let env =
        FakeCallEnv::new(vec![element("Export", Role::MenuItem), element("File", Role::Menu)]);
    env.fake.on_act(|app, _, _| {
        for id in ["Export", "File"] {
            let states = app.node(id).states;
            app.node(id).states = states.with(State::Selected);
        }
        Ok(ActionReply::Accepted)
    });
    let outcome = run(&env, "Export", &Expectation::AnyChange, &[action("click")]).unwrap();
    assert_eq!(outcome.effect, ActionEffect::Unverified);
}

#[test]
fn a_silent_state_change_is_confirmed_only_if_the_app_reacts() {
    for reacts in [false, true] {
        let env = check_box();
        env.fake.on_act(move |app, _, _| {
            check(app);
            if reacts {
                app.node("label").name = "on".to_owned();
            }
            Ok(ActionReply::Accepted)
        });
        let strategies = [action("toggle").silent()];
        let outcome = run(&env, "box", &Expectation::Toggled, &strategies).unwrap();
        let expected = if reacts { ActionEffect::Confirmed } else { ActionEffect::Unverified };
        assert_eq!(outcome.effect, expected);
    }
}

#[test]
fn the_other_button_of_an_exclusive_group_is_no_reaction() {
    let radio = |id: &str, is_on: bool| {
        let mut node = element(id, Role::RadioButton);
        node.states = with_checked(node.states, is_on);
        node
    };
    let env = FakeCallEnv::with_tree(vec![
        (element("group", Role::Panel), 1),
        (radio("icons", true), 2),
        (radio("list", false), 2),
    ]);
    env.fake.on_act(|app, _, _| {
        for (id, is_on) in [("icons", false), ("list", true)] {
            let states = app.node(id).states;
            app.node(id).states = with_checked(states, is_on);
        }
        Ok(ActionReply::Accepted)
    });
    let expectation = Expectation::HasState(State::Checked, true);
    let outcome = run(&env, "list", &expectation, &[action("toggle").silent()]).unwrap();
    assert_eq!(outcome.effect, ActionEffect::Unverified);
}

#[test]
fn a_cancelled_call_sends_nothing() {
    let env = check_box();
    env.cancel.cancel();
    let error = run(&env, "box", &Expectation::Toggled, &[action("toggle")]).unwrap_err();
    assert_eq!((error.code(), error.delivery()), ("cancelled", Delivery::NotSent));
    assert!(env.fake.acts().is_empty());
}

#[test]
fn cancelling_while_the_effect_is_awaited_reports_that_the_action_was_sent() {
    let env = check_box();
    let cancel = env.cancel;
    env.fake.on_act(move |_, _, _| {
        cancel.cancel();
        Ok(ActionReply::Accepted)
    });
    let strategies = [action("toggle"), action("click")];
    let error = run(&env, "box", &Expectation::Toggled, &strategies).unwrap_err();
    assert_eq!((error.code(), error.delivery()), ("cancelled", Delivery::Sent));
    assert_eq!(received(&env), ["toggle"]);
    let calls = env.fake.calls();
    let sent = calls.iter().position(|call| *call == FakeCall::Perform).unwrap();
    assert_eq!(calls[sent + 1..], [FakeCall::Read], "cancellation ends the wait");
}

fn delete_button(decision: Decision) -> FakeCallEnv {
    let mut node = element("Delete", Role::Button);
    node.actions = vec!["click".to_owned()];
    let mut env = FakeCallEnv::new(vec![node, element("label", Role::Label)]);
    env.gate.0 = decision;
    env.fake.on_act(|app, _, _| {
        app.node("label").name = "Deleted".to_owned();
        app.emit(EventKind::SelectionChanged, "Delete");
        Ok(ActionReply::Accepted)
    });
    env
}

fn click_delete(env: &FakeCallEnv) -> ActionOutcome {
    let (cx, app) = (env.context(), env.fake.app());
    click::click(&cx, &app, "Delete", click::ClickKind::Single, ActionMode::Background).unwrap()
}

#[test]
fn a_refused_action_is_not_sent() {
    let env = delete_button(Decision::Refused {
        why: "the user declined".to_owned(),
        next: Some("ask again".to_owned()),
    });
    let outcome = click_delete(&env);
    assert_eq!(outcome.effect, ActionEffect::Refused);
    assert_eq!(failed(&outcome), [("question", "the user declined")]);
    assert_eq!(outcome.next_step, Some("ask again".into()));
    assert!(env.fake.acts().is_empty());
}

#[test]
fn an_allowed_or_approved_action_is_sent_once() {
    for decision in [Decision::Allowed, Decision::Approved] {
        let env = delete_button(decision);
        assert_eq!(click_delete(&env).effect, ActionEffect::Confirmed);
        assert_eq!(received(&env), ["click"]);
    }
}

#[test]
fn a_click_chooses_the_item_of_a_closed_menu_over_a_hidden_button() {
    let hidden = |id: &str, name: &str, role| {
        let mut node = element(id, role);
        name.clone_into(&mut node.name);
        node.states = node.states.without(State::Showing);
        node.actions = vec!["click".to_owned()];
        node
    };
    let env = FakeCallEnv::with_tree(vec![
        (hidden("bar", "", Role::ToolBar), 1),
        (hidden("button", "Save", Role::Button), 2),
        (element("menus", Role::MenuBar), 1),
        (element("File", Role::Menu), 4),
        (hidden("item", "Save      ", Role::MenuItem), 5),
        (element("saved", Role::Label), 1),
    ]);
    env.fake.on_act(|app, _, _| {
        app.node("saved").name = "yes".to_owned();
        app.emit(EventKind::TitleChanged, "saved");
        Ok(ActionReply::Accepted)
    });
    let (cx, app) = (env.context(), env.fake.app());
    click::click(&cx, &app, "Save", click::ClickKind::Single, ActionMode::Background).unwrap();
    let targets: Vec<NodeId> = env.fake.acts().into_iter().map(|(id, _)| id).collect();
    assert_eq!(targets, [NodeId::new("item")]);
}

#[test]
fn keys_that_miss_the_element_leave_the_effect_unverified() {
    let env = check_box();
    let missed = Strategy::new("own keyboard", |_: &Context<'_>, _: &ActionTarget| {
        Ok(SendOutcome::Missed("the keys did not reach it".to_owned()))
    });
    let outcome = run(&env, "box", &Expectation::Toggled, &[missed]).unwrap();
    assert_eq!(outcome.effect, ActionEffect::Unverified, "keys were sent, so it is not refused");
    assert_eq!(failed(&outcome), [("own keyboard", "the keys did not reach it")]);
}

#[test]
fn an_error_of_a_later_strategy_does_not_hide_that_an_earlier_one_was_sent() {
    let env = check_box();
    env.fake.on_act(|_, _, _| Ok(ActionReply::Declined));
    let failing = Strategy::new("pointer", |_: &Context<'_>, _: &ActionTarget| {
        Err(Error::MissingCapability { part: "pointer and keyboard" })
    });
    let outcome = run(&env, "box", &Expectation::Toggled, &[action("click"), failing]).unwrap();
    assert_eq!(outcome.effect, ActionEffect::Unverified);
    assert_eq!(failed(&outcome).len(), 2);
}

#[test]
fn a_text_that_arrives_elsewhere_is_reported() {
    let env = FakeCallEnv::new(vec![element("entry", Role::Entry), element("other", Role::Entry)]);
    env.fake.on_act(|app, _, _| {
        app.node("other").value = text_value("abc");
        Ok(ActionReply::Accepted)
    });
    let strategies = [Strategy::accessibility("text", NodeAction::SetText("abc".to_owned()))];
    let expectation = Expectation::Text("abc".to_owned());
    let outcome = run(&env, "entry", &expectation, &strategies).unwrap();
    assert_eq!(outcome.effect, ActionEffect::Partial, "{:?}", outcome.evidence);
}

#[test]
fn a_click_on_a_selected_item_is_sent_if_selecting_runs_no_code_of_the_app() {
    let mut item = element("Network", Role::ListItem);
    item.states = item.states.with(State::Selected).with(State::Selectable);
    item.actions = vec!["Toggle".to_owned()];
    let env = FakeCallEnv::with_tree(vec![(element("list", Role::List), 1), (item, 2)]);
    let (cx, mut app) = (env.context(), env.fake.app());
    let click = |app: &deskhand_model::App| {
        click::click(&cx, app, "Network", click::ClickKind::Single, ActionMode::Background)
    };
    assert_eq!(click(&app).unwrap().strategy, "nothing to do");
    "Qt".clone_into(&mut app.toolkit.name);
    let outcome = click(&app).unwrap();
    assert_ne!(outcome.effect, ActionEffect::Confirmed, "{outcome:?}");
}

#[test]
fn a_row_that_the_app_creates_anew_is_not_opened() {
    for (name, effect) in
        [("music", ActionEffect::Unverified), ("song.txt", ActionEffect::Confirmed)]
    {
        let row = Node { name: "music".to_owned(), ..element("row", Role::Cell) };
        let env = FakeCallEnv::with_tree(vec![(element("table", Role::Table), 1), (row, 2)]);
        env.fake.on_act(move |app, _, _| {
            let row = app.node("row");
            (row.id, row.name) = (NodeId::new("new row"), name.to_owned());
            Ok(ActionReply::Accepted)
        });
        let outcome = run(&env, "row", &Expectation::Opening, &[action("activate")]).unwrap();
        assert_eq!(outcome.effect, effect, "{:?}", outcome.evidence);
    }
}
