//! `terminal_start`: starts an interactive program in a new terminal.

use deskhand_run::{TerminalSize, terminal::TerminalRequest};
use schemars::JsonSchema;
use serde::Deserialize;

use super::contents::{
    Dimension, QuietMillis, TerminalContents, TerminalView, WaitFor, WaitSeconds,
};
use crate::{Context, Effect, Int, Offer, Result, TaskSupport, Tool, ToolSpec, Toolset};

pub(super) struct TerminalStart;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// The script for `sh`, such as `python3 -q` (default: an interactive shell).
    command: Option<String>,
    /// Working directory inside the scope (default: the scope itself).
    working_directory: Option<String>,
    /// Number of lines (default: 24).
    rows: Option<Dimension>,
    /// Number of columns (default: 80).
    columns: Option<Dimension>,
    /// Wait until the output matches this regular expression, such as `>>> $`.
    wait_for: Option<String>,
    /// Otherwise wait until the terminal is quiet for this many milliseconds (default: 150).
    quiet_ms: Option<QuietMillis>,
    /// Seconds to wait at most (default: 5). The program continues afterwards.
    timeout_seconds: Option<WaitSeconds>,
}

impl Tool for TerminalStart {
    const SPEC: ToolSpec = ToolSpec {
        name: "terminal_start",
        command: "",
        about: "Start an interactive program in a terminal in the sandbox, such as a REPL, a \
                pager or a password prompt. Returns its first output.",
        effect: Effect::Command,
        needs: &[],
    };
    const OFFER: Option<Offer> = Some(Offer {
        title: "Start a terminal",
        toolsets: &[Toolset::Cli],
        task: TaskSupport::Never,
    });
    type Args = Args;
    type Output = TerminalContents;

    fn run(cx: &Context<'_>, args: Args) -> Result<TerminalContents> {
        let waiting = WaitFor::new(args.wait_for.as_deref(), args.quiet_ms, args.timeout_seconds)?;
        let words = match args.command {
            Some(command) => vec!["sh".to_owned(), "-c".to_owned(), command],
            None => Vec::new(),
        };
        let terminal = cx.command_session()?.open_terminal(TerminalRequest {
            command: words,
            folder: args.working_directory.unwrap_or_default().into(),
            size: size(args.rows.map_or(24, Int::get), args.columns.map_or(80, Int::get)),
        })?;
        Ok(TerminalContents::read(cx, &terminal, TerminalView::New, &waiting))
    }
}

/// Returns the size. The types guarantee the range.
pub(super) fn size(rows: i64, columns: i64) -> TerminalSize {
    let side = |length| u16::try_from(length).unwrap_or(u16::MAX);
    TerminalSize { rows: side(rows), columns: side(columns) }
}
