//! Points on the screen: what a caller's coordinates mean, getting there, and what lies there.

use std::time::Duration;

use deskhand_model::Delivery;
use deskhand_platform::{Button, Deadline, Input, Key, Press};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};

use super::{
    act::{
        by_hand::{self, Series},
        caution::{self, Leave},
    },
    effect::{Done, Evidence, Sign, Verdict},
    shots, windows,
};
use crate::{Context, Error, Result};

/// How long a batch of input may take beside its own pauses.
const INPUT: Duration = Duration::from_secs(10);

/// How long letting go may take, whatever happened before.
const RELEASE: Duration = Duration::from_secs(2);

/// How long the pointer rests before the button goes down: some toolkits must have seen it come.
const REST: Duration = Duration::from_millis(15);

/// The time between the clicks of a double click.
const BETWEEN: Duration = Duration::from_millis(20);

/// The time between two places of a smooth way: faster than screens show it.
const STEP: Duration = Duration::from_millis(8);

/// How much larger the caller's pixels are counted than real ones; above 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Factor(f64);

impl Factor {
    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl<'de> Deserialize<'de> for Factor {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        let factor = f64::deserialize(from)?;
        let fits = factor.is_finite() && factor > 0.0;
        fits.then_some(Self(factor)).ok_or_else(|| de::Error::custom("the factor is above 0"))
    }
}

impl JsonSchema for Factor {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Factor".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "exclusiveMinimum": 0 })
    }
}

/// What a caller's coordinates count in.
#[derive(Debug, Clone, Copy, Default)]
pub struct Units<'a> {
    /// The pixels of this screenshot.
    pub screenshot: Option<&'a str>,
    /// Real pixels times this.
    pub factor: Option<Factor>,
}

/// The real point a caller means, which lies on a display.
pub fn meant(cx: &Context<'_>, x: f64, y: f64, units: Units<'_>) -> Result<(i32, i32)> {
    let screen = cx.desktop.screen.as_deref().ok_or(Error::Absent { part: "screen" })?;
    let displays = screen.displays(cx.by)?;
    let outside = |x: f64, y: f64| Error::OutOfBounds {
        x,
        y,
        displays: displays
            .iter()
            .map(|one| {
                let f = one.frame;
                format!("{} {},{} {}x{}", one.name, f.x, f.y, f.width, f.height)
            })
            .collect(),
    };
    let point = match (units.screenshot, units.factor) {
        (Some(_), Some(_)) => {
            return Err(Error::Unfit {
                what: "these coordinates".to_owned(),
                why: "they cannot count in a screenshot and be scaled as well".to_owned(),
                instead: "pass --screenshot or --scaling-factor, not both".to_owned(),
            });
        }
        (Some(id), None) => shots::find(cx, id)?.global(x, y),
        (None, factor) => {
            let factor = factor.map_or(1.0, |Factor(factor)| factor);
            let whole = |at: f64| {
                let at = (at / factor).floor();
                // A coordinate no screen has is outside of all of them.
                (at.abs() < f64::from(i16::MAX)).then_some(at as i32)
            };
            whole(x).zip(whole(y))
        }
    };
    let (left, top) = point.ok_or_else(|| outside(x, y))?;
    if displays.iter().any(|display| display.frame.contains(left, top)) {
        Ok((left, top))
    } else {
        Err(outside(f64::from(left), f64::from(top)))
    }
}

/// The same where both coordinates may be left out together.
pub fn optional(
    cx: &Context<'_>,
    x: Option<f64>,
    y: Option<f64>,
    units: Units<'_>,
) -> Result<Option<(i32, i32)>> {
    match (x, y) {
        (Some(x), Some(y)) => meant(cx, x, y, units).map(Some),
        (None, None) => Ok(None),
        (Some(_), None) | (None, Some(_)) => Err(Error::Unfit {
            what: "these coordinates".to_owned(),
            why: "one of the two is missing".to_owned(),
            instead: "pass both x and y, or none".to_owned(),
        }),
    }
}

/// Until when input that takes `extra` time by itself must be sent.
pub fn deadline(extra: Duration) -> Deadline {
    Deadline::after(INPUT + extra)
}

/// Moves the pointer along a straight line, at once when there is no time to take.
pub fn travel(
    input: &dyn Input,
    from: (i32, i32),
    to: (i32, i32),
    time: Duration,
    by: Deadline,
) -> Result<()> {
    let steps = time.as_millis().div_ceil(STEP.as_millis());
    let at = |from: i32, to: i32, step: u128| {
        let part = step as f64 / steps.max(1) as f64;
        (f64::from(from) + f64::from(to - from) * part).round() as i32
    };
    for step in 1..steps {
        input.move_to(at(from.0, to.0, step), at(from.1, to.1, step), by).map_err(by_hand::lost)?;
        std::thread::sleep(STEP);
    }
    input.move_to(to.0, to.1, by).map_err(by_hand::lost)
}

/// Does something while keys and perhaps a button are down; they are up afterwards, whatever came
/// of it.
pub fn while_down<T>(
    input: &dyn Input,
    keys: &[Key],
    button: Option<Button>,
    by: Deadline,
    act: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let mut down: Vec<&Key> = Vec::new();
    let mut outcome = Ok(());
    let series = Series::default();
    for key in keys {
        // A key that failed may be down all the same.
        down.push(key);
        outcome = series.of(input.key(key, Press::Down, by));
        if outcome.is_err() {
            break;
        }
    }
    let pressed = button.filter(|_| outcome.is_ok());
    if let Some(button) = pressed {
        outcome = series.of(input.button(button, Press::Down, by));
    }
    let outcome = outcome.map_err(|error| series.lost(error));
    let outcome = outcome.and_then(|()| act().map_err(|error| series.meanwhile(error)));
    let by = Deadline::after(RELEASE);
    let mut released = pressed.map_or(Ok(()), |button| input.button(button, Press::Up, by));
    for key in down.into_iter().rev() {
        released = released.and(input.key(key, Press::Up, by));
    }
    let released = released.map_err(|error| Error::Lost { error, delivery: Delivery::Sent });
    outcome.and_then(|value| released.map(|()| value))
}

/// Clicks at a point with some keys held down.
pub fn click(
    cx: &Context<'_>,
    to: (i32, i32),
    button: Button,
    count: usize,
    held: &[Key],
) -> Result<Done> {
    let answered;
    let cx = match caution::before_pointer(cx, to, "Click")? {
        Leave::Free => cx,
        Leave::Given => {
            answered = caution::later(cx);
            &answered
        }
        Leave::Refused(done) => return Ok(*done),
    };
    let (input, by) = (by_hand::input(cx)?, deadline(Duration::ZERO));
    let target = under(cx, to);
    input.move_to(to.0, to.1, by).map_err(by_hand::lost)?;
    std::thread::sleep(REST);
    let series = Series::default();
    while_down(input, held, None, by, || {
        for click in 0..count {
            if click > 0 {
                std::thread::sleep(BETWEEN);
            }
            while_down(input, &[], Some(button), by, || Ok(()))
                .map_err(|error| series.meanwhile(error))?;
            series.goes_on();
        }
        Ok(())
    })?;
    let name = match button {
        Button::Left => "left",
        Button::Middle => "middle",
        Button::Right => "right",
        Button::Back => "back",
        Button::Forward => "forward",
    };
    let done = sent_to(cx, &format!("pointer, {name} button"), to);
    Ok(Done { target, ..done })
}

/// A point as messages write it.
pub fn words((x, y): (i32, i32)) -> String {
    format!("{x},{y}")
}

/// The frontmost window at a point, in words; `None` where there is only the desktop.
pub fn under(cx: &Context<'_>, (x, y): (i32, i32)) -> Option<String> {
    // Without a list of windows it is not known what lies there.
    let all = cx.desktop.windows.as_ref()?.list(cx.by).ok()?;
    let top = all.into_iter().find(|one| !one.minimized && one.frame.contains(x, y))?;
    Some(format!("window {}", windows::label(&top)))
}

/// The answer to a move: confirmed when the pointer is seen where it was sent.
pub fn moved(cx: &Context<'_>, way: &str, before: (i32, i32), wanted: (i32, i32)) -> Result<Done> {
    let after = by_hand::input(cx)?.pointer(deadline(Duration::ZERO)).map_err(windows::sent)?;
    let seen = Evidence::change(Sign::Pointer, "pointer", words(before), words(after));
    let verdict = match (after == wanted, after == before) {
        (true, _) => Verdict::Confirmed,
        (false, true) => Verdict::NoEffect,
        (false, false) => Verdict::Partial,
    };
    let mut done = Done { evidence: vec![seen], ..Done::new(verdict, way) };
    done.target = under(cx, after);
    if after == wanted {
        return Ok(done);
    }
    Ok(done.or_else("somebody else moves the pointer, or a program holds it: try again"))
}

/// The answer to something sent to a point, of which only the pointer is seen.
pub fn sent_to(cx: &Context<'_>, way: &str, at: (i32, i32)) -> Done {
    let mut done = Done::new(Verdict::Unverified, way);
    done.target = under(cx, at);
    done.or_else("look what came of it: `deskhand tree` or `deskhand screenshot`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_is_above_zero() {
        let read = |text| serde_json::from_str::<Factor>(text);
        assert_eq!(read("0.5").ok(), Some(Factor(0.5)));
        assert_eq!(read("2").ok(), Some(Factor(2.0)));
        assert!(read("0").is_err() && read("-1").is_err() && read("\"2\"").is_err());
    }
}
