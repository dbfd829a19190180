//! A keyboard layout as plain data: which key makes which character, and what is held down for it.

use std::collections::HashMap;

use xkeysym::{Keysym, key};

/// Letters, digits, keypad and cursor keys lie below this code; layouts differ there.
const SPARE_FROM: u8 = 120;

/// Letters and digits end here; beyond are doubles of the same characters on rarer keys.
const MAIN_END: u8 = 94;

/// What one key makes in each of its groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    /// The kind of each group.
    pub(super) kinds: [u8; 4],
    /// How many groups there are, and what stands in for those that are not there.
    pub(super) groups: u8,
    /// Symbols a group.
    pub(super) width: u8,
    /// The symbols, group after group.
    pub(super) symbols: Vec<u32>,
}

impl Row {
    /// A key that makes one symbol, whatever else is held down.
    pub(super) fn single(symbol: u32) -> Self {
        // The first kind of every XKB keyboard has one level.
        Self { kinds: [0; 4], groups: 1, width: 1, symbols: vec![symbol] }
    }

    /// A key that makes nothing.
    pub(super) fn empty() -> Self {
        Self { kinds: [0; 4], groups: 0, width: 0, symbols: Vec::new() }
    }

    fn is_free(&self) -> bool {
        // Unicode symbols up here are what a killed program left behind.
        let free = |symbol: &u32| *symbol == 0 || (0x0100_0000..=0x0110_ffff).contains(symbol);
        self.symbols.iter().all(free)
    }

    /// The group in use when the keyboard as a whole is in `group`.
    fn effective(&self, group: u8) -> Option<u8> {
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

    fn symbol(&self, group: u8, level: u8) -> u32 {
        let place = usize::from(group) * usize::from(self.width) + usize::from(level);
        let there = level < self.width;
        self.symbols.get(place).copied().filter(|_| there).unwrap_or(0)
    }
}

/// Which modifiers lead to which level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Kind {
    /// The modifiers that matter.
    pub(super) mask: u8,
    /// Modifiers and the level they lead to; what is not listed leads to the first.
    pub(super) levels: Vec<(u8, u8)>,
}

impl Kind {
    fn level(&self, modifiers: u8) -> u8 {
        let held = modifiers & self.mask;
        self.levels.iter().find(|(mods, _)| *mods == held).map_or(0, |(_, level)| *level)
    }
}

/// A key and what is held down while it is pressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chord {
    /// The key.
    pub(super) code: u8,
    /// The modifier keys, in the order they go down.
    pub(super) with: Vec<u8>,
}

/// A whole keyboard.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    /// The code of the first row.
    pub(super) first: u8,
    /// The keys.
    pub(super) rows: Vec<Row>,
    /// The kinds the rows speak of.
    pub(super) kinds: Vec<Kind>,
    /// Keys that are modifiers, and which.
    pub(super) modifiers: Vec<(u8, u8)>,
    /// The group the keyboard is in.
    pub(super) group: u8,
}

impl Layout {
    fn keys(&self) -> impl Iterator<Item = (u8, &Row)> {
        (self.first..=u8::MAX).zip(&self.rows)
    }

    /// Every character the keyboard makes in the group it is in, and how, while `locked` modifiers
    /// are on.
    pub(super) fn characters(&self, locked: u8) -> HashMap<char, Chord> {
        let shifters = self.shifters();
        let mut best: HashMap<char, ((bool, usize, u8), Chord)> = HashMap::new();
        for (code, row) in self.keys() {
            let Some(group) = row.effective(self.group) else { continue };
            let kind = row.kinds.get(usize::from(group)).map(|kind| usize::from(*kind));
            let Some(kind) = kind.and_then(|kind| self.kinds.get(kind)) else { continue };
            let plain = std::iter::once(0).chain(kind.levels.iter().map(|(mods, _)| *mods));
            for mods in plain {
                let level = kind.level(mods | locked);
                let Some(made) = character(row.symbol(group, level)) else { continue };
                let Some(with) = held_for(mods, &shifters) else { continue };
                let rank = (code > MAIN_END, with.len(), code);
                if best.get(&made).is_none_or(|(known, _)| rank < *known) {
                    best.insert(made, (rank, Chord { code, with }));
                }
            }
        }
        best.into_iter().map(|(made, (_, chord))| (made, chord)).collect()
    }

    /// Modifier keys that only choose a level, each with its modifier.
    fn shifters(&self) -> Vec<(u8, u8)> {
        const CHOOSING: [u32; 4] =
            [key::Shift_L, key::Shift_R, key::ISO_Level3_Shift, key::ISO_Level5_Shift];
        let chooses = |code: u8| self.first_symbol(code).is_some_and(|one| CHOOSING.contains(&one));
        let all =
            self.modifiers.iter().filter(|(code, mods)| mods.count_ones() == 1 && chooses(*code));
        all.map(|(code, mods)| (*mods, *code)).collect()
    }

    fn first_symbol(&self, code: u8) -> Option<u32> {
        let row = self.rows.get(usize::from(code.checked_sub(self.first)?))?;
        Some(row.symbol(row.effective(self.group)?, 0))
    }

    /// The key that makes a symbol by itself.
    pub(super) fn code_of(&self, symbol: u32) -> Option<u8> {
        let here = self.keys().find(|(code, _)| self.first_symbol(*code) == Some(symbol));
        let in_a_group =
            |row: &Row| (0..row.groups & 0x0f).any(|group| row.symbol(group, 0) == symbol);
        let anywhere = || self.keys().find(|(_, row)| in_a_group(row));
        here.or_else(anywhere).map(|(code, _)| code)
    }

    /// The modifiers a key stands for, none when it is no modifier.
    pub(super) fn modifier_of(&self, code: u8) -> u8 {
        let known = self.modifiers.iter().find(|(one, _)| *one == code);
        known.map_or(0, |(_, mods)| *mods)
    }

    /// Whether a key changes what other keys make.
    pub(super) fn is_modifier(&self, code: u8) -> bool {
        let by_symbol =
            || self.first_symbol(code).is_some_and(|s| Keysym::new(s).is_modifier_key());
        self.modifier_of(code) != 0 || by_symbol()
    }

    /// What is printed on a key, in words.
    pub(super) fn name_of(&self, code: u8) -> String {
        let symbol = self.first_symbol(code).unwrap_or(0);
        let name = Keysym::new(symbol).name().map(|name| name.trim_start_matches("XK_").to_owned());
        name.unwrap_or_else(|| format!("key {code}"))
    }

    /// Keys that make nothing and can be lent to characters no key makes.
    pub(super) fn spares(&self) -> Vec<u8> {
        let spare = |(code, row): &(u8, &Row)| {
            *code >= SPARE_FROM && row.is_free() && self.modifier_of(*code) == 0
        };
        self.keys().filter(spare).map(|(code, _)| code).collect()
    }

    /// The rows from one key to another, both included.
    pub(super) fn between(&self, from: u8, to: u8) -> &[Row] {
        let place = |code: u8| usize::from(code.saturating_sub(self.first));
        self.rows.get(place(from)..=place(to)).unwrap_or_default()
    }
}

/// The character a symbol stands for. Dead keys, the keypad and keys with names make none here.
fn character(symbol: u32) -> Option<char> {
    let is_function = (0xfd00..=0xffff).contains(&symbol);
    Keysym::new(symbol).key_char().filter(|_| symbol != 0 && !is_function)
}

/// The symbol that stands for a character on any keyboard.
pub(super) fn symbol_of(wanted: char) -> u32 {
    match u32::from(wanted) {
        latin @ (0x20..=0x7e | 0xa0..=0xff) => latin,
        other => 0x0100_0000 | other,
    }
}

/// The keys to hold down for these modifiers; `None` when one of them has no key of its own.
fn held_for(mods: u8, shifters: &[(u8, u8)]) -> Option<Vec<u8>> {
    let bits = (0..8).map(|bit| 1_u8 << bit).filter(|bit| mods & bit != 0);
    bits.map(|bit| shifters.iter().find(|(mods, _)| *mods == bit).map(|(_, code)| *code)).collect()
}

#[cfg(test)]
mod tests;
