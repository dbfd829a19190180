//! `clipboard clear`: empties the clipboard.

use deskhand_model::Delivery;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Context, Effect, Error, Need, Result, Spec, Tool,
    verbs::{
        clipboard::{self, Which, history::History},
        effect::{Done, Evidence, Sign, Verdict},
    },
};

pub(crate) struct Clear;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Clear the history as well.
    #[serde(default)]
    history: bool,
    /// The clipboard; `primary` holds the last selection.
    #[serde(default)]
    selection: Which,
}

impl Tool for Clear {
    const SPEC: Spec = Spec {
        name: "clipboard_clear",
        command: "clipboard clear",
        about: "Empty the clipboard.",
        effect: Effect::Act { repeatable: true },
        needs: &[Need::Clipboard],
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
        // Only the server can say that nobody owns it, and an owner that is mute is one.
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
