//! Pointer and keyboard input on an element, in the foreground or through a background keyboard for
//! its window alone.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use deskhand_model::{App, Delivery, Node, Rect, Role, State};
use deskhand_platform::{
    ActionReply, BackgroundKeyboard, Button, Deadline, Error as PlatformError, Input, Key,
    NamedKey, NodeAction, Press, WindowChange,
};

use super::{
    closed_menus,
    modality::Modality,
    scroll, tab_focus,
    target::{self, ActionTarget, Readiness},
    target_window, timing,
    verify::{SendOutcome, poll_until, send_outcome},
    visibility::{self, window_index},
};
use crate::{Context, Error, Result, error::Condition, windows};

/// Returns the pointer and keyboard of the desktop.
pub(crate) fn input<'a>(cx: &Context<'a>) -> Result<&'a dyn Input> {
    cx.desktop.input.as_deref().ok_or(Error::MissingCapability { part: "pointer and keyboard" })
}

/// Tracks a series of input events, so that a failure in the middle is not reported as `not_sent`.
#[derive(Debug, Default)]
pub(crate) struct SendTracker {
    sent_any: AtomicBool,
}

impl SendTracker {
    /// Records the result of sending one event.
    pub(crate) fn track<T>(
        &self,
        one: deskhand_platform::Result<T>,
    ) -> deskhand_platform::Result<T> {
        if one.is_ok() {
            self.mark_sent();
        }
        one
    }

    /// Records the result of sending a key. Releasing a key that was never pressed does not count
    /// as sent.
    pub(crate) fn track_key(
        &self,
        press: Press,
        one: deskhand_platform::Result<()>,
    ) -> deskhand_platform::Result<()> {
        match press {
            Press::Down => self.track(one),
            Press::Up => one,
        }
    }

    fn has_sent(&self) -> bool {
        self.sent_any.load(Ordering::Relaxed)
    }

    /// Records that an event was sent.
    pub(crate) fn mark_sent(&self) {
        self.sent_any.store(true, Ordering::Relaxed);
    }

    /// Converts an error of the latest event.
    pub(crate) fn input_error(&self, error: PlatformError) -> Error {
        if self.has_sent() { windows::sent_error(error) } else { input_error(error) }
    }

    /// Converts an error of the latest event, where unsupported requests count as not sent.
    pub(crate) fn request_error(&self, error: PlatformError) -> Error {
        if self.has_sent() { windows::sent_error(error) } else { windows::request_error(error) }
    }

    /// Adjusts the delivery of an error that occurred during the series.
    pub(crate) fn with_delivery(&self, error: Error) -> Error {
        if !self.has_sent() {
            return error;
        }
        if let Error::Platform(error) = error { windows::sent_error(error) } else { error }
    }
}

/// A background keyboard whose keys are tracked.
struct TrackedKeyboard<'a> {
    keyboard: Box<dyn BackgroundKeyboard>,
    tracker: &'a SendTracker,
}

impl BackgroundKeyboard for TrackedKeyboard<'_> {
    fn send_key(
        &mut self,
        key: &Key,
        press: Press,
        deadline: Deadline,
    ) -> deskhand_platform::Result<()> {
        self.tracker.track_key(press, self.keyboard.send_key(key, press, deadline))
    }

    fn type_text(
        &mut self,
        text: &str,
        pause: Duration,
        deadline: Deadline,
    ) -> deskhand_platform::Result<()> {
        self.tracker.track(self.keyboard.type_text(text, pause, deadline))
    }
}

/// Converts an error of the first input event.
pub(crate) fn input_error(error: PlatformError) -> Error {
    use PlatformError::{PermissionDenied, Refused, ScreenLocked};
    if matches!(error, ScreenLocked { .. } | PermissionDenied { .. } | Refused(_)) {
        return Error::Platform(error);
    }
    Error::SendFailed { error, delivery: Delivery::Unknown }
}

/// Returns `true` if the app does not update the tree of a minimized window, as browsers do with
/// pages.
pub(crate) fn stops_updating_minimized(app: &App) -> bool {
    matches!(app.toolkit.name.as_str(), "Chromium" | "Gecko")
}

/// Returns `true` if the tree of the target may be outdated.
pub(crate) fn may_be_stale(cx: &Context<'_>, target: &ActionTarget) -> bool {
    stops_updating_minimized(&target.app)
        && target_window::find_window(cx, target).is_some_and(|window| window.minimized)
}

/// Brings the window of an element to the front, opens the menus that contain it, and waits until
/// the pointer can reach it.
pub(crate) fn ready_for_pointer(cx: &Context<'_>, app: &App, query: &str) -> Result<ActionTarget> {
    let located = match target::wait_until_ready(cx, app, query, Readiness::EXISTS) {
        Ok(located) => located,
        Err(error) => {
            let menu = closed_menus::unopened_menu(&error).ok_or(error)?;
            let located = target::wait_until_ready(cx, app, &menu, Readiness::EXISTS)?;
            focus_window(cx, &located)?;
            return closed_menus::open_to_find(cx, app, query, &menu);
        }
    };
    let was_raised = focus_window(cx, &located)?;
    show_for_pointer(cx, app, query, located).map_err(|error| {
        if was_raised { error.with_state("its window was brought to the front") } else { error }
    })
}

/// Opens the menus that contain an element, or scrolls it into view.
fn show_for_pointer(
    cx: &Context<'_>,
    app: &App,
    query: &str,
    mut located: ActionTarget,
) -> Result<ActionTarget> {
    let menus = closed_menus::open_menus_of(cx, app, &mut located)?;
    if menus.is_empty() {
        let scrolled = scroll::scroll_into_view(cx, &located).map_err(after_scrolling)?;
        let target = target::wait_until_ready(cx, app, query, Readiness::POINTER);
        return if scrolled { target.map_err(after_scrolling) } else { target };
    }
    let reference = located.reference.as_str();
    target::wait_until_ready(cx, app, reference, Readiness::POINTER)
        .inspect_err(|_| menus.close(cx))
        .map_err(|error| after_scrolling(error).with_state(closed_menus::MENUS_WERE_OPENED))
}

/// Converts an error that occurred after an element may have been scrolled.
fn after_scrolling(error: Error) -> Error {
    if let Error::Platform(error) = error { input_error(error) } else { error }
}

/// Gives the keyboard to the window of the target. Returns `false` if the window already had it, or was
/// not found.
pub(crate) fn focus_window(cx: &Context<'_>, target: &ActionTarget) -> Result<bool> {
    let windows =
        cx.desktop.windows.as_deref().ok_or(Error::MissingCapability { part: "window list" })?;
    // Windows stay as they are behind a locked screen.
    input(cx)?.check_ready(cx.deadline)?;
    let Some(window) = target_window::find_window(cx, target) else { return Ok(false) };
    if window.focused && !window.minimized {
        return Ok(false);
    }
    let snapshot = &target.tree.snapshot;
    let modality = Modality::read(cx, &target.app, snapshot);
    let top = window_index(snapshot, target.index);
    if let Some(title) = top.and_then(|top| modality.blocker_of(snapshot, top)) {
        return Err(Error::NotReady {
            query: target.label(),
            condition: Condition::Unblocked,
            last_state: format!("window \"{title}\" is open above it"),
        });
    }
    windows.arrange(window.id, WindowChange::Focus, cx.deadline)?;
    let focused = || {
        let now = windows.list(Deadline::after(timing::FOCUS_TIMEOUT)).unwrap_or_default();
        now.iter().any(|one| one.focused && one.id == window.id && !one.minimized)
    };
    if poll_until(timing::WINDOW_FOCUS_TIMEOUT, focused) {
        return Ok(true);
    }
    Err(Error::NotReady {
        query: target.label(),
        condition: Condition::Focused,
        last_state: format!("its window \"{}\" did not receive the keyboard", window.title),
    })
}

/// The point of an element to click.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClickPoint {
    /// Its center.
    Center,
    /// Its start, where an expander has its arrow.
    Start,
}

/// Returns the center of the part of an element that is on a display and in its window.
pub(crate) fn center_of(
    cx: &Context<'_>,
    target: &ActionTarget,
    node: &Node,
) -> Result<(i32, i32)> {
    click_point_of(cx, target, node, ClickPoint::Center)
}

fn click_point_of(
    cx: &Context<'_>,
    target: &ActionTarget,
    node: &Node,
    point: ClickPoint,
) -> Result<(i32, i32)> {
    let not_ready = |condition: Condition, last_state: String| Error::NotReady {
        query: target.label(),
        condition,
        last_state,
    };
    let no_area = || not_ready(Condition::Visible, "it has no place on the screen".to_owned());
    let bounds = node.bounds.filter(|bounds| !bounds.is_empty()).ok_or_else(no_area)?;
    let window = target_window::find_window(cx, target);
    let inside = match &window {
        Some(window) if window.bounds.overlaps(bounds) => bounds.clipped_to(window.bounds),
        Some(_) | None => bounds,
    };
    // A list may report the height of all its rows, and a row its place without scrolling.
    let inside =
        scroll::scroll_areas(cx, target, cx.deadline).into_iter().fold(inside, Rect::clipped_to);
    let displays = match &cx.desktop.screen {
        Some(screen) => screen.displays(cx.deadline)?,
        None => Vec::new(),
    };
    let visible_parts = displays.iter().map(|display| inside.clipped_to(display.frame));
    let best = visible_parts
        .max_by_key(|part| i64::from(part.width.max(0)) * i64::from(part.height.max(0)));
    let part = best.unwrap_or(inside);
    if part.is_empty() {
        return Err(no_area());
    }
    let (middle, y) = part.center();
    let x = match point {
        ClickPoint::Center => middle,
        ClickPoint::Start => part.x + part.width.min(part.height) / 2,
    };
    // An open menu lies above all windows.
    let is_menu_item =
        matches!(node.role, Role::MenuItem | Role::CheckMenuItem | Role::RadioMenuItem);
    let own = target_window::certain_window(cx, target);
    if !is_menu_item
        && let Some(above) = target_window::covering_window(cx, &target.app, own.as_ref(), x, y)
    {
        let last_state = format!("window \"{above}\" covers {x},{y}");
        return Err(not_ready(Condition::Uncovered, last_state));
    }
    Ok((x, y))
}

/// Clicks an element with the pointer.
pub(crate) fn click_element(
    cx: &Context<'_>,
    target: &ActionTarget,
    point: ClickPoint,
    button: Button,
    count: usize,
) -> Result<SendOutcome> {
    let (input, deadline) = (input(cx)?, Deadline::after(timing::INPUT_TIMEOUT));
    let mut at = click_point_of(cx, target, &target.node, point)?;
    if let Some(other) = target_window::element_in_place(cx, target, at) {
        return Err(Error::NotReady {
            query: target.label(),
            condition: Condition::Visible,
            last_state: format!("{other} is shown in its place"),
        });
    }
    for _ in 0..3 {
        input.move_pointer(at.0, at.1, deadline).map_err(input_error)?;
        std::thread::sleep(timing::POINTER_REST);
        // LibreOffice updates the places of its elements only when the pointer moves.
        let node = target::read_now(cx, &target.app, &target.node.id)?;
        let now = click_point_of(cx, target, &node, point)?;
        if now == at {
            break;
        }
        at = now;
    }
    let tracker = SendTracker::default();
    for _ in 0..count {
        for press in [Press::Down, Press::Up] {
            tracker
                .track(input.send_button(button, press, deadline))
                .map_err(|error| tracker.input_error(error))?;
        }
    }
    Ok(SendOutcome::Replied(ActionReply::Accepted))
}

/// The result of a focus request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FocusResult {
    /// The element has the focus.
    Focused,
    /// The request was sent, but the element does not report the focus.
    Unconfirmed,
    /// Nothing was sent.
    Unsupported,
}

/// Gives an element the focus within its window.
pub(crate) fn focus_element(
    cx: &Context<'_>,
    target: &ActionTarget,
    act: &NodeAction,
) -> Result<FocusResult> {
    if has_focus(cx, target) {
        return Ok(FocusResult::Focused);
    }
    // A browser that is busy with its page may take seconds, so a longer deadline of the call is
    // used.
    let deadline = Deadline::after(timing::FOCUS_TIMEOUT).max(cx.deadline);
    let reply = cx.desktop.tree.perform(&target.app, &target.node.id, act, deadline);
    match send_outcome(reply)? {
        SendOutcome::Replied(_) if poll_until(timing::FOCUS_TIMEOUT, || has_focus(cx, target)) => {
            Ok(FocusResult::Focused)
        }
        // GTK 4.8 answers with an error and does nothing.
        SendOutcome::Replied(ActionReply::Declined)
        | SendOutcome::Impossible(_)
        | SendOutcome::Missed(_) => Ok(FocusResult::Unsupported),
        SendOutcome::Replied(ActionReply::Accepted | ActionReply::Unanswered) => {
            Ok(FocusResult::Unconfirmed)
        }
    }
}

/// Returns `true` if the target reports the keyboard focus.
pub(crate) fn has_focus(cx: &Context<'_>, target: &ActionTarget) -> bool {
    target::read_now(cx, &target.app, &target.node.id)
        .is_ok_and(|now| now.states.has(State::Focused))
}

/// Focuses the target within its window and runs `press` with a background keyboard for that
/// window.
pub(crate) fn with_background_keyboard(
    cx: &Context<'_>,
    target: &ActionTarget,
    press: impl FnOnce(&mut dyn BackgroundKeyboard, Deadline) -> deskhand_platform::Result<()>,
) -> Result<SendOutcome> {
    let impossible = |why: &str| Ok(SendOutcome::Impossible(why.to_owned()));
    let Some(window) = target_window::find_window(cx, target) else {
        return impossible("the window of the element was not found");
    };
    if window.minimized {
        return impossible("the window is minimized, so it receives no keys");
    }
    let deadline = Deadline::after(timing::INPUT_TIMEOUT);
    let Some(input) = &cx.desktop.input else {
        return impossible("this desktop has no keyboard");
    };
    let tracker = SendTracker::default();
    let mut keyboard = match input.background_keyboard(window.id, deadline) {
        Ok(keyboard) => TrackedKeyboard { keyboard, tracker: &tracker },
        Err(PlatformError::Unsupported { why, .. }) => return impossible(&why),
        Err(error @ PlatformError::ScreenLocked { .. }) => return impossible(&error.to_string()),
        Err(error) => return Err(Error::Platform(error)),
    };
    // Firefox still reports the focus of an element when its window has none, and accepts keys only
    // some time after the window has it again.
    let is_gecko = target.app.toolkit.name == "Gecko";
    if is_gecko && has_focus(cx, target) {
        send_outcome(cx.desktop.tree.perform(
            &target.app,
            &target.node.id,
            &NodeAction::FocusWithoutRaise,
            deadline,
        ))?;
    }
    match focus_element(cx, target, &NodeAction::FocusWithoutRaise)? {
        FocusResult::Focused if is_gecko => std::thread::sleep(timing::GECKO_WAKE_TIME),
        FocusResult::Focused => {}
        FocusResult::Unconfirmed => return Ok(SendOutcome::Replied(ActionReply::Declined)),
        FocusResult::Unsupported
            if tab_focus::reach(cx, target, &mut keyboard, deadline)
                .map_err(|error| tracker.input_error(error))? => {}
        // GTK reports the focus of a window a moment after the window has received the keyboard.
        FocusResult::Unsupported
            if visibility::is_editable(&target.node)
                && poll_until(timing::FOCUS_TIMEOUT, || has_focus(cx, target)) => {}
        FocusResult::Unsupported if tracker.has_sent() => {
            return impossible(
                "the element did not receive the focus: the Tab key moved it elsewhere in the window",
            );
        }
        FocusResult::Unsupported => {
            return impossible("the element cannot be given the focus without its window");
        }
    }
    press(&mut keyboard, deadline).map_err(|error| tracker.input_error(error))?;
    Ok(SendOutcome::Replied(ActionReply::Accepted))
}

/// Presses a key while the shortcut modifier is held.
pub(crate) fn press_shortcut(
    other: &Key,
    deadline: Deadline,
    mut key: impl FnMut(&Key, Press, Deadline) -> deskhand_platform::Result<()>,
) -> deskhand_platform::Result<()> {
    let command = Key::Named(NamedKey::Command);
    key(&command, Press::Down, deadline)?;
    let pressed = key(other, Press::Down, deadline).and_then(|()| key(other, Press::Up, deadline));
    // The modifier is released in any case.
    key(&command, Press::Up, deadline)?;
    pressed
}

/// Presses and releases a key.
pub(crate) fn press_key(
    named: NamedKey,
    deadline: Deadline,
    mut key: impl FnMut(&Key, Press, Deadline) -> deskhand_platform::Result<()>,
) -> deskhand_platform::Result<()> {
    key(&Key::Named(named), Press::Down, deadline)?;
    key(&Key::Named(named), Press::Up, deadline)
}

#[cfg(test)]
mod tests {
    use deskhand_model::Explain;

    use super::*;

    #[test]
    fn an_error_in_the_middle_of_a_series_reports_sent() {
        let blocked = || PlatformError::ScreenLocked { by: "vault".to_owned() };
        let tracker = SendTracker::default();
        let refused: deskhand_platform::Result<()> = Err(blocked());
        assert!(tracker.track(refused).is_err());
        assert_eq!(tracker.input_error(blocked()).delivery(), Delivery::NotSent);
        assert_eq!(tracker.request_error(blocked()).delivery(), Delivery::NotSent);
        assert_eq!(tracker.track(Ok(())), Ok(()));
        assert_eq!(tracker.input_error(blocked()).delivery(), Delivery::Sent);
        assert_eq!(tracker.request_error(blocked()).delivery(), Delivery::Sent);
        assert_eq!(tracker.with_delivery(Error::Platform(blocked())).delivery(), Delivery::Sent);
    }

    #[test]
    fn an_error_after_scrolling_reports_unknown_delivery() {
        let late = || Error::Platform(PlatformError::Timeout { what: "shop".to_owned() });
        assert_eq!(late().delivery(), Delivery::NotSent);
        assert_eq!(after_scrolling(late()).delivery(), Delivery::Unknown);
        let unfound = Error::MissingCapability { part: "window list" };
        assert_eq!(after_scrolling(unfound).delivery(), Delivery::NotSent);
    }
}
