//! `pointer hover`: rests the pointer at a point.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Millis, time};
use crate::{
    Context, Effect, Requirement, Result, Tool, ToolSpec,
    commands::CommandOutcome,
    verbs::input::pointer::{self, CoordinateUnits, ScaleFactor},
};

pub(crate) struct PointerHoverCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Horizontal position, in pixels from the left edge of the main display.
    x: f64,
    /// Vertical position, in pixels from the top edge of the main display.
    y: f64,
    /// Time to stay, in milliseconds (default: 1000, enough for most tooltips).
    duration_ms: Option<Millis>,
    /// Interpret x and y as pixels of this screenshot, by its id.
    screenshot: Option<String>,
    /// Divide x and y by this factor first.
    scaling_factor: Option<ScaleFactor>,
}

impl Tool for PointerHoverCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "pointer_hover",
        command: "pointer hover",
        about: "Move the pointer to a point and rest it there, for example to show a tooltip.",
        effect: Effect::Act { repeatable: true },
        needs: &[Requirement::Input, Requirement::Screen],
    };
    type Args = Args;
    type Output = CommandOutcome;

    fn run(cx: &Context<'_>, args: Args) -> Result<CommandOutcome> {
        let units =
            CoordinateUnits { screenshot: args.screenshot.as_deref(), factor: args.scaling_factor };
        let to = pointer::resolve_point(cx, args.x, args.y, units)?;
        pointer::hover(cx, to, time(args.duration_ms, 1_000)).map(Into::into)
    }
}
