//! Rectangles on the screen, in global pixels. The origin is the top left of the main display.

use serde::{Deserialize, Serialize};

/// A rectangle in global pixels; negative positions are left of or above the main display.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Rect {
    /// Left edge.
    pub x: i32,
    /// Top edge.
    pub y: i32,
    /// Width; zero if the element has no area.
    pub width: i32,
    /// Height; zero if the element has no area.
    pub height: i32,
}

impl Rect {
    /// Creates a rectangle from its top-left corner and size.
    pub const fn new(x: i32, y: i32, width: i32, height: i32) -> Self {
        Self { x, y, width, height }
    }

    /// Returns `true` if the area is zero.
    pub fn is_empty(self) -> bool {
        self.width <= 0 || self.height <= 0
    }

    /// Returns the point in the middle.
    pub fn center(self) -> (i32, i32) {
        (self.x.saturating_add(self.width / 2), self.y.saturating_add(self.height / 2))
    }

    /// Returns the right edge. It is the first column outside the rectangle.
    pub fn right(self) -> i32 {
        self.x.saturating_add(self.width)
    }

    /// Returns the bottom edge. It is the first row outside the rectangle.
    pub fn bottom(self) -> i32 {
        self.y.saturating_add(self.height)
    }

    /// Returns `true` if the point lies inside.
    pub fn contains(self, x: i32, y: i32) -> bool {
        x >= self.x && y >= self.y && x < self.right() && y < self.bottom()
    }

    /// Returns the part that lies within `other`, which is empty if the two do not overlap.
    #[must_use]
    pub fn clipped_to(self, other: Rect) -> Self {
        let (x, y) = (self.x.max(other.x), self.y.max(other.y));
        let (right, bottom) = (self.right().min(other.right()), self.bottom().min(other.bottom()));
        Self::new(x, y, (right - x).max(0), (bottom - y).max(0))
    }

    /// Returns `true` if the two rectangles share any area.
    pub fn overlaps(self, other: Rect) -> bool {
        !self.is_empty()
            && !other.is_empty()
            && self.x < other.right()
            && other.x < self.right()
            && self.y < other.bottom()
            && other.y < self.bottom()
    }

    /// Returns the area both rectangles share, if any.
    pub fn intersection(self, other: Rect) -> Option<Rect> {
        let (x, y) = (self.x.max(other.x), self.y.max(other.y));
        let (right, bottom) = (self.right().min(other.right()), self.bottom().min(other.bottom()));
        self.overlaps(other).then(|| Self::new(x, y, right - x, bottom - y))
    }

    /// Returns the parts that lie outside `other`: up to four rectangles that do not overlap.
    pub fn subtract(self, other: Rect) -> Vec<Rect> {
        let Some(hole) = self.intersection(other) else {
            return if self.is_empty() { Vec::new() } else { vec![self] };
        };
        let between = |left: i32, top: i32, right: i32, bottom: i32| {
            Self::new(left, top, right - left, bottom - top)
        };
        [
            between(self.x, self.y, self.right(), hole.y),
            between(self.x, hole.y, hole.x, hole.bottom()),
            between(hole.right(), hole.y, self.right(), hole.bottom()),
            between(self.x, hole.bottom(), self.right(), self.bottom()),
        ]
        .into_iter()
        .filter(|piece| !piece.is_empty())
        .collect()
    }

    /// Returns the smallest rectangle around both. An empty rectangle is ignored.
    #[must_use]
    pub fn union(self, other: Rect) -> Self {
        if self.is_empty() {
            return other;
        }
        if other.is_empty() {
            return self;
        }
        let (x, y) = (self.x.min(other.x), self.y.min(other.y));
        let (right, bottom) = (self.right().max(other.right()), self.bottom().max(other.bottom()));
        Self::new(x, y, right.saturating_sub(x), bottom.saturating_sub(y))
    }

    /// Returns the rectangle moved by an offset.
    #[must_use]
    pub fn moved(self, dx: i32, dy: i32) -> Self {
        Self { x: self.x.saturating_add(dx), y: self.y.saturating_add(dy), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extreme_positions_do_not_overflow() {
        let far = Rect::new(i32::MAX, i32::MIN, i32::MAX, i32::MAX);
        assert_eq!(far.center().0, i32::MAX);
        assert_eq!(far.moved(10, -10).y, i32::MIN);
    }

    #[test]
    fn subtraction_and_intersection_cover_the_whole() {
        let area = |r: Rect| i64::from(r.width) * i64::from(r.height);
        let whole = Rect::new(-100, -50, 300, 200);
        for other in [
            Rect::new(0, 0, 50, 50),
            Rect::new(-200, -200, 150, 180),
            Rect::new(-100, -50, 300, 200),
            Rect::new(-500, 0, 2000, 10),
            Rect::new(1000, 1000, 5, 5),
            Rect::new(0, 0, 0, 0),
        ] {
            let left = whole.subtract(other);
            let shared = whole.intersection(other).map_or(0, area);
            assert_eq!(
                left.iter().map(|r| area(*r)).sum::<i64>() + shared,
                area(whole),
                "{other:?}"
            );
            assert!(left.iter().all(|piece| !piece.overlaps(other)), "{other:?}: {left:?}");
        }
    }

    #[test]
    fn the_union_contains_both() {
        let (a, b) = (Rect::new(-10, 5, 20, 20), Rect::new(100, -7, 1, 1));
        assert_eq!(a.union(b), Rect::new(-10, -7, 111, 32));
        assert_eq!(a.union(Rect::new(500, 500, 0, 9)), a);
    }

    #[test]
    fn left_and_top_edges_are_inside() {
        let r = Rect::new(-10, -10, 10, 10);
        assert!(r.contains(-10, -10) && !r.contains(0, 0));
    }
}
