//! Changing a window and verifying the change.

use std::time::Duration;

use deskhand_model::{Advice, Delivery, Rect, Step, Window};
use deskhand_platform::{Deadline, RequestRecipient, WindowChange};

use super::{label, window_system};
use crate::{
    Context, Error, Result,
    effect::{ActionEffect, ActionOutcome, Evidence, EvidenceKind},
    timing,
};

/// The result of a change to a window.
pub(crate) struct WindowChangeResult {
    /// The recipient of the request, in words.
    pub method: &'static str,
    /// All windows after the change.
    pub windows: Vec<Window>,
    /// The window after the change; `None` if it has closed.
    pub after: Option<Window>,
    /// `true` if the change was successful.
    pub succeeded: bool,
}

/// Requests a change to a window and waits until it is done or the timeout is over.
pub(crate) fn change_window(
    cx: &Context<'_>,
    window: &Window,
    change: WindowChange,
    timeout: Duration,
    mut is_done: impl FnMut(&[Window]) -> Result<bool>,
) -> Result<WindowChangeResult> {
    let windows = window_system(cx)?;
    let recipient = windows
        .arrange(window.id, change, cx.deadline)
        .map_err(|error| unsupported_error(error, change))?;
    // After the request, the original deadline no longer limits the verification.
    let deadline = Deadline::after(timeout);
    let (mut pause, mut still, mut last) =
        (timing::FIRST_WINDOW_POLL, Deadline::after(timing::WINDOW_SETTLE), window.clone());
    // The frame changes shortly after the window, so two equal reads are required.
    let mut last_frame = None;
    loop {
        let all =
            windows.list(Deadline::after(timing::WINDOW_CHANGE_TIMEOUT)).map_err(sent_error)?;
        let done = is_done(&all)?;
        let after = all.iter().find(|one| one.id == window.id).cloned();
        if let Some(after) = after.as_ref().filter(|after| after.frame != last.frame) {
            (still, last) = (Deadline::after(timing::WINDOW_SETTLE), after.clone());
        }
        let rests = after.as_ref().is_none_or(|after| Some(after.frame) == last_frame);
        let settled = still.has_passed() && last.frame != window.frame;
        if (done && rests) || deadline.has_passed() || settled {
            return Ok(WindowChangeResult {
                method: describe_recipient(recipient),
                windows: all,
                after,
                succeeded: done,
            });
        }
        last_frame = after.map(|after| after.frame);
        std::thread::sleep(pause);
        pause =
            if done { timing::FIRST_WINDOW_POLL } else { (pause * 2).min(timing::MAX_WINDOW_POLL) };
    }
}

/// Returns an error that occurred after something was sent.
pub(crate) fn sent_error(error: deskhand_platform::Error) -> Error {
    Error::SendFailed { error, delivery: Delivery::Sent }
}

/// Converts the error of an unsupported change and adds advice.
fn unsupported_error(error: deskhand_platform::Error, change: WindowChange) -> Error {
    let deskhand_platform::Error::Unsupported { what, why } = error else {
        return request_error(error);
    };
    let instead = match change {
        WindowChange::Close => {
            Advice::new().step(Step::Argument("force")).text(" ends its program")
        }
        WindowChange::Maximize(_) | WindowChange::FullScreen(_) => {
            Advice::new().step(Step::PlaceWindow)
        }
        WindowChange::Focus
        | WindowChange::MoveTo(..)
        | WindowChange::Resize(..)
        | WindowChange::Minimize
        | WindowChange::Restore => Advice::from("inspect it with ").step(Step::WindowState),
    };
    Error::NotApplicable { what, why, instead }
}

/// Converts an error that occurred while something was being sent.
pub(crate) fn request_error(error: deskhand_platform::Error) -> Error {
    use deskhand_platform::Error as E;
    match error {
        E::Timeout { .. } | E::Disconnected { .. } | E::Unexpected { .. } => {
            Error::SendFailed { error, delivery: Delivery::Unknown }
        }
        before @ (E::NoAccessibility { .. }
        | E::NoDisplay { .. }
        | E::Gone { .. }
        | E::TooLarge { .. }
        | E::Unsupported { .. }
        | E::ScreenLocked { .. }
        | E::PermissionDenied { .. }
        | E::Refused(_)
        | E::InputCancelled) => Error::Platform(before),
    }
}

fn describe_recipient(recipient: RequestRecipient) -> &'static str {
    match recipient {
        RequestRecipient::WindowManager => "window manager",
        RequestRecipient::WindowSystem => {
            "direct window requests, because no window manager is running"
        }
        RequestRecipient::Program => "request to its program",
    }
}

impl WindowChangeResult {
    /// Returns the window after the change.
    ///
    /// # Errors
    ///
    /// Fails if the window has closed.
    pub(crate) fn window_after(&self, before: &Window) -> Result<&Window> {
        let gone = || deskhand_platform::Error::Gone { what: format!("window {}", label(before)) };
        self.after.as_ref().ok_or_else(|| sent_error(gone()))
    }

    /// Returns the outcome of a change, with its evidence.
    pub(crate) fn outcome(&self, before: &Window, evidence: Evidence) -> ActionOutcome {
        let effect = if self.succeeded { ActionEffect::Confirmed } else { ActionEffect::NoEffect };
        ActionOutcome { evidence: vec![evidence], ..ActionOutcome::new(effect, self.method) }
            .on(label(before))
    }
}

/// Returns evidence of the position of a window's frame.
pub(super) fn corner_evidence(before: Rect, after: Rect) -> Evidence {
    let format_rect = |rect: Rect| format!("{},{}", rect.x, rect.y);
    Evidence::change(
        EvidenceKind::Place,
        "corner of its frame",
        format_rect(before),
        format_rect(after),
    )
}

/// Returns evidence of the size of a window's frame.
pub(super) fn size_evidence(before: Rect, after: Rect) -> Evidence {
    let format_rect = |rect: Rect| format!("{}x{}", rect.width, rect.height);
    Evidence::change(
        EvidenceKind::Place,
        "size of its frame",
        format_rect(before),
        format_rect(after),
    )
}
