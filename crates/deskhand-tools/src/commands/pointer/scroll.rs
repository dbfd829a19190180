//! `pointer scroll`: turns the wheel.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Context, Effect, Error, Int, Requirement, Result, Tool, ToolSpec,
    commands::CommandOutcome,
    verbs::input::pointer::{self, CoordinateUnits, ScaleFactor},
};

pub(crate) struct PointerScrollCommand;

/// A number of wheel notches.
pub(crate) type Notches = Int<-200, 200>;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Wheel notches to the right; negative scrolls left.
    right: Option<Notches>,
    /// Wheel notches down; negative scrolls up.
    down: Option<Notches>,
    /// Move there first: pixels from the left edge of the main display.
    x: Option<f64>,
    /// Move there first: pixels from the top edge of the main display.
    y: Option<f64>,
    /// Interpret x and y as pixels of this screenshot, by its id.
    screenshot: Option<String>,
    /// Divide x and y by this factor first.
    scaling_factor: Option<ScaleFactor>,
}

impl Tool for PointerScrollCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "pointer_scroll",
        command: "pointer scroll",
        about: "Turn the wheel at the pointer or at a point. Use `scroll` to bring an element \
                into view.",
        effect: Effect::Act { repeatable: false },
        needs: &[Requirement::Input, Requirement::Screen],
    };
    type Args = Args;
    type Output = CommandOutcome;

    fn run(cx: &Context<'_>, args: Args) -> Result<CommandOutcome> {
        let notches = |given: Option<Notches>| given.map_or(0, |n| n.get() as i32);
        let (right, down) = (notches(args.right), notches(args.down));
        if (right, down) == (0, 0) {
            return Err(Error::BadArguments {
                tool: Self::SPEC.command,
                why: "pass the distance with `right` or `down`".to_owned(),
            });
        }
        let units =
            CoordinateUnits { screenshot: args.screenshot.as_deref(), factor: args.scaling_factor };
        let at = pointer::resolve_optional_point(cx, args.x, args.y, units)?;
        pointer::turn_wheel(cx, at, right, down).map(Into::into)
    }
}
