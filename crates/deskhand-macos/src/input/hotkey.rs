//! Keys that are heard whoever has the keyboard: what the system is to be asked to listen for.

use deskhand_platform::{Error, Key, Named, Result};

use super::{
    event::Flags,
    keys,
    layout::{Layout, Made},
};

/// A key and what is held with it, in the numbers of the part of the system that listens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Combination {
    /// The place of the key that is struck.
    pub(crate) code: u32,
    /// What is held meanwhile.
    pub(crate) held: u32,
}

/// What to listen for, given what the keys of this keyboard make.
pub(crate) fn combination(keys: &[Key], made: Option<&[Made]>) -> Result<Combination> {
    let unable =
        |why: String| Error::Unsupported { what: "listening for these keys".to_owned(), why };
    let Some((struck, holding)) = keys.split_last() else {
        return Err(unable("no key was named".to_owned()));
    };
    let (mut held, mut flags) = (0, Flags::NONE);
    for key in holding {
        let (bit, flag) = modifier(key)
            .ok_or_else(|| unable(format!("{key:?} is not held with other keys on a Mac")))?;
        (held, flags) = (held | bit, flags | flag);
    }
    let code = match struck {
        Key::Named(_) if modifier(struck).is_some() => {
            return Err(unable("macOS tells of no modifier alone; add a key to it".to_owned()));
        }
        Key::Named(named) => keys::place(*named).map_err(unable)?.code,
        Key::Char(wanted) => {
            let known = made.map(Layout::of).and_then(|layout| layout.shortcut(*wanted, flags));
            let unknown = || unable(format!("no key of this keyboard is known to make {wanted:?}"));
            known.ok_or_else(unknown)?.key.code
        }
    };
    Ok(Combination { code: u32::from(code), held })
}

/// The bit of a modifier where hot keys are registered, and what events carry for it. Left and right are
/// one there.
fn modifier(key: &Key) -> Option<(u32, Flags)> {
    match key {
        Key::Named(Named::Command | Named::Logo) => Some((0x100, Flags::COMMAND)),
        Key::Named(Named::Shift) => Some((0x200, Flags::SHIFT)),
        Key::Named(Named::Alt | Named::AltGr) => Some((0x800, Flags::OPTION)),
        Key::Named(Named::Control) => Some((0x1000, Flags::CONTROL)),
        Key::Named(_) | Key::Char(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::layout::Level;

    fn named(all: &[Named]) -> Vec<Key> {
        all.iter().map(|one| Key::Named(*one)).collect()
    }

    #[test]
    fn a_combination_has_the_numbers_of_the_system() {
        let keys = named(&[Named::Control, Named::Alt, Named::Escape]);
        assert_eq!(combination(&keys, None), Ok(Combination { code: 53, held: 0x1800 }));
        let keys = [named(&[Named::Command, Named::Shift]), vec![Key::Char('s')]].concat();
        let made = [Made { code: 1, level: Level::Plain, text: "s".into() }];
        assert_eq!(combination(&keys, Some(&made)), Ok(Combination { code: 1, held: 0x300 }));
        assert!(combination(&keys, None).is_err(), "the layout is not known");
    }

    #[test]
    fn what_cannot_be_heard_is_said() {
        let why = |keys: &[Key]| combination(keys, None).unwrap_err().to_string();
        assert!(why(&[]).contains("no key was named"));
        assert!(why(&named(&[Named::Control, Named::Shift])).contains("add a key"));
        assert!(why(&named(&[Named::Tab, Named::Escape])).contains("is not held"));
        assert!(why(&named(&[Named::Control, Named::Pause])).contains("F15"));
    }
}
