//! `pointer gesture`: imitates touch-pad gestures with the wheel.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Context, Effect, Int, Requirement, Result, Tool, ToolSpec,
    commands::CommandOutcome,
    verbs::input::pointer::{self, CoordinateUnits, Gesture, ScaleFactor},
};

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
        let units =
            CoordinateUnits { screenshot: args.screenshot.as_deref(), factor: args.scaling_factor };
        let at = pointer::resolve_optional_point(cx, args.x, args.y, units)?;
        pointer::gesture(cx, at, args.gesture()).map(Into::into)
    }
}

impl Args {
    /// Returns the gesture with its defaults.
    fn gesture(&self) -> Gesture {
        match self.kind {
            GestureKind::Zoom | GestureKind::Pinch => {
                Gesture::Zoom(self.scale.map_or(2.0, ScaleFactor::get))
            }
            GestureKind::Swipe => {
                let amount = self.amount.map_or(5, |amount| amount.get() as i32);
                let (right, down) = match self.direction.unwrap_or(SwipeDirection::Up) {
                    SwipeDirection::Up => (0, -amount),
                    SwipeDirection::Down => (0, amount),
                    SwipeDirection::Left => (-amount, 0),
                    SwipeDirection::Right => (amount, 0),
                };
                let fingers = self.finger_count.map_or(2, |fingers| fingers.get() as u32);
                Gesture::Swipe { fingers, right, down }
            }
            GestureKind::Rotate => Gesture::Rotate,
            GestureKind::ForceTouch => Gesture::ForceTouch,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parse(args: serde_json::Value) -> Gesture {
        serde_json::from_value::<Args>(args).unwrap().gesture()
    }

    #[test]
    fn gestures_have_defaults() {
        assert_eq!(parse(json!({"kind": "zoom"})), Gesture::Zoom(2.0));
        assert_eq!(parse(json!({"kind": "pinch", "scale": 0.5})), Gesture::Zoom(0.5));
        let up = Gesture::Swipe { fingers: 2, right: 0, down: -5 };
        assert_eq!(parse(json!({"kind": "swipe"})), up);
        let right = json!({"kind": "swipe", "direction": "right", "amount": 3, "finger_count": 3});
        assert_eq!(parse(right), Gesture::Swipe { fingers: 3, right: 3, down: 0 });
    }
}
