//! `view_clipboard`: shows the clipboard unless it holds a secret.

use deskhand_platform::{Selection, mime};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Context, Effect, Error, Requirement, Result, Tool, ToolSpec,
    verbs::clipboard::{self, ClipboardSelection, read},
};

/// Maximum number of characters.
const SHOWN: usize = 100_000;

pub(crate) struct ClipboardView;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {}

/// The clipboard.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ClipboardText {
    /// The text, if there is any.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The available media types.
    forms: Vec<String>,
    /// `true` if the content is marked as a secret, which is not read.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    concealed: bool,
    /// `true` if the end of the text was omitted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
}

impl Tool for ClipboardView {
    const SPEC: ToolSpec = ToolSpec {
        name: "view_clipboard",
        command: "",
        about: "The clipboard; secrets are not read.",
        effect: Effect::Observe,
        needs: &[Requirement::Clipboard],
    };
    type Args = Args;
    type Output = ClipboardText;

    fn run(cx: &Context<'_>, _: Args) -> Result<ClipboardText> {
        let contents = clipboard::clipboard(cx)?.contents(Selection::Clipboard, cx.deadline)?;
        let mut copied = ClipboardText {
            text: None,
            forms: contents.mime_types,
            concealed: contents.concealed,
            cut: false,
        };
        if copied.concealed || !copied.forms.iter().any(|one| one == mime::TEXT) {
            return Ok(copied);
        }
        match read::read(cx, ClipboardSelection::Clipboard, Some(mime::TEXT)) {
            Ok((contents, item)) => {
                let text = String::from_utf8_lossy(&item.data);
                copied.cut = text.chars().nth(SHOWN).is_some();
                copied.text = Some(text.chars().take(SHOWN).collect());
                copied.forms = contents.mime_types;
            }
            // Something else was copied after the look.
            Err(Error::ClipboardEmpty | Error::NoFormat { .. }) => {}
            Err(Error::ClipboardSecret) => copied.concealed = true,
            Err(error) => return Err(error),
        }
        Ok(copied)
    }
}
