//! Layouts made by hand: a few keys each, as the X server describes them.

use super::*;

const SHIFT: u8 = 1;
const LOCK: u8 = 2;
const THIRD: u8 = 0x80;

fn row(kind: u8, symbols: &[u32]) -> Row {
    let width = u8::try_from(symbols.len()).unwrap();
    Row { kinds: [kind; 4], groups: 1, width, symbols: symbols.to_vec() }
}

/// One level, two levels, letters, and four levels for letters.
fn kinds() -> Vec<Kind> {
    vec![
        Kind { mask: 0, levels: vec![] },
        Kind { mask: SHIFT, levels: vec![(SHIFT, 1)] },
        Kind { mask: SHIFT | LOCK, levels: vec![(SHIFT, 1), (LOCK, 1)] },
        Kind {
            mask: SHIFT | LOCK | THIRD,
            levels: vec![(SHIFT, 1), (LOCK, 1), (THIRD, 2), (SHIFT | THIRD, 3)],
        },
    ]
}

/// Q with an at sign, a dead accent, Shift, the third level, and an empty key at 120.
fn german() -> Layout {
    let mut rows = vec![
        row(3, &[0x71, 0x51, 0x40, 0x7d9]),
        row(1, &[key::dead_circumflex, 0xb0]),
        row(0, &[key::Shift_L]),
        row(0, &[key::ISO_Level3_Shift]),
        row(1, &[key::KP_End, key::KP_1]),
    ];
    rows.resize(111, row(0, &[]));
    rows.push(row(0, &[key::XF86_AudioMute]));
    Layout { first: 10, rows, kinds: kinds(), modifiers: vec![(12, SHIFT), (13, THIRD)], group: 0 }
}

fn chord(code: u8, with: &[u8]) -> Option<Chord> {
    Some(Chord { code, with: with.to_vec() })
}

#[test]
fn a_character_is_made_by_its_key_and_the_modifiers_of_its_level() {
    let made = german().characters(0);
    assert_eq!(made.get(&'q').cloned(), chord(10, &[]));
    assert_eq!(made.get(&'Q').cloned(), chord(10, &[12]));
    assert_eq!(made.get(&'@').cloned(), chord(10, &[13]));
    assert_eq!(made.get(&'Ω').cloned(), chord(10, &[12, 13]));
}

#[test]
fn dead_keys_and_the_keypad_make_no_characters() {
    let made = german().characters(0);
    assert_eq!(made.get(&'^'), None);
    assert_eq!(made.get(&'1'), None);
    assert_eq!(made.get(&'°').cloned(), chord(11, &[12]));
}

#[test]
fn caps_lock_is_never_a_way_to_a_character() {
    let mut layout = german();
    layout.modifiers.retain(|(code, _)| *code != 12);
    assert_eq!(layout.characters(0).get(&'Q'), None);
}

#[test]
fn a_locked_modifier_changes_what_the_bare_key_makes() {
    let made = german().characters(LOCK);
    assert_eq!(made.get(&'Q').cloned(), chord(10, &[]));
    assert_eq!(made.get(&'q').cloned(), chord(10, &[12]));
}

#[test]
fn the_group_in_use_decides() {
    let symbols = vec![0x73, 0x53, 0x6d9, 0x6f9];
    let two = Row { kinds: [2, 2, 0, 0], groups: 2, width: 2, symbols };
    let mut layout =
        Layout { first: 39, rows: vec![two], kinds: kinds(), modifiers: vec![], group: 1 };
    assert_eq!(layout.characters(0).get(&'ы').cloned(), chord(39, &[]));
    assert_eq!(layout.characters(0).get(&'s'), None);
    layout.group = 2;
    assert_eq!(layout.characters(0).get(&'s').cloned(), chord(39, &[]), "groups wrap around");
}

#[test]
fn a_group_that_is_not_there_is_clamped_or_redirected() {
    let with = |groups| Row { kinds: [0; 4], groups, width: 1, symbols: vec![1, 2] };
    assert_eq!(with(0x42).effective(3), Some(1));
    assert_eq!(with(0x92).effective(3), Some(1));
    assert_eq!(with(0xb2).effective(3), Some(0));
    assert_eq!(with(0x00).effective(0), None);
}

#[test]
fn a_key_of_the_main_block_wins_over_its_double() {
    let mut layout = german();
    layout.rows[100] = row(0, &[0x40]);
    assert_eq!(layout.characters(0).get(&'@').cloned(), chord(10, &[13]));
}

#[test]
fn only_empty_keys_beyond_the_layout_are_spare() {
    assert_eq!(german().spares(), [120]);
    let mut left_behind = german();
    left_behind.rows[111] = Row::single(symbol_of('界'));
    assert_eq!(left_behind.spares(), [120, 121]);
}

#[test]
fn named_keys_are_found_by_their_symbol() {
    assert_eq!(german().code_of(key::Shift_L), Some(12));
    assert_eq!(german().code_of(key::F5), None);
    assert_eq!(german().name_of(12), "Shift_L");
    assert!(german().is_modifier(13) && !german().is_modifier(10));
}

#[test]
fn latin_characters_are_their_own_symbols_and_others_are_numbered() {
    assert_eq!(symbol_of('é'), 0xe9);
    assert_eq!(symbol_of('€'), 0x0100_20ac);
    assert_eq!(symbol_of('😀'), 0x0101_f600);
}
