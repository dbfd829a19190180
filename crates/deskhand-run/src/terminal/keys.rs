//! Keys by name, as the bytes a terminal sends for them.

use crate::Error;

/// Which form arrows have; programs switch it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrows {
    /// As they are at first.
    Normal,
    /// As an application asked for them.
    Application,
}

/// The bytes of a key such as `Enter`, `Ctrl+C`, `Alt+Left` or `F5`.
pub(super) fn bytes(key: &str, arrows: Arrows) -> Result<Vec<u8>, Error> {
    let unknown = || Error::UnknownKey { key: key.to_owned() };
    let mut held = Held::default();
    let mut name = key.trim();
    while let Some((modifier, rest)) =
        name.split_once(['+', '-']).filter(|(_, rest)| !rest.is_empty())
    {
        match modifier.trim().to_ascii_lowercase().as_str() {
            "ctrl" | "control" | "c" => held.control = 4,
            "alt" | "meta" | "option" | "m" => held.alt = 2,
            "shift" | "s" => held.shift = 1,
            _ => return Err(unknown()),
        }
        name = rest.trim();
    }
    let mut letters = name.chars();
    if let (Some(letter), None) = (letters.next(), letters.next()) {
        return character(letter, held).ok_or_else(unknown);
    }
    named(&name.to_ascii_lowercase(), held, arrows).ok_or_else(unknown)
}

/// What is held with a key, each by its number in a terminal's language.
#[derive(Debug, Clone, Copy, Default)]
struct Held {
    shift: u8,
    alt: u8,
    control: u8,
}

impl Held {
    fn sum(self) -> u8 {
        self.shift + self.alt + self.control
    }
}

fn character(letter: char, held: Held) -> Option<Vec<u8>> {
    let mut bytes = if held.alt > 0 { vec![0x1b] } else { Vec::new() };
    if held.control > 0 {
        bytes.push(match letter.to_ascii_uppercase() {
            upper @ '@'..='_' => upper as u8 & 0x1f,
            ' ' => 0,
            '?' => 0x7f,
            '/' => 0x1f,
            _ => return None,
        });
        return Some(bytes);
    }
    let letter = if held.shift > 0 { letter.to_ascii_uppercase() } else { letter };
    bytes.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
    Some(bytes)
}

fn named(name: &str, held: Held, arrows: Arrows) -> Option<Vec<u8>> {
    if let Some(plain) = plain(name) {
        return match (name, held.sum()) {
            ("tab", 1) => Some(b"\x1b[Z".to_vec()),
            ("space", _) => character(' ', held),
            (_, 2) => Some([&[0x1b], plain].concat()),
            (_, 0) => Some(plain.to_vec()),
            (_, _) => None,
        };
    }
    let changed = held.sum() + 1;
    if let Some(last) = letter_of(name) {
        let text = match (changed, arrows, last) {
            (1, _, 'P'..='S') => format!("\x1bO{last}"),
            (1, Arrows::Application, _) => format!("\x1bO{last}"),
            (1, Arrows::Normal, _) => format!("\x1b[{last}"),
            (_, _, _) => format!("\x1b[1;{changed}{last}"),
        };
        return Some(text.into_bytes());
    }
    let number = number_of(name)?;
    let text =
        if changed == 1 { format!("\x1b[{number}~") } else { format!("\x1b[{number};{changed}~") };
    Some(text.into_bytes())
}

fn plain(name: &str) -> Option<&'static [u8]> {
    Some(match name {
        "enter" | "return" => b"\r",
        "tab" => b"\t",
        "escape" | "esc" => b"\x1b",
        "backspace" => b"\x7f",
        "space" => b" ",
        _ => return None,
    })
}

fn letter_of(name: &str) -> Option<char> {
    Some(match name {
        "up" | "arrowup" => 'A',
        "down" | "arrowdown" => 'B',
        "right" | "arrowright" => 'C',
        "left" | "arrowleft" => 'D',
        "home" => 'H',
        "end" => 'F',
        "f1" => 'P',
        "f2" => 'Q',
        "f3" => 'R',
        "f4" => 'S',
        _ => return None,
    })
}

fn number_of(name: &str) -> Option<u8> {
    Some(match name {
        "insert" | "ins" => 2,
        "delete" | "del" => 3,
        "pageup" | "page_up" => 5,
        "pagedown" | "page_down" => 6,
        "f5" => 15,
        "f6" => 17,
        "f7" => 18,
        "f8" => 19,
        "f9" => 20,
        "f10" => 21,
        "f11" => 23,
        "f12" => 24,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_the_bytes_a_terminal_sends() {
        for (key, expected) in [
            ("Enter", "\r"),
            ("ctrl+c", "\x03"),
            ("Ctrl-D", "\x04"),
            ("Control+[", "\x1b"),
            ("Ctrl+Space", "\0"),
            ("Alt+b", "\x1bb"),
            ("Alt+Enter", "\x1b\r"),
            ("Shift+Tab", "\x1b[Z"),
            ("Up", "\x1b[A"),
            ("Ctrl+Left", "\x1b[1;5D"),
            ("PageDown", "\x1b[6~"),
            ("Shift+Delete", "\x1b[3;2~"),
            ("F1", "\x1bOP"),
            ("F12", "\x1b[24~"),
            ("q", "q"),
            ("Shift+q", "Q"),
            ("+", "+"),
            ("ß", "ß"),
        ] {
            let sent = bytes(key, Arrows::Normal).unwrap();
            assert_eq!(sent, expected.as_bytes(), "{key}");
        }
        assert_eq!(bytes("Up", Arrows::Application).unwrap(), b"\x1bOA");
    }

    #[test]
    fn what_is_no_key_is_refused() {
        for key in ["", "Entr", "Ctrl+ß", "Hyper+x", "Ctrl+Enter", "F13", "Ctrl+Alt"] {
            assert!(bytes(key, Arrows::Normal).is_err(), "{key}");
        }
    }
}
