//! Dragging between two points.

use std::time::Duration;

use deskhand_platform::{Button, Key};

use super::{format_point, input_deadline, move_along, unverified_at, window_at, with_pressed};
use crate::{
    Context, Result,
    act::{
        real_input,
        risk::{self, ActionDecision},
    },
    effect::{ActionOutcome, Evidence, EvidenceKind},
    timing::DRAG_REST,
    windows,
};

/// A movement with a pressed button.
#[derive(Debug, Clone, Copy)]
pub struct DragRequest<'a> {
    /// The point at which the button is pressed.
    pub from: (i32, i32),
    /// The point at which the button is released.
    pub to: (i32, i32),
    /// The button.
    pub button: Button,
    /// Keys that are held during the movement.
    pub held_keys: &'a [Key],
    /// Duration of the movement.
    pub duration: Duration,
}

/// Presses a button at one point, moves, and releases it at another.
///
/// # Errors
///
/// Fails if the input cannot be sent.
pub fn drag_between(cx: &Context<'_>, request: DragRequest<'_>) -> Result<ActionOutcome> {
    let DragRequest { from, to, button, held_keys, duration } = request;
    let approved_cx;
    let ends = |cx: &Context<'_>| {
        let at = |point| risk::risky_element_at(cx, point);
        Ok([from, to].into_iter().filter_map(at).collect())
    };
    let cx = match risk::check_drag(cx, ends)? {
        ActionDecision::Allowed => cx,
        ActionDecision::Approved => {
            approved_cx = risk::with_new_deadline(cx);
            &approved_cx
        }
        ActionDecision::Refused(outcome) => return Ok(*outcome),
    };
    let (input, deadline) = (real_input::input(cx)?, input_deadline(duration));
    let target = window_at(cx, from);
    input.move_pointer(from.0, from.1, deadline).map_err(real_input::input_error)?;
    std::thread::sleep(DRAG_REST);
    with_pressed(input, held_keys, Some(button), deadline, || {
        std::thread::sleep(DRAG_REST);
        move_along(input, from, to, duration, deadline)?;
        std::thread::sleep(DRAG_REST);
        Ok(())
    })?;
    let end = input.pointer_position(deadline).map_err(windows::sent_error)?;
    let evidence =
        Evidence::change(EvidenceKind::Pointer, "pointer", format_point(from), format_point(end));
    let outcome = unverified_at(cx, "pointer", to);
    Ok(ActionOutcome { evidence: vec![evidence], target, ..outcome })
}
