//! `terminal_resize`: give a terminal another size.

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
    /// The id of the terminal.
    #[serde(alias = "id")]
    terminal_id: String,
    /// How many lines it gets.
    rows: Side,
    /// How many columns it gets.
    columns: Side,
}

impl Tool for Resize {
    const SPEC: Spec = Spec {
        name: "terminal_resize",
        command: "",
        about: "Give a terminal another size; the program in it is told. Shows its screen.",
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
