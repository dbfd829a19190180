//! Turning the wheel by an amount or until an element is visible.

use deskhand_model::{App, Node, NodeId, Rect, Value};
use deskhand_platform::{ActionReply, Deadline};

use super::{
    real_input,
    scroll::{Direction, find_scroll_bar, scroll_areas},
    target::{self, ActionTarget},
    timing,
    verify::{
        Expectation, SendOutcome, Strategy, act_and_verify, find_while_listening, poll_until,
    },
};
use crate::{
    Context, Error, Result,
    effect::{ActionEffect, ActionOutcome, Evidence, EvidenceKind},
};

/// The pixels that most toolkits scroll for one notch of the wheel.
const PIXELS_PER_NOTCH: i64 = 53;

/// The largest number of wheel turns in search of an element.
const MAX_WHEEL_TURNS: usize = 60;

/// Turns the wheel over the scroll area of an element until the center of the element is visible.
pub(crate) fn wheel_to(cx: &Context<'_>, target: &ActionTarget) -> Result<SendOutcome> {
    let (input, deadline) = (real_input::input(cx)?, Deadline::after(timing::WHEEL_TO_TIMEOUT));
    let areas = scroll_areas(cx, target, deadline);
    let Some(area) = areas.into_iter().reduce(Rect::clipped_to).filter(|area| !area.is_empty())
    else {
        return Ok(SendOutcome::Impossible("the element is not inside a scroll area".to_owned()));
    };
    let bounds_now = || {
        let now = target::read_now(cx, &target.app, &target.node.id)?;
        Ok::<_, Error>(now.bounds.filter(|bounds| !bounds.is_empty()))
    };
    let (x, y) = area.center();
    input.move_pointer(x, y, deadline).map_err(real_input::input_error)?;
    let tracker = real_input::SendTracker::default();
    for _ in 0..MAX_WHEEL_TURNS {
        let Some(before) = bounds_now()? else {
            return Ok(SendOutcome::Impossible(
                "the element has no position on the screen".to_owned(),
            ));
        };
        let middle = before.center();
        if area.contains(middle.0, middle.1) {
            return Ok(SendOutcome::Replied(ActionReply::Accepted));
        }
        // At least one notch, but never so many that the element is skipped.
        let notches = |far: i32| (far / PIXELS_PER_NOTCH as i32).clamp(-9, 9) + far.signum();
        let is_level = middle.1 >= area.y && middle.1 < area.bottom();
        let (right, down) =
            if is_level { (notches(middle.0 - x), 0) } else { (0, notches(middle.1 - y)) };
        tracker
            .track(input.scroll(right, down, deadline))
            .map_err(|error| tracker.input_error(error))?;
        if !poll_until(timing::SCROLL_SETTLE, || bounds_now().is_ok_and(|now| now != Some(before)))
        {
            break;
        }
    }
    Ok(SendOutcome::Replied(ActionReply::Declined))
}

/// Turns the wheel over an element by pixels and verifies that its content moved.
pub(crate) fn wheel_by(
    cx: &Context<'_>,
    app: &App,
    query: &str,
    direction: Direction,
    pixels: i64,
) -> Result<ActionOutcome> {
    let (target, listener) =
        find_while_listening(cx, app, || real_input::ready_for_pointer(cx, app, query))?;
    let (label, markers) = (target.label(), position_markers(cx, &target));
    let before = marker_positions(cx, app, &markers);
    let strategies = [Strategy::new("wheel", move |cx: &Context<'_>, target: &ActionTarget| {
        turn_wheel(cx, target, direction, pixels)
    })
    .in_foreground()];
    let mut outcome = act_and_verify(
        cx,
        target,
        listener,
        &Expectation::AnyChange,
        &strategies,
        "take a screenshot to see the window",
    )?;
    let now = marker_positions(cx, app, &markers);
    if let (ActionEffect::Unverified, Some(before), Some(now)) = (outcome.effect, before, now)
        && before != now
    {
        // The content moved, and only the wheel was turned.
        outcome.effect = ActionEffect::Confirmed;
        outcome.next_step = None;
        outcome.evidence.push(Evidence::change(EvidenceKind::Place, label, before, now));
    }
    Ok(outcome)
}

/// Returns elements whose positions show the scroll position: a few children and the scroll bars.
fn position_markers(cx: &Context<'_>, target: &ActionTarget) -> Vec<NodeId> {
    let snapshot = &target.tree.snapshot;
    let bars = [Direction::Down, Direction::Right]
        .into_iter()
        .filter_map(|direction| find_scroll_bar(cx, &target.app, snapshot, target.index, direction))
        .map(|bar| bar.id);
    let inside = snapshot.children(target.index).take(4).map(|at| snapshot.node(at).id.clone());
    bars.chain(inside).collect()
}

/// Formats the positions and values of some elements; `None` if one cannot be read, which proves
/// nothing.
fn marker_positions(cx: &Context<'_>, app: &App, ids: &[NodeId]) -> Option<String> {
    let deadline = Deadline::after(timing::SCROLL_SETTLE * 4);
    let read = cx.desktop.tree.read(app, ids, target::ELEMENT_FACETS, deadline).ok()?;
    let all: Option<Vec<Node>> = read.into_iter().collect();
    let format_position = |node: Node| match (node.value, node.bounds) {
        (Some(Value::Number { now, .. }), _) => format!("{now}"),
        (_, Some(Rect { x, y, .. })) => format!("{x},{y}"),
        (_, None) => "nowhere".to_owned(),
    };
    Some(all?.into_iter().map(format_position).collect::<Vec<_>>().join(" "))
}

fn turn_wheel(
    cx: &Context<'_>,
    target: &ActionTarget,
    direction: Direction,
    pixels: i64,
) -> Result<SendOutcome> {
    let (x, y) = real_input::center_of(cx, target, &target.node)?;
    let (input, deadline) = (real_input::input(cx)?, Deadline::after(timing::WHEEL_TIMEOUT));
    let notches = i32::try_from((pixels / PIXELS_PER_NOTCH).max(1)).unwrap_or(i32::MAX);
    let times = |sign: f64| notches.saturating_mul(sign as i32);
    let (right, down) = if direction.is_vertical() {
        (0, times(direction.sign()))
    } else {
        (times(direction.sign()), 0)
    };
    input.move_pointer(x, y, deadline).map_err(real_input::input_error)?;
    input.scroll(right, down, deadline).map_err(real_input::input_error)?;
    Ok(SendOutcome::Replied(ActionReply::Accepted))
}
