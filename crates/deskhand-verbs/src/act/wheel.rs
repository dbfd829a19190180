//! Turning the wheel: by an amount, or until an element is in view.

use std::time::Duration;

use deskhand_model::{App, Node, NodeId, Rect, Value};
use deskhand_platform::{Deadline, Reply};

use super::{
    attempt::{Sent, Way, attempt, until},
    by_hand,
    goal::Goal,
    heard::listening,
    reveal::{Direction, bar_for, rooms},
    target::{self, Target},
};
use crate::{
    Context, Error, Result,
    effect::{Done, Evidence, Sign, Verdict},
};

/// One notch of a wheel, in pixels, as toolkits mostly take it.
const NOTCH: i64 = 53;

/// How long a toolkit may take to show what was scrolled.
pub(super) const SCROLLED: Duration = Duration::from_millis(150);

/// The most turns of the wheel an element is looked for with.
const MOST_TURNS: usize = 60;

/// Turns the wheel over what an element is scrolled in until its middle is in sight.
pub(super) fn to_element(cx: &Context<'_>, target: &Target) -> Result<Sent> {
    let (input, by) = (by_hand::input(cx)?, Deadline::after(Duration::from_secs(8)));
    let rooms = rooms(cx, target, by);
    let Some(room) = rooms.into_iter().reduce(Rect::meet).filter(|room| !room.is_empty()) else {
        return Ok(Sent::Impossible("nothing that scrolls is around the element".to_owned()));
    };
    let place = || {
        let now = target::fresh(cx, &target.app, &target.node.id)?;
        Ok::<_, Error>(now.bounds.filter(|bounds| !bounds.is_empty()))
    };
    let (x, y) = room.center();
    input.move_to(x, y, by).map_err(by_hand::lost)?;
    let series = by_hand::Series::default();
    for _ in 0..MOST_TURNS {
        let Some(before) = place()? else {
            return Ok(Sent::Impossible("the element has no place".to_owned()));
        };
        let middle = before.center();
        if room.contains(middle.0, middle.1) {
            return Ok(Sent::Replied(Reply::Accepted));
        }
        // At least one, and never so many that it is passed by unseen.
        let notches = |far: i32| (far / NOTCH as i32).clamp(-9, 9) + far.signum();
        let is_level = middle.1 >= room.y && middle.1 < room.bottom();
        let (right, down) =
            if is_level { (notches(middle.0 - x), 0) } else { (0, notches(middle.1 - y)) };
        series.of(input.wheel(right, down, by)).map_err(|error| series.lost(error))?;
        if !until(SCROLLED, || place().is_ok_and(|now| now != Some(before))) {
            break;
        }
    }
    Ok(Sent::Replied(Reply::Declined))
}

/// Turns the wheel over an element by pixels, and looks whether what is in it moved.
pub(super) fn by_amount(
    cx: &Context<'_>,
    app: &App,
    query: &str,
    direction: Direction,
    pixels: i64,
) -> Result<Done> {
    let (target, ear) = listening(cx, app, || by_hand::in_front(cx, app, query))?;
    let (label, marks) = (target.label(), marks(cx, &target));
    let before = places(cx, app, &marks);
    let ways = [Way::new("wheel", move |cx: &Context<'_>, target: &Target| {
        turn(cx, target, direction, pixels)
    })
    .in_front()];
    let mut done = attempt(cx, target, ear, &Goal::Happens, &ways, "look at the window")?;
    let now = places(cx, app, &marks);
    if let (Verdict::Unverified, Some(before), Some(now)) = (done.effect, before, now)
        && before != now
    {
        // What is in it moved, and only the wheel was turned.
        done.effect = Verdict::Confirmed;
        done.escalation = None;
        done.evidence.push(Evidence::change(Sign::Place, label, before, now));
    }
    Ok(done)
}

/// The elements that tell how far something is scrolled: a few of what is in it, and its bar.
fn marks(cx: &Context<'_>, target: &Target) -> Vec<NodeId> {
    let snapshot = &target.look.snapshot;
    let bars = [Direction::Down, Direction::Right]
        .into_iter()
        .filter_map(|way| bar_for(cx, &target.app, snapshot, target.at, way))
        .map(|bar| bar.id);
    let inside = snapshot.children(target.at).take(4).map(|at| snapshot.node(at).id.clone());
    bars.chain(inside).collect()
}

/// Where some elements are and what numbers they hold, in words; `None` when one cannot be read,
/// which proves nothing.
fn places(cx: &Context<'_>, app: &App, ids: &[NodeId]) -> Option<String> {
    let by = Deadline::after(SCROLLED * 4);
    let read = cx.desktop.tree.read(app, ids, target::WHOLE, by).ok()?;
    let all: Option<Vec<Node>> = read.into_iter().collect();
    let told = |node: Node| match (node.value, node.bounds) {
        (Some(Value::Number { now, .. }), _) => format!("{now}"),
        (_, Some(Rect { x, y, .. })) => format!("{x},{y}"),
        (_, None) => "nowhere".to_owned(),
    };
    Some(all?.into_iter().map(told).collect::<Vec<_>>().join(" "))
}

fn turn(cx: &Context<'_>, target: &Target, direction: Direction, pixels: i64) -> Result<Sent> {
    let (x, y) = by_hand::point_of(cx, target, &target.node)?;
    let (input, by) = (by_hand::input(cx)?, Deadline::after(Duration::from_secs(5)));
    let notches = i32::try_from((pixels / NOTCH).max(1)).unwrap_or(i32::MAX);
    let times = |by: f64| notches.saturating_mul(by as i32);
    let (right, down) = if direction.is_vertical() {
        (0, times(direction.sign()))
    } else {
        (times(direction.sign()), 0)
    };
    input.move_to(x, y, by).map_err(by_hand::lost)?;
    input.wheel(right, down, by).map_err(by_hand::lost)?;
    Ok(Sent::Replied(Reply::Accepted))
}
