//! Keyboard layouts as plain data: which key and modifiers produce which character.

use std::collections::HashMap;

use xkeysym::{Keysym, key};

/// Keys below this code are letters, digits, keypad and cursor keys, which layouts use.
const FIRST_SPARE_CODE: u8 = 120;

/// The last code of the letter and digit block. Higher codes duplicate some of its characters on
/// rare keys.
const LAST_MAIN_CODE: u8 = 94;

/// The keysyms of one key, for each group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeyMapping {
    /// The index of each group's key type.
    pub(super) key_types: [u8; 4],
    /// The XKB group info: the number of groups, and how a missing group is replaced.
    pub(super) groups: u8,
    /// The number of keysyms per group.
    pub(super) width: u8,
    /// The keysyms, group after group.
    pub(super) keysyms: Vec<u32>,
}

impl KeyMapping {
    /// Returns a mapping that produces one keysym regardless of modifiers.
    pub(super) fn single(keysym: u32) -> Self {
        // The first key type of every XKB keyboard has one level.
        Self { key_types: [0; 4], groups: 1, width: 1, keysyms: vec![keysym] }
    }

    /// Returns a mapping that produces nothing.
    pub(super) fn empty() -> Self {
        Self { key_types: [0; 4], groups: 0, width: 0, keysyms: Vec::new() }
    }

    fn is_free(&self) -> bool {
        // Unicode keysyms on spare keys were left behind by a killed program.
        let free = |keysym: &u32| *keysym == 0 || (0x0100_0000..=0x0110_ffff).contains(keysym);
        self.keysyms.iter().all(free)
    }

    /// Returns the group of this key to use when the keyboard's group is `group`.
    fn effective_group(&self, group: u8) -> Option<u8> {
        let count = self.groups & 0x0f;
        match count {
            0 => None,
            _ if group < count => Some(group),
            _ => Some(match self.groups & 0xc0 {
                0x40 => count - 1,
                0x80 => Some((self.groups >> 4) & 3).filter(|to| *to < count).unwrap_or(0),
                _ => group % count,
            }),
        }
    }

    fn keysym(&self, group: u8, level: u8) -> u32 {
        let index = usize::from(group) * usize::from(self.width) + usize::from(level);
        let exists = level < self.width;
        self.keysyms.get(index).copied().filter(|_| exists).unwrap_or(0)
    }
}

/// An XKB key type: the modifiers that select each level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeyType {
    /// The modifiers that matter for this type.
    pub(super) mask: u8,
    /// Modifier combinations and the levels they select. All others select the first level.
    pub(super) levels: Vec<(u8, u8)>,
}

impl KeyType {
    fn level(&self, modifiers: u8) -> u8 {
        let active = modifiers & self.mask;
        self.levels.iter().find(|(mods, _)| *mods == active).map_or(0, |(_, level)| *level)
    }
}

/// A key and the modifier keys to hold while pressing it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chord {
    /// The key code.
    pub(super) code: u8,
    /// The codes of the modifier keys, in pressing order.
    pub(super) with: Vec<u8>,
}

/// The layout of a whole keyboard.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    /// The key code of the first mapping.
    pub(super) first: u8,
    /// The mappings, one per key code.
    pub(super) mappings: Vec<KeyMapping>,
    /// The key types that the mappings refer to.
    pub(super) key_types: Vec<KeyType>,
    /// The codes of modifier keys, each with its modifier mask.
    pub(super) modifiers: Vec<(u8, u8)>,
    /// The active group.
    pub(super) group: u8,
}

impl Layout {
    fn keys(&self) -> impl Iterator<Item = (u8, &KeyMapping)> {
        (self.first..=u8::MAX).zip(&self.mappings)
    }

    /// Returns every character that the active group can produce while the `locked` modifiers are
    /// on, with the keys to press.
    pub(super) fn typeable_characters(&self, locked: u8) -> HashMap<char, Chord> {
        let level_modifiers = self.level_modifiers();
        let mut best: HashMap<char, ((bool, usize, u8), Chord)> = HashMap::new();
        for (code, mapping) in self.keys() {
            let Some(group) = mapping.effective_group(self.group) else { continue };
            let key_type =
                mapping.key_types.get(usize::from(group)).map(|key_type| usize::from(*key_type));
            let Some(key_type) = key_type.and_then(|key_type| self.key_types.get(key_type)) else {
                continue;
            };
            let plain = std::iter::once(0).chain(key_type.levels.iter().map(|(mods, _)| *mods));
            for mods in plain {
                let level = key_type.level(mods | locked);
                let Some(character) = character_of(mapping.keysym(group, level)) else { continue };
                let Some(with) = modifier_keys_for(mods, &level_modifiers) else { continue };
                let rank = (code > LAST_MAIN_CODE, with.len(), code);
                if best.get(&character).is_none_or(|(known, _)| rank < *known) {
                    best.insert(character, (rank, Chord { code, with }));
                }
            }
        }
        best.into_iter().map(|(character, (_, chord))| (character, chord)).collect()
    }

    /// Returns the modifier keys that only select a level, as pairs of modifier and key code.
    fn level_modifiers(&self) -> Vec<(u8, u8)> {
        const LEVEL_KEYS: [u32; 4] =
            [key::Shift_L, key::Shift_R, key::ISO_Level3_Shift, key::ISO_Level5_Shift];
        let chooses =
            |code: u8| self.first_keysym(code).is_some_and(|one| LEVEL_KEYS.contains(&one));
        let all =
            self.modifiers.iter().filter(|(code, mods)| mods.count_ones() == 1 && chooses(*code));
        all.map(|(code, mods)| (*mods, *code)).collect()
    }

    fn first_keysym(&self, code: u8) -> Option<u32> {
        let mapping = self.mappings.get(usize::from(code.checked_sub(self.first)?))?;
        Some(mapping.keysym(mapping.effective_group(self.group)?, 0))
    }

    /// Returns the code of the key that produces a keysym without modifiers.
    pub(super) fn code_of(&self, keysym: u32) -> Option<u8> {
        let here = self.keys().find(|(code, _)| self.first_keysym(*code) == Some(keysym));
        let in_a_group = |mapping: &KeyMapping| {
            (0..mapping.groups & 0x0f).any(|group| mapping.keysym(group, 0) == keysym)
        };
        let anywhere = || self.keys().find(|(_, mapping)| in_a_group(mapping));
        here.or_else(anywhere).map(|(code, _)| code)
    }

    /// Returns the modifier mask of a key, or 0 if it is not a modifier.
    pub(super) fn modifier_of(&self, code: u8) -> u8 {
        let known = self.modifiers.iter().find(|(one, _)| *one == code);
        known.map_or(0, |(_, mods)| *mods)
    }

    /// Returns `true` if the key modifies other keys.
    pub(super) fn is_modifier(&self, code: u8) -> bool {
        let by_keysym =
            || self.first_keysym(code).is_some_and(|s| Keysym::new(s).is_modifier_key());
        self.modifier_of(code) != 0 || by_keysym()
    }

    /// Returns the name of a key for messages, such as `Shift_L`.
    pub(super) fn name_of(&self, code: u8) -> String {
        let keysym = self.first_keysym(code).unwrap_or(0);
        let name = Keysym::new(keysym).name().map(|name| name.trim_start_matches("XK_").to_owned());
        name.unwrap_or_else(|| format!("key {code}"))
    }

    /// Returns the codes of unused keys, which can be borrowed for characters that the layout
    /// lacks.
    pub(super) fn spare_keys(&self) -> Vec<u8> {
        let spare = |(code, mapping): &(u8, &KeyMapping)| {
            *code >= FIRST_SPARE_CODE && mapping.is_free() && self.modifier_of(*code) == 0
        };
        self.keys().filter(spare).map(|(code, _)| code).collect()
    }

    /// Returns the mappings of the codes `from..=to`.
    pub(super) fn mappings_between(&self, from: u8, to: u8) -> &[KeyMapping] {
        let index = |code: u8| usize::from(code.saturating_sub(self.first));
        self.mappings.get(index(from)..=index(to)).unwrap_or_default()
    }
}

/// Returns the character of a keysym. Dead keys, keypad keys and named keys have none here.
fn character_of(keysym: u32) -> Option<char> {
    let is_function = (0xfd00..=0xffff).contains(&keysym);
    Keysym::new(keysym).key_char().filter(|_| keysym != 0 && !is_function)
}

/// Returns the keysym of a character. It is valid on every keyboard.
pub(super) fn keysym_of(wanted: char) -> u32 {
    match u32::from(wanted) {
        latin @ (0x20..=0x7e | 0xa0..=0xff) => latin,
        other => 0x0100_0000 | other,
    }
}

/// Returns the keys to hold for these modifiers, or `None` if a modifier has no key.
fn modifier_keys_for(mods: u8, level_modifiers: &[(u8, u8)]) -> Option<Vec<u8>> {
    let bits = (0..8).map(|bit| 1_u8 << bit).filter(|bit| mods & bit != 0);
    bits.map(|bit| level_modifiers.iter().find(|(mods, _)| *mods == bit).map(|(_, code)| *code))
        .collect()
}

#[cfg(test)]
mod tests;
