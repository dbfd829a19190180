//! Pixels behind the fence: windows of apps that must not be read are painted over.

use std::sync::Arc;

use deskhand_model::Rect;
use deskhand_platform::{
    Capture, Covering, Deadline, Display, Error, Flaw, Pixels, Result, Screen, Shown, Whose,
    Windows,
};

use super::judge::{self, Judge};
use crate::policy::apps::Access;

pub(super) struct FencedScreen {
    pub(super) inner: Box<dyn Screen>,
    pub(super) windows: Option<Arc<dyn Windows>>,
    pub(super) judge: Arc<Judge>,
}

/// A place that must not be seen, and whose it is.
struct Hidden {
    place: Rect,
    app: String,
}

impl FencedScreen {
    fn windows(&self) -> Result<&dyn Windows> {
        // Without windows nobody knows what is in the picture.
        self.windows.as_deref().ok_or_else(|| Error::AppBlocked { app: "the screen".to_owned() })
    }

    /// What can be seen now and must not.
    fn hidden(&self, all: &[Shown]) -> Vec<Hidden> {
        let mut hidden = Vec::new();
        for (at, shown) in all.iter().enumerate() {
            let (access, app) = self.judge.owners(&shown.owners);
            if access != Access::None {
                continue;
            }
            let front = all.get(..at).unwrap_or_default();
            let covering = front.iter().filter(|one| one.covering == Covering::Whole);
            let left = covering.fold(vec![shown.room], |left, over| {
                left.into_iter().flat_map(|piece| piece.minus(over.room)).collect()
            });
            hidden.extend(left.into_iter().map(|place| Hidden { place, app: app.clone() }));
        }
        hidden
    }

    /// What lies over a window and must not be seen.
    fn over(&self, window: u64, all: &[Shown]) -> Vec<Hidden> {
        let front = all.iter().position(|one| one.id == window).unwrap_or(0);
        self.hidden(all.get(..front).unwrap_or_default())
    }
}

impl Screen for FencedScreen {
    fn displays(&self, by: Deadline) -> Result<Vec<Display>> {
        self.inner.displays(by)
    }

    fn pixel(&self, x: i32, y: i32, by: Deadline) -> Result<[u8; 3]> {
        if !self.judge.hides_some() {
            return self.inner.pixel(x, y, by);
        }
        let mut before = self.hidden(&self.windows()?.shown(by)?);
        let colour = self.inner.pixel(x, y, by)?;
        before.extend(self.hidden(&self.windows()?.shown(by)?));
        match before.into_iter().find(|one| one.place.contains(x, y)) {
            Some(Hidden { app, .. }) => Err(Error::AppBlocked { app }),
            None => Ok(colour),
        }
    }

    fn cursor(&self, by: Deadline) -> Result<(i32, i32)> {
        self.inner.cursor(by)
    }

    fn capture(&self, of: Capture, by: Deadline) -> Result<Arc<Pixels>> {
        if !self.judge.hides_some() {
            return self.inner.capture(of, by);
        }
        let windows = self.windows()?;
        if let Capture::Window(window) = of {
            let (access, app) = self.judge.owners(&windows.owners(Whose::Window(window), by)?);
            judge::read(access, app)?;
        }
        // Whatever moves while the picture is taken is painted over where it was and where it is.
        let before = windows.shown(by)?;
        let pixels = self.inner.capture(of, by)?;
        let after = windows.shown(by)?;
        let hidden = match of {
            // A window has a picture of its own as long as something lies over it.
            Capture::Window(window) if !self.over(window, &before).is_empty() => Vec::new(),
            Capture::Window(window) => self.over(window, &after),
            Capture::Screen | Capture::Region(_) => {
                self.hidden(&before).into_iter().chain(self.hidden(&after)).collect()
            }
        };
        Ok(painted(pixels, &hidden))
    }
}

/// The same picture with places painted black.
fn painted(pixels: Arc<Pixels>, hidden: &[Hidden]) -> Arc<Pixels> {
    let inside = |one: &Hidden| one.place.intersection(pixels.rect);
    let places: Vec<Rect> = hidden.iter().filter_map(inside).collect();
    if places.is_empty() {
        return pixels;
    }
    let mut painted = Pixels::clone(&pixels);
    let along = |at: i32, length: i32, count: u32| {
        f64::from(at) * f64::from(count) / f64::from(length.max(1))
    };
    let (rect, width, height) = (pixels.rect, pixels.width, pixels.height);
    for place in places {
        let left = along(place.x - rect.x, rect.width, width).floor().max(0.0) as usize;
        let right = along(place.right() - rect.x, rect.width, width).ceil() as usize;
        let top = along(place.y - rect.y, rect.height, height).floor().max(0.0) as usize;
        let bottom = along(place.bottom() - rect.y, rect.height, height).ceil() as usize;
        let rows = painted.data.chunks_exact_mut((width as usize * 4).max(4));
        for row in rows.take(bottom).skip(top) {
            let right = (right * 4).min(row.len());
            row.get_mut(left * 4..right).into_iter().for_each(|part| part.fill(0));
        }
    }
    painted.flaws.push(Flaw::Blocked);
    Arc::new(painted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_place_that_must_not_be_seen_is_black() {
        let rect = Rect::new(10, 10, 4, 2);
        let white = Pixels { rect, width: 4, height: 2, data: vec![9; 32], flaws: Vec::new() };
        let hidden = Hidden { place: Rect::new(12, 0, 100, 11), app: String::new() };
        let painted = painted(Arc::new(white), &[hidden]);
        let first = [vec![9; 8], vec![0; 8]].concat();
        assert_eq!(painted.data, [first, vec![9; 16]].concat());
        assert_eq!(painted.flaws, [Flaw::Blocked]);
    }
}
