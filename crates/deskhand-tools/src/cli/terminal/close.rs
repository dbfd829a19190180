//! `terminal_close`: closes a terminal and ends every process in it.

use schemars::JsonSchema;
use serde::Deserialize;

use super::seen::{Form, Seen, Waiting};
use crate::{Context, Effect, Offer, Result, Spec, TaskSupport, Tool, Toolset};

pub(super) struct Close;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// The terminal id.
    #[serde(alias = "id")]
    terminal_id: String,
}

impl Tool for Close {
    const SPEC: Spec = Spec {
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
    type Output = Seen;

    fn run(cx: &Context<'_>, args: Args) -> Result<Seen> {
        let terminal = cx.workshop()?.close_terminal(args.terminal_id.trim())?;
        Ok(Seen::read(cx, &terminal, Form::New, &Waiting::not()))
    }
}
