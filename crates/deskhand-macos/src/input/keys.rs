//! The key codes of named keys on a Mac keyboard, and the flags of their events.
//!
//! Modifiers have their Mac meaning: `Control` is Control, `Alt` is Option, `AltGr` is the right Option key, which
//! gives the third level on every layout, and both `Command` and `Logo` are Command.

use deskhand_platform::NamedKey;

use super::event::Flags;

/// A key of the keyboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PhysicalKey {
    /// The virtual key code.
    pub(super) code: u16,
    /// The flags in the events of this key.
    pub(super) event_flags: Flags,
    /// The flags in the events of other keys while it is pressed.
    pub(super) modifier: Flags,
}

pub(super) const fn plain_key(code: u16) -> PhysicalKey {
    PhysicalKey { code, event_flags: Flags::NONE, modifier: Flags::NONE }
}

const fn fn_key(code: u16) -> PhysicalKey {
    PhysicalKey { code, event_flags: Flags::FN, modifier: Flags::NONE }
}

const fn arrow_key(code: u16) -> PhysicalKey {
    let event_flags = Flags(Flags::FN.0 | Flags::KEYPAD.0);
    PhysicalKey { code, event_flags, modifier: Flags::NONE }
}

const fn modifier_key(code: u16, modifier: Flags) -> PhysicalKey {
    PhysicalKey { code, event_flags: Flags::NONE, modifier }
}

pub(super) const SHIFT: PhysicalKey = modifier_key(56, Flags::SHIFT);
pub(super) const OPTION: PhysicalKey = modifier_key(58, Flags::OPTION);
pub(super) const RETURN: PhysicalKey = plain_key(36);
pub(super) const TAB: PhysicalKey = plain_key(48);

/// The key codes of F1 to F20.
const FUNCTION_KEYS: [u16; 20] =
    [122, 120, 99, 118, 96, 97, 98, 100, 101, 109, 103, 111, 105, 107, 113, 106, 64, 79, 80, 90];

/// The key that does with Command what a named key does with Control on other systems: on a Mac, Command with an
/// arrow moves to the start or end of a text, while Home and End only scroll.
pub(super) fn with_command(named: NamedKey) -> NamedKey {
    if named == NamedKey::Home {
        NamedKey::Up
    } else if named == NamedKey::End {
        NamedKey::Down
    } else {
        named
    }
}

/// The physical key of a named key. The error says why a Mac has none and what to use instead.
pub(super) fn physical_key(named: NamedKey) -> Result<PhysicalKey, String> {
    let missing = |why: &str| Err(why.to_owned());
    Ok(match named {
        NamedKey::Control => modifier_key(59, Flags::CONTROL),
        NamedKey::Shift => SHIFT,
        NamedKey::Alt => OPTION,
        NamedKey::AltGr => modifier_key(61, Flags::RIGHT_OPTION),
        NamedKey::Command | NamedKey::Logo => modifier_key(55, Flags::COMMAND),
        NamedKey::Return => RETURN,
        NamedKey::Tab => TAB,
        NamedKey::Escape => plain_key(53),
        NamedKey::Backspace => plain_key(51),
        NamedKey::Delete => fn_key(117),
        // Apple keyboards have Help in place of Insert, and macOS treats both alike.
        NamedKey::Insert => fn_key(114),
        NamedKey::Home => fn_key(115),
        NamedKey::End => fn_key(119),
        NamedKey::PageUp => fn_key(116),
        NamedKey::PageDown => fn_key(121),
        NamedKey::Left => arrow_key(123),
        NamedKey::Right => arrow_key(124),
        NamedKey::Down => arrow_key(125),
        NamedKey::Up => arrow_key(126),
        NamedKey::Space => plain_key(49),
        NamedKey::Menu => {
            return missing(
                "a Mac has no menu key: right-click, or perform the action that shows the menu",
            );
        }
        NamedKey::CapsLock => {
            return missing(
                "macOS accepts Caps Lock only from the keyboard itself: type capital letters",
            );
        }
        NamedKey::NumLock => {
            return missing("a Mac has no Num Lock: its keypad always types digits");
        }
        NamedKey::PrintScreen => {
            return missing("a Mac has no Print Screen: take a screenshot, or press F13 instead");
        }
        NamedKey::Pause => return missing("a Mac has no Pause: press F15 instead"),
        NamedKey::Function(number) => {
            let code = usize::from(number).checked_sub(1).and_then(|at| FUNCTION_KEYS.get(at));
            match code {
                Some(code) => fn_key(*code),
                None => return Err(format!("F{number} does not exist on a Mac; use F1 to F20")),
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modifiers_have_their_mac_meaning() {
        let held = |named| physical_key(named).map(|key| (key.code, key.modifier));
        assert_eq!(held(NamedKey::Command), Ok((55, Flags::COMMAND)));
        assert_eq!(held(NamedKey::Logo), Ok((55, Flags::COMMAND)));
        assert_eq!(held(NamedKey::Control), Ok((59, Flags::CONTROL)));
        assert_eq!(held(NamedKey::Alt), Ok((58, Flags::OPTION)));
        assert_eq!(held(NamedKey::AltGr), Ok((61, Flags::RIGHT_OPTION)));
        assert_eq!(held(NamedKey::Shift), Ok((56, Flags::SHIFT)));
    }

    #[test]
    fn keys_have_the_flags_of_apple_keyboards() {
        let own = |named| physical_key(named).map(|key| (key.code, key.event_flags));
        assert_eq!(own(NamedKey::Left), Ok((123, Flags::FN | Flags::KEYPAD)));
        assert_eq!(own(NamedKey::Up), Ok((126, Flags::FN | Flags::KEYPAD)));
        assert_eq!(own(NamedKey::Home), Ok((115, Flags::FN)));
        assert_eq!(own(NamedKey::Insert), Ok((114, Flags::FN)), "Help");
        assert_eq!(own(NamedKey::Delete), Ok((117, Flags::FN)));
        assert_eq!(own(NamedKey::Backspace), Ok((51, Flags::NONE)));
        for named in
            [NamedKey::End, NamedKey::PageUp, NamedKey::PageDown, NamedKey::Right, NamedKey::Down]
        {
            assert!(physical_key(named).is_ok(), "{named:?}");
        }
        for named in [NamedKey::Return, NamedKey::Tab, NamedKey::Escape, NamedKey::Space] {
            assert_eq!(physical_key(named).map(|key| key.event_flags), Ok(Flags::NONE));
        }
    }

    #[test]
    fn function_keys_end_at_f20() {
        let code = |number| physical_key(NamedKey::Function(number)).map(|key| key.code);
        assert_eq!((code(1), code(12), code(20)), (Ok(122), Ok(111), Ok(90)));
        for number in [0, 21, 24] {
            assert!(
                code(number).is_err_and(|why| why.contains(&format!("F{number} does not exist")))
            );
        }
    }

    #[test]
    fn the_error_for_a_missing_key_says_what_to_use_instead() {
        use NamedKey::{CapsLock, Menu, NumLock, Pause, PrintScreen};
        for named in [Menu, CapsLock, NumLock, PrintScreen, Pause] {
            assert!(physical_key(named).is_err_and(|why| why.contains(": ")), "{named:?}");
        }
    }
}
