//! `pointer gesture`: what fingers do on a pad, as far as a wheel can do it.

use std::time::Duration;

use deskhand_platform::{Key, Named};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Context, Effect, Error, Int, Need, Result, Spec, Tool,
    verbs::{
        act::by_hand,
        effect::Done,
        point::{self, Factor, Units},
    },
};

/// How much apps zoom with one notch of the wheel, roughly.
const A_NOTCH: f64 = 1.1;

pub(crate) struct Gesture;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// Make what is shown larger or smaller.
    Zoom,
    /// The same by another name.
    Pinch,
    /// Push what is shown in a direction.
    Swipe,
    /// Turn what is shown.
    Rotate,
    /// Press harder.
    ForceTouch,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Direction {
    /// Fingers go up: what lies below comes into view.
    Up,
    /// Fingers go down: what lies above comes into view.
    Down,
    /// Fingers go left: what lies right comes into view.
    Left,
    /// Fingers go right: what lies left comes into view.
    Right,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Which gesture. Zoom and pinch are done as the shortcut key and the wheel, swipe as the wheel;
    /// the others cannot be done on this desktop.
    kind: Kind,
    /// The middle of the gesture: pixels from the left edge of the main display. Where the pointer
    /// is when absent.
    x: Option<f64>,
    /// The middle of the gesture: pixels from the top edge of the main display.
    y: Option<f64>,
    /// For zoom and pinch: 2 makes things about twice as large, 0.5 half; 2 when absent.
    scale: Option<Factor>,
    /// For swipe: where the fingers go; up when absent.
    direction: Option<Direction>,
    /// For swipe: how many notches of the wheel; 5 when absent.
    amount: Option<Int<1, 200>>,
    /// For swipe: how many fingers; only 2 can be done here.
    finger_count: Option<Int<1, 5>>,
    /// Count x and y in the pixels of this screenshot, by its id.
    screenshot: Option<String>,
    /// Divide x and y by this first.
    scaling_factor: Option<Factor>,
}

impl Tool for Gesture {
    const SPEC: Spec = Spec {
        name: "pointer_gesture",
        command: "pointer gesture",
        about: "Do what a gesture on a touch pad does, as far as the wheel can: zoom, pinch, swipe.",
        effect: Effect::Act { repeatable: false },
        needs: &[Need::Input, Need::Screen],
    };
    type Args = Args;
    type Output = Done;

    fn run(cx: &Context<'_>, args: Args) -> Result<Done> {
        let turn = turn(&args)?;
        let units = Units { screenshot: args.screenshot.as_deref(), factor: args.scaling_factor };
        let to = point::optional(cx, args.x, args.y, units)?;
        let (input, by) = (by_hand::input(cx)?, point::deadline(Duration::ZERO));
        if let Some((x, y)) = to {
            input.move_to(x, y, by).map_err(by_hand::lost)?;
        }
        let at = input.pointer(by).map_err(by_hand::lost)?;
        let keys = if turn.command { vec![Key::Named(Named::Command)] } else { Vec::new() };
        point::while_down(input, &keys, None, by, || {
            input.wheel(turn.right, turn.down, by).map_err(by_hand::lost)
        })?;
        let way = if turn.command { "shortcut key and the wheel" } else { "wheel" };
        Ok(point::sent_to(cx, way, at))
    }
}

/// The turn of the wheel that stands for a gesture.
#[derive(Debug, PartialEq, Eq)]
struct Turn {
    command: bool,
    right: i32,
    down: i32,
}

fn turn(args: &Args) -> Result<Turn> {
    let cannot = |gesture: &str| Error::NoGesture { gesture: gesture.to_owned() };
    match args.kind {
        Kind::Zoom | Kind::Pinch => {
            let notches = (args.scale.map_or(2.0, Factor::get).ln() / A_NOTCH.ln()).round();
            Ok(Turn { command: true, right: 0, down: -(notches.clamp(-200.0, 200.0) as i32) })
        }
        Kind::Swipe if args.finger_count.is_some_and(|fingers| fingers.get() != 2) => {
            Err(cannot("a swipe with that many fingers"))
        }
        Kind::Swipe => {
            let amount = args.amount.map_or(5, |amount| amount.get() as i32);
            let (right, down) = match args.direction.unwrap_or(Direction::Up) {
                Direction::Up => (0, amount),
                Direction::Down => (0, -amount),
                Direction::Left => (amount, 0),
                Direction::Right => (-amount, 0),
            };
            Ok(Turn { command: false, right, down })
        }
        Kind::Rotate => Err(cannot("rotate")),
        Kind::ForceTouch => Err(cannot("force_touch")),
    }
}

#[cfg(test)]
mod tests {
    use deskhand_model::Explain;
    use serde_json::json;

    use super::*;

    fn turned(args: serde_json::Value) -> Result<Turn> {
        turn(&serde_json::from_value(args).unwrap())
    }

    #[test]
    fn larger_is_up_and_smaller_is_down_with_the_shortcut_key() {
        let larger = turned(json!({"kind": "zoom"})).unwrap();
        assert_eq!(larger, Turn { command: true, right: 0, down: -7 });
        let smaller = turned(json!({"kind": "pinch", "scale": 0.5})).unwrap();
        assert_eq!(smaller, Turn { command: true, right: 0, down: 7 });
    }

    #[test]
    fn fingers_push_what_is_shown() {
        let up = turned(json!({"kind": "swipe", "direction": "up", "amount": 3})).unwrap();
        assert_eq!(up, Turn { command: false, right: 0, down: 3 });
        let right = turned(json!({"kind": "swipe", "direction": "right"})).unwrap();
        assert_eq!(right, Turn { command: false, right: -5, down: 0 });
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
