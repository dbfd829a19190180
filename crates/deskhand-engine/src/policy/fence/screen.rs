//! Pixels behind the fence: windows of apps that must not be read are painted over.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use deskhand_model::Rect;
use deskhand_platform::{
    Capture, Covering, Deadline, Display, Error, Flaw, Pixels, Result, Screen, Shown, Whose,
    Windows,
};

use super::judge::{self, Judge};
use crate::policy::apps::Access;

/// How long a window that closed is still taken to be seen: its pixels stay until whoever was behind
/// it has drawn, and compositors fade windows out.
const LINGERS: Duration = Duration::from_millis(500);

pub(super) struct FencedScreen {
    inner: Box<dyn Screen>,
    windows: Option<Arc<dyn Windows>>,
    judge: Arc<Judge>,
    /// What had to be hidden a moment ago.
    lately: Mutex<Vec<(Instant, Hidden)>>,
}

/// A place that must not be seen, and whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Hidden {
    place: Rect,
    app: String,
}

impl FencedScreen {
    pub(super) fn new(
        inner: Box<dyn Screen>,
        windows: Option<Arc<dyn Windows>>,
        judge: Arc<Judge>,
    ) -> Self {
        Self { inner, windows, judge, lately: Mutex::default() }
    }

    fn windows(&self) -> Result<&dyn Windows> {
        // Without windows nobody knows what is in the picture.
        self.windows.as_deref().ok_or_else(|| Error::AppBlocked { app: "the screen".to_owned() })
    }

    /// What can be seen and must not.
    fn hidden(&self, all: &[Shown]) -> Vec<Hidden> {
        let mut hidden = Vec::new();
        for (at, shown) in all.iter().enumerate() {
            let (access, app) = self.judge.owners(&shown.owners);
            // Who ended since the picture was taken cannot be judged any more.
            let known = |pid: u32| pid == 0 || self.judge.runs(pid);
            if access != Access::None && shown.owners.iter().all(|owner| known(owner.pid)) {
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

    /// What must not be seen in a picture of the screen: what is hidden now, and was lately.
    fn with_lately(&self, now: Vec<Hidden>) -> Vec<Hidden> {
        let mut lately = self.lately.lock().unwrap_or_else(PoisonError::into_inner);
        lately.retain(|(at, one)| at.elapsed() < LINGERS && !now.contains(one));
        let earlier: Vec<Hidden> = lately.iter().map(|(_, one)| one.clone()).collect();
        let seen = Instant::now();
        lately.extend(now.iter().map(|one| (seen, one.clone())));
        now.into_iter().chain(earlier).collect()
    }

    /// A picture, and what in it must not be seen.
    fn taken(
        &self,
        of: Capture,
        by: Deadline,
    ) -> Result<(Pixels, Vec<Hidden>, Option<Vec<Shown>>)> {
        let windows = self.windows()?;
        if let Capture::Window(window) = of {
            let (access, app) = self.judge.owners(&windows.owners(Whose::Window(window), by)?);
            judge::read(access, app)?;
        }
        let (pixels, among) = self.inner.capture_among(of, by)?;
        let hidden = match (&among, of) {
            (None, _) => Vec::new(),
            (Some(all), Capture::Window(window)) => self.with_lately(self.over(window, all)),
            (Some(all), Capture::Screen | Capture::Region(_)) => self.with_lately(self.hidden(all)),
        };
        Ok((pixels, hidden, among))
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
        let (pixels, hidden, _) = self.taken(Capture::Region(Rect::new(x, y, 1, 1)), by)?;
        match hidden.into_iter().find(|one| one.place.contains(x, y)) {
            Some(Hidden { app, .. }) => Err(Error::AppBlocked { app }),
            None => pixels.first().ok_or_else(|| Error::Unexpected {
                what: "the screen".to_owned(),
                why: "a picture without pixels".to_owned(),
            }),
        }
    }

    fn cursor(&self, by: Deadline) -> Result<(i32, i32)> {
        self.inner.cursor(by)
    }

    fn capture(&self, of: Capture, by: Deadline) -> Result<Pixels> {
        if !self.judge.hides_some() {
            return self.inner.capture(of, by);
        }
        let (pixels, hidden, _) = self.taken(of, by)?;
        Ok(painted(pixels, &hidden))
    }

    fn capture_among(&self, of: Capture, by: Deadline) -> Result<(Pixels, Option<Vec<Shown>>)> {
        if !self.judge.hides_some() {
            return self.inner.capture_among(of, by);
        }
        let (pixels, hidden, among) = self.taken(of, by)?;
        Ok((painted(pixels, &hidden), among))
    }
}

/// The same picture with places painted black.
fn painted(mut pixels: Pixels, hidden: &[Hidden]) -> Pixels {
    let (rect, width, height) = (pixels.rect, pixels.width, pixels.height);
    let places: Vec<Rect> = hidden.iter().filter_map(|one| one.place.intersection(rect)).collect();
    if places.is_empty() {
        return pixels;
    }
    let along = |at: i32, length: i32, count: u32| {
        f64::from(at) * f64::from(count) / f64::from(length.max(1))
    };
    for place in places {
        let left = along(place.x - rect.x, rect.width, width).floor().max(0.0) as usize;
        let right = along(place.right() - rect.x, rect.width, width).ceil() as usize;
        let top = along(place.y - rect.y, rect.height, height).floor().max(0.0) as usize;
        let bottom = along(place.bottom() - rect.y, rect.height, height).ceil() as usize;
        let rows = pixels.data.chunks_exact_mut((width as usize * 4).max(4));
        for row in rows.take(bottom).skip(top) {
            let right = (right * 4).min(row.len());
            row.get_mut(left * 4..right).into_iter().for_each(|part| part.fill(0));
        }
    }
    pixels.flaws.push(Flaw::Blocked);
    pixels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_place_that_must_not_be_seen_is_black() {
        let rect = Rect::new(10, 10, 4, 2);
        let white = Pixels { rect, width: 4, height: 2, data: vec![9; 32], flaws: Vec::new() };
        let hidden = Hidden { place: Rect::new(12, 0, 100, 11), app: String::new() };
        let painted = painted(white, &[hidden]);
        let first = [vec![9; 8], vec![0; 8]].concat();
        assert_eq!(painted.data, [first, vec![9; 16]].concat());
        assert_eq!(painted.flaws, [Flaw::Blocked]);
    }
}
