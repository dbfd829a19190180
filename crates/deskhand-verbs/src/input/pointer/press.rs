//! Holding a button down across calls.

use std::time::Duration;

use deskhand_platform::{Button, Press};

use super::{button_name, input_deadline, window_at};
use crate::{
    Context, Result,
    act::real_input,
    effect::{ActionEffect, ActionOutcome, Evidence, EvidenceKind},
    windows,
};

/// Presses or releases a button, at a point or where the pointer is.
///
/// # Errors
///
/// Fails if the input cannot be sent.
pub fn press_button(
    cx: &Context<'_>,
    at: Option<(i32, i32)>,
    button: Button,
    press: Press,
) -> Result<ActionOutcome> {
    let (input, deadline) = (real_input::input(cx)?, input_deadline(Duration::ZERO));
    let before = input.is_button_down(button, cx.deadline)?;
    if let Some((x, y)) = at {
        input.move_pointer(x, y, deadline).map_err(real_input::input_error)?;
    }
    input.send_button(button, press, deadline).map_err(real_input::input_error)?;
    let after = input.is_button_down(button, deadline).map_err(windows::sent_error)?;
    let position = |down: bool| if down { "down" } else { "up" };
    let what = format!("{} button", button_name(button));
    let evidence = Evidence::change(EvidenceKind::State, what, position(before), position(after));
    let mut outcome = if after == (press == Press::Down) {
        ActionOutcome::confirmed("pointer", evidence)
    } else {
        let outcome = ActionOutcome {
            evidence: vec![evidence],
            ..ActionOutcome::new(ActionEffect::NoEffect, "pointer")
        };
        outcome.with_next_step("the user holds this button on a real pointer")
    };
    outcome.target = window_at(cx, input.pointer_position(deadline).map_err(windows::sent_error)?);
    Ok(outcome)
}
