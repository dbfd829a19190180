//! Splits a text into strokes: keys of the layout where possible, else events that contain text.

use super::{
    keys::{PhysicalKey, RETURN, TAB},
    layout::{Chord, CurrentLayout},
};

/// The maximum number of UTF-16 units in one event. macOS drops the rest without an error.
const MAX_EVENT_UNITS: usize = 20;

/// One stroke of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stroke {
    /// A key with its modifiers.
    Keys(Chord),
    /// Text in UTF-16 that is sent with the event.
    Text(Vec<u16>),
}

/// The amount of text in one event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChunkSize {
    /// One grapheme cluster.
    OneCharacter,
    /// As much as fits.
    Full,
}

/// Plans the strokes of a text. The error is a control character that cannot be typed.
pub(super) fn plan_strokes(
    text: &str,
    layout: &CurrentLayout,
    chunk: ChunkSize,
) -> Result<Vec<Stroke>, char> {
    let mut strokes: Vec<Stroke> = Vec::new();
    let single_key = |key: PhysicalKey| Stroke::Keys(Chord { key, modifiers: Vec::new() });
    // An input method would interpret the keys.
    let layout = layout.layout.as_ref().filter(|_| !layout.is_input_method);
    for cluster in clusters(&text.replace("\r\n", "\n").replace('\r', "\n")) {
        let mut characters = cluster.chars();
        let single = characters.next().filter(|_| characters.next().is_none());
        match single {
            Some('\n') => strokes.push(single_key(RETURN)),
            Some('\t') => strokes.push(single_key(TAB)),
            Some(control) if control.is_control() => return Err(control),
            Some(_) | None => match single.and_then(|one| layout?.chord(one)) {
                Some(chord) => strokes.push(Stroke::Keys(chord.clone())),
                None => add_text(&mut strokes, &cluster, chunk),
            },
        }
    }
    Ok(strokes)
}

/// Adds a cluster to the last stroke if it fits, else as new strokes.
fn add_text(strokes: &mut Vec<Stroke>, cluster: &str, chunk: ChunkSize) {
    let units: Vec<u16> = cluster.encode_utf16().collect();
    if let (Some(Stroke::Text(last)), ChunkSize::Full) = (strokes.last_mut(), chunk)
        && last.len() + units.len() <= MAX_EVENT_UNITS
    {
        last.extend(units);
        return;
    }
    let mut part = Vec::new();
    for character in cluster.chars() {
        if part.len() + character.len_utf16() > MAX_EVENT_UNITS {
            strokes.push(Stroke::Text(std::mem::take(&mut part)));
        }
        part.extend(character.encode_utf16(&mut [0; 2]).iter());
    }
    strokes.push(Stroke::Text(part));
}

/// Splits a text into grapheme clusters.
fn clusters(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut before = None;
    let mut indicators = 0_usize;
    for character in text.chars() {
        indicators = if is_regional_indicator(character) { indicators + 1 } else { 0 };
        let joined = before.is_some_and(|before: char| {
            let control = before.is_control() || character.is_control();
            let flag = is_regional_indicator(character) && indicators.is_multiple_of(2);
            let joins = is_combining(character) || before == JOINER || flag;
            !control && (joins || joins_hangul(before, character))
        });
        match all.last_mut().filter(|_| joined) {
            Some(last) => last.push(character),
            None => all.push(character.into()),
        }
        before = Some(character);
    }
    all
}

const JOINER: char = '\u{200d}';

fn is_regional_indicator(character: char) -> bool {
    ('\u{1f1e6}'..='\u{1f1ff}').contains(&character)
}

/// Returns `true` if a character only modifies the one before it.
fn is_combining(character: char) -> bool {
    matches!(character,
        JOINER
        | '\u{0300}'..='\u{036f}' | '\u{0483}'..='\u{0489}' | '\u{0591}'..='\u{05bd}'
        | '\u{064b}'..='\u{065f}' | '\u{0670}' | '\u{093a}'..='\u{093c}' | '\u{093e}'..='\u{094f}'
        | '\u{0981}'..='\u{0983}' | '\u{09bc}' | '\u{09be}'..='\u{09cd}'
        | '\u{0bbe}'..='\u{0bcd}' | '\u{0e31}' | '\u{0e34}'..='\u{0e3a}' | '\u{0e47}'..='\u{0e4e}'
        | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}'
        | '\u{3099}' | '\u{309a}' | '\u{fe00}'..='\u{fe0f}' | '\u{fe20}'..='\u{fe2f}'
        | '\u{1f3fb}'..='\u{1f3ff}' | '\u{e0020}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Returns `true` if two Hangul letters belong to one syllable.
fn joins_hangul(before: char, after: char) -> bool {
    let part = |one: char| match one {
        '\u{1100}'..='\u{115f}' => 1,
        '\u{1160}'..='\u{11a7}' => 2,
        '\u{11a8}'..='\u{11ff}' => 3,
        _ => 0,
    };
    let (before, after) = (part(before), part(after));
    before > 0 && after > 1 && before <= after
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::input::layout::{KeyLevel, KeyOutput, Layout};

    fn layout() -> CurrentLayout {
        let output = |code, level, text: &str| KeyOutput { code, level, text: text.to_owned() };
        let keys = [output(0, KeyLevel::Plain, "a"), output(0, KeyLevel::Shift, "A")];
        let layout = Layout::from_outputs(&keys);
        CurrentLayout { layout: Some(Arc::new(layout)), is_input_method: false }
    }

    fn written(strokes: &[Stroke]) -> Vec<String> {
        let show = |stroke: &Stroke| match stroke {
            Stroke::Keys(chord) => format!("{}+{}", chord.key.code, chord.modifiers.len()),
            Stroke::Text(units) => String::from_utf16(units).unwrap(),
        };
        strokes.iter().map(show).collect()
    }

    #[test]
    fn keys_of_the_layout_are_used_where_possible() {
        let strokes = plan_strokes("aAé\r\na\t\r", &layout(), ChunkSize::Full).unwrap();
        assert_eq!(written(&strokes), ["0+0", "0+1", "é", "36+0", "0+0", "48+0", "36+0"]);
    }

    #[test]
    fn text_is_split_between_grapheme_clusters() {
        let family = "👨\u{200d}👩\u{200d}👧";
        let text = format!("{}{family}{family}", "é".repeat(17));
        let strokes = plan_strokes(&text, &layout(), ChunkSize::Full).unwrap();
        let [first, second] = &written(&strokes)[..] else { panic!("{strokes:?}") };
        assert_eq!((first.as_str(), second), ("é".repeat(17).as_str(), &family.repeat(2)));
        let long = format!("é{}", "\u{301}".repeat(30));
        let strokes = plan_strokes(&long, &layout(), ChunkSize::Full).unwrap();
        assert_eq!(written(&strokes).concat(), long);
        let faces = plan_strokes(&"😀".repeat(21), &layout(), ChunkSize::Full).unwrap();
        assert_eq!(written(&faces), ["😀".repeat(10), "😀".repeat(10), "😀".into()]);
    }

    #[test]
    fn with_a_pause_each_character_has_its_own_event() {
        let text = "ёж🇩🇪🇫🇷👍🏽e\u{301}1\u{fe0f}\u{20e3}각a\u{301}";
        let strokes = plan_strokes(text, &layout(), ChunkSize::OneCharacter).unwrap();
        let expected =
            ["ё", "ж", "🇩🇪", "🇫🇷", "👍🏽", "e\u{301}", "1\u{fe0f}\u{20e3}", "각", "a\u{301}"];
        assert_eq!(written(&strokes), expected, "an accent stays with its letter");
        assert_eq!(clusters("\u{1100}\u{1161}\u{11a8}x"), ["\u{1100}\u{1161}\u{11a8}", "x"]);
    }

    #[test]
    fn an_input_method_receives_text_events() {
        let composing = CurrentLayout { is_input_method: true, ..layout() };
        let strokes = plan_strokes("aa\n", &composing, ChunkSize::Full).unwrap();
        assert_eq!(written(&strokes), ["aa", "36+0"]);
        let unknown = CurrentLayout { layout: None, is_input_method: false };
        assert_eq!(written(&plan_strokes("aA", &unknown, ChunkSize::Full).unwrap()), ["aA"]);
    }

    #[test]
    fn a_control_character_is_an_error() {
        assert_eq!(plan_strokes("a\u{1b}", &layout(), ChunkSize::Full), Err('\u{1b}'));
    }
}
