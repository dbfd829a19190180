//! Places on the screen, in global pixels: the origin is the top left of the main display.

use serde::{Deserialize, Serialize};

/// A rectangle in global pixels; negative positions are left of or above the main display.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Rect {
    /// Left edge.
    pub x: i32,
    /// Top edge.
    pub y: i32,
    /// Width; zero when the element takes no room.
    pub width: i32,
    /// Height; zero when the element takes no room.
    pub height: i32,
}

impl Rect {
    /// A rectangle from its corner and size.
    pub const fn new(x: i32, y: i32, width: i32, height: i32) -> Self {
        Self { x, y, width, height }
    }

    /// Whether it takes no room.
    pub fn is_empty(self) -> bool {
        self.width <= 0 || self.height <= 0
    }

    /// The point in its middle.
    pub fn center(self) -> (i32, i32) {
        (self.x.saturating_add(self.width / 2), self.y.saturating_add(self.height / 2))
    }

    /// The right edge, just outside.
    pub fn right(self) -> i32 {
        self.x.saturating_add(self.width)
    }

    /// The bottom edge, just outside.
    pub fn bottom(self) -> i32 {
        self.y.saturating_add(self.height)
    }

    /// Whether a point lies inside.
    pub fn contains(self, x: i32, y: i32) -> bool {
        x >= self.x && y >= self.y && x < self.right() && y < self.bottom()
    }

    /// Whether the two share any room.
    pub fn overlaps(self, other: Rect) -> bool {
        !self.is_empty()
            && !other.is_empty()
            && self.x < other.right()
            && other.x < self.right()
            && self.y < other.bottom()
            && other.y < self.bottom()
    }

    /// The same rectangle, moved.
    #[must_use]
    pub fn moved(self, dx: i32, dy: i32) -> Self {
        Self { x: self.x.saturating_add(dx), y: self.y.saturating_add(dy), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extreme_places_do_not_overflow() {
        let far = Rect::new(i32::MAX, i32::MIN, i32::MAX, i32::MAX);
        assert_eq!(far.center().0, i32::MAX);
        assert_eq!(far.moved(10, -10).y, i32::MIN);
    }

    #[test]
    fn edges_belong_to_the_left_and_top() {
        let r = Rect::new(-10, -10, 10, 10);
        assert!(r.contains(-10, -10) && !r.contains(0, 0));
    }
}
