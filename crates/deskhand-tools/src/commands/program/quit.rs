//! `quit`: ends an app, politely or by force.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Context, Effect, Requirement, Result, Tool, ToolSpec,
    commands::CommandOutcome,
    verbs::programs::{self, QuitMode},
};

pub(crate) struct QuitCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The app: its name, pid, desktop-file id or program.
    app: String,
    /// Kill it at once; unsaved work is lost.
    #[serde(default)]
    force: bool,
}

impl Tool for QuitCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "quit",
        command: "quit",
        about: "End an app: ask it to close its windows and wait until its process exits, or \
                report the dialog it shows. With --force it is killed.",
        effect: Effect::Destroy,
        needs: &[Requirement::Tree, Requirement::Programs],
    };
    type Args = Args;
    type Output = CommandOutcome;

    fn run(cx: &Context<'_>, args: Args) -> Result<CommandOutcome> {
        let mode = if args.force { QuitMode::Kill } else { QuitMode::Ask };
        Ok(programs::quit(cx, &args.app, mode)?.into())
    }
}
