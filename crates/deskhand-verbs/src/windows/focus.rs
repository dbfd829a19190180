//! Giving a window the keyboard focus.

use deskhand_model::Window;
use deskhand_platform::WindowChange;

use super::{change_window, label, window_system};
use crate::{
    Context, Result,
    effect::{ActionEffect, ActionOutcome, Evidence, EvidenceKind},
    timing::WINDOW_CHANGE_TIMEOUT,
};

/// Raises a window and gives it the keyboard focus. Restores a minimized window.
///
/// # Errors
///
/// Fails if the window closes before the change is done, or the request cannot be sent.
pub fn focus(cx: &Context<'_>, window: &Window) -> Result<ActionOutcome> {
    let focused_before = focused(&window_system(cx)?.list(cx.deadline)?);
    let is_focused = |all: &[Window]| {
        Ok(all.iter().any(|one| one.id == window.id && one.focused && !one.minimized))
    };
    let changed =
        change_window(cx, window, WindowChange::Focus, WINDOW_CHANGE_TIMEOUT, is_focused)?;
    changed.window_after(window)?;
    let evidence = Evidence::change(
        EvidenceKind::Focus,
        "keyboard",
        focused_before,
        focused(&changed.windows),
    );
    let mut outcome = changed.outcome(window, evidence);
    if window.minimized && changed.after.as_ref().is_some_and(|after| !after.minimized) {
        outcome.evidence.push(Evidence::change(EvidenceKind::State, "minimized", "yes", "no"));
    }
    if changed.succeeded {
        return Ok(outcome);
    }
    // A dialog that blocks its app takes the keyboard in its place.
    let other = changed.windows.iter().find(|one| one.focused);
    match other.filter(|other| other.pid == window.pid && other.id != window.id) {
        Some(other) => {
            outcome.effect = ActionEffect::Partial;
            let other = label(other);
            let next =
                format!("{other} of the same app took the focus: respond to that dialog first");
            Ok(outcome.with_next_step(next))
        }
        None => {
            Ok(outcome.with_next_step("the window manager refused; click into the window instead"))
        }
    }
}

fn focused(all: &[Window]) -> String {
    all.iter().find(|window| window.focused).map_or_else(|| "no window".to_owned(), label)
}
