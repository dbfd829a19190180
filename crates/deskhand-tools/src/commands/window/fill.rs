//! `window maximize` and `window fullscreen`: make a window fill the work area or the screen.

use deskhand_model::{Advice, Step};
use deskhand_platform::WindowChange;
use schemars::JsonSchema;
use serde::Deserialize;

use super::shown_window;
use crate::{
    Context, Effect, Requirement, Result, Tool, ToolSpec,
    commands::CommandOutcome,
    verbs::{
        effect::{ActionOutcome, Evidence, EvidenceKind},
        windows::{self, WINDOW_CHANGE_TIMEOUT},
    },
};

pub(crate) struct WindowMaximizeCommand;
pub(crate) struct WindowFullScreenCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The window: its id from `windows`, or an app by name or pid (its frontmost window).
    target: String,
    /// Only windows whose title contains this text.
    title: Option<String>,
    /// Undo it: restore the window's own size.
    #[serde(default)]
    off: bool,
}

impl Tool for WindowMaximizeCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "window_maximize",
        command: "window maximize",
        about: "Maximize a window, or undo it.",
        effect: Effect::Act { repeatable: true },
        needs: &[Requirement::Windows],
    };
    type Args = Args;
    type Output = CommandOutcome;

    fn run(cx: &Context<'_>, args: Args) -> Result<CommandOutcome> {
        fill(cx, &args, "maximized", WindowChange::Maximize(!args.off)).map(Into::into)
    }
}

impl Tool for WindowFullScreenCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "window_fullscreen",
        command: "window fullscreen",
        about: "Make a window full screen, or undo it.",
        effect: Effect::Act { repeatable: true },
        needs: &[Requirement::Windows],
    };
    type Args = Args;
    type Output = CommandOutcome;

    fn run(cx: &Context<'_>, args: Args) -> Result<CommandOutcome> {
        fill(cx, &args, "fullscreen", WindowChange::FullScreen(!args.off)).map(Into::into)
    }
}

fn fill(
    cx: &Context<'_>,
    args: &Args,
    word: &'static str,
    change: WindowChange,
) -> Result<ActionOutcome> {
    let window = shown_window(cx, &args.target, args.title.as_deref())?;
    let all = windows::window_system(cx)?;
    let is = || -> Result<bool> {
        let state = all.state(window.id, cx.deadline).map_err(windows::sent_error)?;
        Ok(state.states.iter().any(|state| state == word))
    };
    let before = is()?;
    let changed = windows::change_window(cx, &window, change, WINDOW_CHANGE_TIMEOUT, |_| {
        Ok(is()? != args.off)
    })?;
    let yes_no = |is: bool| if is { "yes" } else { "no" };
    let seen = Evidence::change(EvidenceKind::State, word, yes_no(before), yes_no(is()?));
    let mut done = changed.outcome(&window, seen);
    let after = changed.window_after(&window)?;
    if after.frame != window.frame {
        done.evidence.push(windows::size_evidence(window.frame, after.frame));
    }
    if changed.succeeded {
        return Ok(done);
    }
    let next = Advice::from("its program may have a fixed size; ").step(Step::WindowState);
    Ok(done.with_next_step(next.text(" shows it")))
}
