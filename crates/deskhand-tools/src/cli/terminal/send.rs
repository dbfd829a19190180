//! `terminal_send`: types into a terminal and returns the response.

use deskhand_run::terminal::Input;
use schemars::JsonSchema;
use serde::Deserialize;

use super::seen::{Form, Patience, Quiet, Seen, Waiting};
use crate::{Context, Effect, Error, Offer, Private, Result, Spec, TaskSupport, Tool, Toolset};

pub(super) struct Send;

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
    quiet_ms: Option<Quiet>,
    /// Seconds to wait at most (default: 5). The program continues afterwards.
    timeout_seconds: Option<Patience>,
}

impl Tool for Send {
    const SPEC: Spec = Spec {
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
    const PRIVATE: &'static [Private] = &[Private::Typed("text"), Private::Typed("keys")];
    type Args = Args;
    type Output = Seen;

    fn run(cx: &Context<'_>, args: Args) -> Result<Seen> {
        let terminal = cx.workshop()?.terminal(args.terminal_id.trim())?;
        let keys = args.keys.unwrap_or_default().into_iter().map(Input::Key);
        let input: Vec<Input> = args.text.map(Input::Text).into_iter().chain(keys).collect();
        if input.is_empty() {
            let why = "pass `text`, `keys` or both".to_owned();
            return Err(Error::BadArguments { tool: Self::SPEC.name, why });
        }
        let waiting = Waiting::new(args.wait_for.as_deref(), args.quiet_ms, args.timeout_seconds)?;
        let sent = terminal.send(&input)?;
        let mut seen = Seen::read(cx, &terminal, Form::New, &waiting);
        seen.untyped_bytes = sent.left;
        Ok(seen)
    }
}
