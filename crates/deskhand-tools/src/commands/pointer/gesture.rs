//! `pointer gesture`: imitates touch-pad gestures with the wheel.

use std::time::Duration;

use deskhand_platform::{Key, NamedKey};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Context, Effect, Error, Int, Requirement, Result, Tool, ToolSpec,
    commands::CommandOutcome,
    verbs::{
        act::real_input,
        input::pointer::{self, CoordinateUnits, ScaleFactor},
    },
};

/// Approximate zoom factor of one wheel notch in most apps.
const A_NOTCH: f64 = 1.1;

pub(crate) struct PointerGestureCommand;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum GestureKind {
    /// Zoom in or out.
    Zoom,
    /// The same as zoom.
    Pinch,
    /// Scroll the content in a direction.
    Swipe,
    /// Rotate the content.
    Rotate,
    /// Press harder.
    ForceTouch,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SwipeDirection {
    /// Fingers move up: content below comes into view.
    Up,
    /// Fingers move down: content above comes into view.
    Down,
    /// Fingers move left: content on the right comes into view.
    Left,
    /// Fingers move right: content on the left comes into view.
    Right,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The gesture. Zoom and pinch use the shortcut key and the wheel, swipe uses the wheel. The
    /// others are not available on this desktop.
    kind: GestureKind,
    /// Center of the gesture: pixels from the left edge of the main display (default: the pointer
    /// position).
    x: Option<f64>,
    /// Center of the gesture: pixels from the top edge of the main display.
    y: Option<f64>,
    /// For zoom and pinch: the factor (default: 2); 0.5 zooms out to half.
    scale: Option<ScaleFactor>,
    /// For swipe: direction of the fingers (default: up).
    direction: Option<SwipeDirection>,
    /// For swipe: number of wheel notches (default: 5).
    amount: Option<Int<1, 200>>,
    /// For swipe: number of fingers; only 2 is available.
    finger_count: Option<Int<1, 5>>,
    /// Interpret x and y as pixels of this screenshot, by its id.
    screenshot: Option<String>,
    /// Divide x and y by this factor first.
    scaling_factor: Option<ScaleFactor>,
}

impl Tool for PointerGestureCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "pointer_gesture",
        command: "pointer gesture",
        about: "Imitate touch-pad gestures with the wheel: zoom, pinch, swipe.",
        effect: Effect::Act { repeatable: false },
        needs: &[Requirement::Input, Requirement::Screen],
    };
    type Args = Args;
    type Output = CommandOutcome;

    fn run(cx: &Context<'_>, args: Args) -> Result<CommandOutcome> {
        let turn = turn(&args)?;
        let units =
            CoordinateUnits { screenshot: args.screenshot.as_deref(), factor: args.scaling_factor };
        let to = pointer::resolve_optional_point(cx, args.x, args.y, units)?;
        let (input, by) = (real_input::input(cx)?, pointer::input_deadline(Duration::ZERO));
        if let Some((x, y)) = to {
            input.move_pointer(x, y, by).map_err(real_input::input_error)?;
        }
        let at = input.pointer_position(by).map_err(real_input::input_error)?;
        let keys = if turn.command { vec![Key::Named(NamedKey::Command)] } else { Vec::new() };
        pointer::with_pressed(input, &keys, None, by, || {
            input.scroll(turn.right, turn.down, by).map_err(real_input::input_error)
        })?;
        let way = if turn.command { "shortcut key and the wheel" } else { "wheel" };
        Ok(pointer::unverified_at(cx, way, at).into())
    }
}

/// Returns the wheel movement that stands for a gesture.
#[derive(Debug, PartialEq, Eq)]
struct WheelMovement {
    command: bool,
    right: i32,
    down: i32,
}

fn turn(args: &Args) -> Result<WheelMovement> {
    let cannot = |gesture: &str| Error::NoGesture { gesture: gesture.to_owned() };
    match args.kind {
        GestureKind::Zoom | GestureKind::Pinch => {
            let notches = (args.scale.map_or(2.0, ScaleFactor::get).ln() / A_NOTCH.ln()).round();
            Ok(WheelMovement {
                command: true,
                right: 0,
                down: -(notches.clamp(-200.0, 200.0) as i32),
            })
        }
        GestureKind::Swipe if args.finger_count.is_some_and(|fingers| fingers.get() != 2) => {
            Err(cannot("a swipe with that many fingers"))
        }
        GestureKind::Swipe => {
            let amount = args.amount.map_or(5, |amount| amount.get() as i32);
            let (right, down) = match args.direction.unwrap_or(SwipeDirection::Up) {
                SwipeDirection::Up => (0, amount),
                SwipeDirection::Down => (0, -amount),
                SwipeDirection::Left => (amount, 0),
                SwipeDirection::Right => (-amount, 0),
            };
            Ok(WheelMovement { command: false, right, down })
        }
        GestureKind::Rotate => Err(cannot("rotate")),
        GestureKind::ForceTouch => Err(cannot("force_touch")),
    }
}

#[cfg(test)]
mod tests {
    use deskhand_model::Explain;
    use serde_json::json;

    use super::*;

    fn turned(args: serde_json::Value) -> Result<WheelMovement> {
        turn(&serde_json::from_value(args).unwrap())
    }

    #[test]
    fn larger_is_up_and_smaller_is_down_with_the_shortcut_key() {
        let larger = turned(json!({"kind": "zoom"})).unwrap();
        assert_eq!(larger, WheelMovement { command: true, right: 0, down: -7 });
        let smaller = turned(json!({"kind": "pinch", "scale": 0.5})).unwrap();
        assert_eq!(smaller, WheelMovement { command: true, right: 0, down: 7 });
    }

    #[test]
    fn fingers_push_what_is_shown() {
        let up = turned(json!({"kind": "swipe", "direction": "up", "amount": 3})).unwrap();
        assert_eq!(up, WheelMovement { command: false, right: 0, down: 3 });
        let right = turned(json!({"kind": "swipe", "direction": "right"})).unwrap();
        assert_eq!(right, WheelMovement { command: false, right: -5, down: 0 });
    }

    #[test]
    fn what_a_wheel_cannot_do_is_said() {
        for args in [
            json!({"kind": "rotate"}),
            json!({"kind": "force_touch"}),
            json!({"kind": "swipe", "finger_count": 3}),
        ] {
            assert_eq!(turned(args).unwrap_err().code(), "unimplemented");
        }
    }
}
