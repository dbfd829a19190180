//! Events as the room plans them; the ground only turns them into the system's own.

use std::ops::BitOr;

use deskhand_platform::{Button, Press};

/// What is held down while something happens, by the bits the system uses: what every program looks at
/// stands in the upper half, which of two keys it is in the lower.
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
    /// Arrows and the keypad carry it.
    pub(super) const KEYPAD: Self = Self(0x20_0000);
    /// Arrows, function keys and those around Home carry it, as on every Apple keyboard they are made
    /// with the Fn key.
    pub(super) const FN: Self = Self(0x80_0000);
}

impl BitOr for Flags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// A place on the screen, in points from the corner of the main display.
pub(crate) type Place = (i32, i32);

/// Something to be posted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Event {
    /// A key by the number of its place on the keyboard.
    Key { code: u16, press: Press, flags: Flags },
    /// A key that brings its text along, in UTF-16.
    Text { units: Vec<u16>, press: Press, flags: Flags },
    /// The pointer moves, with no button down.
    Moved { at: Place, by: (i32, i32), flags: Flags },
    /// The pointer moves with a button down.
    Dragged { button: Button, at: Place, by: (i32, i32), clicks: u32, flags: Flags },
    /// A button of the pointer.
    Button { button: Button, press: Press, at: Place, clicks: u32, flags: Flags },
    /// The wheel, in lines; positive is down and to the right.
    Wheel { right: i32, down: i32, flags: Flags },
}

/// Who gets what is posted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum To {
    /// Whoever the window system gives it to, as with a real device.
    Desk,
    /// One process, whatever it has in front.
    Process(u32),
}

/// The number the system gives a button.
pub(crate) fn number(button: Button) -> u32 {
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
    fn buttons_have_the_numbers_of_the_system() {
        let all = [Button::Left, Button::Right, Button::Middle, Button::Back, Button::Forward];
        assert_eq!(all.map(number), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn flags_add_up() {
        assert_eq!(Flags::SHIFT | Flags::COMMAND, Flags(0x12_000a));
        assert_eq!(Flags::OPTION | Flags::RIGHT_OPTION, Flags(0x8_0060));
    }
}
