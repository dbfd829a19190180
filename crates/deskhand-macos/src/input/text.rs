//! A text cut into strokes: keys of the layout where it has them, events that bring their text else.

use super::{
    keys::{Place, RETURN, TAB},
    layout::{Chord, Found},
};

/// An event brings along no more than this; the system drops the rest and does not say so.
const UNITS: usize = 20;

/// One stroke of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stroke {
    /// A key.
    Keys(Chord),
    /// Text that comes with the event, in UTF-16.
    Text(Vec<u16>),
}

/// How much text one event brings along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Portion {
    /// What a person takes for one character.
    One,
    /// As much as goes in.
    Full,
}

/// Plans a text; the control character that cannot be typed otherwise.
pub(super) fn plan(text: &str, found: &Found, portion: Portion) -> Result<Vec<Stroke>, char> {
    let mut strokes: Vec<Stroke> = Vec::new();
    let alone = |key: Place| Stroke::Keys(Chord { key, with: Vec::new() });
    // An input method would take the keys for something else.
    let layout = found.layout.as_ref().filter(|_| !found.composes);
    for cluster in clusters(&text.replace("\r\n", "\n").replace('\r', "\n")) {
        let mut characters = cluster.chars();
        let single = characters.next().filter(|_| characters.next().is_none());
        match single {
            Some('\n') => strokes.push(alone(RETURN)),
            Some('\t') => strokes.push(alone(TAB)),
            Some(control) if control.is_control() => return Err(control),
            Some(_) | None => match single.and_then(|one| layout?.chord(one)) {
                Some(chord) => strokes.push(Stroke::Keys(chord.clone())),
                None => add(&mut strokes, &cluster, portion),
            },
        }
    }
    Ok(strokes)
}

/// Adds text to the last stroke if it goes in whole.
fn add(strokes: &mut Vec<Stroke>, cluster: &str, portion: Portion) {
    let units: Vec<u16> = cluster.encode_utf16().collect();
    if let (Some(Stroke::Text(last)), Portion::Full) = (strokes.last_mut(), portion)
        && last.len() + units.len() <= UNITS
    {
        last.extend(units);
        return;
    }
    let mut part = Vec::new();
    for character in cluster.chars() {
        if part.len() + character.len_utf16() > UNITS {
            strokes.push(Stroke::Text(std::mem::take(&mut part)));
        }
        part.extend(character.encode_utf16(&mut [0; 2]).iter());
    }
    strokes.push(Stroke::Text(part));
}

/// A text cut into what people take for one character each.
fn clusters(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut before = None;
    let mut flags = 0_usize;
    for character in text.chars() {
        flags = if is_flag(character) { flags + 1 } else { 0 };
        let joined = before.is_some_and(|before: char| {
            let control = before.is_control() || character.is_control();
            let pair = is_flag(character) && flags.is_multiple_of(2);
            !control && (extends(character) || before == JOINER || pair || jamo(before, character))
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

fn is_flag(character: char) -> bool {
    ('\u{1f1e6}'..='\u{1f1ff}').contains(&character)
}

/// Whether a character only changes the one before it.
fn extends(character: char) -> bool {
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

/// Whether two parts of a Korean syllable belong together.
fn jamo(before: char, after: char) -> bool {
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
    use crate::input::layout::{Layout, Level, Made};

    fn found() -> Found {
        let made = |code, level, text: &str| Made { code, level, text: text.to_owned() };
        let keys = [made(0, Level::Plain, "a"), made(0, Level::Shift, "A")];
        Found { layout: Some(Arc::new(Layout::of(&keys))), composes: false }
    }

    fn written(strokes: &[Stroke]) -> Vec<String> {
        let show = |stroke: &Stroke| match stroke {
            Stroke::Keys(chord) => format!("{}+{}", chord.key.code, chord.with.len()),
            Stroke::Text(units) => String::from_utf16(units).unwrap(),
        };
        strokes.iter().map(show).collect()
    }

    #[test]
    fn keys_are_taken_where_there_are_some() {
        let strokes = plan("aAé\r\na\t\r", &found(), Portion::Full).unwrap();
        assert_eq!(written(&strokes), ["0+0", "0+1", "é", "36+0", "0+0", "48+0", "36+0"]);
    }

    #[test]
    fn text_goes_in_portions_that_split_nothing() {
        let family = "👨\u{200d}👩\u{200d}👧";
        let text = format!("{}{family}{family}", "é".repeat(17));
        let strokes = plan(&text, &found(), Portion::Full).unwrap();
        let [first, second] = &written(&strokes)[..] else { panic!("{strokes:?}") };
        assert_eq!((first.as_str(), second), ("é".repeat(17).as_str(), &family.repeat(2)));
        let long = format!("é{}", "\u{301}".repeat(30));
        let strokes = plan(&long, &found(), Portion::Full).unwrap();
        assert_eq!(written(&strokes).concat(), long);
        let faces = plan(&"😀".repeat(21), &found(), Portion::Full).unwrap();
        assert_eq!(written(&faces), ["😀".repeat(10), "😀".repeat(10), "😀".into()]);
    }

    #[test]
    fn a_pause_after_each_character_takes_one_event_each() {
        let text = "ёж🇩🇪🇫🇷👍🏽e\u{301}1\u{fe0f}\u{20e3}각a\u{301}";
        let strokes = plan(text, &found(), Portion::One).unwrap();
        let wanted =
            ["ё", "ж", "🇩🇪", "🇫🇷", "👍🏽", "e\u{301}", "1\u{fe0f}\u{20e3}", "각", "a\u{301}"];
        assert_eq!(
            written(&strokes),
            wanted,
            "a base key without its accent would be another text"
        );
        assert_eq!(clusters("\u{1100}\u{1161}\u{11a8}x"), ["\u{1100}\u{1161}\u{11a8}", "x"]);
    }

    #[test]
    fn an_input_method_gets_no_keys() {
        let composing = Found { composes: true, ..found() };
        let strokes = plan("aa\n", &composing, Portion::Full).unwrap();
        assert_eq!(written(&strokes), ["aa", "36+0"]);
        let unknown = Found { layout: None, composes: false };
        assert_eq!(written(&plan("aA", &unknown, Portion::Full).unwrap()), ["aA"]);
    }

    #[test]
    fn what_cannot_be_typed_is_said_before_anything_is() {
        assert_eq!(plan("a\u{1b}", &found(), Portion::Full), Err('\u{1b}'));
    }
}
