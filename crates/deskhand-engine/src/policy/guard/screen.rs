//! Screenshots with app rules applied: the windows of blocked apps are painted over.

use std::{sync::Arc, time::Instant};

use deskhand_model::Rect;
use deskhand_platform::{
    CaptureFlaw, CaptureTarget, Deadline, Display, Error, Opacity, OwnerQuery, Pixels, Result,
    Screen, VisibleWindow, Windows,
};

use parking_lot::Mutex;

use super::checker::{AccessChecker, app_blocked, check_read};
use crate::{policy::apps::AppAccess, timing::CLOSED_WINDOW_TTL};

pub(super) struct GuardedScreen {
    inner: Box<dyn Screen>,
    windows: Option<Arc<dyn Windows>>,
    checker: Arc<AccessChecker>,
    /// The areas that were hidden recently.
    recent: Mutex<Vec<(Instant, HiddenArea)>>,
}

/// An area that must be hidden, and its app.
#[derive(Debug, Clone, PartialEq, Eq)]
struct HiddenArea {
    rect: Rect,
    app: String,
}

impl GuardedScreen {
    pub(super) fn new(
        inner: Box<dyn Screen>,
        windows: Option<Arc<dyn Windows>>,
        checker: Arc<AccessChecker>,
    ) -> Self {
        Self { inner, windows, checker, recent: Mutex::default() }
    }

    fn windows(&self) -> Result<&dyn Windows> {
        // Without a window list, the content of the image is unknown.
        self.windows.as_deref().ok_or_else(|| app_blocked("the screen"))
    }

    /// Returns the visible areas of blocked apps.
    fn hidden_areas(&self, all: &[VisibleWindow]) -> Vec<HiddenArea> {
        let mut hidden = Vec::new();
        for (index, window) in all.iter().enumerate() {
            let (access, app) = self.checker.owners_access(&window.owners);
            // A process that has ended since the screenshot cannot be checked.
            let is_checked = |pid: u32| pid == 0 || self.checker.is_identifiable(pid);
            if access != AppAccess::None && window.owners.iter().all(|owner| is_checked(owner.pid))
            {
                continue;
            }
            let in_front = all.get(..index).unwrap_or_default();
            let opaque = in_front.iter().filter(|one| one.opacity == Opacity::Opaque);
            let visible = opaque.fold(vec![window.rect], |visible, over| {
                visible.into_iter().flat_map(|piece| piece.subtract(over.rect)).collect()
            });
            hidden.extend(visible.into_iter().map(|rect| HiddenArea { rect, app: app.clone() }));
        }
        hidden
    }

    /// Returns the areas of blocked apps in front of a window.
    fn hidden_areas_above(&self, window: u64, all: &[VisibleWindow]) -> Vec<HiddenArea> {
        let index = all.iter().position(|one| one.id == window).unwrap_or(0);
        self.hidden_areas(all.get(..index).unwrap_or_default())
    }

    /// Adds the areas that were hidden recently.
    fn with_recent(&self, now: Vec<HiddenArea>) -> Vec<HiddenArea> {
        let mut recent = self.recent.lock();
        recent.retain(|(at, one)| at.elapsed() < CLOSED_WINDOW_TTL && !now.contains(one));
        let earlier: Vec<HiddenArea> = recent.iter().map(|(_, one)| one.clone()).collect();
        let time = Instant::now();
        recent.extend(now.iter().map(|one| (time, one.clone())));
        now.into_iter().chain(earlier).collect()
    }

    /// Takes a screenshot, and returns the areas in it that must be hidden.
    fn capture_with_areas(
        &self,
        target: CaptureTarget,
        deadline: Deadline,
    ) -> Result<(Pixels, Vec<HiddenArea>, Option<Vec<VisibleWindow>>)> {
        let windows = self.windows()?;
        if let CaptureTarget::Window(window) = target {
            let (access, app) =
                self.checker.owners_access(&windows.owners(OwnerQuery::Window(window), deadline)?);
            check_read(access, app)?;
        }
        let (pixels, visible) = self.inner.capture_with_windows(target, deadline)?;
        let hidden = match (&visible, target) {
            (None, _) => Vec::new(),
            (Some(all), CaptureTarget::Window(window)) => {
                self.with_recent(self.hidden_areas_above(window, all))
            }
            (Some(all), CaptureTarget::Screen | CaptureTarget::Region(_)) => {
                self.with_recent(self.hidden_areas(all))
            }
        };
        Ok((pixels, hidden, visible))
    }
}

impl Screen for GuardedScreen {
    fn displays(&self, deadline: Deadline) -> Result<Vec<Display>> {
        self.inner.displays(deadline)
    }

    fn pixel(&self, x: i32, y: i32, deadline: Deadline) -> Result<[u8; 3]> {
        if !self.checker.has_blocked_apps() {
            return self.inner.pixel(x, y, deadline);
        }
        let (pixels, hidden, _) =
            self.capture_with_areas(CaptureTarget::Region(Rect::new(x, y, 1, 1)), deadline)?;
        match hidden.into_iter().find(|one| one.rect.contains(x, y)) {
            Some(HiddenArea { app, .. }) => Err(app_blocked(app)),
            None => pixels.first_pixel().ok_or_else(|| Error::Unexpected {
                what: "the screen".to_owned(),
                why: "the image has no pixels".to_owned(),
            }),
        }
    }

    fn pointer_position(&self, deadline: Deadline) -> Result<(i32, i32)> {
        self.inner.pointer_position(deadline)
    }

    fn capture(&self, target: CaptureTarget, deadline: Deadline) -> Result<Pixels> {
        if !self.checker.has_blocked_apps() {
            return self.inner.capture(target, deadline);
        }
        let (pixels, hidden, _) = self.capture_with_areas(target, deadline)?;
        Ok(paint_over(pixels, &hidden))
    }

    fn capture_with_windows(
        &self,
        target: CaptureTarget,
        deadline: Deadline,
    ) -> Result<(Pixels, Option<Vec<VisibleWindow>>)> {
        if !self.checker.has_blocked_apps() {
            return self.inner.capture_with_windows(target, deadline);
        }
        let (pixels, hidden, visible) = self.capture_with_areas(target, deadline)?;
        Ok((paint_over(pixels, &hidden), visible))
    }
}

/// Paints areas of an image black.
fn paint_over(mut pixels: Pixels, hidden: &[HiddenArea]) -> Pixels {
    let (rect, width, height) = (pixels.rect, pixels.width, pixels.height);
    let areas: Vec<Rect> = hidden.iter().filter_map(|one| one.rect.intersection(rect)).collect();
    if areas.is_empty() {
        return pixels;
    }
    let to_pixels = |at: i32, length: i32, count: u32| {
        f64::from(at) * f64::from(count) / f64::from(length.max(1))
    };
    for area in areas {
        let left = to_pixels(area.x - rect.x, rect.width, width).floor().max(0.0) as usize;
        let right = to_pixels(area.right() - rect.x, rect.width, width).ceil() as usize;
        let top = to_pixels(area.y - rect.y, rect.height, height).floor().max(0.0) as usize;
        let bottom = to_pixels(area.bottom() - rect.y, rect.height, height).ceil() as usize;
        let rows = pixels.data.chunks_exact_mut((width as usize * 4).max(4));
        for row in rows.take(bottom).skip(top) {
            let right = (right * 4).min(row.len());
            row.get_mut(left * 4..right).into_iter().for_each(|part| part.fill(0));
        }
    }
    pixels.flaws.push(CaptureFlaw::AppBlocked);
    pixels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hidden_areas_are_painted_black() {
        let rect = Rect::new(10, 10, 4, 2);
        let white = Pixels { rect, width: 4, height: 2, data: vec![9; 32], flaws: Vec::new() };
        let hidden = HiddenArea { rect: Rect::new(12, 0, 100, 11), app: String::new() };
        let painted = paint_over(white, &[hidden]);
        let first = [vec![9; 8], vec![0; 8]].concat();
        assert_eq!(painted.data, [first, vec![9; 16]].concat());
        assert_eq!(painted.flaws, [CaptureFlaw::AppBlocked]);
    }
}
