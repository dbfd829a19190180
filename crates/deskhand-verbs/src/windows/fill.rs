//! Maximizing a window and making it full screen.

use deskhand_model::{Advice, Step, Window};
use deskhand_platform::WindowChange;

use super::{change_window, sent_error, size_evidence, window_system};
use crate::{
    Context, Result,
    effect::{ActionOutcome, Evidence, EvidenceKind},
    timing::WINDOW_CHANGE_TIMEOUT,
};

/// The area that a window fills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilledArea {
    /// The part of the display that panels leave free: the window is maximized.
    WorkArea,
    /// The whole display: the window is full screen.
    Display,
}

impl FilledArea {
    /// Returns the name of the window state.
    fn state(self) -> &'static str {
        match self {
            Self::WorkArea => "maximized",
            Self::Display => "fullscreen",
        }
    }

    fn change(self, fills: bool) -> WindowChange {
        match self {
            Self::WorkArea => WindowChange::Maximize(fills),
            Self::Display => WindowChange::FullScreen(fills),
        }
    }
}

/// Makes a window fill an area.
///
/// # Errors
///
/// Fails if the window closes before the change is done, or the request cannot be sent.
pub fn fill(cx: &Context<'_>, window: &Window, area: FilledArea) -> Result<ActionOutcome> {
    set_fills(cx, window, area, true)
}

/// Gives a window that fills an area its own size.
///
/// # Errors
///
/// Fails if the window closes before the change is done, or the request cannot be sent.
pub fn stop_filling(cx: &Context<'_>, window: &Window, area: FilledArea) -> Result<ActionOutcome> {
    set_fills(cx, window, area, false)
}

fn set_fills(
    cx: &Context<'_>,
    window: &Window,
    area: FilledArea,
    fills: bool,
) -> Result<ActionOutcome> {
    let system = window_system(cx)?;
    let has_state = || -> Result<bool> {
        let state = system.state(window.id, cx.deadline).map_err(sent_error)?;
        Ok(state.states.iter().any(|state| state == area.state()))
    };
    let before = has_state()?;
    let changed = change_window(cx, window, area.change(fills), WINDOW_CHANGE_TIMEOUT, |_| {
        Ok(has_state()? == fills)
    })?;
    let yes_no = |is: bool| if is { "yes" } else { "no" };
    let evidence =
        Evidence::change(EvidenceKind::State, area.state(), yes_no(before), yes_no(has_state()?));
    let mut outcome = changed.outcome(window, evidence);
    let after = changed.window_after(window)?;
    if after.frame != window.frame {
        outcome.evidence.push(size_evidence(window.frame, after.frame));
    }
    if changed.succeeded {
        return Ok(outcome);
    }
    let next = Advice::from("its program may have a fixed size; ").step(Step::WindowState);
    Ok(outcome.with_next_step(next.text(" shows it")))
}
