//! `terminal_send`: types into a terminal and returns the response.

use deskhand_run::terminal::Input;
use schemars::JsonSchema;
use serde::Deserialize;

use super::contents::{QuietMillis, TerminalContents, TerminalView, WaitFor, WaitSeconds};
use crate::{
    Context, Effect, Error, Offer, PrivateArg, Result, TaskSupport, Tool, ToolSpec, Toolset,
};

pub(super) struct TerminalSend;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// The terminal id.
    #[serde(alias = "id")]
    terminal_id: String,
    /// Text to type, verbatim; no Enter is added.
    text: Option<String>,
    /// Keys to press after the text, such as `Enter`, `Ctrl+C`, `Up`, `PageDown`, `F5`.
    keys: Option<Vec<String>>,
    /// Wait until new output matches this regular expression, such as `>>> $`.
    wait_for: Option<String>,
    /// Otherwise wait until the terminal is quiet for this many milliseconds (default: 150).
    quiet_ms: Option<QuietMillis>,
    /// Seconds to wait at most (default: 5). The program continues afterwards.
    timeout_seconds: Option<WaitSeconds>,
}

impl Tool for TerminalSend {
    const SPEC: ToolSpec = ToolSpec {
        name: "terminal_send",
        command: "",
        about: "Type text and press keys in a terminal, then return new output. Input is not \
                logged while the program asks for a secret.",
        effect: Effect::Command,
        needs: &[],
    };
    const OFFER: Option<Offer> = Some(Offer {
        title: "Type into a terminal",
        toolsets: &[Toolset::Cli],
        task: TaskSupport::Never,
    });
    const PRIVATE: &'static [PrivateArg] = &[PrivateArg::Typed("text"), PrivateArg::Typed("keys")];
    type Args = Args;
    type Output = TerminalContents;

    fn run(cx: &Context<'_>, args: Args) -> Result<TerminalContents> {
        let terminal = cx.command_session()?.terminal(args.terminal_id.trim())?;
        let keys = args.keys.unwrap_or_default().into_iter().map(Input::Key);
        let input: Vec<Input> = args.text.map(Input::Text).into_iter().chain(keys).collect();
        if input.is_empty() {
            let why = "pass `text`, `keys` or both".to_owned();
            return Err(Error::BadArguments { tool: Self::SPEC.name, why });
        }
        let waiting = WaitFor::new(args.wait_for.as_deref(), args.quiet_ms, args.timeout_seconds)?;
        let sent = terminal.send(&input)?;
        let mut seen = TerminalContents::read(cx, &terminal, TerminalView::New, &waiting);
        seen.untyped_bytes = sent.unsent_bytes;
        Ok(seen)
    }
}
