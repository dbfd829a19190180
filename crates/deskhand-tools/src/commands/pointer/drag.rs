//! `pointer drag`: presses at one point, moves, and releases at another.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Button, Millis, time};
use crate::{
    Context, Effect, Requirement, Result, Tool, ToolSpec,
    commands::CommandOutcome,
    verbs::input::{
        keys,
        pointer::{self, CoordinateUnits, DragRequest, ScaleFactor},
    },
};

pub(crate) struct PointerDragCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Start: pixels from the left edge of the main display.
    x1: f64,
    /// Start: pixels from the top edge of the main display.
    y1: f64,
    /// End: pixels from the left edge of the main display.
    x2: f64,
    /// End: pixels from the top edge of the main display.
    y2: f64,
    /// Duration of the movement in milliseconds (default: 500).
    duration_ms: Option<Millis>,
    /// The button (default: left).
    #[serde(default)]
    button: Button,
    /// Modifiers to hold: `ctrl`, `shift`, `alt`, `altgr`, `super`.
    #[serde(default)]
    modifiers: Vec<String>,
    /// Interpret all four as pixels of this screenshot, by its id.
    screenshot: Option<String>,
    /// Divide all four by this factor first.
    scaling_factor: Option<ScaleFactor>,
}

impl Tool for PointerDragCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "pointer_drag",
        command: "pointer drag",
        about: "Drag with the pointer from one point on the screen to another.",
        effect: Effect::Act { repeatable: false },
        needs: &[Requirement::Input, Requirement::Screen],
    };
    type Args = Args;
    type Output = CommandOutcome;

    fn run(cx: &Context<'_>, args: Args) -> Result<CommandOutcome> {
        let held_keys = keys::parse_modifiers(&args.modifiers)?;
        let units =
            CoordinateUnits { screenshot: args.screenshot.as_deref(), factor: args.scaling_factor };
        let request = DragRequest {
            from: pointer::resolve_point(cx, args.x1, args.y1, units)?,
            to: pointer::resolve_point(cx, args.x2, args.y2, units)?,
            button: args.button.real(),
            held_keys: &held_keys,
            duration: time(args.duration_ms, 500),
        };
        pointer::drag_between(cx, request).map(Into::into)
    }
}
