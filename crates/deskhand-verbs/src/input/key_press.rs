//! Pressing keys, in the app that has the keyboard or in one that is named.

use std::time::Duration;

use deskhand_model::Window;
use deskhand_platform::{Arrange, Error as PlatformError, Input};

use super::{
    keys::{self, KeyCombo},
    pointer,
};
use crate::{
    Condition, Context, Error, Result,
    act::{
        Mode,
        real_input::{self, SendTracker},
        risk::{self, ActionDecision},
    },
    effect::{ActionEffect, ActionOutcome},
    timing,
    windows::{self, WindowPreference},
};

/// What to do when nothing tells what the keys did.
const VERIFY_ADVICE: &str = "look what came of it: `deskhand tree` or `deskhand screenshot`";

/// Presses one combination after the other.
pub fn press_combos(
    cx: &Context<'_>,
    app: Option<&str>,
    combos: &[KeyCombo],
    hold: Duration,
    mode: Mode,
) -> Result<ActionOutcome> {
    let input = real_input::input(cx)?;
    let answered;
    let cx = match risk::check_keys(cx, app, combos)? {
        ActionDecision::Allowed => cx,
        ActionDecision::Approved => {
            answered = risk::with_new_deadline(cx);
            &answered
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
        // Its window has the keyboard already: nobody is disturbed.
        Mode::Background | Mode::Focus if window.focused => {
            press_in_foreground(input, combos, hold)?
        }
        Mode::Background => press_in_background(cx, input, &window, combos, hold)?,
        Mode::Focus => {
            input.ready(cx.deadline)?;
            focus_window(cx, &window)?;
            press_in_foreground(input, combos, hold)?
        }
    };
    Ok(outcome.on(windows::label(&window)))
}

/// Presses them for whoever has the keyboard.
fn press_in_foreground(
    input: &dyn Input,
    combos: &[KeyCombo],
    hold: Duration,
) -> Result<ActionOutcome> {
    let tracker = SendTracker::default();
    for combo in combos {
        let deadline = pointer::input_deadline(hold);
        keys::press_combo(combo, hold, deadline, |key, press, deadline| {
            tracker.track_key(press, input.key(key, press, deadline))
        })
        .map_err(|error| tracker.request_error(error))?;
    }
    Ok(ActionOutcome::new(ActionEffect::Unverified, "keyboard").with_next_step(VERIFY_ADVICE))
}

/// Presses them on a keyboard of our own, for one window.
fn press_in_background(
    cx: &Context<'_>,
    input: &dyn Input,
    window: &Window,
    combos: &[KeyCombo],
    hold: Duration,
) -> Result<ActionOutcome> {
    let refuse = |why: &str| {
        let why = format!("{why}: use --mode focus");
        Ok(ActionOutcome::new(ActionEffect::Refused, "second keyboard").with_next_step(why))
    };
    if window.minimized {
        return refuse("its window is minimized, so no key reaches it");
    }
    let mut keyboard = match input.aside(window.id, cx.deadline) {
        Ok(keyboard) => keyboard,
        Err(PlatformError::Unsupported { why, .. }) => return refuse(&why),
        Err(error) => return Err(Error::Platform(error)),
    };
    let tracker = SendTracker::default();
    for combo in combos {
        let deadline = pointer::input_deadline(hold);
        keys::press_combo(combo, hold, deadline, |key, press, deadline| {
            tracker.track_key(press, keyboard.key(key, press, deadline))
        })
        .map_err(|error| tracker.request_error(error))?;
    }
    Ok(ActionOutcome::new(ActionEffect::Unverified, "second keyboard")
        .with_next_step(VERIFY_ADVICE))
}

/// Gives a window the keyboard, and sees that it has it.
fn focus_window(cx: &Context<'_>, window: &Window) -> Result<()> {
    let changed =
        windows::change_window(cx, window, Arrange::Focus, timing::WINDOW_CHANGE_TIMEOUT, |all| {
            Ok(all.iter().any(|one| one.id == window.id && one.focused && !one.minimized))
        })?;
    if changed.succeeded {
        return Ok(());
    }
    Err(Error::NotReady {
        query: windows::label(window),
        condition: Condition::Focused,
        last_state: "the window manager did not give it the keyboard".to_owned(),
    })
}
