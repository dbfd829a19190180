//! Key combinations in the usual notation: `ctrl+s`, `cmd+shift+p`, `F5`, `Return`.

use std::time::Duration;

use deskhand_model::suggest;
use deskhand_platform::{Deadline, Key, NamedKey, Press};

use crate::{Error, Result, timing};

/// The names of all keys. Messages use the first name of each key.
const NAMES: &[(&[&str], NamedKey)] = &[
    (&["cmd", "command"], NamedKey::Command),
    (&["ctrl", "control"], NamedKey::Control),
    (&["shift"], NamedKey::Shift),
    (&["alt", "opt", "option"], NamedKey::Alt),
    (&["altgr", "isolevel3shift"], NamedKey::AltGr),
    (&["super", "meta", "win", "windows", "logo"], NamedKey::Logo),
    (&["return", "enter"], NamedKey::Return),
    (&["tab"], NamedKey::Tab),
    (&["escape", "esc"], NamedKey::Escape),
    (&["backspace", "back"], NamedKey::Backspace),
    (&["delete", "del", "forwarddelete"], NamedKey::Delete),
    (&["insert", "ins"], NamedKey::Insert),
    (&["home"], NamedKey::Home),
    (&["end"], NamedKey::End),
    (&["pageup", "pgup", "prior"], NamedKey::PageUp),
    (&["pagedown", "pgdn", "pgdown", "next"], NamedKey::PageDown),
    (&["left", "arrowleft", "leftarrow"], NamedKey::Left),
    (&["right", "arrowright", "rightarrow"], NamedKey::Right),
    (&["up", "arrowup", "uparrow"], NamedKey::Up),
    (&["down", "arrowdown", "downarrow"], NamedKey::Down),
    (&["space", "spacebar"], NamedKey::Space),
    (&["menu", "contextmenu", "apps"], NamedKey::Menu),
    (&["capslock", "caps"], NamedKey::CapsLock),
    (&["numlock"], NamedKey::NumLock),
    (&["printscreen", "print", "prtsc", "prtscn"], NamedKey::PrintScreen),
    (&["pause", "break"], NamedKey::Pause),
];

/// Names of characters that are hard to write in a combination.
const CHARACTERS: &[(&str, char)] = &[
    ("plus", '+'),
    ("minus", '-'),
    ("equal", '='),
    ("comma", ','),
    ("period", '.'),
    ("dot", '.'),
    ("slash", '/'),
    ("backslash", '\\'),
    ("semicolon", ';'),
    ("colon", ':'),
    ("apostrophe", '\''),
    ("quote", '\''),
    ("backquote", '`'),
    ("grave", '`'),
    ("bracketleft", '['),
    ("bracketright", ']'),
];

/// Keys that are pressed together, the modifiers first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyCombo {
    /// The keys in the order in which they are pressed.
    pub keys: Vec<Key>,
}

/// Parses a combination.
pub fn parse_combo(text: &str) -> Result<KeyCombo> {
    let text = text.trim();
    // A plus at the end is the key itself.
    let (modifiers, last) = match text.strip_suffix('+') {
        Some("") => (None, "+"),
        Some(head) => match head.strip_suffix('+') {
            Some(head) => (Some(head), "+"),
            None => return Err(unknown_key(text, "")),
        },
        None => match text.rsplit_once('+') {
            Some((head, last)) => (Some(head), last),
            None => (None, text),
        },
    };
    let mut keys = Vec::new();
    for word in modifiers.iter().flat_map(|all| all.split('+')) {
        keys.push(parse_modifier(word)?);
    }
    let key = parse_key(last).ok_or_else(|| unknown_key(text, last))?;
    // Ctrl+S is pressed without Shift, whatever the case of its letter.
    let key = match key {
        Key::Char(letter) if !keys.is_empty() => lower(letter),
        other @ (Key::Char(_) | Key::Named(_)) => other,
    };
    keys.push(key);
    Ok(KeyCombo { keys })
}

/// Parses a combination and returns its keys in the order in which they are pressed.
///
/// # Errors
///
/// [`Error::NoKey`] if it contains an unknown key.
pub fn parse_keys(text: &str) -> Result<Vec<Key>> {
    parse_combo(text).map(|combo| combo.keys)
}

/// Returns `true` if a combination types a character, or cannot be parsed.
pub fn types_text(text: &str) -> bool {
    use NamedKey::{Alt, Command, Control, Logo};
    let is_modifier = |key: &Key| matches!(key, Key::Named(Command | Control | Alt | Logo));
    match parse_combo(text) {
        Ok(combo) if combo.keys.iter().any(is_modifier) => false,
        Ok(combo) => combo.keys.iter().any(|key| matches!(key, Key::Char(_))),
        Err(_) => true,
    }
}

/// Parses the names of modifiers.
pub fn parse_modifiers(words: &[String]) -> Result<Vec<Key>> {
    words.iter().map(|word| parse_modifier(word)).collect()
}

fn parse_modifier(word: &str) -> Result<Key> {
    use NamedKey::{Alt, AltGr, Command, Control, Logo, Shift};
    match parse_key(word) {
        Some(found @ Key::Named(Command | Control | Shift | Alt | AltGr | Logo)) => Ok(found),
        Some(_) | None => Err(Error::NoKey {
            wanted: word.to_owned(),
            near: ["cmd", "ctrl", "shift", "alt", "altgr", "super"].map(str::to_owned).to_vec(),
        }),
    }
}

fn lower(letter: char) -> Key {
    let mut all = letter.to_lowercase();
    match (all.next(), all.next()) {
        (Some(one), None) => Key::Char(one),
        (Some(_), Some(_)) | (None, _) => Key::Char(letter),
    }
}

fn parse_key(word: &str) -> Option<Key> {
    let mut letters = word.chars();
    if let (Some(one), None) = (letters.next(), letters.next()) {
        return (!one.is_control()).then_some(Key::Char(one));
    }
    let plain = normalize(word);
    let named = NAMES.iter().find(|(names, _)| names.contains(&plain.as_str()));
    let function = || {
        let number: u8 = plain.strip_prefix('f')?.parse().ok()?;
        (1..=24).contains(&number).then_some(NamedKey::Function(number))
    };
    let character = || CHARACTERS.iter().find(|(name, _)| *name == plain);
    (named.map(|(_, named)| *named).or_else(function).map(Key::Named))
        .or_else(|| character().map(|(_, one)| Key::Char(*one)))
}

/// Normalizes the spelling of a key name.
fn normalize(word: &str) -> String {
    let letters = word.chars().filter(|one| !matches!(one, '_' | '-' | ' '));
    letters.flat_map(char::to_lowercase).collect()
}

fn unknown_key(text: &str, word: &str) -> Error {
    let plain = normalize(word);
    let names = NAMES.iter().flat_map(|(names, _)| names.iter().copied());
    let names = names.chain(CHARACTERS.iter().map(|(name, _)| *name));
    let near = suggest::nearest(&plain, names, 0.6, 5).into_iter().map(str::to_owned).collect();
    Error::NoKey { wanted: if word.is_empty() { text } else { word }.to_owned(), near }
}

/// Presses a combination, holds it, and releases every key in any case.
pub(crate) fn press_combo(
    combo: &KeyCombo,
    hold: Duration,
    deadline: Deadline,
    mut key: impl FnMut(&Key, Press, Deadline) -> deskhand_platform::Result<()>,
) -> deskhand_platform::Result<()> {
    let mut down = Vec::new();
    let mut outcome = Ok(());
    for one in &combo.keys {
        // A key whose press failed may be down nevertheless.
        down.push(one);
        outcome = key(one, Press::Down, deadline);
        if outcome.is_err() {
            break;
        }
    }
    if outcome.is_ok() {
        std::thread::sleep(hold);
    }
    let deadline = Deadline::after(timing::RELEASE_TIMEOUT);
    for one in down.into_iter().rev() {
        outcome = outcome.and(key(one, Press::Up, deadline));
    }
    outcome
}

#[cfg(test)]
mod tests {
    use deskhand_model::Explain;

    use super::*;

    fn named(names: &[NamedKey], last: Key) -> Option<Vec<Key>> {
        Some(names.iter().copied().map(Key::Named).chain([last]).collect())
    }

    fn read(text: &str) -> Option<Vec<Key>> {
        parse_combo(text).ok().map(|combo| combo.keys)
    }

    #[test]
    fn command_and_control_are_different_keys() {
        for (text, key) in [
            ("cmd+s", NamedKey::Command),
            ("COMMAND+s", NamedKey::Command),
            ("ctrl+s", NamedKey::Control),
            ("Control+S", NamedKey::Control),
        ] {
            assert_eq!(read(text), named(&[key], Key::Char('s')), "{text}");
            assert!(!types_text(text), "{text}");
        }
        assert_eq!(read("meta+l"), named(&[NamedKey::Logo], Key::Char('l')));
    }

    #[test]
    fn modifiers_are_pressed_in_order() {
        let all = named(&[NamedKey::Command, NamedKey::Shift], Key::Char('p'));
        assert_eq!(read("cmd+shift+p"), all);
        let both = named(&[NamedKey::Control, NamedKey::Command], Key::Char('f'));
        assert_eq!(read("ctrl+cmd+f"), both);
        let altgr = named(&[NamedKey::AltGr], Key::Named(NamedKey::Function(5)));
        assert_eq!(read("altgr+F5"), altgr);
    }

    #[test]
    fn keys_have_the_usual_names() {
        for (text, key) in [
            ("Return", NamedKey::Return),
            ("enter", NamedKey::Return),
            ("ESC", NamedKey::Escape),
            ("page_down", NamedKey::PageDown),
            ("PgUp", NamedKey::PageUp),
            ("ArrowLeft", NamedKey::Left),
            ("del", NamedKey::Delete),
            ("f12", NamedKey::Function(12)),
            ("super", NamedKey::Logo),
        ] {
            assert_eq!(read(text), named(&[], Key::Named(key)), "{text}");
        }
    }

    #[test]
    fn a_plus_can_be_the_key() {
        assert_eq!(read("+"), named(&[], Key::Char('+')));
        assert_eq!(read("ctrl++"), named(&[NamedKey::Control], Key::Char('+')));
        assert_eq!(read("ctrl+plus"), named(&[NamedKey::Control], Key::Char('+')));
        assert_eq!(read("ctrl+,"), named(&[NamedKey::Control], Key::Char(',')));
        assert_eq!(read("ctrl+-"), named(&[NamedKey::Control], Key::Char('-')));
    }

    #[test]
    fn a_single_letter_keeps_its_case_and_script() {
        assert_eq!(read("A"), named(&[], Key::Char('A')));
        assert_eq!(read("é"), named(&[], Key::Char('é')));
        assert_eq!(read("ctrl+Ж"), named(&[NamedKey::Control], Key::Char('ж')));
    }

    #[test]
    fn an_unknown_key_lists_similar_names() {
        let error = parse_combo("ctrl+pagedwn").unwrap_err();
        assert_eq!(error.code(), "unknown_key");
        let advice = format!("{:?}", error.advice());
        assert!(advice.contains("pagedown"), "{advice}");
        for text in ["", "ctrl+", "f25", "hyperspace+a", "a+b", "ctrl+nope"] {
            assert!(parse_combo(text).is_err(), "{text}");
        }
    }

    #[test]
    fn all_keys_are_released_if_one_fails() {
        let combo = parse_combo("ctrl+shift+p").unwrap();
        let mut seen = Vec::new();
        let failed = deskhand_platform::Error::Timeout { what: "x".to_owned() };
        let deadline = Deadline::after(Duration::from_secs(1));
        let outcome = press_combo(&combo, Duration::ZERO, deadline, |key, press, _| {
            seen.push((key.clone(), press));
            let fails = *key == Key::Named(NamedKey::Shift) && press == Press::Down;
            if fails { Err(failed.clone()) } else { Ok(()) }
        });
        assert_eq!(outcome, Err(failed.clone()));
        let (control, shift) = (Key::Named(NamedKey::Control), Key::Named(NamedKey::Shift));
        assert_eq!(
            seen,
            [
                (control.clone(), Press::Down),
                (shift.clone(), Press::Down),
                (shift, Press::Up),
                (control, Press::Up),
            ]
        );
    }
}
