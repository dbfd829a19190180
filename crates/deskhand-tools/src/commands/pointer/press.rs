//! `pointer down` and `pointer up`: hold a button down across commands.

use deskhand_platform::Press;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Button;
use crate::{
    Context, Effect, Requirement, Result, Tool, ToolSpec,
    commands::CommandOutcome,
    verbs::input::pointer::{self, CoordinateUnits, ScaleFactor},
};

pub(crate) struct PointerDownCommand;
pub(crate) struct PointerUpCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Move there first: pixels from the left edge of the main display.
    x: Option<f64>,
    /// Move there first: pixels from the top edge of the main display.
    y: Option<f64>,
    /// The button (default: left).
    #[serde(default)]
    button: Button,
    /// Interpret x and y as pixels of this screenshot, by its id.
    screenshot: Option<String>,
    /// Divide x and y by this factor first.
    scaling_factor: Option<ScaleFactor>,
}

impl Tool for PointerDownCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "pointer_down",
        command: "pointer down",
        about: "Press a pointer button and hold it; `pointer up` releases it.",
        effect: Effect::Act { repeatable: true },
        needs: &[Requirement::Input, Requirement::Screen],
    };
    type Args = Args;
    type Output = CommandOutcome;

    fn run(cx: &Context<'_>, args: Args) -> Result<CommandOutcome> {
        press(cx, &args, Press::Down)
    }
}

impl Tool for PointerUpCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "pointer_up",
        command: "pointer up",
        about: "Release a pointer button.",
        effect: Effect::Act { repeatable: true },
        needs: &[Requirement::Input, Requirement::Screen],
    };
    type Args = Args;
    type Output = CommandOutcome;

    fn run(cx: &Context<'_>, args: Args) -> Result<CommandOutcome> {
        press(cx, &args, Press::Up)
    }
}

fn press(cx: &Context<'_>, args: &Args, press: Press) -> Result<CommandOutcome> {
    let units =
        CoordinateUnits { screenshot: args.screenshot.as_deref(), factor: args.scaling_factor };
    let at = pointer::resolve_optional_point(cx, args.x, args.y, units)?;
    pointer::press_button(cx, at, args.button.real(), press).map(Into::into)
}
