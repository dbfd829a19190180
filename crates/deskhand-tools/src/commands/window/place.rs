//! `window move` and `window resize`: set position and size of a window's frame.

use deskhand_model::{Advice, Rect, Step, Window};
use deskhand_platform::{WindowChange, WindowState};
use schemars::JsonSchema;
use serde::Deserialize;

use super::shown_window;
use crate::{
    Context, Effect, Int, Requirement, Result, Tool, ToolSpec,
    commands::CommandOutcome,
    verbs::{
        effect::{ActionEffect, ActionOutcome, Evidence},
        windows::{self, WINDOW_CHANGE_TIMEOUT, WindowChangeResult},
    },
};

/// Largest offset that an uncounted border can cause.
const NEAR: i32 = 64;

pub(crate) struct WindowMoveCommand;
pub(crate) struct WindowResizeCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MoveArgs {
    /// The window: its id from `windows`, or an app by name or pid (its frontmost window).
    target: String,
    /// Left edge of the frame, in pixels from the left edge of the main display; may be negative.
    x: Int<-32_768, 32_767>,
    /// Top edge of the frame, in pixels from the top edge of the main display; may be negative.
    y: Int<-32_768, 32_767>,
    /// Only windows whose title contains this text.
    title: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResizeArgs {
    /// The window: its id from `windows`, or an app by name or pid (its frontmost window).
    target: String,
    /// Width of the frame in pixels.
    width: Int<1, 32_767>,
    /// Height of the frame in pixels.
    height: Int<1, 32_767>,
    /// Only windows whose title contains this text.
    title: Option<String>,
}

impl Tool for WindowMoveCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "window_move",
        command: "window move",
        about: "Move the top left corner of a window's frame to a point, and report its actual \
                position.",
        effect: Effect::Act { repeatable: true },
        needs: &[Requirement::Windows],
    };
    type Args = MoveArgs;
    type Output = CommandOutcome;

    fn run(cx: &Context<'_>, args: MoveArgs) -> Result<CommandOutcome> {
        let window = shown_window(cx, &args.target, args.title.as_deref())?;
        let wanted = (whole(args.x.get()), whole(args.y.get()));
        let corner = |rect: Rect| (rect.x, rect.y);
        place(
            cx,
            &window,
            WindowChange::MoveTo(wanted.0, wanted.1),
            &|frame| corner(frame) == wanted,
            &windows::corner_evidence,
        )
        .map(Into::into)
    }
}

impl Tool for WindowResizeCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "window_resize",
        command: "window resize",
        about: "Resize a window's frame, and report its actual size, which programs and window \
                managers may limit.",
        effect: Effect::Act { repeatable: true },
        needs: &[Requirement::Windows],
    };
    type Args = ResizeArgs;
    type Output = CommandOutcome;

    fn run(cx: &Context<'_>, args: ResizeArgs) -> Result<CommandOutcome> {
        let window = shown_window(cx, &args.target, args.title.as_deref())?;
        let wanted = (whole(args.width.get()), whole(args.height.get()));
        let size = |rect: Rect| (rect.width, rect.height);
        place(
            cx,
            &window,
            WindowChange::Resize(wanted.0.cast_unsigned(), wanted.1.cast_unsigned()),
            &|frame| size(frame) == wanted,
            &windows::size_evidence,
        )
        .map(Into::into)
    }
}

fn whole(number: i64) -> i32 {
    i32::try_from(number).unwrap_or_default()
}

fn place(
    cx: &Context<'_>,
    window: &Window,
    change: WindowChange,
    fits: &dyn Fn(Rect) -> bool,
    evidence: &dyn Fn(Rect, Rect) -> Evidence,
) -> Result<ActionOutcome> {
    let there = |all: &[Window]| Ok(all.iter().any(|one| one.id == window.id && fits(one.frame)));
    let mut changed = windows::change_window(cx, window, change, WINDOW_CHANGE_TIMEOUT, there)?;
    if let (false, Some(again)) = (changed.succeeded, corrected(change, window, &changed)) {
        let missed = changed.window_after(window)?.clone();
        changed = windows::change_window(cx, &missed, again, WINDOW_CHANGE_TIMEOUT, there)?;
    }
    let after = changed.window_after(window)?;
    let seen = evidence(window.frame, after.frame);
    let verdict = match (changed.succeeded, seen.before == seen.after) {
        (true, _) => ActionEffect::Confirmed,
        (false, false) => ActionEffect::Partial,
        (false, true) => ActionEffect::NoEffect,
    };
    let kinds = [windows::corner_evidence, windows::size_evidence]
        .map(|kind| kind(window.frame, after.frame));
    let mut done = ActionOutcome { effect: verdict, ..changed.outcome(window, seen.clone()) };
    done.evidence.extend(kinds.into_iter().filter(|one| one.before != one.after && *one != seen));
    if changed.succeeded {
        return Ok(done);
    }
    Ok(done.with_next_step(reason(cx, &changed, window, change)))
}

/// Returns the corrected request after a window missed its target: some window managers do not
/// count their own border.
fn corrected(
    change: WindowChange,
    window: &Window,
    changed: &WindowChangeResult,
) -> Option<WindowChange> {
    let WindowChange::MoveTo(x, y) = change else { return None };
    let is = changed.after.as_ref()?.frame;
    let (right, down) = (x - is.x, y - is.y);
    let moved = (is.x, is.y) != (window.frame.x, window.frame.y);
    (moved && right.abs() <= NEAR && down.abs() <= NEAR)
        .then(|| WindowChange::MoveTo(x + right, y + down))
}

/// Returns the reason why a window is not at its target, if it can be determined.
fn reason(
    cx: &Context<'_>,
    changed: &WindowChangeResult,
    window: &Window,
    change: WindowChange,
) -> Advice {
    // The answer stands without it.
    let state =
        windows::window_system(cx).ok().and_then(|all| all.state(window.id, cx.deadline).ok());
    let fills = |state: &&String| {
        state.starts_with("maximized") || matches!(state.as_str(), "fullscreen" | "shaded")
    };
    if let Some(filled) = state.as_ref().and_then(|state| state.states.iter().find(fills)) {
        let advice = Advice::from(format!("it is {filled}: "));
        return advice.step(Step::RestoreWindow { id: Some(window.id) }).text(" first");
    }
    let is = changed.after.as_ref().map_or(window.bounds, |after| after.bounds);
    let bounds = state.filter(|_| matches!(change, WindowChange::Resize(..)));
    let bounds = bounds.map(|state| limits(&state, is)).unwrap_or_default();
    format!("it stays as it is{bounds}").into()
}

/// Returns the size hint of the program that explains the size of its window.
fn limits(state: &WindowState, is: Rect) -> String {
    let size = |(width, height): (u32, u32)| format!("{width}x{height}");
    let meets = |limit: &(u32, u32)| {
        is.width.cast_unsigned() == limit.0 || is.height.cast_unsigned() == limit.1
    };
    let limits = [
        (state.min_size.filter(meets), "requires at least"),
        (state.max_size.filter(meets), "allows at most"),
        (state.resize_increment, "resizes in steps of"),
    ];
    let known = limits.into_iter().filter_map(|(limit, words)| Some((limit?, words)));
    known
        .map(|(limit, words)| format!("; its program {words} {} inside the frame", size(limit)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_named() {
        let state = WindowState {
            states: Vec::new(),
            kind: "normal".to_owned(),
            parent: None,
            workspace: None,
            closable: true,
            min_size: Some((50, 60)),
            max_size: None,
            resize_increment: Some((6, 13)),
        };
        let text = limits(&state, Rect::new(0, 0, 50, 100));
        assert!(text.contains("at least 50x60") && text.contains("steps of 6x13"), "{text}");
        assert!(!limits(&state, Rect::new(0, 0, 90, 100)).contains("at least"));
    }
}
