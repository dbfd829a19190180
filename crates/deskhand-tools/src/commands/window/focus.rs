//! `window focus`: gives a window the keyboard focus.

use deskhand_model::Window;
use deskhand_platform::WindowChange;

use super::Args;
use crate::{
    Context, Effect, Requirement, Result, Tool, ToolSpec,
    commands::CommandOutcome,
    verbs::{
        effect::{ActionEffect, Evidence, EvidenceKind},
        windows::{self, WINDOW_CHANGE_TIMEOUT, WindowPreference, label},
    },
};

pub(crate) struct WindowFocusCommand;

impl Tool for WindowFocusCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "window_focus",
        command: "window focus",
        about: "Raise a window and give it the keyboard focus. Restores a minimized window.",
        effect: Effect::Act { repeatable: true },
        needs: &[Requirement::Windows],
    };
    type Args = Args;
    type Output = CommandOutcome;

    fn run(cx: &Context<'_>, args: Args) -> Result<CommandOutcome> {
        let window = args.window(cx, WindowPreference::Shown)?;
        let had = focused(&windows::window_system(cx)?.list(cx.deadline)?);
        let changed = windows::change_window(
            cx,
            &window,
            WindowChange::Focus,
            WINDOW_CHANGE_TIMEOUT,
            |all| Ok(all.iter().any(|one| one.id == window.id && one.focused && !one.minimized)),
        )?;
        changed.window_after(&window)?;
        let has = changed.windows.iter().find(|one| one.focused);
        let seen =
            Evidence::change(EvidenceKind::Focus, "keyboard", had, focused(&changed.windows));
        let mut done = changed.outcome(&window, seen);
        if window.minimized && changed.after.as_ref().is_some_and(|after| !after.minimized) {
            done.evidence.push(Evidence::change(EvidenceKind::State, "minimized", "yes", "no"));
        }
        if changed.succeeded {
            return Ok(done.into());
        }
        // A dialog that blocks its app takes the keyboard in its place.
        match has.filter(|has| has.pid == window.pid && has.id != window.id) {
            Some(other) => {
                done.effect = ActionEffect::Partial;
                let next = format!("{} of the same app took the focus: answer it", label(other));
                Ok(done.with_next_step(next).into())
            }
            None => {
                let next = "the window manager refused; click into the window instead";
                Ok(done.with_next_step(next).into())
            }
        }
    }
}

fn focused(all: &[Window]) -> String {
    all.iter().find(|window| window.focused).map_or_else(|| "no window".to_owned(), label)
}
