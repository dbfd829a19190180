//! `pointer move`: moves the pointer.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Millis, time};
use crate::{
    Context, Effect, Requirement, Result, Tool, ToolSpec,
    commands::CommandOutcome,
    verbs::input::pointer::{self, CoordinateUnits, ScaleFactor},
};

pub(crate) struct PointerMoveCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Horizontal position, in pixels from the left edge of the main display.
    x: f64,
    /// Vertical position, in pixels from the top edge of the main display.
    y: f64,
    /// Move along a line, as a hand does, instead of jumping.
    #[serde(default)]
    smooth: bool,
    /// Duration of the movement in milliseconds; implies `smooth` (default with `smooth`: 300).
    duration_ms: Option<Millis>,
    /// Interpret x and y as pixels of this screenshot, by its id.
    screenshot: Option<String>,
    /// Divide x and y by this factor first.
    scaling_factor: Option<ScaleFactor>,
}

impl Tool for PointerMoveCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "pointer_move",
        command: "pointer move",
        about: "Move the pointer to a point on the screen, at once or smoothly.",
        effect: Effect::Act { repeatable: true },
        needs: &[Requirement::Input, Requirement::Screen],
    };
    type Args = Args;
    type Output = CommandOutcome;

    fn run(cx: &Context<'_>, args: Args) -> Result<CommandOutcome> {
        let units =
            CoordinateUnits { screenshot: args.screenshot.as_deref(), factor: args.scaling_factor };
        let to = pointer::resolve_point(cx, args.x, args.y, units)?;
        let duration = match (args.duration_ms, args.smooth) {
            (None, false) => Duration::ZERO,
            (given, _) => time(given, 300),
        };
        pointer::move_to(cx, to, duration).map(Into::into)
    }
}
