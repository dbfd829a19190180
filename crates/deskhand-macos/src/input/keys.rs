//! Where keys with names lie on a Mac's keyboard, and what they carry.
//!
//! Modifiers have the Mac's own meaning: `Control` is Control, `Alt` is Option, `AltGr` is the right Option
//! key, which makes the third level on every layout, and `Command` and `Logo` are both Command, which
//! makes shortcuts and bears the logo.

use deskhand_platform::Named;

use super::event::Flags;

/// A key as it is struck.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// The number of its place.
    pub(super) code: u16,
    /// What its own events carry.
    pub(super) own: Flags,
    /// What other events carry while it is down.
    pub(super) holds: Flags,
}

const fn plain(code: u16) -> Place {
    Place { code, own: Flags::NONE, holds: Flags::NONE }
}

const fn beside(code: u16) -> Place {
    Place { code, own: Flags::FN, holds: Flags::NONE }
}

const fn arrow(code: u16) -> Place {
    Place { code, own: Flags(Flags::FN.0 | Flags::KEYPAD.0), holds: Flags::NONE }
}

const fn modifier(code: u16, flags: Flags) -> Place {
    Place { code, own: Flags::NONE, holds: flags }
}

pub(super) const SHIFT: Place = modifier(56, Flags::SHIFT);
pub(super) const OPTION: Place = modifier(58, Flags::OPTION);
pub(super) const RETURN: Place = plain(36);
pub(super) const TAB: Place = plain(48);

/// F1 to F20, as the system numbers them.
const FUNCTION: [u16; 20] =
    [122, 120, 99, 118, 96, 97, 98, 100, 101, 109, 103, 111, 105, 107, 113, 106, 64, 79, 80, 90];

/// The key that does with Command what a name means with the shortcut key elsewhere: a Mac goes to the
/// beginning and the end of a text by arrows, and only scrolls by Home and End.
pub(super) fn with_command(named: Named) -> Named {
    if named == Named::Home {
        Named::Up
    } else if named == Named::End {
        Named::Down
    } else {
        named
    }
}

/// Where a key with a name lies; why it cannot be pressed otherwise.
pub(super) fn place(named: Named) -> Result<Place, String> {
    let lacking = |why: &str| Err(why.to_owned());
    Ok(match named {
        Named::Control => modifier(59, Flags::CONTROL),
        Named::Shift => SHIFT,
        Named::Alt => OPTION,
        Named::AltGr => modifier(61, Flags::RIGHT_OPTION),
        Named::Command | Named::Logo => modifier(55, Flags::COMMAND),
        Named::Return => RETURN,
        Named::Tab => TAB,
        Named::Escape => plain(53),
        Named::Backspace => plain(51),
        Named::Delete => beside(117),
        // Where other keyboards have Insert, Apple's have Help, and the system takes one for the other.
        Named::Insert => beside(114),
        Named::Home => beside(115),
        Named::End => beside(119),
        Named::PageUp => beside(116),
        Named::PageDown => beside(121),
        Named::Left => arrow(123),
        Named::Right => arrow(124),
        Named::Down => arrow(125),
        Named::Up => arrow(126),
        Named::Space => plain(49),
        Named::Menu => {
            return lacking(
                "a Mac has no menu key: click with the right button, or do the action that shows the menu",
            );
        }
        Named::CapsLock => {
            return lacking("macOS lets only the keyboard itself switch Caps Lock: write capitals");
        }
        Named::NumLock => {
            return lacking("a Mac has no Num Lock: its keypad always makes digits");
        }
        Named::PrintScreen => {
            return lacking(
                "a Mac has no Print Screen: take a screenshot, or press F13 in its place",
            );
        }
        Named::Pause => return lacking("a Mac has no Pause: press F15 in its place"),
        Named::Function(number) => {
            let code = usize::from(number).checked_sub(1).and_then(|at| FUNCTION.get(at));
            match code {
                Some(code) => beside(*code),
                None => return Err(format!("a Mac has F1 to F20 and no F{number}")),
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modifiers_have_the_meaning_of_the_mac() {
        let held = |named| place(named).map(|place| (place.code, place.holds));
        assert_eq!(held(Named::Command), Ok((55, Flags::COMMAND)));
        assert_eq!(held(Named::Logo), Ok((55, Flags::COMMAND)));
        assert_eq!(held(Named::Control), Ok((59, Flags::CONTROL)));
        assert_eq!(held(Named::Alt), Ok((58, Flags::OPTION)));
        assert_eq!(held(Named::AltGr), Ok((61, Flags::RIGHT_OPTION)));
        assert_eq!(held(Named::Shift), Ok((56, Flags::SHIFT)));
    }

    #[test]
    fn keys_carry_what_apple_keyboards_send_with_them() {
        let own = |named| place(named).map(|place| (place.code, place.own));
        assert_eq!(own(Named::Left), Ok((123, Flags::FN | Flags::KEYPAD)));
        assert_eq!(own(Named::Up), Ok((126, Flags::FN | Flags::KEYPAD)));
        assert_eq!(own(Named::Home), Ok((115, Flags::FN)));
        assert_eq!(own(Named::Insert), Ok((114, Flags::FN)), "Help");
        assert_eq!(own(Named::Delete), Ok((117, Flags::FN)));
        assert_eq!(own(Named::Backspace), Ok((51, Flags::NONE)));
        for named in [Named::End, Named::PageUp, Named::PageDown, Named::Right, Named::Down] {
            assert!(place(named).is_ok(), "{named:?}");
        }
        for named in [Named::Return, Named::Tab, Named::Escape, Named::Space] {
            assert_eq!(place(named).map(|place| place.own), Ok(Flags::NONE));
        }
    }

    #[test]
    fn function_keys_end_at_twenty() {
        let code = |number| place(Named::Function(number)).map(|place| place.code);
        assert_eq!((code(1), code(12), code(20)), (Ok(122), Ok(111), Ok(90)));
        for number in [0, 21, 24] {
            assert!(code(number).is_err_and(|why| why.contains(&format!("no F{number}"))));
        }
    }

    #[test]
    fn what_a_mac_lacks_is_said_with_what_to_do() {
        use Named::{CapsLock, Menu, NumLock, Pause, PrintScreen};
        for named in [Menu, CapsLock, NumLock, PrintScreen, Pause] {
            assert!(place(named).is_err_and(|why| why.contains(": ")), "{named:?}");
        }
    }
}
