//! The encodings text comes in.

use encoding_rs::{UTF_16BE, UTF_16LE};

use super::compound;

/// Reads text that was asked for as one target and came as a type of its own.
pub(super) fn decode(target: &str, kind: &str, data: &[u8]) -> String {
    // The type that came is the truth; a program that names neither UTF-8 nor the old ones sends
    // what its locale is, which today is UTF-8.
    for name in [kind, target] {
        match name {
            "STRING" => return latin1_or_utf8(data),
            "COMPOUND_TEXT" => return compound::decode(data),
            "UTF8_STRING" => return String::from_utf8_lossy(data).into_owned(),
            _ => {}
        }
    }
    unicode(data)
}

/// STRING is Latin-1 by definition, yet many programs put UTF-8 there. Latin-1 that is valid UTF-8
/// by chance has to read like `Ã¤`, which nobody writes.
fn latin1_or_utf8(data: &[u8]) -> String {
    match std::str::from_utf8(data) {
        Ok(text) => text.to_owned(),
        Err(_) => data.iter().copied().map(char::from).collect(),
    }
}

/// Reads text that is some form of Unicode: browsers send UTF-16 without saying so.
pub(super) fn unicode(data: &[u8]) -> String {
    let wide = match data {
        [0xff, 0xfe, rest @ ..] => Some((UTF_16LE, rest)),
        [0xfe, 0xff, rest @ ..] => Some((UTF_16BE, rest)),
        // Markup and addresses begin with ASCII, whose other half is zero.
        [first, 0, ..] if *first != 0 => Some((UTF_16LE, data)),
        [0, second, ..] if *second != 0 => Some((UTF_16BE, data)),
        [..] => None,
    };
    match wide {
        Some((encoding, rest)) => encoding.decode_without_bom_handling(rest).0.into_owned(),
        None => {
            let plain = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data);
            latin1_or_utf8(plain)
        }
    }
}

/// Writes text in Latin-1; `None` when that has no sign for some of it.
pub(super) fn latin1(text: &str) -> Option<Vec<u8>> {
    text.chars().map(|c| u8::try_from(c).ok()).collect()
}

/// Writes text in UTF-16 as browsers exchange it: little end first, no mark.
pub(super) fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_that_came_decides() {
        assert_eq!(decode("UTF8_STRING", "STRING", b"Gr\xfcn"), "Grün");
        assert_eq!(decode("STRING", "STRING", "Grün".as_bytes()), "Grün");
        assert_eq!(decode("TEXT", "COMPOUND_TEXT", b"\x1b-L\xb4\xd0"), "Да");
        assert_eq!(decode("text/plain;charset=utf-8", "ATOM", "日".as_bytes()), "日");
        assert_eq!(decode("UTF8_STRING", "UTF8_STRING", b"a\xff"), "a\u{fffd}");
    }

    #[test]
    fn sixteen_bits_are_told_from_eight() {
        assert_eq!(unicode(&utf16("https://example.org/ä")), "https://example.org/ä");
        assert_eq!(unicode(b"\xff\xfe<\0b\0"), "<b");
        assert_eq!(unicode(b"\xfe\xff\0<\0b"), "<b");
        assert_eq!(unicode(b"\xef\xbb\xbf<b>"), "<b>");
        assert_eq!(unicode(b""), "");
    }
}
