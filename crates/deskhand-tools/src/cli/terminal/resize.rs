//! `terminal_resize`: changes the size of a terminal.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    contents::{Dimension, TerminalContents, TerminalView, WaitFor},
    start::size,
};
use crate::{Context, Effect, Offer, Result, TaskSupport, Tool, ToolSpec, Toolset};

pub(super) struct TerminalResize;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// The terminal id.
    #[serde(alias = "id")]
    terminal_id: String,
    /// Number of lines.
    rows: Dimension,
    /// Number of columns.
    columns: Dimension,
}

impl Tool for TerminalResize {
    const SPEC: ToolSpec = ToolSpec {
        name: "terminal_resize",
        command: "",
        about: "Resize a terminal and notify its program. Returns the screen.",
        effect: Effect::Prepare { repeatable: true },
        needs: &[],
    };
    const OFFER: Option<Offer> = Some(Offer {
        title: "Resize a terminal",
        toolsets: &[Toolset::Cli],
        task: TaskSupport::Never,
    });
    type Args = Args;
    type Output = TerminalContents;

    fn run(cx: &Context<'_>, args: Args) -> Result<TerminalContents> {
        let terminal = cx.command_session()?.terminal(args.terminal_id.trim())?;
        terminal.resize(size(args.rows.get(), args.columns.get()))?;
        Ok(TerminalContents::read(cx, &terminal, TerminalView::Screen, &WaitFor::not()))
    }
}
