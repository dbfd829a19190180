//! Keyboard layouts: maps characters to keys.

use std::{collections::HashMap, sync::Arc};

use deskhand_platform::Deadline;
use parking_lot::Mutex;

use super::{
    InputApi,
    event::Flags,
    keys::{OPTION, PhysicalKey, SHIFT, plain_key},
};

/// The modifiers that select a character of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum KeyLevel {
    Plain,
    Shift,
    Option,
    ShiftOption,
    /// Non-Latin layouts produce Latin letters on this level. Some layouts rearrange the letters.
    Command,
}

impl KeyLevel {
    /// All levels, the simplest first.
    pub(crate) const ALL: [Self; 5] =
        [Self::Plain, Self::Shift, Self::Option, Self::ShiftOption, Self::Command];

    /// The modifier bits for `UCKeyTranslate`.
    pub(crate) fn bits(self) -> u32 {
        match self {
            Self::Plain => 0,
            Self::Command => 1,
            Self::Shift => 2,
            Self::Option => 8,
            Self::ShiftOption => 10,
        }
    }

    fn modifiers(self) -> Vec<PhysicalKey> {
        match self {
            Self::Plain | Self::Command => Vec::new(),
            Self::Shift => vec![SHIFT],
            Self::Option => vec![OPTION],
            Self::ShiftOption => vec![SHIFT, OPTION],
        }
    }
}

/// The text that a key types on one level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeyOutput {
    pub(crate) code: u16,
    pub(crate) level: KeyLevel,
    /// Empty for a dead key.
    pub(crate) text: String,
}

/// The user's input source.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct InputSource {
    /// The id of the layout, such as `com.apple.keylayout.German`.
    pub(crate) layout: Option<String>,
    /// The kinds of all enabled input sources, such as `Keyboard Layout` or `Input Mode`.
    pub(crate) kinds: Vec<String>,
}

impl InputSource {
    /// Returns `true` if an input method processes the keys before the app.
    fn is_input_method(&self) -> bool {
        self.kinds.iter().any(|kind| kind == "Input Mode" || kind == "Keyboard Input Method")
    }
}

/// A key with the modifiers pressed for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chord {
    pub(super) key: PhysicalKey,
    pub(super) modifiers: Vec<PhysicalKey>,
}

/// The codes of keypad keys. They type digits too, but apps treat them differently.
const KEYPAD: [u16; 18] = [65, 67, 69, 71, 75, 76, 78, 81, 82, 83, 84, 85, 86, 87, 88, 89, 91, 92];

/// A keyboard layout.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    chords: HashMap<char, Chord>,
    /// The key codes of characters while Command is pressed.
    command: HashMap<char, u16>,
}

impl Layout {
    /// Creates the layout from the outputs of its keys.
    pub(super) fn from_outputs(outputs: &[KeyOutput]) -> Self {
        let mut layout = Self::default();
        let mut outputs: Vec<&KeyOutput> =
            outputs.iter().filter(|one| !KEYPAD.contains(&one.code)).collect();
        outputs.sort_by_key(|one| (one.level, one.code));
        for one in outputs {
            let mut characters = one.text.chars();
            let (Some(character), None) = (characters.next(), characters.next()) else { continue };
            if character.is_control() {
                continue;
            }
            if one.level == KeyLevel::Command {
                layout.command.entry(character).or_insert(one.code);
            } else {
                let key = plain_key(one.code);
                let chord = Chord { key, modifiers: one.level.modifiers() };
                layout.chords.entry(character).or_insert(chord);
            }
        }
        layout
    }

    /// The keys that type a character.
    pub(super) fn chord(&self, wanted: char) -> Option<&Chord> {
        self.chords.get(&wanted)
    }

    /// The keys for a character in a shortcut.
    pub(super) fn shortcut(&self, wanted: char, held: Flags) -> Option<Chord> {
        let with_command = || {
            let code = *self.command.get(&wanted)?;
            Some(Chord { key: plain_key(code), modifiers: Vec::new() })
        };
        let typed = || self.chord(wanted).cloned();
        let is_command = held.0 & Flags::COMMAND.0 == Flags::COMMAND.0;
        if is_command { with_command().or_else(typed) } else { typed().or_else(with_command) }
    }

    /// The layout of `U.S.` and `ABC`, which is built in.
    fn us() -> Self {
        const ROWS: [(&str, &str, &[u16]); 4] = [
            ("1234567890-=", "!@#$%^&*()_+", &[18, 19, 20, 21, 23, 22, 26, 28, 25, 29, 27, 24]),
            (
                "qwertyuiop[]\\",
                "QWERTYUIOP{}|",
                &[12, 13, 14, 15, 17, 16, 32, 34, 31, 35, 33, 30, 42],
            ),
            ("asdfghjkl;'`", "ASDFGHJKL:\"~", &[0, 1, 2, 3, 5, 4, 38, 40, 37, 41, 39, 50]),
            ("zxcvbnm,./ ", "ZXCVBNM<>? ", &[6, 7, 8, 9, 11, 45, 46, 43, 47, 44, 49]),
        ];
        let mut outputs = Vec::new();
        for (plain, shifted, codes) in ROWS {
            for (row, level) in [(plain, KeyLevel::Plain), (shifted, KeyLevel::Shift)] {
                let keys = row.chars().zip(codes);
                outputs.extend(keys.map(|(one, code)| KeyOutput {
                    code: *code,
                    level,
                    text: one.into(),
                }));
            }
        }
        Self::from_outputs(&outputs)
    }
}

/// The layout in use.
#[derive(Debug, Clone)]
pub(super) struct CurrentLayout {
    /// `None` if macOS did not report it.
    pub(super) layout: Option<Arc<Layout>>,
    /// `true` if an input method processes the keys.
    pub(super) is_input_method: bool,
}

/// Caches the layout until the user chooses another one.
#[derive(Debug, Default)]
pub(super) struct LayoutCache {
    last: Mutex<Option<(InputSource, Arc<Layout>)>>,
}

impl LayoutCache {
    pub(super) fn current(&self, system: &impl InputApi, deadline: Deadline) -> CurrentLayout {
        let source = system.input_source();
        let is_input_method = source.is_input_method();
        let mut last = self.last.lock();
        if let Some((_, layout)) = last.as_ref().filter(|(known, _)| *known == source) {
            return CurrentLayout { layout: Some(Arc::clone(layout)), is_input_method };
        }
        let read = system.key_outputs(deadline).map(|outputs| Layout::from_outputs(&outputs));
        let built_in = || {
            let id = source.layout.as_deref()?;
            let is_us = ["com.apple.keylayout.US", "com.apple.keylayout.ABC"].contains(&id);
            is_us.then(Layout::us)
        };
        let layout = read.or_else(built_in).map(Arc::new);
        // Without an id, a change of the layout could not be detected.
        *last = layout.clone().filter(|_| source.layout.is_some()).map(|layout| (source, layout));
        CurrentLayout { layout, is_input_method }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(code: u16, level: KeyLevel, text: &str) -> KeyOutput {
        KeyOutput { code, level, text: text.to_owned() }
    }

    #[test]
    fn the_simplest_chord_is_used() {
        let layout = Layout::from_outputs(&[
            output(20, KeyLevel::Option, "x"),
            output(7, KeyLevel::Plain, "x"),
            output(7, KeyLevel::Shift, "X"),
            output(8, KeyLevel::ShiftOption, "‰"),
            output(82, KeyLevel::Plain, "0"),
            output(29, KeyLevel::Plain, "0"),
            output(36, KeyLevel::Plain, "\r"),
            output(14, KeyLevel::Option, ""),
            output(3, KeyLevel::Plain, "لا"),
        ]);
        let chord = |one| layout.chord(one).map(|chord| (chord.key.code, chord.modifiers.clone()));
        assert_eq!(chord('x'), Some((7, vec![])));
        assert_eq!(chord('X'), Some((7, vec![SHIFT])));
        assert_eq!(chord('‰'), Some((8, vec![SHIFT, OPTION])));
        assert_eq!(chord('0'), Some((29, vec![])), "not on the keypad");
        assert_eq!((chord('\r'), chord('ل')), (None, None));
    }

    #[test]
    fn a_shortcut_uses_the_command_level() {
        let layout = Layout::from_outputs(&[
            output(1, KeyLevel::Plain, "ы"),
            output(1, KeyLevel::Command, "s"),
            output(2, KeyLevel::Plain, "q"),
            output(3, KeyLevel::Command, "q"),
        ]);
        let code = |one, held| layout.shortcut(one, held).map(|chord| chord.key.code);
        assert_eq!(code('s', Flags::COMMAND), Some(1));
        assert_eq!(code('s', Flags::CONTROL), Some(1), "no other key types it");
        assert_eq!(code('q', Flags::COMMAND | Flags::SHIFT), Some(3));
        assert_eq!(code('q', Flags::CONTROL), Some(2));
        assert_eq!(code('z', Flags::COMMAND), None);
    }

    #[test]
    fn the_us_layout_is_built_in() {
        let layout = Layout::us();
        let code = |one| layout.chord(one).map(|chord| (chord.key.code, chord.modifiers.len()));
        assert_eq!((code('a'), code('Q'), code('?')), (Some((0, 0)), Some((12, 1)), Some((44, 1))));
        for one in ' '..='~' {
            assert!(code(one).is_some(), "{one:?}");
        }
    }

    #[test]
    fn levels_have_the_bits_of_uc_key_translate() {
        assert_eq!(KeyLevel::ALL.map(KeyLevel::bits), [0, 2, 8, 10, 1]);
    }

    #[test]
    fn input_methods_are_distinguished_from_layouts() {
        let source = |kinds: &[&str]| InputSource {
            layout: None,
            kinds: kinds.iter().map(|kind| (*kind).to_owned()).collect(),
        };
        assert!(source(&["Keyboard Layout", "Input Mode"]).is_input_method());
        assert!(!source(&["Keyboard Layout", "Non Keyboard Input Method"]).is_input_method());
    }
}
