//! `pointer down` and `pointer up`: hold a button down across commands.

use std::time::Duration;

use deskhand_platform::Press;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Button;
use crate::{
    Context, Effect, Requirement, Result, Tool, ToolSpec,
    commands::CommandOutcome,
    verbs::{
        act::real_input,
        effect::{ActionEffect, ActionOutcome, Evidence, EvidenceKind},
        input::pointer::{self, CoordinateUnits, ScaleFactor},
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
        press(cx, &args, Press::Down).map(Into::into)
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
        press(cx, &args, Press::Up).map(Into::into)
    }
}

fn press(cx: &Context<'_>, args: &Args, press: Press) -> Result<ActionOutcome> {
    let units =
        CoordinateUnits { screenshot: args.screenshot.as_deref(), factor: args.scaling_factor };
    let to = pointer::resolve_optional_point(cx, args.x, args.y, units)?;
    let (input, by) = (real_input::input(cx)?, pointer::input_deadline(Duration::ZERO));
    let (button, wanted) = (args.button.real(), press == Press::Down);
    let before = input.is_button_down(button, cx.deadline)?;
    if let Some((x, y)) = to {
        input.move_pointer(x, y, by).map_err(real_input::input_error)?;
    }
    input.send_button(button, press, by).map_err(real_input::input_error)?;
    let after = input.is_button_down(button, by).map_err(windows::sent_error)?;
    let words = |down: bool| if down { "down" } else { "up" };
    let what = format!("{} button", args.button.word());
    let seen = Evidence::change(EvidenceKind::State, what, words(before), words(after));
    let mut done = if after == wanted {
        ActionOutcome::confirmed("pointer", seen)
    } else {
        let done = ActionOutcome {
            evidence: vec![seen],
            ..ActionOutcome::new(ActionEffect::NoEffect, "pointer")
        };
        done.with_next_step("the user holds this button on a real pointer")
    };
    done.target = pointer::window_at(cx, input.pointer_position(by).map_err(windows::sent_error)?);
    Ok(done)
}
