//! Setting the value of an element, and expanding and focusing elements.

use std::{sync::Arc, time::Duration};

use deskhand_model::{Advice, App, Role, State, Step, Value};
use deskhand_platform::{Button, NamedKey, NodeAction};

use super::{
    ActionMode, action_names, click, click_strategies,
    real_input::{self, ClickPoint},
    risk::{self, ActionDecision},
    select,
    target::{self, ActionTarget, Readiness},
    type_text,
    verify::{
        EventListener, Expectation, SendOutcome, Strategy, act_and_verify, find_while_listening,
        perform,
    },
    visibility,
};
use crate::{Context, Error, Result, effect::ActionOutcome};

/// Sets the value of the only element that matches a query. The kind of element decides how.
pub fn set_value(cx: &Context<'_>, app: &App, query: &str, value: &str) -> Result<ActionOutcome> {
    let (target, listener) = find_while_listening(cx, app, || {
        target::wait_until_ready(cx, app, query, Readiness::for_value(value))
    })?;
    let attempt_now =
        |target, listener, expectation: Expectation, strategies: Vec<Strategy<'static>>| {
            act_and_verify(cx, target, listener, &expectation, &strategies, focus_mode_advice())
        };
    match value_kind(&target) {
        ValueKind::None => Err(Error::NotApplicable {
            what: target.label(),
            why: "a button has no value".to_owned(),
            instead: "click it".into(),
        }),
        ValueKind::ReadOnly => Err(Error::NotApplicable {
            what: target.label(),
            why: "it only shows progress and accepts no value".to_owned(),
            instead: "wait until it has finished".into(),
        }),
        ValueKind::Switch => {
            let expectation = Expectation::Switched(parse_switch(&target, value)?);
            match risk::check_element(cx, &target, "Switch")? {
                ActionDecision::Allowed => {
                    let strategies = click_strategies::state_strategies(&target);
                    attempt_now(target, listener, expectation, strategies)
                }
                ActionDecision::Approved => {
                    let cx = &risk::with_new_deadline(cx);
                    let refreshed =
                        target::wait_until_ready(cx, app, &target.reference, Readiness::ACTION)?;
                    let strategies = click_strategies::state_strategies(&refreshed);
                    crate::act::verify::act_and_verify(
                        cx,
                        refreshed,
                        listener,
                        &expectation,
                        &strategies,
                        focus_mode_advice(),
                    )
                }
                ActionDecision::Refused(outcome) => Ok(*outcome),
            }
        }
        ValueKind::Number => {
            let number = parse_number(&target, value)?;
            let mut strategies =
                vec![Strategy::accessibility("value", NodeAction::SetNumber(number))];
            strategies.extend(step_strategy(&target, number));
            attempt_now(target, listener, Expectation::Number(number), strategies)
        }
        ValueKind::Choice => select::choose(cx, target, value),
        ValueKind::Cell => set_cell(cx, target, listener, value),
        ValueKind::Text => type_text::replace_text(cx, app, query, value),
    }
}

/// Returns the next step if no background strategy worked.
fn focus_mode_advice() -> Advice {
    let advice = Advice::from("use ").step(Step::FocusMode).text(" with ");
    advice.step(Step::Click).text(" or ").step(Step::TypeText)
}

enum ValueKind {
    /// On or off.
    Switch,
    Number,
    Choice,
    Cell,
    Text,
    /// A number that cannot be set.
    ReadOnly,
    None,
}

fn value_kind(target: &ActionTarget) -> ValueKind {
    const SWITCHES: &[Role] = &[
        Role::CheckBox,
        Role::CheckMenuItem,
        Role::RadioButton,
        Role::RadioMenuItem,
        Role::ToggleButton,
        Role::Switch,
    ];
    const RANGES: &[Role] =
        &[Role::Slider, Role::SpinButton, Role::ScrollBar, Role::Dial, Role::SplitPane];
    let node = &target.node;
    let is = |roles: &[Role]| roles.contains(&node.role);
    let button = is(&[Role::Button, Role::Link, Role::MenuItem]);
    let is_toggle = [State::Checkable, State::Checked, State::Pressed]
        .iter()
        .any(|state| node.states.has(*state));
    if is(SWITCHES) || (button && is_toggle) {
        ValueKind::Switch
    } else if button {
        ValueKind::None
    } else if select::has_choice(node) {
        ValueKind::Choice
    } else if is(&[Role::Cell]) {
        ValueKind::Cell
    } else if is(&[Role::ProgressBar, Role::LevelBar]) {
        ValueKind::ReadOnly
    } else if is(RANGES) || matches!(node.value, Some(Value::Number { .. })) {
        ValueKind::Number
    } else {
        ValueKind::Text
    }
}

fn parse_switch(target: &ActionTarget, value: &str) -> Result<bool> {
    deskhand_locate::parse_switch(value).ok_or_else(|| Error::NotApplicable {
        what: target.label(),
        why: format!("\"{value}\" is neither on nor off"),
        instead: "give true or false".into(),
    })
}

fn parse_number(target: &ActionTarget, value: &str) -> Result<f64> {
    let unfit = |why: String, instead: String| {
        Err(Error::NotApplicable { what: target.label(), why, instead: instead.into() })
    };
    let range = match target.node.value {
        Some(Value::Number { min, max, .. }) if min < max => Some((min, max)),
        Some(_) | None => None,
    };
    let expected =
        range.map_or("a number".to_owned(), |(min, max)| format!("a number from {min} to {max}"));
    let Some(number) = value.trim().parse::<f64>().ok().filter(|number| number.is_finite()) else {
        return unfit(format!("\"{value}\" is not a number"), format!("give {expected}"));
    };
    match range {
        Some((min, max)) if number < min || number > max => {
            unfit(format!("{number} is out of range"), format!("give {expected}"))
        }
        Some(_) | None => Ok(number),
    }
}

/// The largest number of steps by which a slider is moved.
const MAX_STEPS: f64 = 300.0;

/// Returns a strategy that moves a slider step by step. Swing accepts no values for sliders and
/// spinners, but has actions for single steps.
fn step_strategy(target: &ActionTarget, wanted: f64) -> Option<Strategy<'static>> {
    let Some(Value::Number { now, step, .. }) = target.node.value else { return None };
    let word = if wanted < now { "decrement" } else { "increment" };
    let action = action_names::resolve_action(word, &target.node.actions)?;
    // Swing reports the smallest floating-point number as its step.
    let step = if step > 1e-9 { step } else { 1.0 };
    let count = ((wanted - now).abs() / step).round();
    (count <= MAX_STEPS).then(|| {
        Strategy::new(format!("action:{action} {count} times"), move |cx: &Context<'_>, target| {
            let act = NodeAction::Invoke(action.clone());
            for _ in 1..count as usize {
                if let SendOutcome::Impossible(why) = perform(cx, target, &act)? {
                    return Ok(SendOutcome::Impossible(why));
                }
            }
            perform(cx, target, &act)
        })
    })
}

/// Sets a spreadsheet cell: a number through its value, anything else as text or by typing.
fn set_cell(
    cx: &Context<'_>,
    target: ActionTarget,
    listener: Option<Arc<EventListener>>,
    value: &str,
) -> Result<ActionOutcome> {
    let number = value.trim().parse::<f64>().ok();
    let mut strategies: Vec<Strategy<'_>> = Vec::new();
    strategies.extend(
        number.map(|number| Strategy::accessibility("value", NodeAction::SetNumber(number))),
    );
    strategies.push(Strategy::accessibility("text", NodeAction::SetText(value.to_owned())));
    strategies.push(Strategy::new("own keyboard", |cx: &Context<'_>, target: &ActionTarget| {
        real_input::with_background_keyboard(cx, target, |keyboard, deadline| {
            keyboard.type_text(value, Duration::ZERO, deadline)?;
            real_input::press_key(NamedKey::Return, deadline, |key, press, deadline| {
                keyboard.send_key(key, press, deadline)
            })
        })
    }));
    act_and_verify(
        cx,
        target,
        listener,
        &Expectation::Choice(value.to_owned()),
        &strategies,
        focus_mode_advice(),
    )
}

/// Expands or collapses an element.
pub fn expand(cx: &Context<'_>, app: &App, query: &str, open: bool) -> Result<ActionOutcome> {
    let (target, listener) = find_while_listening(cx, app, || {
        target::wait_until_ready(cx, app, query, Readiness::ACTION)
    })?;
    if open
        && target.node.role == Role::ComboBox
        && let Some(refusal) = click::refuse_menu(&target, click::ClickKind::Single)
    {
        return Ok(refusal);
    }
    let approved_cx;
    let (cx, target) = match risk::check_element(cx, &target, if open { "Open" } else { "Close" })?
    {
        ActionDecision::Allowed => (cx, target),
        ActionDecision::Approved => {
            approved_cx = risk::with_new_deadline(cx);
            let refreshed =
                target::wait_until_ready(&approved_cx, app, &target.reference, Readiness::ACTION)?;
            (&approved_cx, refreshed)
        }
        ActionDecision::Refused(outcome) => return Ok(*outcome),
    };
    let word = if open { "expand" } else { "collapse" };
    let can_fold = [State::Expandable, State::Expanded, State::Collapsed]
        .iter()
        .any(|state| target.node.states.has(*state));
    if !can_fold && action_names::resolve_action(word, &target.node.actions).is_none() {
        return Err(Error::NotApplicable {
            what: target.label(),
            why: format!("it does not report that it can {word}"),
            instead: "click it, or choose the element that expands and collapses".into(),
        });
    }
    let action = action_names::resolve_action(word, &target.node.actions);
    let named = action
        .map(|name| Strategy::accessibility(format!("action:{name}"), NodeAction::Invoke(name)));
    let mut strategies: Vec<Strategy<'_>> = named.into_iter().collect();
    if matches!(target.node.role, Role::Cell | Role::TreeItem | Role::TableRow | Role::ListItem) {
        // Pressing an item selects it; an arrow key expands or collapses it.
        let click = action_names::toggle_action(&target.node.actions).filter(|_| can_fold);
        strategies.extend(click.map(|name| {
            Strategy::accessibility(format!("action:{name}"), NodeAction::Invoke(name))
        }));
        let arrow = if open { NamedKey::Right } else { NamedKey::Left };
        strategies.push(Strategy::new(
            "own keyboard",
            move |cx: &Context<'_>, target: &ActionTarget| {
                real_input::with_background_keyboard(cx, target, |keyboard, deadline| {
                    real_input::press_key(arrow, deadline, |key, press, deadline| {
                        keyboard.send_key(key, press, deadline)
                    })
                })
            },
        ));
    } else {
        strategies.extend(click_strategies::state_strategies(&target));
    }
    let expectation = Expectation::HasState(State::Expanded, open);
    let next = Advice::from("use ").step(Step::FocusMode).text(" and click it");
    act_and_verify(cx, target, listener, &expectation, &strategies, next)
}

/// Gives an element the keyboard focus within its window.
pub fn focus(cx: &Context<'_>, app: &App, query: &str, mode: ActionMode) -> Result<ActionOutcome> {
    let (target, listener) = find_while_listening(cx, app, || {
        let target = target::wait_until_ready(cx, app, query, Readiness::ACTION)?;
        if mode == ActionMode::Focus {
            real_input::focus_window(cx, &target)?;
        }
        Ok(target)
    })?;
    let expectation = Expectation::HasState(State::Focused, true);
    let mut strategies = match mode {
        ActionMode::Focus => {
            vec![Strategy::accessibility("focus", NodeAction::Focus).in_foreground()]
        }
        // If the window already has a background keyboard, browsers do not bring it to the front.
        ActionMode::Background => {
            vec![Strategy::new("own keyboard", |cx: &Context<'_>, target: &ActionTarget| {
                real_input::with_background_keyboard(cx, target, |_, _| Ok(()))
            })]
        }
    };
    if mode == ActionMode::Focus && visibility::is_editable(&target.node) {
        // GTK 4 accepts no focus requests; a click into a field has no other effect.
        let click = Strategy::new("pointer", |cx: &Context<'_>, target: &ActionTarget| {
            real_input::click_element(cx, target, ClickPoint::Center, Button::Left, 1)
        });
        strategies.push(click.in_foreground());
    }
    let next = Advice::from("use ").step(Step::FocusMode);
    act_and_verify(cx, target, listener, &expectation, &strategies, next)
}
