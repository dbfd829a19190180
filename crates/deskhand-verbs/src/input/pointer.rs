//! Pointer input at points of the screen: coordinates, movement, clicks.

use std::time::Duration;

use deskhand_model::{Advice, Delivery, Step};
use deskhand_platform::{Button, Deadline, Input, Key, Press};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};

use crate::{
    Context, Error, Result,
    act::{
        real_input::{self, SendTracker},
        risk::{self, ActionDecision},
        timing::POINTER_REST,
    },
    capture::screenshot_ids,
    effect::{ActionEffect, ActionOutcome, Evidence, EvidenceKind},
    timing, windows,
};

/// The factor between the caller's pixels and real pixels; greater than 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScaleFactor(f64);

impl ScaleFactor {
    /// Returns the factor.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl<'de> Deserialize<'de> for ScaleFactor {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        let factor = f64::deserialize(from)?;
        let fits = factor.is_finite() && factor > 0.0;
        fits.then_some(Self(factor))
            .ok_or_else(|| de::Error::custom("the factor must be greater than 0"))
    }
}

impl JsonSchema for ScaleFactor {
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

/// The units of a caller's coordinates.
#[derive(Debug, Clone, Copy, Default)]
pub struct CoordinateUnits<'a> {
    /// The id of the screenshot whose pixels are used.
    pub screenshot: Option<&'a str>,
    /// The factor by which real pixels are multiplied.
    pub factor: Option<ScaleFactor>,
}

/// Converts a caller's coordinates into a point on a display.
pub fn resolve_point(
    cx: &Context<'_>,
    x: f64,
    y: f64,
    units: CoordinateUnits<'_>,
) -> Result<(i32, i32)> {
    let screen = cx.desktop.screen.as_deref().ok_or(Error::MissingCapability { part: "screen" })?;
    let displays = screen.displays(cx.deadline)?;
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
            return Err(Error::NotApplicable {
                what: "these coordinates".to_owned(),
                why: "a screenshot and a scaling factor cannot be combined".to_owned(),
                instead: Advice::from("pass ")
                    .step(Step::Argument("screenshot"))
                    .text(" or ")
                    .step(Step::Argument("scaling_factor"))
                    .text(", not both"),
            });
        }
        (Some(id), None) => screenshot_ids::find(cx, id)?.to_screen(x, y),
        (None, factor) => {
            let factor = factor.map_or(1.0, |ScaleFactor(factor)| factor);
            let whole = |at: f64| {
                let at = (at / factor).floor();
                // A coordinate beyond every possible screen is out of bounds.
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

/// Like [`resolve_point`], but both coordinates may be missing.
pub fn resolve_optional_point(
    cx: &Context<'_>,
    x: Option<f64>,
    y: Option<f64>,
    units: CoordinateUnits<'_>,
) -> Result<Option<(i32, i32)>> {
    match (x, y) {
        (Some(x), Some(y)) => resolve_point(cx, x, y, units).map(Some),
        (None, None) => Ok(None),
        (Some(_), None) | (None, Some(_)) => Err(Error::NotApplicable {
            what: "these coordinates".to_owned(),
            why: "one of them is missing".to_owned(),
            instead: "pass both x and y, or none".into(),
        }),
    }
}

/// Returns the deadline for input that takes `extra` time by itself.
pub fn input_deadline(extra: Duration) -> Deadline {
    Deadline::after(timing::POINTER_INPUT_TIMEOUT + extra)
}

/// Moves the pointer along a straight line within the given time; at once if it is zero.
pub fn move_along(
    input: &dyn Input,
    from: (i32, i32),
    to: (i32, i32),
    time: Duration,
    deadline: Deadline,
) -> Result<()> {
    let steps = time.as_millis().div_ceil(timing::POINTER_STEP.as_millis());
    let at = |from: i32, to: i32, step: u128| {
        let part = step as f64 / steps.max(1) as f64;
        (f64::from(from) + f64::from(to - from) * part).round() as i32
    };
    for step in 1..steps {
        input
            .move_pointer(at(from.0, to.0, step), at(from.1, to.1, step), deadline)
            .map_err(real_input::input_error)?;
        std::thread::sleep(timing::POINTER_STEP);
    }
    input.move_pointer(to.0, to.1, deadline).map_err(real_input::input_error)
}

/// Runs a function while keys and possibly a button are pressed, and releases them in any case.
pub fn with_pressed<T>(
    input: &dyn Input,
    keys: &[Key],
    button: Option<Button>,
    deadline: Deadline,
    act: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let mut down: Vec<&Key> = Vec::new();
    let mut outcome = Ok(());
    let tracker = SendTracker::default();
    for key in keys {
        // A key whose press failed may be down nevertheless.
        down.push(key);
        outcome = tracker.track(input.send_key(key, Press::Down, deadline));
        if outcome.is_err() {
            break;
        }
    }
    let pressed = button.filter(|_| outcome.is_ok());
    if let Some(button) = pressed {
        outcome = tracker.track(input.send_button(button, Press::Down, deadline));
    }
    let outcome = outcome.map_err(|error| tracker.input_error(error));
    let outcome = outcome.and_then(|()| act().map_err(|error| tracker.with_delivery(error)));
    let deadline = Deadline::after(timing::RELEASE_TIMEOUT);
    let mut released =
        pressed.map_or(Ok(()), |button| input.send_button(button, Press::Up, deadline));
    for key in down.into_iter().rev() {
        released = released.and(input.send_key(key, Press::Up, deadline));
    }
    let released = released.map_err(|error| Error::SendFailed { error, delivery: Delivery::Sent });
    outcome.and_then(|value| released.map(|()| value))
}

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
    let name = match button {
        Button::Left => "left",
        Button::Middle => "middle",
        Button::Right => "right",
        Button::Back => "back",
        Button::Forward => "forward",
    };
    let outcome = unverified_at(cx, &format!("pointer, {name} button"), to);
    Ok(ActionOutcome { target, ..outcome })
}

/// Formats a point for messages.
pub fn format_point((x, y): (i32, i32)) -> String {
    format!("{x},{y}")
}

/// Returns the frontmost window at a point, in words; `None` for the desktop itself.
pub fn window_at(cx: &Context<'_>, (x, y): (i32, i32)) -> Option<String> {
    // Without a window list the window is unknown.
    let all = cx.desktop.windows.as_ref()?.list(cx.deadline).ok()?;
    let top = all.into_iter().find(|one| !one.minimized && one.frame.contains(x, y))?;
    Some(format!("window {}", windows::label(&top)))
}

/// Returns the outcome of a pointer move, confirmed by the position of the pointer.
pub fn verify_move(
    cx: &Context<'_>,
    strategy: &str,
    before: (i32, i32),
    wanted: (i32, i32),
) -> Result<ActionOutcome> {
    let after = real_input::input(cx)?
        .pointer_position(input_deadline(Duration::ZERO))
        .map_err(windows::sent_error)?;
    let evidence = Evidence::change(
        EvidenceKind::Pointer,
        "pointer",
        format_point(before),
        format_point(after),
    );
    let effect = match (after == wanted, after == before) {
        (true, _) => ActionEffect::Confirmed,
        (false, true) => ActionEffect::NoEffect,
        (false, false) => ActionEffect::Partial,
    };
    let mut outcome =
        ActionOutcome { evidence: vec![evidence], ..ActionOutcome::new(effect, strategy) };
    outcome.target = window_at(cx, after);
    if after == wanted {
        return Ok(outcome);
    }
    Ok(outcome
        .with_next_step("the user or a program moves the pointer at the same time: try again"))
}

/// Returns the outcome of input at a point whose effect is unknown.
pub fn unverified_at(cx: &Context<'_>, strategy: &str, at: (i32, i32)) -> ActionOutcome {
    let mut outcome = ActionOutcome::new(ActionEffect::Unverified, strategy);
    outcome.target = window_at(cx, at);
    outcome.with_next_step(verify_advice())
}

/// Returns the next step after input whose effect is unknown.
pub(crate) fn verify_advice() -> Advice {
    let advice = Advice::from("check the result: ").step(Step::ReadTree { pid: None });
    advice.text(" or ").step(Step::Screenshot)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_factor_is_positive() {
        let read = |text| serde_json::from_str::<ScaleFactor>(text);
        assert_eq!(read("0.5").ok(), Some(ScaleFactor(0.5)));
        assert_eq!(read("2").ok(), Some(ScaleFactor(2.0)));
        assert!(read("0").is_err() && read("-1").is_err() && read("\"2\"").is_err());
    }
}
