//! Dragging with the pointer.

use std::time::{Duration, Instant};

use deskhand_model::{App, Node};
use deskhand_platform::{ActionReply, Button, Deadline, Press};

use super::{
    real_input,
    risk::{self, ActionDecision, risk_cause},
    target::{self, ActionTarget, Readiness},
    timing,
    verify::{Expectation, SendOutcome, Strategy, act_and_verify, find_while_listening},
};
use crate::{CancelToken, Context, Result, effect::ActionOutcome, windows};

/// The start or the end of a drag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DragEnd {
    /// The element that matches a query.
    Element(String),
    /// A point.
    Point(i32, i32),
}

/// Drags from one end to the other.
pub fn drag(
    cx: &Context<'_>,
    app: &App,
    from: &DragEnd,
    to: &DragEnd,
    duration: Duration,
) -> Result<ActionOutcome> {
    let approved_cx;
    let risky = |cx: &Context<'_>| {
        let ends = [risky_element(cx, app, from)?, risky_element(cx, app, to)?];
        Ok(ends.into_iter().flatten().collect())
    };
    let cx = match risk::check_drag(cx, risky)? {
        ActionDecision::Allowed => cx,
        ActionDecision::Approved => {
            approved_cx = risk::with_new_deadline(cx);
            &approved_cx
        }
        ActionDecision::Refused(outcome) => return Ok(*outcome),
    };
    let (target, listener) = find_while_listening(cx, app, || match (from, to) {
        (DragEnd::Element(query), _) | (DragEnd::Point(..), DragEnd::Element(query)) => {
            real_input::ready_for_pointer(cx, app, query)
        }
        (DragEnd::Point(..), DragEnd::Point(..)) => target::from_id(cx, app, &app.root),
    })?;
    let end = match to {
        DragEnd::Element(query) => {
            let located = real_input::ready_for_pointer(cx, app, query)?;
            real_input::center_of(cx, &located, &located.node)?
        }
        DragEnd::Point(x, y) => (*x, *y),
    };
    let begin = match from {
        DragEnd::Element(_) => {
            // The other end may have been scrolled into view, which moves this one.
            let node = target::read_now(cx, app, &target.node.id)?;
            real_input::center_of(cx, &target, &node)?
        }
        DragEnd::Point(x, y) => (*x, *y),
    };
    let strategies = [Strategy::new("pointer", move |cx: &Context<'_>, _: &ActionTarget| {
        drag_pointer(cx, begin, end, duration)
    })
    .in_foreground()];
    act_and_verify(
        cx,
        target,
        listener,
        // Pressing the button selects the element, also if it is not moved.
        &Expectation::MoreThanSelection,
        &strategies,
        "take a screenshot to see the window",
    )
}

/// Returns the element at an end of the drag if it is risky.
fn risky_element(cx: &Context<'_>, app: &App, end: &DragEnd) -> Result<Option<(App, Node)>> {
    match end {
        DragEnd::Element(query) => {
            let located = target::wait_until_ready(cx, app, query, Readiness::EXISTS)?;
            Ok(risk_cause(&located.node).map(|_| (located.app, located.node)))
        }
        DragEnd::Point(x, y) => Ok(risk::risky_element_at(cx, (*x, *y))),
    }
}

fn drag_pointer(
    cx: &Context<'_>,
    from: (i32, i32),
    to: (i32, i32),
    duration: Duration,
) -> Result<SendOutcome> {
    let input = real_input::input(cx)?;
    let deadline = Deadline::after(duration + timing::DRAG_TIMEOUT);
    input.move_pointer(from.0, from.1, deadline).map_err(real_input::input_error)?;
    std::thread::sleep(timing::DRAG_REST);
    input.send_button(Button::Left, Press::Down, deadline).map_err(real_input::input_error)?;
    let moved = step_along(cx.cancel, duration, |part| {
        let at = |a: i32, b: i32| a + (f64::from(b - a) * part).round() as i32;
        input.move_pointer(at(from.0, to.0), at(from.1, to.1), deadline)
    });
    let moved = moved.and_then(|()| {
        // Dropping at the start leaves everything in place.
        if cx.cancel.is_cancelled() { input.move_pointer(from.0, from.1, deadline) } else { Ok(()) }
    });
    std::thread::sleep(timing::DRAG_REST);
    // The button is released in any case.
    input.send_button(Button::Left, Press::Up, deadline).map_err(windows::sent_error)?;
    moved.map_err(windows::sent_error)?;
    Ok(SendOutcome::Replied(ActionReply::Accepted))
}

/// Calls `step` repeatedly with the fraction of the duration that has passed, until the end or
/// cancellation.
fn step_along(
    cancel: &CancelToken,
    duration: Duration,
    mut step: impl FnMut(f64) -> deskhand_platform::Result<()>,
) -> deskhand_platform::Result<()> {
    let started = Instant::now();
    std::thread::sleep(timing::DRAG_REST);
    let duration = duration.max(timing::DRAG_STEP * 4);
    loop {
        let part = (started.elapsed().as_secs_f64() / duration.as_secs_f64()).min(1.0);
        step(part)?;
        if part >= 1.0 || cancel.is_cancelled() {
            return Ok(());
        }
        std::thread::sleep(timing::DRAG_STEP);
    }
}
