//! Minimizing a window and bringing it back.

use deskhand_model::{Advice, Step, Window};
use deskhand_platform::WindowChange;

use super::{WindowChangeResult, change_window, sent_error, size_evidence, window_system};
use crate::{
    Context, Result,
    effect::{ActionOutcome, Evidence, EvidenceKind, FailedAttempt},
    timing::WINDOW_CHANGE_TIMEOUT,
};

/// Minimizes a window.
///
/// # Errors
///
/// Fails if the window closes before the change is done, or the request cannot be sent.
pub fn minimize(cx: &Context<'_>, window: &Window) -> Result<ActionOutcome> {
    let is_minimized =
        |all: &[Window]| Ok(all.iter().any(|one| one.id == window.id && one.minimized));
    let changed =
        change_window(cx, window, WindowChange::Minimize, WINDOW_CHANGE_TIMEOUT, is_minimized)?;
    let outcome = changed.outcome(window, minimized_evidence(window, &changed)?);
    if changed.succeeded {
        return Ok(outcome);
    }
    let next = "this window manager may not minimize such windows; move it aside instead";
    Ok(outcome.with_next_step(next))
}

/// Shows a minimized window, or gives a maximized or full-screen window its own size.
///
/// # Errors
///
/// Fails if the window closes before the change is done, or the request cannot be sent.
pub fn restore(cx: &Context<'_>, window: &Window) -> Result<ActionOutcome> {
    if window.minimized { show(cx, window) } else { leave_full_size(cx, window) }
}

fn show(cx: &Context<'_>, window: &Window) -> Result<ActionOutcome> {
    let is_shown = |all: &[Window]| all.iter().any(|one| one.id == window.id && !one.minimized);
    let first =
        change_window(cx, window, WindowChange::Restore, WINDOW_CHANGE_TIMEOUT / 2, |all| {
            Ok(is_shown(all))
        })?;
    if first.succeeded {
        return Ok(first.outcome(window, minimized_evidence(window, &first)?));
    }
    // Some window managers show a window again only together with giving it the keyboard.
    let second = change_window(cx, window, WindowChange::Focus, WINDOW_CHANGE_TIMEOUT, |all| {
        Ok(is_shown(all))
    })?;
    let mut outcome = second.outcome(window, minimized_evidence(window, &second)?);
    outcome.strategy = format!("{}, with the keyboard", second.method);
    outcome.failed_attempts.push(FailedAttempt {
        strategy: first.method.to_owned(),
        why: "it stayed minimized".to_owned(),
    });
    if second.succeeded {
        return Ok(outcome);
    }
    let next = Advice::from("check it with ").step(Step::WindowState);
    Ok(outcome.with_next_step(next.text("; its program may keep it hidden")))
}

fn leave_full_size(cx: &Context<'_>, window: &Window) -> Result<ActionOutcome> {
    let system = window_system(cx)?;
    let full_size_state = |states: &[String]| {
        let fills = |one: &&String| one.starts_with("maximized") || *one == "fullscreen";
        states.iter().find(fills).cloned()
    };
    let before = full_size_state(&system.state(window.id, cx.deadline)?.states);
    let changed = change_window(cx, window, WindowChange::Restore, WINDOW_CHANGE_TIMEOUT, |_| {
        Ok(full_size_state(&system.state(window.id, cx.deadline).map_err(sent_error)?.states)
            .is_none())
    })?;
    let after = full_size_state(&system.state(window.id, cx.deadline).map_err(sent_error)?.states);
    let word = |state: Option<String>| state.unwrap_or_else(|| "shown in its own size".to_owned());
    let evidence = Evidence::change(EvidenceKind::State, "state", word(before), word(after));
    let mut outcome = changed.outcome(window, evidence);
    let present = changed.window_after(window)?;
    if present.frame != window.frame {
        outcome.evidence.push(size_evidence(window.frame, present.frame));
    }
    Ok(outcome)
}

fn minimized_evidence(before: &Window, changed: &WindowChangeResult) -> Result<Evidence> {
    let word = |window: &Window| if window.minimized { "yes" } else { "no" };
    let after = changed.window_after(before)?;
    Ok(Evidence::change(EvidenceKind::State, "minimized", word(before), word(after)))
}
