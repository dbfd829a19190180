//! Moving the pointer and resting it.

use std::time::Duration;

use super::{input_deadline, move_along, verify_move, window_at};
use crate::{Context, Result, act::real_input, effect::ActionOutcome};

/// Moves the pointer to a point along a line; at once if the duration is zero.
///
/// # Errors
///
/// Fails if the input cannot be sent.
pub fn move_to(cx: &Context<'_>, to: (i32, i32), duration: Duration) -> Result<ActionOutcome> {
    let input = real_input::input(cx)?;
    let from = input.pointer_position(cx.deadline)?;
    move_along(input, from, to, duration, input_deadline(duration))?;
    verify_move(cx, "pointer", from, to)
}

/// Moves the pointer to a point at once and rests it there, for example to show a tooltip.
///
/// # Errors
///
/// Fails if the input cannot be sent.
pub fn hover(cx: &Context<'_>, to: (i32, i32), duration: Duration) -> Result<ActionOutcome> {
    let (input, deadline) = (real_input::input(cx)?, input_deadline(duration));
    let from = input.pointer_position(cx.deadline)?;
    input.move_pointer(to.0, to.1, deadline).map_err(real_input::input_error)?;
    std::thread::sleep(duration);
    verify_move(cx, "pointer", from, to)
}

/// The position of the pointer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PointerLocation {
    /// The point, in global pixels.
    pub point: (i32, i32),
    /// The frontmost window at that point, in words; `None` for the desktop itself.
    pub window: Option<String>,
}

/// Returns the position of the pointer.
///
/// # Errors
///
/// Fails if the display server does not answer.
pub fn location(cx: &Context<'_>) -> Result<PointerLocation> {
    let point = real_input::input(cx)?.pointer_position(cx.deadline)?;
    Ok(PointerLocation { point, window: window_at(cx, point) })
}
