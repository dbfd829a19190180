//! `window minimize` and `window restore`: hide a window and bring it back.

use deskhand_model::{Advice, Step, Window};
use deskhand_platform::WindowChange;

use super::Args;
use crate::{
    Context, Effect, Requirement, Result, Tool, ToolSpec,
    commands::CommandOutcome,
    verbs::{
        effect::{ActionOutcome, Evidence, EvidenceKind, FailedAttempt},
        windows::{self, WINDOW_CHANGE_TIMEOUT, WindowChangeResult, WindowPreference},
    },
};

pub(crate) struct WindowMinimizeCommand;
pub(crate) struct WindowRestoreCommand;

impl Tool for WindowMinimizeCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "window_minimize",
        command: "window minimize",
        about: "Minimize a window; `window restore` brings it back.",
        effect: Effect::Act { repeatable: true },
        needs: &[Requirement::Windows],
    };
    type Args = Args;
    type Output = CommandOutcome;

    fn run(cx: &Context<'_>, args: Args) -> Result<CommandOutcome> {
        let window = args.window(cx, WindowPreference::Shown)?;
        let changed = windows::change_window(
            cx,
            &window,
            WindowChange::Minimize,
            WINDOW_CHANGE_TIMEOUT,
            |all| Ok(all.iter().any(|one| one.id == window.id && one.minimized)),
        )?;
        let done = changed.outcome(&window, minimized(&window, &changed)?);
        if changed.succeeded {
            return Ok(done.into());
        }
        let next = "this window manager may not minimize such windows; move it aside instead";
        Ok(done.with_next_step(next).into())
    }
}

impl Tool for WindowRestoreCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "window_restore",
        command: "window restore",
        about: "Restore a minimized, maximized or full-screen window to its own size.",
        effect: Effect::Act { repeatable: true },
        needs: &[Requirement::Windows],
    };
    type Args = Args;
    type Output = CommandOutcome;

    fn run(cx: &Context<'_>, args: Args) -> Result<CommandOutcome> {
        let window = args.window(cx, WindowPreference::Minimized)?;
        let done = if window.minimized { unhide(cx, &window) } else { shrink(cx, &window) };
        done.map(Into::into)
    }
}

fn unhide(cx: &Context<'_>, window: &Window) -> Result<ActionOutcome> {
    let shown = |all: &[Window]| all.iter().any(|one| one.id == window.id && !one.minimized);
    let first = windows::change_window(
        cx,
        window,
        WindowChange::Restore,
        WINDOW_CHANGE_TIMEOUT / 2,
        |all| Ok(shown(all)),
    )?;
    if first.succeeded {
        return Ok(first.outcome(window, minimized(window, &first)?));
    }
    // Some window managers show a window again only together with giving it the keyboard.
    let second =
        windows::change_window(cx, window, WindowChange::Focus, WINDOW_CHANGE_TIMEOUT, |all| {
            Ok(shown(all))
        })?;
    let mut done = second.outcome(window, minimized(window, &second)?);
    done.strategy = format!("{}, with the keyboard", second.method);
    done.failed_attempts.push(FailedAttempt {
        strategy: first.method.to_owned(),
        why: "it stayed minimized".to_owned(),
    });
    if second.succeeded {
        return Ok(done);
    }
    let next = Advice::from("check it with ").step(Step::WindowState);
    Ok(done.with_next_step(next.text("; its program may keep it hidden")))
}

fn shrink(cx: &Context<'_>, window: &Window) -> Result<ActionOutcome> {
    let all = windows::window_system(cx)?;
    let filling = |states: &[String]| {
        let fills = |one: &&String| one.starts_with("maximized") || *one == "fullscreen";
        states.iter().find(fills).cloned()
    };
    let before = filling(&all.state(window.id, cx.deadline)?.states);
    let changed =
        windows::change_window(cx, window, WindowChange::Restore, WINDOW_CHANGE_TIMEOUT, |_| {
            Ok(filling(&all.state(window.id, cx.deadline).map_err(windows::sent_error)?.states)
                .is_none())
        })?;
    let after = filling(&all.state(window.id, cx.deadline).map_err(windows::sent_error)?.states);
    let word = |state: Option<String>| state.unwrap_or_else(|| "shown in its own size".to_owned());
    let seen = Evidence::change(EvidenceKind::State, "state", word(before), word(after));
    let mut done = changed.outcome(window, seen);
    let present = changed.window_after(window)?;
    if present.frame != window.frame {
        done.evidence.push(windows::size_evidence(window.frame, present.frame));
    }
    Ok(done)
}

fn minimized(before: &Window, changed: &WindowChangeResult) -> Result<Evidence> {
    let word = |window: &Window| if window.minimized { "yes" } else { "no" };
    let after = changed.window_after(before)?;
    Ok(Evidence::change(EvidenceKind::State, "minimized", word(before), word(after)))
}
