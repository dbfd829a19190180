//! `ax_clipboard`: reads or writes the clipboard.

use deskhand_platform::{ClipboardItem, Sensitivity, mime};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::offer;
use crate::{
    Context, Effect, Error, Offer, PrivateArg, Render, Requirement, Result, StyledText, Tool,
    ToolSpec,
    verbs::{
        clipboard::{
            ClipboardSelection,
            read::{self, LimitedText},
            write,
        },
        effect::ActionEffect,
    },
};

/// Maximum number of characters in one result; clients truncate longer ones.
const MAX_CHARACTERS: usize = 40_000;

pub(crate) struct AxClipboard;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Operation
    action: ClipboardAction,
    /// Text to write
    text: Option<String>,
}

/// A clipboard operation.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ClipboardAction {
    Read,
    Write,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ClipboardResult {
    success: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    effect: Option<ActionEffect>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl ClipboardResult {
    fn text(text: String) -> Self {
        Self { success: true, text: Some(text), effect: None, reason: None }
    }

    fn because(reason: impl Into<String>) -> Self {
        Self { success: false, text: None, effect: None, reason: Some(reason.into()) }
    }
}

impl Render for ClipboardResult {
    fn render(&self) -> StyledText {
        super::as_data(self)
    }

    fn succeeded(&self) -> bool {
        self.effect.is_none_or(ActionEffect::succeeded)
    }
}

impl Tool for AxClipboard {
    const SPEC: ToolSpec = ToolSpec {
        name: "ax_clipboard",
        command: "",
        about: "Read or write clipboard text. Secrets of password managers are not read.",
        effect: Effect::Adjust { repeatable: false },
        needs: &[Requirement::Clipboard],
    };
    const OFFER: Option<Offer> = offer("System clipboard");
    const PRIVATE: &'static [PrivateArg] = &[PrivateArg::Text("text")];
    type Args = Args;
    type Output = ClipboardResult;

    fn run(cx: &Context<'_>, args: Args) -> Result<ClipboardResult> {
        match (args.action, args.text) {
            (ClipboardAction::Read, None) => read(cx),
            (ClipboardAction::Write, Some(text)) => write(cx, text),
            (ClipboardAction::Read, Some(_)) => {
                Err(unfit("text: not expected when action is read"))
            }
            (ClipboardAction::Write, None) => Err(unfit("text: required when action is write")),
        }
    }
}

fn unfit(why: &str) -> Error {
    Error::BadArguments { tool: AxClipboard::SPEC.name, why: why.to_owned() }
}

fn read(cx: &Context<'_>) -> Result<ClipboardResult> {
    let found = read::read_text(cx, MAX_CHARACTERS)?;
    Ok(match found.text {
        Some(LimitedText { text, is_cut: false }) => ClipboardResult::text(text),
        Some(LimitedText { text, is_cut: true }) => {
            let reason = format!("only the first {MAX_CHARACTERS} characters are shown");
            ClipboardResult { reason: Some(reason), ..ClipboardResult::text(text) }
        }
        None if found.is_concealed => ClipboardResult::because(Error::ClipboardSecret.to_string()),
        None if found.formats.is_empty() => ClipboardResult::text(String::new()),
        None => ClipboardResult::because(format!("no text, but {}", found.formats.join(", "))),
    })
}

fn write(cx: &Context<'_>, text: String) -> Result<ClipboardResult> {
    let item = ClipboardItem { mime_type: mime::TEXT.to_owned(), data: text.into_bytes() };
    let done = write::write(cx, ClipboardSelection::Clipboard, &[item], Sensitivity::Normal)?;
    let reason = done.next_step.as_ref().map(super::spell);
    Ok(ClipboardResult {
        success: done.effect.succeeded(),
        text: None,
        effect: Some(done.effect),
        reason,
    })
}
