//! Pressing keys, in the app that has the keyboard or in one that is named.

use std::time::Duration;

use deskhand_model::Window;
use deskhand_platform::{Arrange, Error as PlatformError, Input};

use super::{
    act::{
        Mode,
        by_hand::{self, Series},
        caution::{self, Leave},
    },
    effect::{Done, Verdict},
    keys::{self, Combo},
    point,
    windows::{self, Prefer, SOON},
};
use crate::{Condition, Context, Error, Result};

/// What to do when nothing tells what the keys did.
const LOOK: &str = "look what came of it: `deskhand tree` or `deskhand screenshot`";

/// Presses one combination after the other.
pub fn press(
    cx: &Context<'_>,
    app: Option<&str>,
    combos: &[Combo],
    hold: Duration,
    mode: Mode,
) -> Result<Done> {
    let input = by_hand::input(cx)?;
    let answered;
    let cx = match caution::before_keys(cx, app, combos)? {
        Leave::Free => cx,
        Leave::Given => {
            answered = caution::later(cx);
            &answered
        }
        Leave::Refused(done) => return Ok(*done),
    };
    let Some(app) = app else {
        let has = windows::list(cx)?.list(cx.by)?.into_iter().find(|one| one.focused);
        let done = in_front(input, combos, hold)?;
        return Ok(Done { target: has.as_ref().map(windows::label), ..done });
    };
    let window = windows::meant(cx, app, None, Prefer::Shown)?;
    let done = match mode {
        // Its window has the keyboard already: nobody is disturbed.
        Mode::Background | Mode::Focus if window.focused => in_front(input, combos, hold)?,
        Mode::Background => aside(cx, input, &window, combos, hold)?,
        Mode::Focus => {
            input.ready(cx.by)?;
            bring_forward(cx, &window)?;
            in_front(input, combos, hold)?
        }
    };
    Ok(done.to(windows::label(&window)))
}

/// Presses them for whoever has the keyboard.
fn in_front(input: &dyn Input, combos: &[Combo], hold: Duration) -> Result<Done> {
    let series = Series::default();
    for combo in combos {
        let by = point::deadline(hold);
        keys::strike(combo, hold, by, |key, press, by| {
            series.key(press, input.key(key, press, by))
        })
        .map_err(|error| series.in_doubt(error))?;
    }
    Ok(Done::new(Verdict::Unverified, "keyboard").or_else(LOOK))
}

/// Presses them on a keyboard of our own, for one window.
fn aside(
    cx: &Context<'_>,
    input: &dyn Input,
    window: &Window,
    combos: &[Combo],
    hold: Duration,
) -> Result<Done> {
    let refused = |why: &str| {
        let why = format!("{why}: use --mode focus");
        Ok(Done::new(Verdict::Refused, "second keyboard").or_else(why))
    };
    if window.minimized {
        return refused("its window is minimized, so no key reaches it");
    }
    let mut keyboard = match input.aside(window.id, cx.by) {
        Ok(keyboard) => keyboard,
        Err(PlatformError::Unsupported { why, .. }) => return refused(&why),
        Err(error) => return Err(Error::Platform(error)),
    };
    let series = Series::default();
    for combo in combos {
        let by = point::deadline(hold);
        keys::strike(combo, hold, by, |key, press, by| {
            series.key(press, keyboard.key(key, press, by))
        })
        .map_err(|error| series.in_doubt(error))?;
    }
    Ok(Done::new(Verdict::Unverified, "second keyboard").or_else(LOOK))
}

/// Gives a window the keyboard, and sees that it has it.
fn bring_forward(cx: &Context<'_>, window: &Window) -> Result<()> {
    let changed = windows::change(cx, window, Arrange::Focus, SOON, |all| {
        Ok(all.iter().any(|one| one.id == window.id && one.focused && !one.minimized))
    })?;
    if changed.there {
        return Ok(());
    }
    Err(Error::NotReady {
        query: windows::label(window),
        condition: Condition::Focused,
        seen: "the window manager did not give it the keyboard".to_owned(),
    })
}
