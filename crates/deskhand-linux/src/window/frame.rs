//! The border that a window manager draws around a window, and the shadow that a program draws
//! inside its window.

use deskhand_model::Rect;
use x11rb::protocol::xproto::GetPropertyReply;

/// Widths on the four sides of a rectangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Insets {
    pub(super) left: i32,
    pub(super) right: i32,
    pub(super) top: i32,
    pub(super) bottom: i32,
}

impl Insets {
    /// Returns the widths between an outer and an inner rectangle.
    pub(super) fn between(outer: Rect, inner: Rect) -> Self {
        Self {
            left: inner.x - outer.x,
            right: outer.right() - inner.right(),
            top: inner.y - outer.y,
            bottom: outer.bottom() - inner.bottom(),
        }
    }

    /// Parses `_NET_FRAME_EXTENTS` or `_GTK_FRAME_EXTENTS`. All widths are 0 if the property is not
    /// set.
    pub(super) fn read(property: &GetPropertyReply) -> Self {
        let numbers: Vec<i32> =
            property.value32().map(|all| all.map(u32::cast_signed).collect()).unwrap_or_default();
        match numbers[..] {
            [left, right, top, bottom] => Self { left, right, top, bottom },
            _ => Self::default(),
        }
    }
}

/// The space between an X window and the visible edge of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Frame {
    /// The border that the window manager draws around the X window.
    pub(super) border: Insets,
    /// The shadow that the program draws inside the X window, outside the visible edge.
    pub(super) shadow: Insets,
}

impl Frame {
    /// Returns the visible frame of an X window.
    pub(super) fn around(self, window: Rect) -> Rect {
        let Self { border, shadow } = self;
        Rect::new(
            window.x - border.left + shadow.left,
            window.y - border.top + shadow.top,
            window.width + border.left + border.right - shadow.left - shadow.right,
            window.height + border.top + border.bottom - shadow.top - shadow.bottom,
        )
    }

    /// Returns the position to request from the window manager so that the visible frame is at this
    /// point. Window managers do not know about shadows.
    pub(super) fn outer_corner(self, x: i32, y: i32) -> (i32, i32) {
        (x.saturating_sub(self.shadow.left), y.saturating_sub(self.shadow.top))
    }

    /// Returns the size of the X window that has a visible frame of this size. It is at least one
    /// pixel.
    pub(super) fn inner_size(self, width: u32, height: u32) -> (u32, u32) {
        let Self { border, shadow } = self;
        let inside = |outer: u32, around: i32| {
            let outer = i32::try_from(outer).unwrap_or(i32::MAX);
            outer.saturating_sub(around).max(1).cast_unsigned()
        };
        (
            inside(width, border.left + border.right - shadow.left - shadow.right),
            inside(height, border.top + border.bottom - shadow.top - shadow.bottom),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BORDER: Insets = Insets { left: 1, right: 1, top: 20, bottom: 5 };
    const SHADOW: Insets = Insets { left: 26, right: 26, top: 23, bottom: 29 };

    #[test]
    fn a_border_lies_outside_the_window() {
        let frame = Frame { border: BORDER, ..Frame::default() };
        assert_eq!(frame.around(Rect::new(101, 120, 300, 200)), Rect::new(100, 100, 302, 225));
        assert_eq!(frame.outer_corner(100, 100), (100, 100));
        assert_eq!(frame.inner_size(302, 225), (300, 200));
    }

    #[test]
    fn a_border_is_the_difference_between_a_window_and_its_outermost_frame() {
        let (outer, inner) = (Rect::new(100, 100, 302, 225), Rect::new(101, 120, 300, 200));
        assert_eq!(Insets::between(outer, inner), BORDER);
    }

    #[test]
    fn a_shadow_lies_inside_the_window_and_outside_its_frame() {
        let frame = Frame { shadow: SHADOW, ..Frame::default() };
        let window = Rect::new(74, 77, 352, 252);
        assert_eq!(frame.around(window), Rect::new(100, 100, 300, 200));
        assert_eq!(frame.outer_corner(100, 100), (window.x, window.y));
        assert_eq!(frame.inner_size(300, 200), (352, 252));
    }

    #[test]
    fn the_minimum_size_is_one_pixel() {
        let frame = Frame { border: BORDER, ..Frame::default() };
        assert_eq!(frame.inner_size(1, 1), (1, 1));
        assert_eq!(frame.inner_size(u32::MAX, 30), (2_147_483_645, 5));
    }
}
