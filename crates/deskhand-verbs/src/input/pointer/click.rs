//! Clicking at a point.

use std::time::Duration;

use deskhand_platform::{Button, Key};

use super::{button_name, input_deadline, unverified_at, window_at, with_pressed};
use crate::{
    Context, Result,
    act::{
        real_input::{self, SendTracker},
        risk::{self, ActionDecision},
        timing::POINTER_REST,
    },
    effect::ActionOutcome,
    timing,
};

/// Clicks at a point while keys are held.
pub fn click_at(
    cx: &Context<'_>,
    to: (i32, i32),
    button: Button,
    count: usize,
    held_keys: &[Key],
) -> Result<ActionOutcome> {
    let approved_cx;
    let cx = match risk::check_point(cx, to, "Click")? {
        ActionDecision::Allowed => cx,
        ActionDecision::Approved => {
            approved_cx = risk::with_new_deadline(cx);
            &approved_cx
        }
        ActionDecision::Refused(outcome) => return Ok(*outcome),
    };
    let (input, deadline) = (real_input::input(cx)?, input_deadline(Duration::ZERO));
    let target = window_at(cx, to);
    input.move_pointer(to.0, to.1, deadline).map_err(real_input::input_error)?;
    std::thread::sleep(POINTER_REST);
    let tracker = SendTracker::default();
    with_pressed(input, held_keys, None, deadline, || {
        for click in 0..count {
            if click > 0 {
                std::thread::sleep(timing::DOUBLE_CLICK_GAP);
            }
            with_pressed(input, &[], Some(button), deadline, || Ok(()))
                .map_err(|error| tracker.with_delivery(error))?;
            tracker.mark_sent();
        }
        Ok(())
    })?;
    let outcome = unverified_at(cx, &format!("pointer, {} button", button_name(button)), to);
    Ok(ActionOutcome { target, ..outcome })
}
