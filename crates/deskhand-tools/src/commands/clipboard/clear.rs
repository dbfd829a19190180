//! `clipboard clear`: empties the clipboard.

use deskhand_model::Delivery;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Context, Effect, Error, Requirement, Result, Tool, ToolSpec,
    verbs::{
        clipboard::{self, Which, history::History},
        effect::{Done, Evidence, Sign, Verdict},
    },
};

pub(crate) struct ClipboardClearCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// ClipboardClearCommand the history as well.
    #[serde(default)]
    history: bool,
    /// The clipboard; `primary` holds the last selection.
    #[serde(default)]
    selection: Which,
}

impl Tool for ClipboardClearCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "clipboard_clear",
        command: "clipboard clear",
        about: "Empty the clipboard.",
        effect: Effect::Act { repeatable: true },
        needs: &[Requirement::Clipboard],
    };
    type Args = Args;
    type Output = Done;

    fn run(cx: &Context<'_>, args: Args) -> Result<Done> {
        let clipboard = clipboard::of(cx)?;
        let at = args.selection.selection();
        if args.history {
            History::of(cx)?.forget()?;
        }
        clipboard
            .clear(at, cx.by)
            .map_err(|error| Error::Lost { error, delivery: Delivery::Unknown })?;
        // Only the X server knows that the clipboard has no owner; an owner that does not respond still owns it.
        let left = clipboard.look(at, cx.by);
        let done = match left {
            Ok(left) if left.forms.is_empty() && left.from.is_none() => {
                Done::confirmed("selection", Evidence::of(Sign::Clipboard, "it is empty"))
            }
            Ok(left) => {
                let who = left.from.unwrap_or_else(|| "another program".to_owned());
                let next = format!("`{who}` filled the clipboard again at once: close it first");
                Done::new(Verdict::NoEffect, "selection").or_else(next)
            }
            Err(_) => Done::new(Verdict::Unverified, "selection")
                .or_else("`deskhand clipboard read` tells whether something is there"),
        };
        Ok(done.to("clipboard"))
    }
}
