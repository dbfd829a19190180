//! Resolves a global hotkey to the key code and modifiers that Carbon expects.

use deskhand_platform::{Error, Key, NamedKey, Result};

use super::{
    event::Flags,
    keys,
    layout::{KeyOutput, Layout},
};

/// A hotkey in the numbers of Carbon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HotkeyCode {
    /// The virtual key code.
    pub(crate) code: u32,
    /// The modifier bits.
    pub(crate) modifiers: u32,
}

/// Resolves a hotkey. `outputs` is the keyboard layout, if it is known.
pub(crate) fn resolve_hotkey(keys: &[Key], outputs: Option<&[KeyOutput]>) -> Result<HotkeyCode> {
    let unsupported =
        |why: String| Error::Unsupported { what: "registering this hotkey".to_owned(), why };
    let Some((last, held)) = keys.split_last() else {
        return Err(unsupported("it has no key".to_owned()));
    };
    let (mut modifiers, mut flags) = (0, Flags::NONE);
    for key in held {
        let (bit, flag) =
            modifier(key).ok_or_else(|| unsupported(format!("{key:?} is not a modifier key")))?;
        (modifiers, flags) = (modifiers | bit, flags | flag);
    }
    let code = match last {
        Key::Named(_) if modifier(last).is_some() => {
            let why = "macOS does not report modifiers alone; add another key";
            return Err(unsupported(why.to_owned()));
        }
        Key::Named(named) => keys::physical_key(*named).map_err(unsupported)?.code,
        Key::Char(wanted) => {
            let layout = outputs.map(Layout::from_outputs);
            let chord = layout.and_then(|layout| layout.shortcut(*wanted, flags));
            let unknown = || unsupported(format!("no key of this keyboard types {wanted:?}"));
            chord.ok_or_else(unknown)?.key.code
        }
    };
    Ok(HotkeyCode { code: u32::from(code), modifiers })
}

/// The Carbon bit and the event flags of a modifier. Carbon does not distinguish left and right.
fn modifier(key: &Key) -> Option<(u32, Flags)> {
    match key {
        Key::Named(NamedKey::Command | NamedKey::Logo) => Some((0x100, Flags::COMMAND)),
        Key::Named(NamedKey::Shift) => Some((0x200, Flags::SHIFT)),
        Key::Named(NamedKey::Alt | NamedKey::AltGr) => Some((0x800, Flags::OPTION)),
        Key::Named(NamedKey::Control) => Some((0x1000, Flags::CONTROL)),
        Key::Named(_) | Key::Char(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::layout::KeyLevel;

    fn named(all: &[NamedKey]) -> Vec<Key> {
        all.iter().map(|one| Key::Named(*one)).collect()
    }

    #[test]
    fn a_hotkey_has_the_numbers_of_carbon() {
        let keys = named(&[NamedKey::Control, NamedKey::Alt, NamedKey::Escape]);
        assert_eq!(resolve_hotkey(&keys, None), Ok(HotkeyCode { code: 53, modifiers: 0x1800 }));
        let keys = [named(&[NamedKey::Command, NamedKey::Shift]), vec![Key::Char('s')]].concat();
        let outputs = [KeyOutput { code: 1, level: KeyLevel::Plain, text: "s".into() }];
        let wanted = HotkeyCode { code: 1, modifiers: 0x300 };
        assert_eq!(resolve_hotkey(&keys, Some(&outputs)), Ok(wanted));
        assert!(resolve_hotkey(&keys, None).is_err(), "the layout is unknown");
    }

    #[test]
    fn the_error_for_an_unsupported_hotkey_says_why() {
        let why = |keys: &[Key]| resolve_hotkey(keys, None).unwrap_err().to_string();
        assert!(why(&[]).contains("has no key"));
        assert!(why(&named(&[NamedKey::Control, NamedKey::Shift])).contains("add another key"));
        assert!(why(&named(&[NamedKey::Tab, NamedKey::Escape])).contains("not a modifier"));
        assert!(why(&named(&[NamedKey::Control, NamedKey::Pause])).contains("F15"));
    }
}
