//! Places as the system has them, in fractions of points.
//!
//! On macOS the seam's unit of length is the point: windows, elements, events and displays are all placed in
//! points from the top left of the main display, on one plane, however many pixels a point takes on each
//! display. Pictures alone have pixels: a `Pixels` says the place it shows in points and its size in pixels.

use deskhand_model::Rect;

/// A rectangle in points. Whether it counts from the top or the bottom depends on who told it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Area {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Area {
    pub(crate) const fn new(x: f64, y: f64, width: f64, height: f64) -> Self {
        Self { x, y, width, height }
    }

    /// The nearest rectangle in whole points; edges that touch still touch.
    pub(crate) fn whole(self) -> Rect {
        // Casts of floats saturate, and what is no number becomes 0.
        let near = |at: f64| at.round() as i32;
        let (left, top) = (near(self.x), near(self.y));
        let (right, bottom) = (near(self.x + self.width), near(self.y + self.height));
        Rect::new(left, top, right.saturating_sub(left), bottom.saturating_sub(top))
    }

    /// The same place counted from the top, where it was counted from the bottom of the main display, as
    /// AppKit does.
    pub(crate) fn flipped(self, main_height: f64) -> Self {
        Self { y: main_height - self.y - self.height, ..self }
    }

    /// The same place, counted from another point.
    pub(crate) fn seen_from(self, x: f64, y: f64) -> Self {
        Self { x: self.x - x, y: self.y - y, ..self }
    }
}

impl From<Rect> for Area {
    fn from(rect: Rect) -> Self {
        Self::new(rect.x.into(), rect.y.into(), rect.width.into(), rect.height.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn appkit_counts_from_the_bottom() {
        // A window of 300 points at the top of a main display of 900.
        let window = Area::new(10.0, 600.0, 400.0, 300.0);
        assert_eq!(window.flipped(900.0), Area::new(10.0, 0.0, 400.0, 300.0));
        // A display above the main one begins at a negative height.
        let above = Area::new(0.0, 900.0, 1920.0, 1080.0);
        assert_eq!(above.flipped(900.0).whole(), Rect::new(0, -1080, 1920, 1080));
        assert_eq!(above.flipped(900.0).flipped(900.0), above);
    }

    #[test]
    fn halves_of_a_point_leave_no_gap() {
        let (left, right) = (Area::new(0.0, 0.0, 10.5, 5.0), Area::new(10.5, 0.0, 9.5, 5.0));
        assert_eq!(left.whole().right(), right.whole().x);
        assert_eq!(right.whole().right(), 20);
    }

    #[test]
    fn nonsense_does_not_overflow() {
        let huge = Area::new(f64::MAX, f64::NAN, f64::INFINITY, -1.0).whole();
        assert_eq!((huge.width, huge.y), (0, 0));
    }
}
