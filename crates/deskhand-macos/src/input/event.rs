//! Input events as plain data. `ffi` converts them to `CGEvent`s.

use std::ops::BitOr;

use deskhand_platform::{Button, Press};

/// Modifier flags in the bits of `CGEventFlags`. The upper half names the modifier, the lower half says which of
/// two keys it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Flags(pub(crate) u64);

impl Flags {
    pub(super) const NONE: Self = Self(0);
    /// The left Shift key.
    pub(super) const SHIFT: Self = Self(0x2_0002);
    /// The left Control key.
    pub(super) const CONTROL: Self = Self(0x4_0001);
    /// The left Option key.
    pub(super) const OPTION: Self = Self(0x8_0020);
    /// The right Option key.
    pub(super) const RIGHT_OPTION: Self = Self(0x8_0040);
    /// The left Command key.
    pub(super) const COMMAND: Self = Self(0x10_0008);
    /// A flag of arrow keys and the keypad.
    pub(super) const KEYPAD: Self = Self(0x20_0000);
    /// A flag of arrow keys, function keys and the keys around Home, which Apple keyboards produce with the Fn key.
    pub(super) const FN: Self = Self(0x80_0000);
}

impl BitOr for Flags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// A position in points from the top left corner of the main display.
pub(crate) type Point = (i32, i32);

/// An event to post.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum InputEvent {
    /// A key, by its virtual key code.
    Key { code: u16, press: Press, flags: Flags },
    /// A key event that contains its text in UTF-16.
    Text { units: Vec<u16>, press: Press, flags: Flags },
    /// A pointer movement without a pressed button.
    Moved { at: Point, delta: (i32, i32), flags: Flags },
    /// A pointer movement with a pressed button.
    Dragged { button: Button, at: Point, delta: (i32, i32), clicks: u32, flags: Flags },
    /// A pointer button.
    Button { button: Button, press: Press, at: Point, clicks: u32, flags: Flags },
    /// The scroll wheel, in lines. Positive values scroll down and right.
    Wheel { right: i32, down: i32, flags: Flags },
}

/// The receiver of posted events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EventTarget {
    /// The window server chooses the receiver, as for a real device.
    WindowServer,
    /// One process, even in the background.
    Process(u32),
}

/// The number of a button in `CGEvent`s.
pub(crate) fn button_number(button: Button) -> u32 {
    match button {
        Button::Left => 0,
        Button::Right => 1,
        Button::Middle => 2,
        Button::Back => 3,
        Button::Forward => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buttons_have_the_numbers_of_core_graphics() {
        let all = [Button::Left, Button::Right, Button::Middle, Button::Back, Button::Forward];
        assert_eq!(all.map(button_number), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn flags_are_combined() {
        assert_eq!(Flags::SHIFT | Flags::COMMAND, Flags(0x12_000a));
        assert_eq!(Flags::OPTION | Flags::RIGHT_OPTION, Flags(0x8_0060));
    }
}
