//! Encodes key names as the bytes that a terminal sends.

use crate::Error;

/// The mode of the cursor keys. Programs can switch it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CursorKeys {
    /// The initial mode.
    Normal,
    /// The application mode (DECCKM).
    Application,
}

/// Encodes a key such as `Enter`, `Ctrl+C`, `Alt+Left` or `F5`.
pub(super) fn bytes(key: &str, cursor_keys: CursorKeys) -> Result<Vec<u8>, Error> {
    let unknown = || Error::UnknownKey { key: key.to_owned() };
    let mut modifiers = Modifiers::default();
    let mut name = key.trim();
    while let Some((modifier, rest)) =
        name.split_once(['+', '-']).filter(|(_, rest)| !rest.is_empty())
    {
        match modifier.trim().to_ascii_lowercase().as_str() {
            "ctrl" | "control" | "c" => modifiers.control = 4,
            "alt" | "meta" | "option" | "m" => modifiers.alt = 2,
            "shift" | "s" => modifiers.shift = 1,
            _ => return Err(unknown()),
        }
        name = rest.trim();
    }
    let mut characters = name.chars();
    if let (Some(character), None) = (characters.next(), characters.next()) {
        return encode_character(character, modifiers).ok_or_else(unknown);
    }
    encode_named_key(&name.to_ascii_lowercase(), modifiers, cursor_keys).ok_or_else(unknown)
}

/// The modifiers of a key, each with its value in a CSI sequence.
#[derive(Debug, Clone, Copy, Default)]
struct Modifiers {
    shift: u8,
    alt: u8,
    control: u8,
}

impl Modifiers {
    fn sum(self) -> u8 {
        self.shift + self.alt + self.control
    }
}

fn encode_character(character: char, modifiers: Modifiers) -> Option<Vec<u8>> {
    let mut bytes = if modifiers.alt > 0 { vec![0x1b] } else { Vec::new() };
    if modifiers.control > 0 {
        bytes.push(match character.to_ascii_uppercase() {
            upper @ '@'..='_' => upper as u8 & 0x1f,
            ' ' => 0,
            '?' => 0x7f,
            '/' => 0x1f,
            _ => return None,
        });
        return Some(bytes);
    }
    let character = if modifiers.shift > 0 { character.to_ascii_uppercase() } else { character };
    bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    Some(bytes)
}

fn encode_named_key(name: &str, modifiers: Modifiers, cursor_keys: CursorKeys) -> Option<Vec<u8>> {
    if let Some(simple_key) = simple_key(name) {
        return match (name, modifiers.sum()) {
            ("tab", 1) => Some(b"\x1b[Z".to_vec()),
            ("space", _) => encode_character(' ', modifiers),
            (_, 2) => Some([&[0x1b], simple_key].concat()),
            (_, 0) => Some(simple_key.to_vec()),
            (_, _) => None,
        };
    }
    let modifier_code = modifiers.sum() + 1;
    if let Some(letter) = csi_letter(name) {
        let text = match (modifier_code, cursor_keys, letter) {
            (1, _, 'P'..='S') => format!("\x1bO{letter}"),
            (1, CursorKeys::Application, _) => format!("\x1bO{letter}"),
            (1, CursorKeys::Normal, _) => format!("\x1b[{letter}"),
            (_, _, _) => format!("\x1b[1;{modifier_code}{letter}"),
        };
        return Some(text.into_bytes());
    }
    let number = csi_number(name)?;
    let text = if modifier_code == 1 {
        format!("\x1b[{number}~")
    } else {
        format!("\x1b[{number};{modifier_code}~")
    };
    Some(text.into_bytes())
}

fn simple_key(name: &str) -> Option<&'static [u8]> {
    Some(match name {
        "enter" | "return" => b"\r",
        "tab" => b"\t",
        "escape" | "esc" => b"\x1b",
        "backspace" => b"\x7f",
        "space" => b" ",
        _ => return None,
    })
}

fn csi_letter(name: &str) -> Option<char> {
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

fn csi_number(name: &str) -> Option<u8> {
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
    fn keys_are_encoded_as_a_terminal_sends_them() {
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
            let sent = bytes(key, CursorKeys::Normal).unwrap();
            assert_eq!(sent, expected.as_bytes(), "{key}");
        }
        assert_eq!(bytes("Up", CursorKeys::Application).unwrap(), b"\x1bOA");
    }

    #[test]
    fn unknown_keys_are_refused() {
        for key in ["", "Entr", "Ctrl+ß", "Hyper+x", "Ctrl+Enter", "F13", "Ctrl+Alt"] {
            assert!(bytes(key, CursorKeys::Normal).is_err(), "{key}");
        }
    }
}
