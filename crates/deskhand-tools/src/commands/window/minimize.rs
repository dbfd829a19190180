//! `window minimize` and `window restore`: hide a window and bring it back.

use super::Args;
use crate::{
    Context, Effect, Requirement, Result, Tool, ToolSpec,
    commands::CommandOutcome,
    verbs::windows::{self, WindowPreference},
};

pub(crate) struct WindowMinimizeCommand;
pub(crate) struct WindowRestoreCommand;

impl Tool for WindowMinimizeCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "window_minimize",
        command: "window minimize",
        about: "Minimize a window; `window restore` brings it back.",
        effect: Effect::Act { repeatable: true },
        needs: &[Requirement::Windows],
    };
    type Args = Args;
    type Output = CommandOutcome;

    fn run(cx: &Context<'_>, args: Args) -> Result<CommandOutcome> {
        let window = args.window(cx, WindowPreference::Shown)?;
        windows::minimize(cx, &window).map(Into::into)
    }
}

impl Tool for WindowRestoreCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "window_restore",
        command: "window restore",
        about: "Restore a minimized, maximized or full-screen window to its own size.",
        effect: Effect::Act { repeatable: true },
        needs: &[Requirement::Windows],
    };
    type Args = Args;
    type Output = CommandOutcome;

    fn run(cx: &Context<'_>, args: Args) -> Result<CommandOutcome> {
        let window = args.window(cx, WindowPreference::Minimized)?;
        windows::restore(cx, &window).map(Into::into)
    }
}
