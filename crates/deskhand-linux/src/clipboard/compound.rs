//! COMPOUND_TEXT, the X Consortium's ISO 2022 encoding for programs that predate UTF-8.

use encoding_rs::{
    EUC_JP, EUC_KR, Encoding, GBK, ISO_8859_2, ISO_8859_3, ISO_8859_4, ISO_8859_5, ISO_8859_6,
    ISO_8859_7, ISO_8859_8, ISO_8859_10, ISO_8859_13, ISO_8859_14, ISO_8859_15, ISO_8859_16,
    WINDOWS_1254,
};

const ESC: u8 = 0x1b;
const CSI: u8 = 0x9b;
const STX: u8 = 0x02;
/// The escape sequences that start and end a UTF-8 segment.
const UTF8: &[u8] = b"\x1b%G";
const PLAIN: &[u8] = b"\x1b%@";

/// The character set in one half of the code table.
#[derive(Clone, Copy)]
enum CharSet {
    /// Latin-1, the first 256 characters of Unicode.
    Latin1,
    /// Characters of one or two bytes in an encoding of `encoding_rs`, after an optional shift
    /// byte.
    Other { encoding: &'static Encoding, shift: Option<u8>, width: usize },
}

const fn single(encoding: &'static Encoding) -> CharSet {
    CharSet::Other { encoding, shift: None, width: 1 }
}

const fn double(encoding: &'static Encoding) -> CharSet {
    CharSet::Other { encoding, shift: None, width: 2 }
}

/// Returns the set of 96 characters with this final byte.
fn set_of_96(last: u8) -> Option<CharSet> {
    Some(match last {
        b'A' => CharSet::Latin1,
        b'B' => single(ISO_8859_2),
        b'C' => single(ISO_8859_3),
        b'D' => single(ISO_8859_4),
        b'F' => single(ISO_8859_7),
        b'G' => single(ISO_8859_6),
        b'H' => single(ISO_8859_8),
        b'L' => single(ISO_8859_5),
        // Printable characters are the same as in ISO 8859-9.
        b'M' => single(WINDOWS_1254),
        b'V' => single(ISO_8859_10),
        b'Y' => single(ISO_8859_13),
        b'_' => single(ISO_8859_14),
        b'b' => single(ISO_8859_15),
        b'f' => single(ISO_8859_16),
        _ => return None,
    })
}

/// Returns the set of 94 characters with this final byte.
fn set_of_94(last: u8) -> Option<CharSet> {
    Some(match last {
        b'B' | b'J' => CharSet::Latin1,
        // Half-width katakana, which EUC-JP encodes with a shift byte.
        b'I' => CharSet::Other { encoding: EUC_JP, shift: Some(0x8e), width: 1 },
        _ => return None,
    })
}

/// Returns the set of 94 by 94 characters with this final byte.
fn set_of_94_by_94(last: u8) -> Option<CharSet> {
    Some(match last {
        b'A' => double(GBK),
        b'B' => double(EUC_JP),
        b'C' => double(EUC_KR),
        b'D' => CharSet::Other { encoding: EUC_JP, shift: Some(0x8f), width: 2 },
        _ => return None,
    })
}

/// Decodes compound text. Invalid parts become U+FFFD.
pub(super) fn decode(mut bytes: &[u8]) -> String {
    let (mut left, mut right) = (CharSet::Latin1, CharSet::Latin1);
    let mut text = String::with_capacity(bytes.len());
    while let Some(first) = bytes.first().copied() {
        match first {
            ESC => bytes = escape(bytes, &mut left, &mut right, &mut text),
            CSI => {
                // This sequence only sets the writing direction, which Unicode characters imply.
                let end = bytes.iter().position(|byte| *byte == b']');
                bytes = end.and_then(|end| bytes.get(end + 1..)).unwrap_or_default();
            }
            ..=0x20 | 0x7f => {
                text.push(char::from(first));
                bytes = &bytes[1..];
            }
            ..=0x7e => bytes = decode_character(left, bytes, &mut text),
            0x80.. => bytes = decode_character(right, bytes, &mut text),
        }
    }
    text
}

fn decode_character<'a>(set: CharSet, bytes: &'a [u8], text: &mut String) -> &'a [u8] {
    match set {
        CharSet::Latin1 => {
            text.push(char::from(bytes[0]));
            &bytes[1..]
        }
        CharSet::Other { encoding, shift, width } => {
            let (one, rest) = bytes.split_at(width.min(bytes.len()));
            let raw: Vec<u8> = shift.into_iter().chain(one.iter().map(|b| b | 0x80)).collect();
            let (decoded, _) = encoding.decode_without_bom_handling(&raw);
            text.push_str(&decoded);
            rest
        }
    }
}

/// Processes one escape sequence and returns the bytes after it.
fn escape<'a>(
    bytes: &'a [u8],
    left: &mut CharSet,
    right: &mut CharSet,
    text: &mut String,
) -> &'a [u8] {
    let select_set = |half: &mut CharSet, set: Option<CharSet>, length: usize| {
        *half = set.unwrap_or(CharSet::Latin1);
        &bytes[length..]
    };
    match bytes {
        [ESC, b'%', b'G', rest @ ..] => {
            let end = rest.windows(PLAIN.len()).position(|found| found == PLAIN);
            text.push_str(&String::from_utf8_lossy(&rest[..end.unwrap_or(rest.len())]));
            end.and_then(|end| rest.get(end + PLAIN.len()..)).unwrap_or_default()
        }
        [ESC, b'%', b'/', _, high, low, rest @ ..] => {
            let length = usize::from(high & 0x7f) * 128 + usize::from(low & 0x7f);
            let (segment, rest) = rest.split_at(length.min(rest.len()));
            text.push_str(&decode_extended_segment(segment));
            rest
        }
        [ESC, b'$', b'(', last, ..] => select_set(left, set_of_94_by_94(*last), 4),
        [ESC, b'$', b')', last, ..] => select_set(right, set_of_94_by_94(*last), 4),
        [ESC, b'(', last, ..] => select_set(left, set_of_94(*last), 3),
        [ESC, b')', last, ..] => select_set(right, set_of_94(*last), 3),
        [ESC, b'-', last, ..] => select_set(right, set_of_96(*last), 3),
        _ => bytes.get(1..).unwrap_or_default(),
    }
}

/// Decodes a segment that names its own encoding.
fn decode_extended_segment(segment: &[u8]) -> String {
    let end = segment.iter().position(|byte| *byte == STX).unwrap_or(0);
    let data = segment.get(end + 1..).unwrap_or_default();
    match Encoding::for_label(&segment[..end]) {
        Some(encoding) => encoding.decode_without_bom_handling(data).0.into_owned(),
        None => String::from_utf8_lossy(data).into_owned(),
    }
}

/// Encodes compound text: Latin-1 directly, and the rest as UTF-8 segments, which Xlib supports.
pub(super) fn encode(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut inside = false;
    for c in text.chars() {
        let plain = u8::try_from(c).ok().filter(|byte| !(0x7f..0xa0).contains(byte));
        if plain.is_none() != inside {
            bytes.extend_from_slice(if inside { PLAIN } else { UTF8 });
            inside = !inside;
        }
        match plain {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    if inside {
        bytes.extend_from_slice(PLAIN);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_text_decodes_to_itself() {
        for text in ["", "plain", "Grüße, Welt", "日本語 and 🙂", "🙂", "a\tb\nc", "עברית"]
        {
            assert_eq!(decode(&encode(text)), text);
        }
        assert_eq!(encode("Grün"), b"Gr\xfcn");
    }

    #[test]
    fn character_sets_of_old_programs_are_decoded() {
        // As Xlib encodes them: Motif for Japanese, xterm for Cyrillic and Greek, GB and Korean.
        assert_eq!(decode(b"\x1b$(B\x46\x7c\x4b\x5c\x1b(B ok"), "日本 ok");
        assert_eq!(decode(b"\x1b$)A\xd6\xd0\xce\xc4"), "中文");
        assert_eq!(decode(b"\x1b$(C\x47\x51\x31\x5b"), "한글");
        assert_eq!(decode(b"\x1b-L\xb4\xd0"), "Да");
        assert_eq!(decode(b"\x1b-F\xe1"), "α");
        assert_eq!(decode(b"\x1b)I\xb1"), "ｱ");
        assert_eq!(decode(b"\x1b%/1\x80\x8dkoi8-r\x02\xc4\xc1!!!!tail"), "да!!!!tail");
    }

    #[test]
    fn invalid_input_terminates() {
        for bytes in [&b"\x1b"[..], b"\x1b%", b"\x1b%/1\xff", b"\x1b$(", b"\x9b1", b"\x1b%Gopen"] {
            let _any = decode(bytes);
        }
        assert_eq!(decode(b"\x1b$(B\x46"), "\u{fffd}");
    }
}
