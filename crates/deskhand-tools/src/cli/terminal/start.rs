//! `terminal_start`: a program on a terminal of its own, for what asks questions.

use deskhand_run::{Size, terminal::Opening};
use schemars::JsonSchema;
use serde::Deserialize;

use super::seen::{Form, Patience, Quiet, Seen, Side, Waiting};
use crate::{Context, Effect, Int, Offer, Result, Spec, TaskSupport, Tool, Toolset};

pub(super) struct Start;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// What `sh` runs in the terminal, such as `python3 -q`; an interactive shell when absent.
    command: Option<String>,
    /// The folder to begin in, inside the scope; the scope itself when absent.
    working_directory: Option<String>,
    /// Lines of the terminal; 24 when absent.
    rows: Option<Side>,
    /// Columns of the terminal; 80 when absent.
    columns: Option<Side>,
    /// Wait until something shown matches this regular expression, such as `>>> $`.
    wait_for: Option<String>,
    /// Otherwise wait until nothing is shown for so many milliseconds; 150 when absent.
    quiet_ms: Option<Quiet>,
    /// The most seconds to wait; 5 when absent. The program goes on after it.
    timeout_seconds: Option<Patience>,
}

impl Tool for Start {
    const SPEC: Spec = Spec {
        name: "terminal_start",
        command: "",
        about: "Start a program on a terminal inside the scope, for what asks questions or draws a screen: \
                a REPL, a pager, a password prompt. Shows what it says first.",
        effect: Effect::Command,
        needs: &[],
    };
    const OFFER: Option<Offer> = Some(Offer {
        title: "Start a program on a terminal",
        toolsets: &[Toolset::Cli],
        task: TaskSupport::Never,
    });
    type Args = Args;
    type Output = Seen;

    fn run(cx: &Context<'_>, args: Args) -> Result<Seen> {
        let waiting = Waiting::new(args.wait_for.as_deref(), args.quiet_ms, args.timeout_seconds)?;
        let words = match args.command {
            Some(command) => vec!["sh".to_owned(), "-c".to_owned(), command],
            None => Vec::new(),
        };
        let terminal = cx.workshop()?.open_terminal(Opening {
            words,
            folder: args.working_directory.unwrap_or_default().into(),
            size: size(args.rows.map_or(24, Int::get), args.columns.map_or(80, Int::get)),
        })?;
        Ok(Seen::read(cx, &terminal, Form::New, &waiting))
    }
}

/// A size; the numbers are in their range.
pub(super) fn size(rows: i64, columns: i64) -> Size {
    let side = |length| u16::try_from(length).unwrap_or(u16::MAX);
    Size { rows: side(rows), columns: side(columns) }
}
