//! Turning the wheel: by an amount, or until an element is in view.

use deskhand_model::{App, Node, NodeId, Rect, Value};
use deskhand_platform::{Deadline, Reply};

use super::{
    real_input,
    scroll::{Direction, find_scroll_bar, scroll_areas},
    target::{self, Target},
    timing,
    verify::{
        Expectation, SendOutcome, Strategy, act_and_verify, find_while_listening, poll_until,
    },
};
use crate::{
    Context, Error, Result,
    effect::{ActionEffect, ActionOutcome, Evidence, EvidenceKind},
};

/// One notch of a wheel, in pixels, as toolkits mostly take it.
const PIXELS_PER_NOTCH: i64 = 53;

/// The most turns of the wheel an element is looked for with.
const MAX_WHEEL_TURNS: usize = 60;

/// Turns the wheel over what an element is scrolled in until its middle is in sight.
pub(crate) fn wheel_to(cx: &Context<'_>, target: &Target) -> Result<SendOutcome> {
    let (input, deadline) = (real_input::input(cx)?, Deadline::after(timing::WHEEL_TO_TIMEOUT));
    let areas = scroll_areas(cx, target, deadline);
    let Some(area) = areas.into_iter().reduce(Rect::meet).filter(|area| !area.is_empty()) else {
        return Ok(SendOutcome::Impossible(
            "nothing that scrolls is around the element".to_owned(),
        ));
    };
    let bounds_now = || {
        let now = target::read_now(cx, &target.app, &target.node.id)?;
        Ok::<_, Error>(now.bounds.filter(|bounds| !bounds.is_empty()))
    };
    let (x, y) = area.center();
    input.move_to(x, y, deadline).map_err(real_input::input_error)?;
    let tracker = real_input::SendTracker::default();
    for _ in 0..MAX_WHEEL_TURNS {
        let Some(before) = bounds_now()? else {
            return Ok(SendOutcome::Impossible("the element has no place".to_owned()));
        };
        let middle = before.center();
        if area.contains(middle.0, middle.1) {
            return Ok(SendOutcome::Replied(Reply::Accepted));
        }
        // At least one, and never so many that it is passed by unseen.
        let notches = |far: i32| (far / PIXELS_PER_NOTCH as i32).clamp(-9, 9) + far.signum();
        let is_level = middle.1 >= area.y && middle.1 < area.bottom();
        let (right, down) =
            if is_level { (notches(middle.0 - x), 0) } else { (0, notches(middle.1 - y)) };
        tracker
            .track(input.wheel(right, down, deadline))
            .map_err(|error| tracker.input_error(error))?;
        if !poll_until(timing::SCROLL_SETTLE, || bounds_now().is_ok_and(|now| now != Some(before)))
        {
            break;
        }
    }
    Ok(SendOutcome::Replied(Reply::Declined))
}

/// Turns the wheel over an element by pixels, and looks whether what is in it moved.
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
    let strategies = [Strategy::new("wheel", move |cx: &Context<'_>, target: &Target| {
        turn_wheel(cx, target, direction, pixels)
    })
    .in_foreground()];
    let mut outcome = act_and_verify(
        cx,
        target,
        listener,
        &Expectation::AnyChange,
        &strategies,
        "look at the window",
    )?;
    let now = marker_positions(cx, app, &markers);
    if let (ActionEffect::Unverified, Some(before), Some(now)) = (outcome.effect, before, now)
        && before != now
    {
        // What is in it moved, and only the wheel was turned.
        outcome.effect = ActionEffect::Confirmed;
        outcome.next_step = None;
        outcome.evidence.push(Evidence::change(EvidenceKind::Place, label, before, now));
    }
    Ok(outcome)
}

/// The elements that tell how far something is scrolled: a few of what is in it, and its bar.
fn position_markers(cx: &Context<'_>, target: &Target) -> Vec<NodeId> {
    let snapshot = &target.tree.snapshot;
    let bars = [Direction::Down, Direction::Right]
        .into_iter()
        .filter_map(|direction| find_scroll_bar(cx, &target.app, snapshot, target.index, direction))
        .map(|bar| bar.id);
    let inside = snapshot.children(target.index).take(4).map(|at| snapshot.node(at).id.clone());
    bars.chain(inside).collect()
}

/// Where some elements are and what numbers they hold, in words; `None` when one cannot be read,
/// which proves nothing.
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
    target: &Target,
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
    input.move_to(x, y, deadline).map_err(real_input::input_error)?;
    input.wheel(right, down, deadline).map_err(real_input::input_error)?;
    Ok(SendOutcome::Replied(Reply::Accepted))
}
