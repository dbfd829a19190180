//! `view_clipboard`: what was copied, unless it is a secret.

use deskhand_platform::{Selection, form};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Context, Effect, Error, Need, Result, Spec, Tool,
    verbs::clipboard::{self, Which, take},
};

/// How many characters are told.
const SHOWN: usize = 100_000;

pub(crate) struct Clipboard;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {}

/// What was copied.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Copied {
    /// Its text, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The media types it comes in.
    forms: Vec<String>,
    /// Whether its program marked it as a secret, which is not read.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    concealed: bool,
    /// Whether text was left out at the end.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
}

impl Tool for Clipboard {
    const SPEC: Spec = Spec {
        name: "view_clipboard",
        command: "",
        about: "What is on the clipboard; secrets are not read.",
        effect: Effect::Observe,
        needs: &[Need::Clipboard],
    };
    type Args = Args;
    type Output = Copied;

    fn run(cx: &Context<'_>, _: Args) -> Result<Copied> {
        let contents = clipboard::of(cx)?.look(Selection::Clipboard, cx.by)?;
        let mut copied =
            Copied { text: None, forms: contents.forms, concealed: contents.concealed, cut: false };
        if copied.concealed || !copied.forms.iter().any(|one| one == form::TEXT) {
            return Ok(copied);
        }
        match take::take(cx, Which::Clipboard, Some(form::TEXT)) {
            Ok((contents, item)) => {
                let text = String::from_utf8_lossy(&item.data);
                copied.cut = text.chars().nth(SHOWN).is_some();
                copied.text = Some(text.chars().take(SHOWN).collect());
                copied.forms = contents.forms;
            }
            // Something else was copied after the look.
            Err(Error::NothingCopied | Error::NoForm { .. }) => {}
            Err(Error::Concealed) => copied.concealed = true,
            Err(error) => return Err(error),
        }
        Ok(copied)
    }
}
