//! Turning the wheel, and gestures that the wheel imitates.

use std::time::Duration;

use deskhand_platform::{Key, NamedKey};

use super::{input_deadline, unverified_at, with_pressed};
use crate::{Context, Error, Result, act::real_input, effect::ActionOutcome};

/// Approximate zoom factor of one wheel notch in most apps.
const ZOOM_PER_NOTCH: f64 = 1.1;

/// The most notches of one gesture.
const MAX_NOTCHES: f64 = 200.0;

/// A gesture on a touch pad.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Gesture {
    /// Zooms by a factor; less than 1 zooms out.
    Zoom(f64),
    /// Moves fingers by a number of notches to the right and down.
    Swipe {
        /// Number of fingers.
        fingers: u32,
        /// Notches to the right; negative to the left.
        right: i32,
        /// Notches down; negative up.
        down: i32,
    },
    /// Rotates the content.
    Rotate,
    /// Presses harder.
    ForceTouch,
}

/// Turns the wheel by a number of notches, at a point or where the pointer is.
///
/// # Errors
///
/// Fails if the input cannot be sent.
pub fn turn_wheel(
    cx: &Context<'_>,
    at: Option<(i32, i32)>,
    right: i32,
    down: i32,
) -> Result<ActionOutcome> {
    turn(cx, at, WheelMovement { zoom: false, right, down })
}

/// Imitates a gesture with the wheel, at a point or where the pointer is.
///
/// # Errors
///
/// Fails if a wheel cannot imitate the gesture, or if the input cannot be sent.
pub fn gesture(
    cx: &Context<'_>,
    at: Option<(i32, i32)>,
    gesture: Gesture,
) -> Result<ActionOutcome> {
    turn(cx, at, wheel_movement(gesture)?)
}

fn turn(
    cx: &Context<'_>,
    at: Option<(i32, i32)>,
    movement: WheelMovement,
) -> Result<ActionOutcome> {
    let (input, deadline) = (real_input::input(cx)?, input_deadline(Duration::ZERO));
    if let Some((x, y)) = at {
        input.move_pointer(x, y, deadline).map_err(real_input::input_error)?;
    }
    let at = input.pointer_position(deadline).map_err(real_input::input_error)?;
    let keys = if movement.zoom { vec![Key::Named(NamedKey::Command)] } else { Vec::new() };
    with_pressed(input, &keys, None, deadline, || {
        input.scroll(movement.right, movement.down, deadline).map_err(real_input::input_error)
    })?;
    let strategy = if movement.zoom { "shortcut key and the wheel" } else { "wheel" };
    Ok(unverified_at(cx, strategy, at))
}

/// A movement of the wheel.
#[derive(Debug, PartialEq, Eq)]
struct WheelMovement {
    /// `true` if the shortcut key is held, so that apps zoom.
    zoom: bool,
    right: i32,
    down: i32,
}

/// Returns the wheel movement that stands for a gesture. Content follows the fingers, so it scrolls the other way.
fn wheel_movement(gesture: Gesture) -> Result<WheelMovement> {
    let unavailable = |gesture: &str| Err(Error::NoGesture { gesture: gesture.to_owned() });
    match gesture {
        Gesture::Zoom(factor) => {
            let notches = (factor.ln() / ZOOM_PER_NOTCH.ln()).round();
            let notches = notches.clamp(-MAX_NOTCHES, MAX_NOTCHES) as i32;
            Ok(WheelMovement { zoom: true, right: 0, down: -notches })
        }
        Gesture::Swipe { fingers: 2, right, down } => {
            Ok(WheelMovement { zoom: false, right: -right, down: -down })
        }
        Gesture::Swipe { .. } => unavailable("a swipe with that many fingers"),
        Gesture::Rotate => unavailable("rotate"),
        Gesture::ForceTouch => unavailable("force_touch"),
    }
}

#[cfg(test)]
mod tests {
    use deskhand_model::Explain;

    use super::*;

    #[test]
    fn larger_is_up_and_smaller_is_down_with_the_shortcut_key() {
        let larger = wheel_movement(Gesture::Zoom(2.0)).unwrap();
        assert_eq!(larger, WheelMovement { zoom: true, right: 0, down: -7 });
        let smaller = wheel_movement(Gesture::Zoom(0.5)).unwrap();
        assert_eq!(smaller, WheelMovement { zoom: true, right: 0, down: 7 });
    }

    #[test]
    fn content_follows_the_fingers() {
        let up = wheel_movement(Gesture::Swipe { fingers: 2, right: 0, down: -3 }).unwrap();
        assert_eq!(up, WheelMovement { zoom: false, right: 0, down: 3 });
        let right = wheel_movement(Gesture::Swipe { fingers: 2, right: 5, down: 0 }).unwrap();
        assert_eq!(right, WheelMovement { zoom: false, right: -5, down: 0 });
    }

    #[test]
    fn gestures_that_a_wheel_cannot_imitate_are_unimplemented() {
        let swipe = Gesture::Swipe { fingers: 3, right: 0, down: 5 };
        for gesture in [Gesture::Rotate, Gesture::ForceTouch, swipe] {
            assert_eq!(wheel_movement(gesture).unwrap_err().code(), "unimplemented");
        }
    }
}
