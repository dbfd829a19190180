//! Tests with small handmade layouts in the form the X server reports them.

use super::*;

const SHIFT: u8 = 1;
const LOCK: u8 = 2;
const THIRD: u8 = 0x80;

fn mapping(key_type: u8, keysyms: &[u32]) -> KeyMapping {
    let width = u8::try_from(keysyms.len()).unwrap();
    KeyMapping { key_types: [key_type; 4], groups: 1, width, keysyms: keysyms.to_vec() }
}

/// Key types: one level, two levels, letters, and letters with four levels.
fn key_types() -> Vec<KeyType> {
    vec![
        KeyType { mask: 0, levels: vec![] },
        KeyType { mask: SHIFT, levels: vec![(SHIFT, 1)] },
        KeyType { mask: SHIFT | LOCK, levels: vec![(SHIFT, 1), (LOCK, 1)] },
        KeyType {
            mask: SHIFT | LOCK | THIRD,
            levels: vec![(SHIFT, 1), (LOCK, 1), (THIRD, 2), (SHIFT | THIRD, 3)],
        },
    ]
}

/// A German layout: Q with an at sign, a dead accent, Shift, the third level, and an empty key at
/// 120.
fn german() -> Layout {
    let mut mappings = vec![
        mapping(3, &[0x71, 0x51, 0x40, 0x7d9]),
        mapping(1, &[key::dead_circumflex, 0xb0]),
        mapping(0, &[key::Shift_L]),
        mapping(0, &[key::ISO_Level3_Shift]),
        mapping(1, &[key::KP_End, key::KP_1]),
    ];
    mappings.resize(111, mapping(0, &[]));
    mappings.push(mapping(0, &[key::XF86_AudioMute]));
    Layout {
        first: 10,
        mappings,
        key_types: key_types(),
        modifiers: vec![(12, SHIFT), (13, THIRD)],
        group: 0,
    }
}

fn chord(code: u8, with: &[u8]) -> Option<Chord> {
    Some(Chord { code, with: with.to_vec() })
}

#[test]
fn a_character_needs_its_key_and_the_modifiers_of_its_level() {
    let characters = german().typeable_characters(0);
    assert_eq!(characters.get(&'q').cloned(), chord(10, &[]));
    assert_eq!(characters.get(&'Q').cloned(), chord(10, &[12]));
    assert_eq!(characters.get(&'@').cloned(), chord(10, &[13]));
    assert_eq!(characters.get(&'Ω').cloned(), chord(10, &[12, 13]));
}

#[test]
fn dead_keys_and_the_keypad_make_no_characters() {
    let characters = german().typeable_characters(0);
    assert_eq!(characters.get(&'^'), None);
    assert_eq!(characters.get(&'1'), None);
    assert_eq!(characters.get(&'°').cloned(), chord(11, &[12]));
}

#[test]
fn caps_lock_is_never_used_to_type_a_character() {
    let mut layout = german();
    layout.modifiers.retain(|(code, _)| *code != 12);
    assert_eq!(layout.typeable_characters(0).get(&'Q'), None);
}

#[test]
fn a_locked_modifier_changes_the_character_of_a_key() {
    let characters = german().typeable_characters(LOCK);
    assert_eq!(characters.get(&'Q').cloned(), chord(10, &[]));
    assert_eq!(characters.get(&'q').cloned(), chord(10, &[12]));
}

#[test]
fn characters_come_from_the_active_group() {
    let keysyms = vec![0x73, 0x53, 0x6d9, 0x6f9];
    let two = KeyMapping { key_types: [2, 2, 0, 0], groups: 2, width: 2, keysyms };
    let mut layout = Layout {
        first: 39,
        mappings: vec![two],
        key_types: key_types(),
        modifiers: vec![],
        group: 1,
    };
    assert_eq!(layout.typeable_characters(0).get(&'ы').cloned(), chord(39, &[]));
    assert_eq!(layout.typeable_characters(0).get(&'s'), None);
    layout.group = 2;
    assert_eq!(
        layout.typeable_characters(0).get(&'s').cloned(),
        chord(39, &[]),
        "groups wrap around"
    );
}

#[test]
fn a_missing_group_is_clamped_or_redirected() {
    let with = |groups| KeyMapping { key_types: [0; 4], groups, width: 1, keysyms: vec![1, 2] };
    assert_eq!(with(0x42).effective_group(3), Some(1));
    assert_eq!(with(0x92).effective_group(3), Some(1));
    assert_eq!(with(0xb2).effective_group(3), Some(0));
    assert_eq!(with(0x00).effective_group(0), None);
}

#[test]
fn a_key_of_the_main_block_is_preferred_to_its_duplicate() {
    let mut layout = german();
    layout.mappings[100] = mapping(0, &[0x40]);
    assert_eq!(layout.typeable_characters(0).get(&'@').cloned(), chord(10, &[13]));
}

#[test]
fn only_empty_keys_above_the_main_block_are_spare() {
    assert_eq!(german().spare_keys(), [120]);
    let mut left_behind = german();
    left_behind.mappings[111] = KeyMapping::single(keysym_of('界'));
    assert_eq!(left_behind.spare_keys(), [120, 121]);
}

#[test]
fn named_keys_are_found_by_their_keysym() {
    assert_eq!(german().code_of(key::Shift_L), Some(12));
    assert_eq!(german().code_of(key::F5), None);
    assert_eq!(german().name_of(12), "Shift_L");
    assert!(german().is_modifier(13) && !german().is_modifier(10));
}

#[test]
fn latin_characters_are_their_own_keysyms_and_others_use_unicode_keysyms() {
    assert_eq!(keysym_of('é'), 0xe9);
    assert_eq!(keysym_of('€'), 0x0100_20ac);
    assert_eq!(keysym_of('😀'), 0x0101_f600);
}
