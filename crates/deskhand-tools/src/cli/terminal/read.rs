//! `terminal_read`: returns the contents of a terminal.

use schemars::JsonSchema;
use serde::Deserialize;

use super::contents::{QuietMillis, TerminalContents, TerminalView, WaitFor, WaitSeconds};
use crate::{Context, Effect, Offer, Result, TaskSupport, Tool, ToolSpec, Toolset};

pub(super) struct TerminalRead;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// The terminal id.
    #[serde(alias = "id")]
    terminal_id: String,
    /// The part to return (default: `new`).
    form: Option<TerminalView>,
    /// Wait until new output matches this regular expression, such as `>>> $`.
    wait_for: Option<String>,
    /// Or wait until new output has arrived and nothing followed for this many milliseconds.
    quiet_ms: Option<QuietMillis>,
    /// Seconds to wait at most (default: 5).
    timeout_seconds: Option<WaitSeconds>,
}

impl Tool for TerminalRead {
    const SPEC: ToolSpec = ToolSpec {
        name: "terminal_read",
        command: "",
        about: "Return new output of a terminal, all output, or its screen; at once, or after a \
                quiet period or a pattern match.",
        effect: Effect::Observe,
        needs: &[],
    };
    const OFFER: Option<Offer> = Some(Offer {
        title: "Read a terminal",
        toolsets: &[Toolset::Cli],
        task: TaskSupport::Never,
    });
    type Args = Args;
    type Output = TerminalContents;

    fn run(cx: &Context<'_>, args: Args) -> Result<TerminalContents> {
        let terminal = cx.command_session()?.terminal(args.terminal_id.trim())?;
        let waiting = if args.wait_for.is_some() || args.quiet_ms.is_some() {
            WaitFor::new(args.wait_for.as_deref(), args.quiet_ms, args.timeout_seconds)?
        } else {
            WaitFor::not()
        };
        Ok(TerminalContents::read(cx, &terminal, args.form.unwrap_or_default(), &waiting))
    }
}
