//! Position and size of a window's frame.

use deskhand_model::{Advice, Rect, Step, Window};
use deskhand_platform::{WindowChange, WindowState};

use super::{WindowChangeResult, change_window, corner_evidence, size_evidence, window_system};
use crate::{
    Context, Result,
    effect::{ActionEffect, ActionOutcome, Evidence},
    timing::WINDOW_CHANGE_TIMEOUT,
};

/// Largest offset that an uncounted border can cause, in pixels.
const MAX_BORDER_OFFSET: i32 = 64;

/// Moves the top left corner of a window's frame to a point in global pixels.
///
/// # Errors
///
/// Fails if the window closes before the change is done, or the request cannot be sent.
pub fn move_to(cx: &Context<'_>, window: &Window, x: i32, y: i32) -> Result<ActionOutcome> {
    let fits = |frame: Rect| (frame.x, frame.y) == (x, y);
    place(cx, window, WindowChange::MoveTo(x, y), &fits, &corner_evidence)
}

/// Gives a window's frame a size in pixels.
///
/// # Errors
///
/// Fails if the window closes before the change is done, or the request cannot be sent.
pub fn resize(cx: &Context<'_>, window: &Window, width: u32, height: u32) -> Result<ActionOutcome> {
    let fits = |frame: Rect| {
        (frame.width.cast_unsigned(), frame.height.cast_unsigned()) == (width, height)
    };
    place(cx, window, WindowChange::Resize(width, height), &fits, &size_evidence)
}

fn place(
    cx: &Context<'_>,
    window: &Window,
    change: WindowChange,
    fits: &dyn Fn(Rect) -> bool,
    evidence: &dyn Fn(Rect, Rect) -> Evidence,
) -> Result<ActionOutcome> {
    let is_placed =
        |all: &[Window]| Ok(all.iter().any(|one| one.id == window.id && fits(one.frame)));
    let mut changed = change_window(cx, window, change, WINDOW_CHANGE_TIMEOUT, is_placed)?;
    if let (false, Some(again)) = (changed.succeeded, corrected(change, window, &changed)) {
        let missed = changed.window_after(window)?.clone();
        changed = change_window(cx, &missed, again, WINDOW_CHANGE_TIMEOUT, is_placed)?;
    }
    let after = changed.window_after(window)?;
    let main = evidence(window.frame, after.frame);
    let effect = match (changed.succeeded, main.before == main.after) {
        (true, _) => ActionEffect::Confirmed,
        (false, false) => ActionEffect::Partial,
        (false, true) => ActionEffect::NoEffect,
    };
    let kinds = [corner_evidence, size_evidence].map(|kind| kind(window.frame, after.frame));
    let mut outcome = ActionOutcome { effect, ..changed.outcome(window, main.clone()) };
    outcome
        .evidence
        .extend(kinds.into_iter().filter(|one| one.before != one.after && *one != main));
    if changed.succeeded {
        return Ok(outcome);
    }
    Ok(outcome.with_next_step(reason(cx, &changed, window, change)))
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
    (moved && right.abs() <= MAX_BORDER_OFFSET && down.abs() <= MAX_BORDER_OFFSET)
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
    let state = window_system(cx).ok().and_then(|all| all.state(window.id, cx.deadline).ok());
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
