//! `terminal_read`: what a terminal shows.

use schemars::JsonSchema;
use serde::Deserialize;

use super::seen::{Form, Patience, Quiet, Seen, Waiting};
use crate::{Context, Effect, Offer, Result, Spec, TaskSupport, Tool, Toolset};

pub(super) struct Read;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// The id of the terminal.
    #[serde(alias = "id")]
    terminal_id: String,
    /// What to show; `new` when absent.
    form: Option<Form>,
    /// Wait until something new matches this regular expression, such as `>>> $`.
    wait_for: Option<String>,
    /// Or wait until something new was shown, and nothing more for so many milliseconds.
    quiet_ms: Option<Quiet>,
    /// The most seconds to wait; 5 when absent.
    timeout_seconds: Option<Patience>,
}

impl Tool for Read {
    const SPEC: Spec = Spec {
        name: "terminal_read",
        command: "",
        about: "Show what is new in a terminal, all of it, or its screen; at once, or when it is quiet or \
                a pattern was seen.",
        effect: Effect::Observe,
        needs: &[],
    };
    const OFFER: Option<Offer> = Some(Offer {
        title: "Read a terminal",
        toolsets: &[Toolset::Cli],
        task: TaskSupport::Never,
    });
    type Args = Args;
    type Output = Seen;

    fn run(cx: &Context<'_>, args: Args) -> Result<Seen> {
        let terminal = cx.workshop()?.terminal(args.terminal_id.trim())?;
        let waiting = if args.wait_for.is_some() || args.quiet_ms.is_some() {
            Waiting::new(args.wait_for.as_deref(), args.quiet_ms, args.timeout_seconds)?
        } else {
            Waiting::not()
        };
        Ok(Seen::read(cx, &terminal, args.form.unwrap_or_default(), &waiting))
    }
}
