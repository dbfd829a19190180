//! Which key makes which character: the table of the layout in use, or why there is none.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use deskhand_platform::Deadline;

use super::{
    Desk,
    event::Flags,
    keys::{OPTION, Place, SHIFT},
};

/// What is held down while a key is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    Plain,
    Shift,
    Option,
    ShiftOption,
    /// Layouts of other scripts make Latin letters with it, and some lay them out anew.
    Command,
}

impl Level {
    /// All of them, the simplest first.
    pub(crate) const ALL: [Self; 5] =
        [Self::Plain, Self::Shift, Self::Option, Self::ShiftOption, Self::Command];

    /// The bits the system's own translation takes for it.
    pub(crate) fn bits(self) -> u32 {
        match self {
            Self::Plain => 0,
            Self::Command => 1,
            Self::Shift => 2,
            Self::Option => 8,
            Self::ShiftOption => 10,
        }
    }

    fn with(self) -> Vec<Place> {
        match self {
            Self::Plain | Self::Command => Vec::new(),
            Self::Shift => vec![SHIFT],
            Self::Option => vec![OPTION],
            Self::ShiftOption => vec![SHIFT, OPTION],
        }
    }
}

/// What one key makes on one level, as the system translates it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Made {
    pub(crate) code: u16,
    pub(crate) level: Level,
    /// Nothing when it only prepares the next key.
    pub(crate) text: String,
}

/// What the person chose to type with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Source {
    /// The id of the layout, such as `com.apple.keylayout.German`.
    pub(crate) layout: Option<String>,
    /// The kinds of everything that is switched on, such as `Keyboard Layout` or `Input Mode`.
    pub(crate) kinds: Vec<String>,
}

impl Source {
    /// Whether keys are composed to something else before an app gets them.
    fn composes(&self) -> bool {
        self.kinds.iter().any(|kind| kind == "Input Mode" || kind == "Keyboard Input Method")
    }
}

/// A key with what is held down for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chord {
    pub(super) key: Place,
    pub(super) with: Vec<Place>,
}

/// The keypad makes digits, too, but apps take them for something else.
const KEYPAD: [u16; 18] = [65, 67, 69, 71, 75, 76, 78, 81, 82, 83, 84, 85, 86, 87, 88, 89, 91, 92];

/// A layout.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    characters: HashMap<char, Chord>,
    /// What keys make while Command is down.
    command: HashMap<char, u16>,
}

impl Layout {
    /// The layout that makes these.
    pub(super) fn of(made: &[Made]) -> Self {
        let mut layout = Self::default();
        let mut made: Vec<&Made> = made.iter().filter(|one| !KEYPAD.contains(&one.code)).collect();
        made.sort_by_key(|one| (one.level, one.code));
        for one in made {
            let mut characters = one.text.chars();
            let (Some(character), None) = (characters.next(), characters.next()) else { continue };
            if character.is_control() {
                continue;
            }
            if one.level == Level::Command {
                layout.command.entry(character).or_insert(one.code);
            } else {
                let key = Place { code: one.code, own: Flags::NONE, holds: Flags::NONE };
                let chord = Chord { key, with: one.level.with() };
                layout.characters.entry(character).or_insert(chord);
            }
        }
        layout
    }

    /// The keys that make a character.
    pub(super) fn chord(&self, wanted: char) -> Option<&Chord> {
        self.characters.get(&wanted)
    }

    /// The keys that stand for a character in a shortcut.
    pub(super) fn shortcut(&self, wanted: char, held: Flags) -> Option<Chord> {
        let commanded = || {
            let code = *self.command.get(&wanted)?;
            let key = Place { code, own: Flags::NONE, holds: Flags::NONE };
            Some(Chord { key, with: Vec::new() })
        };
        let known = || self.chord(wanted).cloned();
        let is_command = held.0 & Flags::COMMAND.0 == Flags::COMMAND.0;
        if is_command { commanded().or_else(known) } else { known().or_else(commanded) }
    }

    /// The American layout, which `U.S.` and `ABC` have; known without being asked for.
    fn american() -> Self {
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
        let mut made = Vec::new();
        for (plain, shifted, codes) in ROWS {
            for (row, level) in [(plain, Level::Plain), (shifted, Level::Shift)] {
                let keys = row.chars().zip(codes);
                made.extend(keys.map(|(one, code)| Made { code: *code, level, text: one.into() }));
            }
        }
        Self::of(&made)
    }
}

/// What is known about the layout in use.
#[derive(Debug, Clone)]
pub(super) struct Found {
    /// Its table; `None` when the system could not be asked for it.
    pub(super) layout: Option<Arc<Layout>>,
    /// Whether keys go through an input method first.
    pub(super) composes: bool,
}

/// The layout in use; asked for anew only when the person chose another.
#[derive(Debug, Default)]
pub(super) struct Layouts {
    seen: Mutex<Option<(Source, Arc<Layout>)>>,
}

impl Layouts {
    pub(super) fn now(&self, desk: &impl Desk, by: Deadline) -> Found {
        let source = desk.source();
        let composes = source.composes();
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, layout)) = seen.as_ref().filter(|(known, _)| *known == source) {
            return Found { layout: Some(Arc::clone(layout)), composes };
        }
        let read = desk.layout(by).map(|made| Layout::of(&made));
        let american = || {
            let id = source.layout.as_deref()?;
            let known = ["com.apple.keylayout.US", "com.apple.keylayout.ABC"].contains(&id);
            known.then(Layout::american)
        };
        let layout = read.or_else(american).map(Arc::new);
        // Without an id nobody could tell when the person chose another.
        *seen = layout.clone().filter(|_| source.layout.is_some()).map(|layout| (source, layout));
        Found { layout, composes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(code: u16, level: Level, text: &str) -> Made {
        Made { code, level, text: text.to_owned() }
    }

    #[test]
    fn the_simplest_way_to_a_character_is_taken() {
        let layout = Layout::of(&[
            made(20, Level::Option, "x"),
            made(7, Level::Plain, "x"),
            made(7, Level::Shift, "X"),
            made(8, Level::ShiftOption, "‰"),
            made(82, Level::Plain, "0"),
            made(29, Level::Plain, "0"),
            made(36, Level::Plain, "\r"),
            made(14, Level::Option, ""),
            made(3, Level::Plain, "لا"),
        ]);
        let chord = |one| layout.chord(one).map(|chord| (chord.key.code, chord.with.clone()));
        assert_eq!(chord('x'), Some((7, vec![])));
        assert_eq!(chord('X'), Some((7, vec![SHIFT])));
        assert_eq!(chord('‰'), Some((8, vec![SHIFT, OPTION])));
        assert_eq!(chord('0'), Some((29, vec![])), "not the keypad's");
        assert_eq!((chord('\r'), chord('ل')), (None, None));
    }

    #[test]
    fn a_shortcut_is_looked_up_as_apps_do() {
        let layout = Layout::of(&[
            made(1, Level::Plain, "ы"),
            made(1, Level::Command, "s"),
            made(2, Level::Plain, "q"),
            made(3, Level::Command, "q"),
        ]);
        let code = |one, held| layout.shortcut(one, held).map(|chord| chord.key.code);
        assert_eq!(code('s', Flags::COMMAND), Some(1));
        assert_eq!(code('s', Flags::CONTROL), Some(1), "no other key has it");
        assert_eq!(code('q', Flags::COMMAND | Flags::SHIFT), Some(3));
        assert_eq!(code('q', Flags::CONTROL), Some(2));
        assert_eq!(code('z', Flags::COMMAND), None);
    }

    #[test]
    fn the_american_layout_is_known_by_heart() {
        let layout = Layout::american();
        let code = |one| layout.chord(one).map(|chord| (chord.key.code, chord.with.len()));
        assert_eq!((code('a'), code('Q'), code('?')), (Some((0, 0)), Some((12, 1)), Some((44, 1))));
        for one in ' '..='~' {
            assert!(code(one).is_some(), "{one:?}");
        }
    }

    #[test]
    fn levels_have_the_bits_of_the_system() {
        assert_eq!(Level::ALL.map(Level::bits), [0, 2, 8, 10, 1]);
    }

    #[test]
    fn input_methods_are_told_from_layouts() {
        let source = |kinds: &[&str]| Source {
            layout: None,
            kinds: kinds.iter().map(|kind| (*kind).to_owned()).collect(),
        };
        assert!(source(&["Keyboard Layout", "Input Mode"]).composes());
        assert!(!source(&["Keyboard Layout", "Non Keyboard Input Method"]).composes());
    }
}
