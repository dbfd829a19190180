//! `view_clipboard`: shows the clipboard unless it holds a secret.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Context, Effect, Requirement, Result, Tool, ToolSpec, verbs::clipboard::read};

/// Maximum number of characters.
const MAX_CHARACTERS: usize = 100_000;

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
        let found = read::read_text(cx, MAX_CHARACTERS)?;
        Ok(ClipboardText {
            cut: found.text.as_ref().is_some_and(|text| text.is_cut),
            text: found.text.map(|text| text.text),
            forms: found.formats,
            concealed: found.is_concealed,
        })
    }
}
