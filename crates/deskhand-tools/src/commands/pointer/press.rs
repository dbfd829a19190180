//! `pointer down` and `pointer up`: hold a button down across commands.

use std::time::Duration;

use deskhand_platform::Press;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Button;
use crate::{
    Context, Effect, Requirement, Result, Tool, ToolSpec,
    verbs::{
        act::by_hand,
        effect::{Done, Evidence, Sign, Verdict},
        point::{self, Factor, Units},
        windows,
    },
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
    scaling_factor: Option<Factor>,
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
    type Output = Done;

    fn run(cx: &Context<'_>, args: Args) -> Result<Done> {
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
    type Output = Done;

    fn run(cx: &Context<'_>, args: Args) -> Result<Done> {
        press(cx, &args, Press::Up)
    }
}

fn press(cx: &Context<'_>, args: &Args, press: Press) -> Result<Done> {
    let units = Units { screenshot: args.screenshot.as_deref(), factor: args.scaling_factor };
    let to = point::optional(cx, args.x, args.y, units)?;
    let (input, by) = (by_hand::input(cx)?, point::deadline(Duration::ZERO));
    let (button, wanted) = (args.button.real(), press == Press::Down);
    let before = input.is_down(button, cx.by)?;
    if let Some((x, y)) = to {
        input.move_to(x, y, by).map_err(by_hand::lost)?;
    }
    input.button(button, press, by).map_err(by_hand::lost)?;
    let after = input.is_down(button, by).map_err(windows::sent)?;
    let words = |down: bool| if down { "down" } else { "up" };
    let what = format!("{} button", args.button.word());
    let seen = Evidence::change(Sign::State, what, words(before), words(after));
    let mut done = if after == wanted {
        Done::confirmed("pointer", seen)
    } else {
        let done = Done { evidence: vec![seen], ..Done::new(Verdict::NoEffect, "pointer") };
        done.or_else("the user holds this button on a real pointer")
    };
    done.target = point::under(cx, input.pointer(by).map_err(windows::sent)?);
    Ok(done)
}
