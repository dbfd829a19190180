//! Pointer input at points of the screen.

mod click;
mod coordinates;
mod drag;
mod motion;
mod press;
mod wheel;

use std::time::Duration;

use deskhand_model::{Advice, Delivery, Step};
use deskhand_platform::{Button, Deadline, Input, Key, Press};

pub use self::{
    click::click_at,
    coordinates::{CoordinateUnits, ScaleFactor, resolve_optional_point, resolve_point},
    drag::{DragRequest, drag_between},
    motion::{PointerLocation, hover, location, move_to},
    press::press_button,
    wheel::{Gesture, gesture, turn_wheel},
};
use crate::{
    Context, Error, Result,
    act::real_input::{self, SendTracker},
    effect::{ActionEffect, ActionOutcome, Evidence, EvidenceKind},
    timing, windows,
};

/// Returns the deadline for input that takes `extra` time by itself.
pub(crate) fn input_deadline(extra: Duration) -> Deadline {
    Deadline::after(timing::POINTER_INPUT_TIMEOUT + extra)
}

/// Moves the pointer along a straight line within the given time; at once if it is zero.
fn move_along(
    input: &dyn Input,
    from: (i32, i32),
    to: (i32, i32),
    time: Duration,
    deadline: Deadline,
) -> Result<()> {
    let steps = time.as_millis().div_ceil(timing::POINTER_STEP.as_millis());
    let at = |from: i32, to: i32, step: u128| {
        let part = step as f64 / steps.max(1) as f64;
        (f64::from(from) + f64::from(to - from) * part).round() as i32
    };
    for step in 1..steps {
        input
            .move_pointer(at(from.0, to.0, step), at(from.1, to.1, step), deadline)
            .map_err(real_input::input_error)?;
        std::thread::sleep(timing::POINTER_STEP);
    }
    input.move_pointer(to.0, to.1, deadline).map_err(real_input::input_error)
}

/// Runs a function while keys and possibly a button are pressed, and releases them in any case.
fn with_pressed<T>(
    input: &dyn Input,
    keys: &[Key],
    button: Option<Button>,
    deadline: Deadline,
    act: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let mut down: Vec<&Key> = Vec::new();
    let mut outcome = Ok(());
    let tracker = SendTracker::default();
    for key in keys {
        // A key whose press failed may be down nevertheless.
        down.push(key);
        outcome = tracker.track(input.send_key(key, Press::Down, deadline));
        if outcome.is_err() {
            break;
        }
    }
    let pressed = button.filter(|_| outcome.is_ok());
    if let Some(button) = pressed {
        outcome = tracker.track(input.send_button(button, Press::Down, deadline));
    }
    let outcome = outcome.map_err(|error| tracker.input_error(error));
    let outcome = outcome.and_then(|()| act().map_err(|error| tracker.with_delivery(error)));
    let deadline = Deadline::after(timing::RELEASE_TIMEOUT);
    let mut released =
        pressed.map_or(Ok(()), |button| input.send_button(button, Press::Up, deadline));
    for key in down.into_iter().rev() {
        released = released.and(input.send_key(key, Press::Up, deadline));
    }
    let released = released.map_err(|error| Error::SendFailed { error, delivery: Delivery::Sent });
    outcome.and_then(|value| released.map(|()| value))
}

/// Returns the name of a button in messages.
fn button_name(button: Button) -> &'static str {
    match button {
        Button::Left => "left",
        Button::Middle => "middle",
        Button::Right => "right",
        Button::Back => "back",
        Button::Forward => "forward",
    }
}

/// Formats a point for messages.
fn format_point((x, y): (i32, i32)) -> String {
    format!("{x},{y}")
}

/// Returns the frontmost window at a point, in words; `None` for the desktop itself.
fn window_at(cx: &Context<'_>, (x, y): (i32, i32)) -> Option<String> {
    // Without a window list the window is unknown.
    let all = cx.desktop.windows.as_ref()?.list(cx.deadline).ok()?;
    let top = all.into_iter().find(|one| !one.minimized && one.frame.contains(x, y))?;
    Some(format!("window {}", windows::label(&top)))
}

/// Returns the outcome of a pointer move, confirmed by the position of the pointer.
fn verify_move(
    cx: &Context<'_>,
    strategy: &str,
    before: (i32, i32),
    wanted: (i32, i32),
) -> Result<ActionOutcome> {
    let after = real_input::input(cx)?
        .pointer_position(input_deadline(Duration::ZERO))
        .map_err(windows::sent_error)?;
    let evidence = Evidence::change(
        EvidenceKind::Pointer,
        "pointer",
        format_point(before),
        format_point(after),
    );
    let effect = match (after == wanted, after == before) {
        (true, _) => ActionEffect::Confirmed,
        (false, true) => ActionEffect::NoEffect,
        (false, false) => ActionEffect::Partial,
    };
    let mut outcome =
        ActionOutcome { evidence: vec![evidence], ..ActionOutcome::new(effect, strategy) };
    outcome.target = window_at(cx, after);
    if after == wanted {
        return Ok(outcome);
    }
    Ok(outcome
        .with_next_step("the user or a program moves the pointer at the same time: try again"))
}

/// Returns the outcome of input at a point whose effect is unknown.
fn unverified_at(cx: &Context<'_>, strategy: &str, at: (i32, i32)) -> ActionOutcome {
    let mut outcome = ActionOutcome::new(ActionEffect::Unverified, strategy);
    outcome.target = window_at(cx, at);
    outcome.with_next_step(verify_advice())
}

/// Returns the next step after input whose effect is unknown.
pub(crate) fn verify_advice() -> Advice {
    let advice = Advice::from("check the result: ").step(Step::ReadTree { pid: None });
    advice.text(" or ").step(Step::Screenshot)
}
