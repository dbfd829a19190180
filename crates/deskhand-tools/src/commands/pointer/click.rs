//! `pointer click`: clicks at a point.

use schemars::JsonSchema;
use serde::Deserialize;

use super::Button;
use crate::{
    Context, Effect, Int, Requirement, Result, Tool, ToolSpec,
    commands::CommandOutcome,
    verbs::{
        input::keys,
        input::pointer::{self, CoordinateUnits, ScaleFactor},
    },
};

pub(crate) struct PointerClickCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Horizontal position, in pixels from the left edge of the main display.
    x: f64,
    /// Vertical position, in pixels from the top edge of the main display.
    y: f64,
    /// Number of clicks (default: 1); 2 is a double click.
    count: Option<Int<1, 3>>,
    /// The button (default: left).
    #[serde(default)]
    button: Button,
    /// Modifiers to hold: `ctrl`, `shift`, `alt`, `altgr`, `super`.
    #[serde(default)]
    modifiers: Vec<String>,
    /// Interpret x and y as pixels of this screenshot, by its id.
    screenshot: Option<String>,
    /// Divide x and y by this factor first.
    scaling_factor: Option<ScaleFactor>,
}

impl Tool for PointerClickCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "pointer_click",
        command: "pointer click",
        about: "Click at a point on the screen. Prefer `click`, which targets an element and \
                verifies more.",
        effect: Effect::Act { repeatable: false },
        needs: &[Requirement::Input, Requirement::Screen],
    };
    type Args = Args;
    type Output = CommandOutcome;

    fn run(cx: &Context<'_>, args: Args) -> Result<CommandOutcome> {
        let held_keys = keys::parse_modifiers(&args.modifiers)?;
        let units =
            CoordinateUnits { screenshot: args.screenshot.as_deref(), factor: args.scaling_factor };
        let to = pointer::resolve_point(cx, args.x, args.y, units)?;
        pointer::click_at(cx, to, args.button.real(), args.count.map_or(1, Int::count), &held_keys)
            .map(Into::into)
    }
}
