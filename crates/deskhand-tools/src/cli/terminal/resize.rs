//! `terminal_resize`: changes the size of a terminal.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    seen::{Form, Seen, Side, Waiting},
    start::size,
};
use crate::{Context, Effect, Offer, Result, Spec, TaskSupport, Tool, Toolset};

pub(super) struct Resize;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// The terminal id.
    #[serde(alias = "id")]
    terminal_id: String,
    /// Number of lines.
    rows: Side,
    /// Number of columns.
    columns: Side,
}

impl Tool for Resize {
    const SPEC: Spec = Spec {
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
    type Output = Seen;

    fn run(cx: &Context<'_>, args: Args) -> Result<Seen> {
        let terminal = cx.workshop()?.terminal(args.terminal_id.trim())?;
        terminal.resize(size(args.rows.get(), args.columns.get()))?;
        Ok(Seen::read(cx, &terminal, Form::Screen, &Waiting::not()))
    }
}
