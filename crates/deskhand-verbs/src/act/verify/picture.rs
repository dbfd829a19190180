//! The picture of an element before an action. It shows changes that the tree does not report.

use deskhand_model::Rect;
use deskhand_platform::{CaptureTarget, Deadline, Pixels, Screen};

use crate::{
    Context,
    act::{target::ActionTarget, target_window, timing},
};

/// The picture of a region of the screen.
pub(crate) struct Picture<'a> {
    screen: &'a dyn Screen,
    region: Rect,
    pixels: Pixels,
}

impl<'a> Picture<'a> {
    /// Takes a picture of an element; `None` if it is covered, not on the screen, or cannot be captured.
    pub(crate) fn of_target(cx: &'a Context<'_>, target: &ActionTarget) -> Option<Self> {
        let screen = cx.desktop.screen.as_deref()?;
        let region = target.node.bounds.filter(|region| !region.is_empty())?;
        let (x, y) = region.center();
        if target_window::covering_window(cx, &target.app, None, x, y).is_some() {
            return None;
        }
        let pixels = capture(screen, region)?;
        Some(Self { screen, region, pixels })
    }

    /// Returns `true` if the region looks different now. An unreadable region is not known to
    /// differ.
    pub(crate) fn has_changed(&self) -> bool {
        capture(self.screen, self.region).is_some_and(|now| now.data != self.pixels.data)
    }
}

/// Captures a region. Without a picture, the tree alone decides, so the error does not matter.
fn capture(screen: &dyn Screen, region: Rect) -> Option<Pixels> {
    let deadline = Deadline::after(timing::ELEMENT_PICTURE_TIMEOUT);
    screen.capture(CaptureTarget::Region(region), deadline).ok()
}
