//! `window maximize` and `window fullscreen`: make a window fill the work area or the screen.

use schemars::JsonSchema;
use serde::Deserialize;

use super::shown_window;
use crate::{
    Context, Effect, Requirement, Result, Tool, ToolSpec,
    commands::CommandOutcome,
    verbs::windows::{self, FilledArea},
};

pub(crate) struct WindowMaximizeCommand;
pub(crate) struct WindowFullScreenCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The window: its id from `windows`, or an app by name or pid (its frontmost window).
    target: String,
    /// Only windows whose title contains this text.
    title: Option<String>,
    /// Undo it: restore the window's own size.
    #[serde(default)]
    off: bool,
}

impl Tool for WindowMaximizeCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "window_maximize",
        command: "window maximize",
        about: "Maximize a window, or undo it.",
        effect: Effect::Act { repeatable: true },
        needs: &[Requirement::Windows],
    };
    type Args = Args;
    type Output = CommandOutcome;

    fn run(cx: &Context<'_>, args: Args) -> Result<CommandOutcome> {
        fill(cx, &args, FilledArea::WorkArea)
    }
}

impl Tool for WindowFullScreenCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "window_fullscreen",
        command: "window fullscreen",
        about: "Make a window full screen, or undo it.",
        effect: Effect::Act { repeatable: true },
        needs: &[Requirement::Windows],
    };
    type Args = Args;
    type Output = CommandOutcome;

    fn run(cx: &Context<'_>, args: Args) -> Result<CommandOutcome> {
        fill(cx, &args, FilledArea::Display)
    }
}

fn fill(cx: &Context<'_>, args: &Args, area: FilledArea) -> Result<CommandOutcome> {
    let window = shown_window(cx, &args.target, args.title.as_deref())?;
    let outcome = if args.off {
        windows::stop_filling(cx, &window, area)
    } else {
        windows::fill(cx, &window, area)
    };
    outcome.map(Into::into)
}
