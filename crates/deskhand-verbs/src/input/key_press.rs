//! Pressing keys in the focused app or in a named one.

use std::time::Duration;

use deskhand_model::{Advice, Step, Window};
use deskhand_platform::{Error as PlatformError, Input, WindowChange};

use super::{
    keys::{self, KeyCombo},
    pointer,
};
use crate::{
    Condition, Context, Error, Result,
    act::{
        ActionMode,
        real_input::{self, SendTracker},
        risk::{self, ActionDecision},
    },
    effect::{ActionEffect, ActionOutcome},
    timing,
    windows::{self, WindowPreference},
};

/// Presses combinations one after the other.
pub fn press_combos(
    cx: &Context<'_>,
    app: Option<&str>,
    combos: &[KeyCombo],
    hold: Duration,
    mode: ActionMode,
) -> Result<ActionOutcome> {
    let input = real_input::input(cx)?;
    let approved_cx;
    let cx = match risk::check_keys(cx, app, combos)? {
        ActionDecision::Allowed => cx,
        ActionDecision::Approved => {
            approved_cx = risk::with_new_deadline(cx);
            &approved_cx
        }
        ActionDecision::Refused(outcome) => return Ok(*outcome),
    };
    let Some(app) = app else {
        let focused =
            windows::window_system(cx)?.list(cx.deadline)?.into_iter().find(|one| one.focused);
        let outcome = press_in_foreground(input, combos, hold)?;
        return Ok(ActionOutcome { target: focused.as_ref().map(windows::label), ..outcome });
    };
    let window = windows::resolve_window(cx, app, None, WindowPreference::Shown)?;
    let outcome = match mode {
        // The window already has the keyboard, so the user is not disturbed.
        ActionMode::Background | ActionMode::Focus if window.focused => {
            press_in_foreground(input, combos, hold)?
        }
        ActionMode::Background => press_in_background(cx, input, &window, combos, hold)?,
        ActionMode::Focus => {
            input.check_ready(cx.deadline)?;
            focus_window(cx, &window)?;
            press_in_foreground(input, combos, hold)?
        }
    };
    Ok(outcome.on(windows::label(&window)))
}

/// Presses combinations for the focused window.
fn press_in_foreground(
    input: &dyn Input,
    combos: &[KeyCombo],
    hold: Duration,
) -> Result<ActionOutcome> {
    let tracker = SendTracker::default();
    for combo in combos {
        let deadline = pointer::input_deadline(hold);
        keys::press_combo(combo, hold, deadline, |key, press, deadline| {
            tracker.track_key(press, input.send_key(key, press, deadline))
        })
        .map_err(|error| tracker.request_error(error))?;
    }
    Ok(ActionOutcome::new(ActionEffect::Unverified, "keyboard")
        .with_next_step(pointer::verify_advice()))
}

/// Presses combinations on a background keyboard for one window.
fn press_in_background(
    cx: &Context<'_>,
    input: &dyn Input,
    window: &Window,
    combos: &[KeyCombo],
    hold: Duration,
) -> Result<ActionOutcome> {
    let refuse = |why: &str| {
        let next = Advice::from(format!("{why}: use ")).step(Step::FocusMode);
        Ok(ActionOutcome::new(ActionEffect::Refused, "second keyboard").with_next_step(next))
    };
    if window.minimized {
        return refuse("the window is minimized, so it receives no keys");
    }
    let mut keyboard = match input.background_keyboard(window.id, cx.deadline) {
        Ok(keyboard) => keyboard,
        Err(PlatformError::Unsupported { why, .. }) => return refuse(&why),
        Err(error) => return Err(Error::Platform(error)),
    };
    let tracker = SendTracker::default();
    for combo in combos {
        let deadline = pointer::input_deadline(hold);
        keys::press_combo(combo, hold, deadline, |key, press, deadline| {
            tracker.track_key(press, keyboard.send_key(key, press, deadline))
        })
        .map_err(|error| tracker.request_error(error))?;
    }
    Ok(ActionOutcome::new(ActionEffect::Unverified, "second keyboard")
        .with_next_step(pointer::verify_advice()))
}

/// Gives the keyboard to a window and verifies it.
pub(crate) fn focus_window(cx: &Context<'_>, window: &Window) -> Result<()> {
    let changed = windows::change_window(
        cx,
        window,
        WindowChange::Focus,
        timing::WINDOW_CHANGE_TIMEOUT,
        |all| Ok(all.iter().any(|one| one.id == window.id && one.focused && !one.minimized)),
    )?;
    if changed.succeeded {
        return Ok(());
    }
    Err(Error::NotReady {
        query: windows::label(window),
        condition: Condition::Focused,
        last_state: "the window manager did not give it the keyboard".to_owned(),
    })
}
