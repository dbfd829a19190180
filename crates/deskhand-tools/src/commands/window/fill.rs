//! `window maximize` and `window fullscreen`: make a window fill the work area or the screen.

use deskhand_platform::Arrange;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Context, Effect, Requirement, Result, Tool, ToolSpec,
    verbs::{
        effect::{Done, Evidence, Sign},
        windows::{self, Prefer, SOON},
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
    type Output = Done;

    fn run(cx: &Context<'_>, args: Args) -> Result<Done> {
        fill(cx, &args, "maximized", Arrange::Maximize(!args.off))
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
    type Output = Done;

    fn run(cx: &Context<'_>, args: Args) -> Result<Done> {
        fill(cx, &args, "fullscreen", Arrange::FullScreen(!args.off))
    }
}

fn fill(cx: &Context<'_>, args: &Args, word: &'static str, change: Arrange) -> Result<Done> {
    let window = windows::meant(cx, &args.target, args.title.as_deref(), Prefer::Shown)?;
    let all = windows::list(cx)?;
    let is = || -> Result<bool> {
        let state = all.state(window.id, cx.by).map_err(windows::sent)?;
        Ok(state.states.iter().any(|state| state == word))
    };
    let before = is()?;
    let changed = windows::change(cx, &window, change, SOON, |_| Ok(is()? != args.off))?;
    let yes_no = |is: bool| if is { "yes" } else { "no" };
    let seen = Evidence::change(Sign::State, word, yes_no(before), yes_no(is()?));
    let mut done = changed.answer(&window, seen);
    let after = changed.present(&window)?;
    if after.frame != window.frame {
        done.evidence.push(windows::size(window.frame, after.frame));
    }
    if changed.there {
        return Ok(done);
    }
    Ok(done.or_else("its program may have a fixed size; `deskhand window state` shows it"))
}
