//! `terminal_close`: closes a terminal and ends every process in it.

use schemars::JsonSchema;
use serde::Deserialize;

use super::contents::{TerminalContents, TerminalView, WaitFor};
use crate::{Context, Effect, Offer, Result, TaskSupport, Tool, ToolSpec, Toolset};

pub(super) struct TerminalClose;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// The terminal id.
    #[serde(alias = "id")]
    terminal_id: String,
}

impl Tool for TerminalClose {
    const SPEC: ToolSpec = ToolSpec {
        name: "terminal_close",
        command: "",
        about: "Close a terminal and end every process in it. Returns unread output.",
        effect: Effect::Prepare { repeatable: false },
        needs: &[],
    };
    const OFFER: Option<Offer> = Some(Offer {
        title: "Close a terminal",
        toolsets: &[Toolset::Cli],
        task: TaskSupport::Never,
    });
    type Args = Args;
    type Output = TerminalContents;

    fn run(cx: &Context<'_>, args: Args) -> Result<TerminalContents> {
        let terminal = cx.command_session()?.close_terminal(args.terminal_id.trim())?;
        Ok(TerminalContents::read(cx, &terminal, TerminalView::New, &WaitFor::not()))
    }
}
