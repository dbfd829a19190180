//! `window focus`: gives a window the keyboard focus.

use super::Args;
use crate::{
    Context, Effect, Requirement, Result, Tool, ToolSpec,
    commands::CommandOutcome,
    verbs::windows::{self, WindowPreference},
};

pub(crate) struct WindowFocusCommand;

impl Tool for WindowFocusCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "window_focus",
        command: "window focus",
        about: "Raise a window and give it the keyboard focus. Restores a minimized window.",
        effect: Effect::Act { repeatable: true },
        needs: &[Requirement::Windows],
    };
    type Args = Args;
    type Output = CommandOutcome;

    fn run(cx: &Context<'_>, args: Args) -> Result<CommandOutcome> {
        let window = args.window(cx, WindowPreference::Shown)?;
        windows::focus(cx, &window).map(Into::into)
    }
}
