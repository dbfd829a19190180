//! `window minimize` and `window restore`: hide a window and bring it back.

use deskhand_model::Window;
use deskhand_platform::Arrange;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Context, Effect, Requirement, Result, Tool, ToolSpec,
    verbs::{
        effect::{Done, Evidence, Sign, Tried},
        windows::{self, Changed, Prefer, SOON},
    },
};

pub(crate) struct WindowMinimizeCommand;
pub(crate) struct WindowRestoreCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The window: its id from `windows`, or an app by name or pid (its frontmost window).
    target: String,
    /// Only windows whose title contains this text.
    title: Option<String>,
}

impl Tool for WindowMinimizeCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "window_minimize",
        command: "window minimize",
        about: "Minimize a window; `window restore` brings it back.",
        effect: Effect::Act { repeatable: true },
        needs: &[Requirement::Windows],
    };
    type Args = Args;
    type Output = Done;

    fn run(cx: &Context<'_>, args: Args) -> Result<Done> {
        let window = windows::meant(cx, &args.target, args.title.as_deref(), Prefer::Shown)?;
        let changed = windows::change(cx, &window, Arrange::Minimize, SOON, |all| {
            Ok(all.iter().any(|one| one.id == window.id && one.minimized))
        })?;
        let done = changed.answer(&window, minimized(&window, &changed)?);
        if changed.there {
            return Ok(done);
        }
        Ok(done.or_else("this window manager may not minimize such windows; move it aside instead"))
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
    type Output = Done;

    fn run(cx: &Context<'_>, args: Args) -> Result<Done> {
        let window = windows::meant(cx, &args.target, args.title.as_deref(), Prefer::Minimized)?;
        if window.minimized { unhide(cx, &window) } else { shrink(cx, &window) }
    }
}

fn unhide(cx: &Context<'_>, window: &Window) -> Result<Done> {
    let shown = |all: &[Window]| all.iter().any(|one| one.id == window.id && !one.minimized);
    let first = windows::change(cx, window, Arrange::Restore, SOON / 2, |all| Ok(shown(all)))?;
    if first.there {
        return Ok(first.answer(window, minimized(window, &first)?));
    }
    // Some window managers show a window again only together with giving it the keyboard.
    let second = windows::change(cx, window, Arrange::Focus, SOON, |all| Ok(shown(all)))?;
    let mut done = second.answer(window, minimized(window, &second)?);
    done.way = format!("{}, with the keyboard", second.way);
    done.tried.push(Tried { way: first.way.to_owned(), why: "it stayed minimized".to_owned() });
    if second.there {
        return Ok(done);
    }
    Ok(done.or_else("check it with `deskhand window state`; its program may keep it hidden"))
}

fn shrink(cx: &Context<'_>, window: &Window) -> Result<Done> {
    let all = windows::list(cx)?;
    let filling = |states: &[String]| {
        let fills = |one: &&String| one.starts_with("maximized") || *one == "fullscreen";
        states.iter().find(fills).cloned()
    };
    let before = filling(&all.state(window.id, cx.by)?.states);
    let changed = windows::change(cx, window, Arrange::Restore, SOON, |_| {
        Ok(filling(&all.state(window.id, cx.by).map_err(windows::sent)?.states).is_none())
    })?;
    let after = filling(&all.state(window.id, cx.by).map_err(windows::sent)?.states);
    let word = |state: Option<String>| state.unwrap_or_else(|| "shown in its own size".to_owned());
    let seen = Evidence::change(Sign::State, "state", word(before), word(after));
    let mut done = changed.answer(window, seen);
    let present = changed.present(window)?;
    if present.frame != window.frame {
        done.evidence.push(windows::size(window.frame, present.frame));
    }
    Ok(done)
}

fn minimized(before: &Window, changed: &Changed) -> Result<Evidence> {
    let word = |window: &Window| if window.minimized { "yes" } else { "no" };
    let after = changed.present(before)?;
    Ok(Evidence::change(Sign::State, "minimized", word(before), word(after)))
}
