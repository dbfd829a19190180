//! Rectangles in fractional points.
//!
//! On macOS, Deskhand's unit of length is the point. Windows, elements, events and displays are placed in points
//! from the top left of the main display, however many pixels a point has on each display. Only pictures have
//! pixels: `Pixels` contains its area in points and its size in pixels.

use deskhand_model::Rect;

/// A rectangle in points. The y axis points down in CoreGraphics and up in AppKit.
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

    /// The nearest rectangle in whole points. Adjacent areas stay adjacent.
    pub(crate) fn rounded(self) -> Rect {
        // Casts of floats saturate, and NaN becomes 0.
        let near = |at: f64| at.round() as i32;
        let (left, top) = (near(self.x), near(self.y));
        let (right, bottom) = (near(self.x + self.width), near(self.y + self.height));
        Rect::new(left, top, right.saturating_sub(left), bottom.saturating_sub(top))
    }

    /// Converts between AppKit's coordinates, which start at the bottom of the main display, and
    /// CoreGraphics', which start at its top.
    pub(crate) fn flip_vertically(self, main_height: f64) -> Self {
        Self { y: main_height - self.y - self.height, ..self }
    }

    /// The area relative to a point.
    pub(crate) fn relative_to(self, x: f64, y: f64) -> Self {
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
    fn appkit_coordinates_are_flipped() {
        // A window with 300 points at the top of a main display with 900.
        let window = Area::new(10.0, 600.0, 400.0, 300.0);
        assert_eq!(window.flip_vertically(900.0), Area::new(10.0, 0.0, 400.0, 300.0));
        // A display above the main one has a negative y.
        let above = Area::new(0.0, 900.0, 1920.0, 1080.0);
        assert_eq!(above.flip_vertically(900.0).rounded(), Rect::new(0, -1080, 1920, 1080));
        assert_eq!(above.flip_vertically(900.0).flip_vertically(900.0), above);
    }

    #[test]
    fn rounding_leaves_no_gap() {
        let (left, right) = (Area::new(0.0, 0.0, 10.5, 5.0), Area::new(10.5, 0.0, 9.5, 5.0));
        assert_eq!(left.rounded().right(), right.rounded().x);
        assert_eq!(right.rounded().right(), 20);
    }

    #[test]
    fn invalid_numbers_do_not_overflow() {
        let huge = Area::new(f64::MAX, f64::NAN, f64::INFINITY, -1.0).rounded();
        assert_eq!((huge.width, huge.y), (0, 0));
    }
}
