//! Text encodings of the clipboard.

use encoding_rs::{UTF_16BE, UTF_16LE};

use super::compound;

/// Decodes text that was requested as `target` and arrived with the type `type_name`.
pub(super) fn decode(target: &str, type_name: &str, data: &[u8]) -> String {
    // The type that arrived counts more than the target. A program that names neither UTF-8 nor an
    // old encoding uses its locale, which today is UTF-8.
    for name in [type_name, target] {
        match name {
            "STRING" => return decode_latin1_or_utf8(data),
            "COMPOUND_TEXT" => return compound::decode(data),
            "UTF8_STRING" => return String::from_utf8_lossy(data).into_owned(),
            _ => {}
        }
    }
    decode_unicode(data)
}

/// Decodes a STRING. It is Latin-1 by definition, but many programs send UTF-8. Latin-1 text that
/// is valid UTF-8 by chance would read like `Ã¤`, which does not occur in practice.
fn decode_latin1_or_utf8(data: &[u8]) -> String {
    match std::str::from_utf8(data) {
        Ok(text) => text.to_owned(),
        Err(_) => data.iter().copied().map(char::from).collect(),
    }
}

/// Decodes text in some form of Unicode. Browsers send UTF-16 without declaring it.
pub(super) fn decode_unicode(data: &[u8]) -> String {
    let wide = match data {
        [0xff, 0xfe, rest @ ..] => Some((UTF_16LE, rest)),
        [0xfe, 0xff, rest @ ..] => Some((UTF_16BE, rest)),
        // Markup and addresses begin with ASCII, whose high byte is zero in UTF-16.
        [first, 0, ..] if *first != 0 => Some((UTF_16LE, data)),
        [0, second, ..] if *second != 0 => Some((UTF_16BE, data)),
        [..] => None,
    };
    match wide {
        Some((encoding, rest)) => encoding.decode_without_bom_handling(rest).0.into_owned(),
        None => {
            let plain = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data);
            decode_latin1_or_utf8(plain)
        }
    }
}

/// Encodes text as Latin-1. Returns `None` if it has other characters.
pub(super) fn encode_latin1(text: &str) -> Option<Vec<u8>> {
    text.chars().map(|c| u8::try_from(c).ok()).collect()
}

/// Encodes text as UTF-16 as browsers expect it: little endian, without a byte order mark.
pub(super) fn encode_utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_received_type_decides_the_encoding() {
        assert_eq!(decode("UTF8_STRING", "STRING", b"Gr\xfcn"), "Grün");
        assert_eq!(decode("STRING", "STRING", "Grün".as_bytes()), "Grün");
        assert_eq!(decode("TEXT", "COMPOUND_TEXT", b"\x1b-L\xb4\xd0"), "Да");
        assert_eq!(decode("text/plain;charset=utf-8", "ATOM", "日".as_bytes()), "日");
        assert_eq!(decode("UTF8_STRING", "UTF8_STRING", b"a\xff"), "a\u{fffd}");
    }

    #[test]
    fn utf16_is_distinguished_from_utf8() {
        assert_eq!(decode_unicode(&encode_utf16("https://example.org/ä")), "https://example.org/ä");
        assert_eq!(decode_unicode(b"\xff\xfe<\0b\0"), "<b");
        assert_eq!(decode_unicode(b"\xfe\xff\0<\0b"), "<b");
        assert_eq!(decode_unicode(b"\xef\xbb\xbf<b>"), "<b>");
        assert_eq!(decode_unicode(b""), "");
    }
}
