//! `clipboard clear`: empties the clipboard.

use deskhand_model::{Advice, Delivery, Step};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Context, Effect, Error, Requirement, Result, Tool, ToolSpec,
    commands::CommandOutcome,
    verbs::{
        clipboard::{self, ClipboardSelection, history::History},
        effect::{ActionEffect, ActionOutcome, Evidence, EvidenceKind},
    },
};

pub(crate) struct ClipboardClearCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Clear the history as well.
    #[serde(default)]
    history: bool,
    /// The clipboard; `primary` holds the last selection.
    #[serde(default)]
    selection: ClipboardSelection,
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
    type Output = CommandOutcome;

    fn run(cx: &Context<'_>, args: Args) -> Result<CommandOutcome> {
        let clipboard = clipboard::clipboard(cx)?;
        let at = args.selection.selection();
        if args.history {
            History::of(cx)?.clear()?;
        }
        clipboard
            .clear(at, cx.deadline)
            .map_err(|error| Error::SendFailed { error, delivery: Delivery::Unknown })?;
        // Only the X server knows that the clipboard has no owner; an owner that does not respond still owns it.
        let left = clipboard.contents(at, cx.deadline);
        let done = match left {
            Ok(left) if left.mime_types.is_empty() && left.source.is_none() => {
                ActionOutcome::confirmed(
                    "selection",
                    Evidence::new(EvidenceKind::Clipboard, "it is empty"),
                )
            }
            Ok(left) => {
                let who = left.source.unwrap_or_else(|| "another program".to_owned());
                let next = format!("`{who}` filled the clipboard again at once: close it first");
                ActionOutcome::new(ActionEffect::NoEffect, "selection").with_next_step(next)
            }
            Err(_) => {
                let next = Advice::new().step(Step::ReadClipboard);
                ActionOutcome::new(ActionEffect::Unverified, "selection")
                    .with_next_step(next.text(" tells whether something is there"))
            }
        };
        Ok(done.on("clipboard").into())
    }
}
