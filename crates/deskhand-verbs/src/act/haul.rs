//! Dragging with the pointer.

use std::time::{Duration, Instant};

use deskhand_model::{App, Node};
use deskhand_platform::{Button, Deadline, Press, Reply};

use super::{
    attempt::{Sent, Way, attempt},
    by_hand,
    caution::{self, Leave},
    goal::Goal,
    heard::listening,
    target::{self, Target, Wants},
    warning,
};
use crate::{Context, Result, Stop, effect::Done, windows};

/// Where a drag begins or ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// On the element a query means.
    Element(String),
    /// At a point.
    Point(i32, i32),
}

/// How long the pointer rests at both ends: toolkits begin a drag only after a moment.
const REST: Duration = Duration::from_millis(60);

/// The time between two points of the way.
const STEP: Duration = Duration::from_millis(12);

/// Drags from one end to the other.
pub fn drag(cx: &Context<'_>, app: &App, from: &End, to: &End, duration: Duration) -> Result<Done> {
    let answered;
    let risky = |cx: &Context<'_>| {
        let both = [risky(cx, app, from)?, risky(cx, app, to)?];
        Ok(both.into_iter().flatten().collect())
    };
    let cx = match caution::before_drag(cx, risky)? {
        Leave::Free => cx,
        Leave::Given => {
            answered = caution::later(cx);
            &answered
        }
        Leave::Refused(done) => return Ok(*done),
    };
    let (target, ear) = listening(cx, app, || match (from, to) {
        (End::Element(query), _) | (End::Point(..), End::Element(query)) => {
            by_hand::in_front(cx, app, query)
        }
        (End::Point(..), End::Point(..)) => target::of(cx, app, &app.root),
    })?;
    let begin = match from {
        End::Element(_) => by_hand::point_of(cx, &target, &target.node)?,
        End::Point(x, y) => (*x, *y),
    };
    let end = match to {
        End::Element(query) => {
            let there = by_hand::in_front(cx, app, query)?;
            by_hand::point_of(cx, &there, &there.node)?
        }
        End::Point(x, y) => (*x, *y),
    };
    let ways =
        [Way::new("pointer", move |cx: &Context<'_>, _: &Target| haul(cx, begin, end, duration))
            .in_front()];
    attempt(cx, target, ear, &Goal::Happens, &ways, "look at the window: take a screenshot")
}

/// What warns of a loss at an end.
fn risky(cx: &Context<'_>, app: &App, end: &End) -> Result<Option<(App, Node)>> {
    match end {
        End::Element(query) => {
            let there = target::ready(cx, app, query, Wants::THERE)?;
            Ok(warning::of(&there.node).map(|_| (there.app, there.node)))
        }
        End::Point(x, y) => Ok(caution::under_the_pointer(cx, (*x, *y))),
    }
}

fn haul(cx: &Context<'_>, from: (i32, i32), to: (i32, i32), duration: Duration) -> Result<Sent> {
    let input = by_hand::input(cx)?;
    let by = Deadline::after(duration + Duration::from_secs(5));
    input.move_to(from.0, from.1, by).map_err(by_hand::lost)?;
    std::thread::sleep(REST);
    input.button(Button::Left, Press::Down, by).map_err(by_hand::lost)?;
    let way = along(cx.stop, duration, |part| {
        let at = |a: i32, b: i32| a + (f64::from(b - a) * part).round() as i32;
        input.move_to(at(from.0, to.0), at(from.1, to.1), by)
    });
    let way = way.and_then(|()| {
        // What is dropped where it was taken stays there.
        if cx.stop.asked() { input.move_to(from.0, from.1, by) } else { Ok(()) }
    });
    std::thread::sleep(REST);
    // The button goes up whatever became of the way.
    input.button(Button::Left, Press::Up, by).map_err(windows::sent)?;
    way.map_err(windows::sent)?;
    Ok(Sent::Replied(Reply::Accepted))
}

/// Goes along a way in small steps, for as long as the caller waits; each gets the part of the way
/// that lies behind it.
fn along(
    stop: &Stop,
    duration: Duration,
    mut step: impl FnMut(f64) -> deskhand_platform::Result<()>,
) -> deskhand_platform::Result<()> {
    let begun = Instant::now();
    std::thread::sleep(REST);
    let duration = duration.max(STEP * 4);
    loop {
        let part = (begun.elapsed().as_secs_f64() / duration.as_secs_f64()).min(1.0);
        step(part)?;
        if part >= 1.0 || stop.asked() {
            return Ok(());
        }
        std::thread::sleep(STEP);
    }
}
