//! Text with a line end for a field with a single line: the line end is the Return key, as on a
//! keyboard, and never a character of the text.

use deskhand_model::{Advice, App, Node, Role, State, Step};
use deskhand_platform::NodeAction;

use super::{
    ActionMode, real_input,
    risk::{self, ActionDecision, keys},
    target::{self, ActionTarget, Readiness},
    type_text::{self, TypeRequest},
    verify::{Expectation, SendOutcome, Strategy, act_and_verify, find_while_listening},
};
use crate::{
    Context, Error, Result,
    effect::{ActionEffect, ActionOutcome, FailedAttempt},
};

/// The characters that end a line.
pub(super) const LINE_ENDS: [char; 2] = ['\n', '\r'];

/// The text of the Return key.
const RETURN: &str = "\n";

/// The action of a field in GTK that does what Return does. In browsers it does what a click does.
const ACTIVATE: &str = "activate";

/// Returns `true` if a field has a single line.
pub(super) fn is_single_line(field: &Node) -> bool {
    let one_line = matches!(
        field.role,
        Role::Entry | Role::Password | Role::Autocomplete | Role::SpinButton | Role::ComboBox
    );
    one_line && !field.states.has(State::MultiLine)
}

/// Types a line into a single-line field and presses Return.
///
/// # Errors
///
/// [`Error::NotApplicable`] if the text has several lines.
pub(super) fn type_line(
    cx: &Context<'_>,
    field: &ActionTarget,
    request: TypeRequest<'_>,
    mode: ActionMode,
) -> Result<ActionOutcome> {
    let line = request.text.strip_suffix(RETURN).unwrap_or(request.text);
    let line = line.strip_suffix('\r').unwrap_or(line);
    if line.contains(LINE_ENDS) {
        return Err(Error::NotApplicable {
            what: field.label(),
            why: "the field has one line, but the text has several".to_owned(),
            instead: "type one line at a time; a line end at the end of the text presses Return"
                .into(),
        });
    }
    let (app, reference) = (&field.app, field.reference.as_str());
    let typed = if line.is_empty() && !request.clear {
        None
    } else {
        let request = TypeRequest { text: line, ..request };
        Some(type_text::type_in_mode(cx, app, Some(reference), request, mode)?)
    };
    if typed.as_ref().is_some_and(|typed| !typed.effect.succeeded()) {
        return Ok(typed.unwrap_or_else(|| ActionOutcome::new(ActionEffect::Refused, "none")));
    }
    let cx = &risk::with_new_deadline(cx);
    let pressed = press_return(cx, app, reference, mode);
    match (typed, pressed) {
        (Some(typed), Ok(pressed)) => Ok(joined(typed, pressed)),
        // The text is in the field, and a repeated call would type it again.
        (Some(typed), Err(error)) => Ok(without_return(typed, &error)),
        (None, pressed) => pressed,
    }
}

/// Returns the outcome for a text that was typed although Return could not be pressed.
fn without_return(typed: ActionOutcome, error: &Error) -> ActionOutcome {
    let why = error.to_string();
    let mut failed_attempts = typed.failed_attempts.clone();
    failed_attempts.push(FailedAttempt { strategy: "Return".to_owned(), why });
    let next = Advice::from("the text was typed, but Return was not pressed; press it with ");
    ActionOutcome { effect: ActionEffect::Partial, failed_attempts, ..typed }
        .with_next_step(next.step(Step::PressKey))
}

/// Presses Return in a field.
fn press_return(
    cx: &Context<'_>,
    app: &App,
    reference: &str,
    mode: ActionMode,
) -> Result<ActionOutcome> {
    let request = TypeRequest { text: RETURN, clear: false, pause: std::time::Duration::ZERO };
    let (target, listener) = find_while_listening(cx, app, || {
        let target = target::wait_until_ready(cx, app, reference, Readiness::TEXT)?;
        if mode == ActionMode::Focus {
            real_input::focus_window(cx, &target)?;
        }
        Ok(target)
    })?;
    let strategies = match mode {
        ActionMode::Focus => {
            let (decision, known_harm) = risk::check_text(cx, &target, RETURN)?;
            if let ActionDecision::Refused(outcome) = decision {
                return Ok(*outcome);
            }
            vec![
                Strategy::new("keyboard", move |cx: &Context<'_>, target: &ActionTarget| {
                    type_text::type_with_keyboard(cx, target, request, known_harm.as_ref())
                })
                .in_foreground(),
            ]
        }
        ActionMode::Background => background_strategies(&target, request),
    };
    let next = type_text::focus_mode_advice();
    act_and_verify(cx, target, listener, &Expectation::AnyChange, &strategies, next)
}

fn background_strategies<'a>(target: &ActionTarget, request: TypeRequest<'a>) -> Vec<Strategy<'a>> {
    let mut strategies = Vec::new();
    let is_gtk = target.app.toolkit.name.eq_ignore_ascii_case("gtk");
    if is_gtk && target.node.actions.iter().any(|action| action == ACTIVATE) {
        strategies.push(Strategy::new(
            format!("action:{ACTIVATE}"),
            |cx: &Context<'_>, target: &ActionTarget| {
                let snapshot = &target.tree.snapshot;
                if cx.consent.checks_risks()
                    && keys::text_harm(snapshot, target.index, RETURN).is_some()
                {
                    return Ok(SendOutcome::Impossible(type_text::MAY_PRESS.to_owned()));
                }
                super::verify::perform(cx, target, &NodeAction::Invoke(ACTIVATE.to_owned()))
            },
        ));
    }
    strategies.push(Strategy::new(
        "own keyboard",
        move |cx: &Context<'_>, target: &ActionTarget| {
            type_text::type_in_background(cx, target, request)
        },
    ));
    strategies
}

/// Joins the outcomes of typing a line and of pressing Return.
fn joined(typed: ActionOutcome, pressed: ActionOutcome) -> ActionOutcome {
    let mut failed_attempts = typed.failed_attempts;
    let effect = match (typed.effect, pressed.effect) {
        (ActionEffect::Confirmed, ActionEffect::Confirmed) => ActionEffect::Confirmed,
        (_, ActionEffect::Refused) => ActionEffect::Partial,
        (ActionEffect::Partial, _) => ActionEffect::Partial,
        (_, _) => ActionEffect::Unverified,
    };
    failed_attempts.extend(pressed.failed_attempts.into_iter().map(|attempt| FailedAttempt {
        strategy: format!("Return by {}", attempt.strategy),
        why: attempt.why,
    }));
    let next_step = match (effect, pressed.effect) {
        (ActionEffect::Confirmed, _) => None,
        (_, ActionEffect::Refused) => Some(
            deskhand_model::Advice::from("the text was typed, but Return was not pressed: ")
                .step(Step::PressKey)
                .text(" presses it"),
        ),
        (_, _) => pressed.next_step.or(typed.next_step),
    };
    ActionOutcome {
        effect,
        strategy: format!("{}, then Return by {}", typed.strategy, pressed.strategy),
        evidence: typed.evidence.into_iter().chain(pressed.evidence).collect(),
        changes: if pressed.changes.is_empty() { typed.changes } else { pressed.changes },
        failed_attempts,
        next_step,
        target: typed.target,
        element_ref: typed.element_ref,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use deskhand_model::{Explain, Toolkit, Value};
    use deskhand_platform::ActionReply;

    use super::*;
    use crate::testing::{FakeCallEnv, element};

    fn entry() -> FakeCallEnv {
        let mut entry = element("entry", Role::Entry);
        entry.states = entry.states.with(State::Editable);
        entry.actions = vec![ACTIVATE.to_owned()];
        entry.value = Some(Value::Text { text: String::new(), length: 0 });
        let env = FakeCallEnv::new(vec![entry, element("label", Role::Label)]);
        env.fake.on_act(|app, _, act| {
            if let NodeAction::Insert(text) = act {
                let length = text.chars().count();
                app.node("entry").value = Some(Value::Text { text: text.clone(), length });
            } else {
                app.node("label").name = "submitted".to_owned();
            }
            Ok(ActionReply::Accepted)
        });
        env
    }

    fn type_into_entry(env: &FakeCallEnv, text: &str) -> Result<ActionOutcome> {
        let toolkit = Toolkit { name: "gtk".to_owned(), ..Toolkit::default() };
        let app = App { toolkit, ..env.fake.app() };
        let request = TypeRequest { text, clear: false, pause: Duration::ZERO };
        type_text::type_text(&env.context(), &app, Some("entry"), request, ActionMode::Background)
    }

    #[test]
    fn a_line_end_in_a_single_line_field_presses_return() {
        let env = entry();
        let outcome = type_into_entry(&env, "Bob\n").unwrap();
        assert_eq!(outcome.effect, ActionEffect::Confirmed, "{outcome:?}");
        let acts: Vec<NodeAction> = env.fake.acts().into_iter().map(|(_, act)| act).collect();
        let expected =
            [NodeAction::Insert("Bob".to_owned()), NodeAction::Invoke(ACTIVATE.to_owned())];
        assert_eq!(acts, expected, "the line end is no part of the text");
    }

    #[test]
    fn several_lines_are_not_typed_into_a_single_line_field() {
        let env = entry();
        let error = type_into_entry(&env, "one\ntwo").unwrap_err();
        assert_eq!(error.code(), "unfit");
        assert!(env.fake.acts().is_empty(), "nothing was sent");
    }
}
