//! `window close`: asks a program to close a window, or kills the program.

use schemars::JsonSchema;
use serde::Deserialize;

use super::shown_window;
use crate::{
    Context, Effect, Requirement, Result, Tool, ToolSpec, commands::CommandOutcome, verbs::windows,
};

pub(crate) struct WindowCloseCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The window: its id from `windows`, or an app by name or pid (its frontmost window).
    target: String,
    /// Only windows whose title contains this text.
    title: Option<String>,
    /// Kill the whole program at once; unsaved work is lost.
    #[serde(default)]
    force: bool,
}

impl Tool for WindowCloseCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "window_close",
        command: "window close",
        about: "Ask a program to close a window, and report whether it closed or shows a dialog \
                first. With --force its program is killed.",
        effect: Effect::Destroy,
        needs: &[Requirement::Windows],
    };
    type Args = Args;
    type Output = CommandOutcome;

    fn run(cx: &Context<'_>, args: Args) -> Result<CommandOutcome> {
        let window = shown_window(cx, &args.target, args.title.as_deref())?;
        let outcome = if args.force {
            windows::kill_program(cx, &window)
        } else {
            windows::close(cx, &window)
        };
        outcome.map(Into::into)
    }
}
